// The log page: search, histogram, list and details follow the address; keys as in lnav.
import { ask, clock, clocks, mayChange, number, remember, shown } from './log_address.js';
import { LogHistogram } from './log_histogram.js';
import { listenForKeys } from './log_keys.js';
import { LogList } from './log_list.js';
import { LogPanel } from './log_panel.js';
import { LogTerms } from './log_terms.js';
import { timeRange } from './time_range.js';
import { toast } from './tools.js';
import { say } from './words.js';

const at = (id) => document.getElementById(id);
const [box, search, others, alike] = ['list', 'q', 'others', 'alike'].map(at);
const isNarrow = matchMedia('(max-width: 1080px)');
let firstError;
let refreshing = null;
// The pending request; keys pressed meanwhile apply to the new list, not to the old one.
let listed = Promise.resolve();
let remembering = null;
let chosen = '';

// Writes the current record into the address, at the latest before the next request.
function settle() {
  if (chosen) remember({ at: chosen });
  chosen = '';
}

const list = new LogList(box, {
  fetch: async (start, count) => (await ask('records', { start, count })).rows,
  choose: (row, place) => {
    at('place').textContent = say('Record {place} of {total}', { place: number(place + 1), total: number(list.total) });
    histogram.mark(row.ts);
    panel.choose(row);
    clearTimeout(remembering);
    remembering = setTimeout(settle, 200);
    chosen = `${row.file}:${row.line}`;
    list.draw();
  },
});
const histogram = new LogHistogram(at('histogram-plot'), at('hovered'), (place) => {
  list.go(place, 'center');
  box.focus({ preventScroll: true });
});
const panel = new LogPanel(at('panel'), {
  narrow: (term) => searchFor(`${search.value} ${term}`),
  go: step,
  open: (row, isWhole) => openRecord(row, isWhole),
  moved: moveClock,
  changed: () => {
    list.refresh();
    panel.refresh();
  },
});

const searched = new LogTerms({ terms: at('terms'), levels: at('levels') }, { searchFor, moveClock });

// Reloads the list and goes to the record of the address, or to its next neighbour.
function refresh() {
  listed = load();
  return listed;
}

async function load() {
  settle();
  refreshing?.abort();
  refreshing = new AbortController();
  const asked = shown();
  search.value = asked.q;
  others.checked = asked.hits === 'all';
  alike.value = asked.alike;
  box.setAttribute('aria-busy', 'true');
  try {
    const told = await ask('overview', asked.at ? { at: asked.at } : {}, refreshing.signal);
    at('search-problem').textContent = '';
    showOverview(told);
    list.reset(told.total, told.at ? told.at.place : 0);
    panel.refresh();
  } catch (error) {
    if (error.name === 'AbortError') return;
    at('search-problem').textContent = error.message;
  }
  box.removeAttribute('aria-busy');
}

