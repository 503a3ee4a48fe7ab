// The clock of a drill: its elapsed time.
const clock = document.getElementById('drill-clock');
const started = Date.now() - Number(clock.dataset.lasted);

function tick() {
  const seconds = Math.max(0, Math.floor((Date.now() - started) / 1000));
  const two = (number) => String(number).padStart(2, '0');
  clock.textContent = `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  clock.classList.toggle('late', seconds > Number(clock.dataset.target) * 60);
}

tick();
setInterval(tick, 1000);
