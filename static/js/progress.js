// Updates a run's progress, by server-sent events or polling, and shows the diagnosis at the end.
import { say } from './words.js';

const box = document.getElementById('run');
const EVERY_MS = 400;
const MOST_MS = 15000;
let wait = EVERY_MS;
let said = '';

const set = (id, text) => {
  const element = document.getElementById(id);
  if (element && element.textContent !== text) element.textContent = text;
};

function show(run) {
  set('run-headline', run.headline);
  set('run-detail', run.detail);
  const bar = document.getElementById('run-bar');
  if (bar) bar.value = run.progress;
  const stages = document.getElementById('run-stages');
  run.stages.forEach((stage, place) => { if (stages?.children[place]) stages.children[place].dataset.state = stage.state; });
  if (run.headline !== said) {
    said = run.headline;
    set('run-said', say('{headline}, {share} %', { headline: run.headline, share: Math.round(run.progress * 100) }));
  }
  document.title = `${Math.round(run.progress * 100)} % ${document.title.replace(/^\d+ % /, '')}`;
}

async function ask() {
  try {
    const response = await fetch(box.dataset.progress, { headers: { Accept: 'application/json' } });
    if (response.redirected || response.status === 404) return location.reload();
    if (!response.ok) throw new Error(String(response.status));
    const run = await response.json();
    show(run);
    wait = EVERY_MS;
    if (!run.active) return location.reload();
  } catch {
    wait = Math.min(wait * 2, MOST_MS);
    set('run-detail', say('The workbench does not answer; trying again.'));
  }
  setTimeout(ask, document.hidden ? Math.max(wait, 4000) : wait);
  return undefined;
}

function listen() {
  const feed = new EventSource(box.dataset.events);
  feed.addEventListener('progress', (event) => show(JSON.parse(event.data)));
  feed.addEventListener('end', (event) => {
    feed.close();
    show(JSON.parse(event.data));
    location.reload();
  });
  // A browser connects again by itself after a lost connection; CLOSED means that the server cannot push now.
  feed.addEventListener('error', () => { if (feed.readyState === EventSource.CLOSED) ask(); });
}

if (['queued', 'running'].includes(box?.dataset.status)) {
  if (box.dataset.events) listen();
  else ask();
}
