// Opens a page again after some seconds, where what it shows is still being prepared.
const waiting = document.querySelector("[data-reload-after]");
if (waiting) setTimeout(() => location.reload(), Number(waiting.dataset.reloadAfter) * 1000);