function showOverview(told) {
  const { terms } = told;
  [firstError] = told.first_error;
  list.firstFault = firstError?.place;
  const words = terms.filter((term) => !term.field && !term.excluded && !/^\/.*\/$/.test(term.source));
  list.words = words.map((term) => term.source.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1').toLowerCase()).filter(Boolean);
  panel.record.words = list.words;
  const [from, to] = told.span || [0, 0];
  list.withDay = to - from > 20 * 3_600_000;
  histogram.show(told.histogram);
  searched.show(terms, told.histogram.totals);
  at('totals').textContent = told.total === told.kept.records
    ? say('{count} records', { count: number(told.total) })
    : say('{count} of {all} records', { count: number(told.total), all: number(told.kept.records) });
  at('nothing').hidden = told.total > 0;
  const first = document.querySelector('[data-act="firstError"]');
  first.disabled = !firstError;
  first.textContent = firstError ? say('First error {ts}', { ts: clock(firstError.ts, list.withDay) }) : say('No error');
  if (!told.total) at('place').textContent = '';
}

function moveClock(file, shift) {
  const moved = clocks();
  if (shift) moved.set(file, shift);
  else moved.delete(file);
  remember({ clock: [...moved].map(([each, ms]) => `${each}:${ms}`) }, true);
  refresh();
}

function searchFor(text) {
  remember({ q: text.trim() }, true);
  refresh();
}

async function step(kind, direction, extra = {}) {
  await listed;
  try {
    const { place } = await ask('step', { kind, direction, place: list.place, ...extra });
    if (place !== null) {
      list.go(place, 'center');
      return;
    }
  } catch (error) {
    toast(error.message);
    return;
  }
  const what = kind === 'term' ? extra.term : { hit: say('hit'), file: say('other file'), pin: say('pinned record') }[kind] || kind;
  toast(direction > 0 ? say('No further {what} in the list.', { what }) : say('No earlier {what} in the list.', { what }));
}

async function stepOperation(direction) {
  await listed;
  const row = await list.current();
  const told = row && await panel.record.tell(row).catch((error) => toast(error.message));
  const operation = told?.operations[0];
  if (operation) step('term', direction, { term: operation.term });
  else toast(say('This record names no checkpoint, task or TaskManager.'));
}

async function openRecord(row, isWhole) {
  if (isWhole) {
    timeRange.choose(null);
    remember({ q: '', hits: '', alike: '', at: `${row.file}:${row.line}` }, true);
    refresh();
    return;
  }
  const told = await ask('step', { kind: 'line', at: `${row.file}:${row.line}` });
  if (told.at?.listed) list.go(told.at.place, 'center');
  else openRecord(row, true);
}

async function zoom(factor) {
  const row = await list.current();
  const range = timeRange.shown;
  if (!row || row.ts === null || !range) return;
  const half = Math.max(((range[1] - range[0]) * factor) / 2, 5);
  const [first, last] = timeRange.whole;
  const next = [Math.max(row.ts - half, first), Math.min(row.ts + half, last)];
  timeRange.choose(next[0] <= first && next[1] >= last ? null : next);
}

async function togglePin() {
  await listed;
  const row = await list.current();
  if (!row) return;
  if (!mayChange) toast(say('Your role may read this case, not pin records.'));
  else if (row.pinned) panel.pins.unpin(row);
  else panel.pins.pin(row);
}

function openPanel(name) {
  document.querySelector('.log-main').classList.remove('alone');
  if (name) panel.show(name);
  panel.openSheet();
  panel.body(panel.shown).focus({ preventScroll: !isNarrow.matches });
}

// On a wide screen the details are beside the list, on a narrow one they cover it.
function togglePanel() {
  const main = document.querySelector('.log-main');
  if (isNarrow.matches) {
    if (at('panel').classList.contains('open')) panel.close();
    else openPanel();
  } else main.classList.toggle('alone');
  const isOpen = isNarrow.matches ? at('panel').classList.contains('open') : !main.classList.contains('alone');
  document.querySelector('[data-act="panel"]').setAttribute('aria-expanded', String(isOpen));
  list.draw();
}

const actions = {
  firstError: () => firstError && list.go(firstError.place, 'center'),
  error: () => step('error', 1),
  errorBack: () => step('error', -1),
  warning: () => step('warning', 1),
  warningBack: () => step('warning', -1),
  hit: () => step('hit', 1),
  hitBack: () => step('hit', -1),
  panel: togglePanel,
};
document.querySelector('.log-bar').addEventListener('click', (event) => actions[event.target.closest('[data-act]')?.dataset.act]?.());

listenForKeys({
  box,
  search,
  list,
  panel,
  step,
  act: {
    stepOperation,
    togglePin,
    togglePanel,
    openPanel,
    zoom,
    foldHistogram: () => at('histogram').classList.toggle('folded'),
    toggleOthers: () => others.click(),
  },
});

at('log-search').addEventListener('submit', (event) => {
  event.preventDefault();
  searchFor(search.value);
  box.focus({ preventScroll: true });
});
others.addEventListener('change', () => {
  remember({ hits: others.checked ? 'all' : '' }, true);
  refresh();
});
alike.addEventListener('change', () => {
  remember({ alike: alike.value }, true);
  refresh();
});
box.addEventListener('click', () => { if (isNarrow.matches) openPanel('record'); });
addEventListener('popstate', () => {
  chosen = '';
  refresh();
});
let zone = timeRange.zone;
timeRange.onChange(() => {
  if (zone === timeRange.zone) refresh();
  else list.draw();
  zone = timeRange.zone;
});
refresh().then(() => { if (shown().at) box.focus({ preventScroll: true }); });
