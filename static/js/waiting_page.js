// Reloads a page after some seconds while its content is being prepared.
const waiting = document.querySelector("[data-reload-after]");
if (waiting) setTimeout(() => location.reload(), Number(waiting.dataset.reloadAfter) * 1000);
