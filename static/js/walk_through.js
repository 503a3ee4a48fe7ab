// One step at a time: play, step, back, and the keyboard. Without this script all steps are listed.
import { say } from './words.js';

const walk = document.getElementById('walk');
const steps = [...walk.querySelectorAll('.walk-step')];
const bar = document.getElementById('walk-bar');
const said = document.getElementById('walk-said');
const play = bar.querySelector('[data-walk="play"]');
const PAUSE_MS = 2500;

let shown = Math.max(steps.findIndex((step) => `#${step.id}` === location.hash), 0);
let clock = null;

function show(place) {
  shown = Math.min(Math.max(place, 0), steps.length - 1);
  steps.forEach((step, index) => { step.hidden = index !== shown; });
  bar.querySelector('[data-walk="back"]').disabled = shown === 0;
  bar.querySelector('[data-walk="next"]').disabled = shown === steps.length - 1;
  said.textContent = steps[shown].querySelector('h2').textContent.trim().replace(/\s+/g, ' ');
  history.replaceState(null, '', `#${steps[shown].id}`);
}

function pause() {
  clearInterval(clock);
  clock = null;
  play.textContent = say('Play');
  play.setAttribute('aria-pressed', 'false');
}

function start() {
  if (shown === steps.length - 1) show(0);
  play.textContent = say('Pause');
  play.setAttribute('aria-pressed', 'true');
  clock = setInterval(() => {
    show(shown + 1);
    if (shown === steps.length - 1) pause();
  }, PAUSE_MS);
}

const moves = {
  first: () => { pause(); show(0); },
  back: () => { pause(); show(shown - 1); },
  next: () => { pause(); show(shown + 1); },
  play: () => { if (clock) pause(); else start(); },
};

bar.addEventListener('click', (event) => {
  const button = event.target.closest('[data-walk]');
  if (button) moves[button.dataset.walk]();
});

const keys = { ArrowRight: 'next', ArrowLeft: 'back', Home: 'first', ' ': 'play' };

walk.addEventListener('keydown', (event) => {
  const move = keys[event.key];
  const onButton = event.key === ' ' && event.target.closest('button');
  if (!move || onButton || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  moves[move]();
});

bar.hidden = false;
show(shown);
