// Sliders beside the fields of a calculator; the server does the arithmetic, the address holds the values.
const form = document.getElementById('calculator');
const result = document.getElementById('result');
const STEPS = 1000;
const CURVE = 3; // small values get most of the slider's way
const PAUSE_MS = 150;

const valueAt = (slider) => {
  const low = Number(slider.dataset.low);
  const high = Number(slider.dataset.high);
  return low + (high - low) * (slider.value / STEPS) ** CURVE;
};

const placeOf = (slider, value) => {
  const low = Number(slider.dataset.low);
  const high = Number(slider.dataset.high);
  const part = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return Math.round(part ** (1 / CURVE) * STEPS);
};

let waiting;
let newest = 0;

async function calculate() {
  const address = `${location.pathname}?${new URLSearchParams(new FormData(form))}`;
  const asked = ++newest;
  const answer = await fetch(address, { headers: { Accept: 'application/json' } });
  if (!answer.ok || asked !== newest) return;
  result.innerHTML = (await answer.json()).html;
  history.replaceState(null, '', address);
}

function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(calculate, PAUSE_MS);
}

for (const slider of form.querySelectorAll('input[type="range"]')) {
  const field = form.elements[slider.dataset.slides];
  slider.hidden = false;
  slider.value = placeOf(slider, Number(field.value));
  slider.addEventListener('input', () => {
    field.value = Number(valueAt(slider).toPrecision(3));
    soon();
  });
  field.addEventListener('input', () => {
    slider.value = placeOf(slider, Number(field.value));
    soon();
  });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  calculate();
});
document.getElementById('calculate').hidden = true;
// Typed before this script was there, or kept by the browser when the page was loaded again.
if ([...form.elements].some((each) => each.name && each.value !== each.defaultValue)) calculate();
