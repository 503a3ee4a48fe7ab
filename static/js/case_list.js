// The list of cases: ticking, the bar of actions that appears with the first tick, and its keys.
import { say } from './words.js';

const bar = document.querySelector('[data-bulk]');
const boxes = [...document.querySelectorAll('.pick input')];
const all = bar?.querySelector('[data-all]');

function tell() {
  const ticked = boxes.filter((box) => box.checked).length;
  bar.classList.toggle('ticked', ticked > 0);
  all.checked = ticked === boxes.length;
  all.indeterminate = ticked > 0 && ticked < boxes.length;
  bar.querySelector('[data-ticked]').textContent = ticked ? say('{ticked} ticked', { ticked }) : say('All on this page');
}

if (bar) {
  let last = null;
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
    tell();
  });
  for (const box of boxes) {
    box.addEventListener('click', (event) => {
      if (event.shiftKey && last) {
        const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
        for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
      }
      last = box;
      tell();
    });
  }
  tell(); // a browser keeps ticks over a reload
}

// On a phone the filters would fill the first screen, so they start collapsed.
const folded = document.querySelector('.facets-all');
if (folded && matchMedia('(max-width: 1080px)').matches) folded.open = false;

document.addEventListener('keydown', (event) => {
  const row = document.activeElement?.closest?.('.case-row');
  const typing = event.target.closest?.('input:not([type="checkbox"]), textarea, select, button, a, summary');
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  const undo = document.querySelector('[data-undo]');
  const actions = {
    Enter: () => row?.querySelector('.title').click(),
    o: () => row?.querySelector('.title').click(),
    x: () => row?.querySelector('.pick input').click(),
    z: () => undo?.click(),
  };
  if (!actions[event.key] || (event.key === 'z' ? !undo : !row)) return;
  event.preventDefault();
  actions[event.key]();
});
