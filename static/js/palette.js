// Ctrl+K: pages reachable from this page by a few letters; text without a match is searched in all cases.
import { element } from './element.js';
import { reveal } from './tools.js';
import { say } from './words.js';

const dialog = document.getElementById('palette');
const field = dialog.querySelector('input');
const list = dialog.querySelector('[role="listbox"]');
const SOURCES = [
  [say('Page'), '.topbar nav a, .footer nav a, .page-head a.button, .crumbs a'],
  [say('Section'), '.section-nav a'],
  [say('Finding'), '.finding h3'],
  [say('Chart'), '.chart h3'],
  [say('Step'), '.step .question'],
  [say('Action'), '.topbar-tools [data-dialog], [data-theme-switch], .page-head [data-dialog]'],
];
let offered = [];
let at = 0;

const titleOf = (target) => (target.getAttribute('aria-label') || target.textContent).trim().replace(/\s+/g, ' ');

function targets() {
  return SOURCES.flatMap(([kind, selector]) => [...document.querySelectorAll(selector)]
    .filter((target) => target.checkVisibility() || target.closest('details:not([open])'))
    .map((target) => ({ kind, title: titleOf(target), act: () => follow(target) })));
}

function follow(target) {
  if (target.matches('a, button')) {
    target.click();
    return;
  }
  const place = target.closest('[data-stop], .step, .repeated');
  reveal(place);
  place.scrollIntoView({ block: 'start' });
  place.focus();
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  offered = targets().filter(({ kind, title }) => words.every((word) => `${kind} ${title}`.toLowerCase().includes(word)));
  if (words.length) {
    const text = field.value.trim();
    offered.push({ kind: say('Search'), title: say('all cases for “{text}”', { text }), act: () => location.assign(`${dialog.dataset.search}?text=${encodeURIComponent(text)}`) });
  }
  at = 0;
  list.replaceChildren(...offered.map(({ kind, title }, place) => {
    const option = element('li');
    option.role = 'option';
    option.id = `palette-${place}`;
    option.append(element('span', 'muted', kind), element('span', '', title));
    option.addEventListener('click', () => choose(place));
    return option;
  }));
  mark();
}

function mark() {
  [...list.children].forEach((option, place) => option.setAttribute('aria-selected', String(place === at)));
  list.children[at]?.scrollIntoView({ block: 'nearest' });
  if (offered.length) field.setAttribute('aria-activedescendant', `palette-${at}`);
  else field.removeAttribute('aria-activedescendant');
}

function choose(place) {
  dialog.close();
  offered[place]?.act();
}

field.addEventListener('input', show);
field.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && offered.length) {
    event.preventDefault();
    at = (at + step + offered.length) % offered.length;
    mark();
  }
  if (event.key === 'Enter') {
    event.preventDefault();
    choose(at);
  }
});
document.addEventListener('keydown', (event) => {
  const isOpening = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k';
  if (!isOpening || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  field.value = '';
  show();
  dialog.showModal();
});
