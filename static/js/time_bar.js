// The controls of the time range: the range in words, undo, whole time, zone, the two ranges to compare.
import { isShortcut } from './page.js';
import { toast, copyText } from './tools.js';
import { timeRange } from './time_range.js';
import { say } from './words.js';

const bar = document.getElementById('time-bar');
const part = (name) => bar.querySelector(`[data-time="${name}"]`);
const typed = part('typed');

// On a phone the tools of the range and the second chart are folded: what they show is one touch away.
if (matchMedia('(max-width: 700px)').matches) {
  for (const fold of document.querySelectorAll('.time-tools, .chart-fold')) fold.open = false;
}

timeRange.whole = bar.dataset.from ? [Number(bar.dataset.from), Number(bar.dataset.to)] : null;
timeRange.evidenceOffset = bar.dataset.offset ? Number(bar.dataset.offset) : null;

function show() {
  const { shown, range, whole } = timeRange;
  part('words').textContent = shown ? timeRange.inWords(shown) : say('nothing in the files has a time');
  part('words').title = shown ? `${(shown[1] - shown[0]).toLocaleString('en')} ms` : '';
  part('kind').textContent = range ? say('Shown') : say('Whole time');
  part('undo').disabled = !timeRange.canUndo;
  part('whole').disabled = !range;
  part('zone').value = timeRange.zone;
  for (const name of ['normal', 'bad']) {
    const marked = timeRange[name];
    part(name).disabled = !range && !marked;
    part(name).setAttribute('aria-pressed', String(Boolean(marked)));
    const isOther = range && String(range) !== String(marked);
    const time = marked ? timeRange.inWords(marked) : '';
    if (!marked) part(name).title = say('Mark what is shown, to compare it');
    else part(name).title = isOther ? say('{time}; press to mark what is shown instead', { time }) : say('{time}; press to take the mark away', { time });
  }
  if (shown) [typed.elements.from.value, typed.elements.to.value] = shown.map((ms) => timeRange.timeOf(ms));
  for (const link of document.querySelectorAll('a[data-keep-range]')) link.href = timeRange.kept(link.href);
  for (const each of document.querySelectorAll('[data-time-from]')) {
    const outside = range && (Number(each.dataset.timeTo) < range[0] || Number(each.dataset.timeFrom) > range[1]);
    each.classList.toggle('outside', Boolean(outside));
  }
  bar.toggleAttribute('data-narrowed', Boolean(range && whole));
}

function mark(name) {
  const { range } = timeRange;
  const isSame = String(range) === String(timeRange[name]);
  timeRange.mark(name, range && !isSame ? range : null);
}

const actions = {
  undo: () => timeRange.undo(),
  whole: () => timeRange.choose(null),
  normal: () => mark('normal'),
  bad: () => mark('bad'),
};
bar.addEventListener('click', (event) => actions[event.target.closest('[data-time]')?.dataset.time]?.());
part('zone').addEventListener('change', (event) => timeRange.chooseZone(event.target.value));
typed.addEventListener('submit', (event) => {
  event.preventDefault();
  const range = [typed.elements.from, typed.elements.to].map((field) => timeRange.readTime(field.value));
  if (range[0] < range[1]) timeRange.choose(range);
  else toast(say('A range is two times, the earlier one first: 2026-11-22 13:05:00'));
});

async function copy() {
  if (!timeRange.shown) return;
  const text = timeRange.shown.map((ms) => new Date(ms).toISOString()).join('/');
  toast(await copyText(text) ? say('Copied {text}', { text }) : say('The browser does not let the page copy.'));
}

async function paste() {
  const text = await navigator.clipboard.readText().catch(() => '');
  const range = text.split('/').map((time) => Date.parse(time));
  if (range.length === 2 && range[0] < range[1]) timeRange.choose(range);
  else toast(say('There is no time range in the clipboard.'));
}

// Keys: 0 and Esc show the whole time, Ctrl+Z undoes, t c and t v copy and paste the range.
let prefix = false;
document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.target.closest?.('input, textarea, select') || document.querySelector('dialog[open]')) return;
  if ((event.ctrlKey || event.metaKey) && event.key === 'z' && timeRange.canUndo) {
    event.preventDefault();
    timeRange.undo();
  }
  if (event.key === 'Escape') timeRange.choose(null);
  if (!isShortcut(event)) return;
  if (prefix && event.key === 'c') copy();
  if (prefix && event.key === 'v') paste();
  if (event.key === '0') timeRange.choose(null);
  prefix = event.key === 't';
});

timeRange.onChange(show);
show();
