// The facts that a rule can compare: searched by name and meaning, with their values in the chosen case, inserted at the
// cursor; Ctrl+Space in the YAML completes the name before the cursor.
import { element } from './element.js';
import { toast } from './tools.js';
import { say } from './words.js';

const MOST_SHOWN = 40;
const NAME = /[a-z][a-z0-9_.]*$/;

const picker = document.getElementById('fact-picker');
const search = document.getElementById('fact-search');
const list = document.getElementById('fact-list');
const count = document.getElementById('fact-count');
const chosenCase = document.getElementById('case');
const areas = [...document.querySelectorAll('.code-editor textarea')];
let facts = [];
let written = areas[0];

async function load() {
  const url = new URL(picker.dataset.facts, location.href);
  if (chosenCase) url.searchParams.set('case', chosenCase.value);
  try {
    const response = await fetch(url, { headers: { Accept: 'application/json' } });
    if (!response.ok) throw new Error(say('The workbench answered {status}.', { status: response.status }));
    ({ facts } = await response.json());
    show();
  } catch (error) {
    count.textContent = say('The facts could not be read: {message}', { message: error.message });
  }
}

const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
const matches = (entry, wanted) => wanted.every((word) => entry.fact.includes(word) || entry.label.toLowerCase().includes(word));

function show() {
  const wanted = words(search.value);
  const found = facts.filter((entry) => matches(entry, wanted));
  count.textContent = found.length > MOST_SHOWN
    ? say('{found} of {all} facts, the first {shown} are listed', { found: found.length, all: facts.length, shown: MOST_SHOWN })
    : say('{found} of {all} facts', { found: found.length, all: facts.length });
  list.replaceChildren(...found.slice(0, MOST_SHOWN).map(row));
}

function row(entry) {
  const item = element('li');
  const button = element('button', 'plain-button');
  button.type = 'button';
  button.dataset.fact = entry.fact;
  button.append(element('code', '', entry.fact), element('span', 'small', say('{label}, for each {level}', { label: entry.label, level: entry.level })));
  item.append(button);
  for (const value of entry.values) {
    const line = element('div', 'small value-line');
    line.append(element('strong', '', value.text), element('span', 'muted', value.where ? ` ${value.where}` : ''));
    item.append(line);
  }
  if (entry.more) item.append(element('div', 'small muted', say('and of {more} further', { more: entry.more })));
  return item;
}

// Typed by the browser itself, so that undo, line numbers and preview follow.
function insert(text, replaced = 0) {
  const panel = written.closest('[role="tabpanel"]');
  if (panel?.hidden) document.querySelector(`[aria-controls="${panel.id}"]`)?.click();
  written.focus();
  if (replaced) written.setSelectionRange(written.selectionStart - replaced, written.selectionEnd);
  document.execCommand('insertText', false, text);
}

function common(names) {
  let shared = names[0];
  for (const name of names) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  return shared;
}

function complete(area) {
  const typed = area.value.slice(0, area.selectionStart).match(NAME)?.[0] || '';
  const names = facts.map((entry) => entry.fact).filter((name) => name.startsWith(typed));
  search.value = typed;
  show();
  if (!facts.length) return;
  if (!typed || !names.length) {
    toast(typed ? say('No fact begins with {typed}', { typed }) : say('Type the beginning of a name first.'));
    return;
  }
  const longer = common(names);
  if (longer.length > typed.length) insert(longer, typed.length);
  else if (names.length > 1) toast(say('{count} facts begin with {typed}: they are listed beside the text.', { count: names.length, typed }));
}

for (const area of areas) {
  area.addEventListener('focus', () => { written = area; });
  area.addEventListener('keydown', (event) => {
    if (event.code !== 'Space' || !event.ctrlKey) return;
    event.preventDefault();
    complete(area);
  });
}
search.addEventListener('input', show);
search.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  const first = list.querySelector('[data-fact]');
  if (first) insert(first.dataset.fact);
});
list.addEventListener('click', (event) => {
  const { fact } = event.target.closest('[data-fact]')?.dataset ?? {};
  if (fact) insert(fact);
});
chosenCase?.addEventListener('change', load);
load();
