// The page of a flame graph: selection and display options, kept in the address.
import { FlameCanvas } from './flame_canvas.js';
import { FlameColours } from './flame_colours.js';
import { FlameHeat } from './flame_heat.js';
import { fillTop } from './flame_top.js';
import { FlameTree } from './flame_tree.js';
import { frameInWords, number, summaryInWords } from './flame_words.js';
import { timeRange } from './time_range.js';
import { say } from './words.js';

const page = document.getElementById('flame-page');
const field = (name) => page.querySelector(`[data-flame="${name}"]`);
const CHOSEN = ['source', 'task', 'subtask', 'thread', 'cpu', 'against'];
const address = new URLSearchParams(location.search);
const state = {
  view: address.get('view') || 'both',
  flame: address.get('flame') === '1',
  colour: address.get('colour') || 'origin',
  width: address.get('width') || 'now',
  palette: address.get('palette') || '',
  q: address.get('q') || '',
  zoom: address.get('zoom'),
  sandwich: address.get('function'),
};
let answer = null;
let whole = null;
let tree = null;
let found = { names: null, nodes: [], share: 0, at: -1 };
let removed = 0;
const DETAIL_SHARE = 0.1;

const colours = new FlameColours(page);
const colourOf = (shown, node) => colours.of(shown, node, state.colour, answer);

const graph = new FlameCanvas(field('graph'), { colourOf, on: { hover: tell, zoom, remove } });
const callers = new FlameCanvas(field('callers'), { colourOf, on: { hover: (node) => tellOf(callers, node), zoom: (node) => callers.zoom(node), remove() {} } });
const callees = new FlameCanvas(field('callees'), { colourOf, on: { hover: (node) => tellOf(callees, node), zoom: (node) => callees.zoom(node), remove() {} } });
callers.inverted = true;
const heat = new FlameHeat(field('heat'), field('heat-grid'), (task) => {
  field('task').value = task;
  field('task').dispatchEvent(new Event('change'));
});

function tell(node) {
  tellOf(graph, node ?? graph.focused);
}

function tellOf(canvas, node) {
  if (!canvas.tree || node === null) return;
  const told = frameInWords(canvas.tree, node, answer);
  for (const [name, text] of Object.entries(told)) field(name).textContent = text;
}

// Whether both stretches that "bad with normal" compares are marked.
const isMarked = () => Boolean(timeRange.normal && timeRange.bad);

// Parameters of the request to the server; without marks it asks for the whole profile.
function asked() {
  const query = new URLSearchParams();
  for (const name of CHOSEN) if (field(name).value) query.set(name, field(name).value);
  if (timeRange.range) query.set('time', timeRange.range.map((ms) => new Date(ms).toISOString()).join('/'));
  if (query.get('against') === 'brushes' && !isMarked()) query.delete('against');
  if (query.get('against') === 'brushes') {
    query.set('against', page.dataset.analysis);
    for (const [name, key] of [['bad', 'time'], ['normal', 'base_time']]) {
      query.set(key, timeRange[name].map((ms) => new Date(ms).toISOString()).join('/'));
    }
  }
  for (const name of ['base_source', 'base_task', 'base_thread', 'base_subtask']) if (address.has(name)) query.set(name, address.get(name));
  return query;
}

function keep() {
  const url = new URL(location.href);
  const values = {
    ...Object.fromEntries(CHOSEN.map((name) => [name, field(name).value])),
    view: state.view === 'both' ? '' : state.view,
    flame: state.flame ? '1' : '',
    colour: state.colour === 'origin' ? '' : state.colour,
    width: state.width === 'now' ? '' : state.width,
    palette: state.palette,
    q: state.q,
    zoom: state.zoom === null ? '' : String(state.zoom),
    function: state.view === 'sandwich' ? state.sandwich ?? '' : '',
  };
  for (const [name, value] of Object.entries(values)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  history.replaceState(history.state, '', timeRange.kept(url));
  for (const link of document.querySelectorAll('a[data-keep-range]')) link.href = timeRange.kept(link.href);
  const stacks = new URL(page.dataset.stacks, location.href);
  stacks.search = asked();
  document.getElementById('stacks').href = stacks;
}

let last = 0;
async function load(root = null) {
  const url = new URL(page.dataset.tree, location.href);
  url.search = asked();
  if (root !== null) url.searchParams.set('root', root);
  const mine = last += 1;
  page.setAttribute('aria-busy', 'true');
  const response = await fetch(url);
  if (mine !== last) return;
  page.removeAttribute('aria-busy');
  if (!response.ok) {
    field('summary').textContent = response.status === 404 ? say('There are no such stacks any more; diagnose the case again.') : say('The workbench answered {status}.', { status: response.status });
    return;
  }
  answer = await response.json();
  fillChoices();
  heat.show(answer.heat, answer.selection.task);
  whole = new FlameTree(answer.names, answer, { total: answer.totals.weight, base: answer.totals.base ?? null, ids: answer.id, cut: answer.cut, functions: answer.functions });
  tree = whole;
  removed = 0;
  if (!whole.base && state.colour === 'diff') state.colour = 'origin';
  if (whole.base && !address.has('colour')) state.colour = 'diff';
  showAll();
}

function fillChoices() {
  fillSelect('source', answer.choices.sources, answer.selection.source);
  fillSelect('task', [{ key: '', title: say('All threads') }, ...answer.choices.tasks], answer.selection.task);
  fillSelect('subtask', [{ key: '', title: say('all') }, ...answer.choices.subtasks.map((each) => ({ ...each, title: say('subtask {subtask}', { subtask: each.key }) }))], field('subtask').value || address.get('subtask') || '');
  fillSelect('thread', [{ key: '', title: say('all') }, ...answer.choices.threads.map((each) => ({ ...each, title: each.key }))], field('thread').value || address.get('thread') || '');
  field('subtask').closest('label').hidden = answer.choices.subtasks.length === 0;
  field('thread').closest('label').hidden = answer.choices.threads.length === 0;
}

function fillSelect(name, entries, value) {
  const select = field(name);
  select.replaceChildren(...entries.map(({ key, title, samples }) => new Option(samples === undefined ? title : `${title} (${number.format(samples)})`, key)));
  select.value = String(value);
  if (select.selectedIndex < 0) select.selectedIndex = 0;
}

function widths() {
  if (!tree.base || state.width === 'now') return tree.weight;
  return state.width === 'before' ? tree.base : tree.lost();
}

function showAll() {
  page.toggleAttribute('data-safe', state.palette === 'safe');
  colours.read();
  page.dataset.view = state.view;
  for (const button of page.querySelectorAll('[data-view]')) button.setAttribute('aria-pressed', String(button.dataset.view === state.view));
  field('invert').setAttribute('aria-pressed', String(state.flame));
  field('colour').value = state.colour;
  field('width').value = state.width;
  field('palette').checked = state.palette === 'safe';
  field('colour').querySelector('[value="diff"]').disabled = !tree.base;
  for (const name of ['width', 'palette']) field(name).closest('label').hidden = !tree.base;
  for (const item of page.querySelectorAll('[data-legend]')) item.hidden = item.dataset.legend !== state.colour;
  tree.lay(widths());
  graph.inverted = state.flame;
  graph.show(tree, Math.max(0, tree.ids && state.zoom !== null ? tree.ids.indexOf(Number(state.zoom)) : 0));
  search();
  fillTop(field('top'), tree, { pattern: pattern(), choose: sandwich, meaningOf: (place) => answer.meanings[answer.meaning[place]] });
  if (state.view === 'sandwich') showSandwich();
  field('summary').textContent = summaryInWords(tree, answer, removed, field('against').value === 'brushes' && !answer.baseline);
  tell(graph.focused);
  keep();
}

function zoom(node) {
  state.zoom = node > 0 && tree.ids ? tree.ids[node] : null;
  graph.zoom(node);
  tell(node);
  keep();
  const hidden = tree.cut && [...tree.inside(node)].some((each) => tree.cut[each] > 0);
  if (node > 0 && hidden && !tree.base && tree.weight[node] < DETAIL_SHARE * tree.total) load(state.zoom);
}

function remove(node) {
  if (node === 0) return;
  removed += 1;
  state.zoom = null;
  tree = tree.without(node);
  showAll();
}

function reset() {
  state.zoom = null;
  if (answer.id.length && removed === 0 && tree === whole) zoom(0);
  load();
}

function pattern() {
  if (!state.q) return null;
  try {
    return new RegExp(state.q, 'i');
  } catch {
    return null;
  }
}

function search() {
  const wanted = pattern();
  field('search').setAttribute('aria-invalid', String(Boolean(state.q && !wanted)));
  if (!wanted) {
    found = { names: null, nodes: [], share: 0, at: -1 };
    field('matched').textContent = state.q ? say('not a regular expression') : '';
  } else {
    found = { ...tree.search(wanted), at: -1 };
    field('matched').textContent = say('Matched {share} %, {count} frames', { share: (100 * found.share).toFixed(2), count: found.nodes.length });
  }
  for (const canvas of [graph, callers, callees]) {
    canvas.matches = found.names;
    canvas.draw();
  }
}

function next(step) {
  if (!found.nodes.length) return;
  found.at = (found.at + step + found.nodes.length) % found.nodes.length;
  graph.focus(found.nodes[found.at]);
  tell(found.nodes[found.at]);
  field('matched').textContent = say('Matched {share} %, frame {place} of {count}', { share: (100 * found.share).toFixed(2), place: found.at + 1, count: found.nodes.length });
}

function sandwich(name) {
  state.sandwich = name;
  state.view = 'sandwich';
  showAll();
}

function showSandwich() {
  const place = tree.names.indexOf(state.sandwich);
  field('sandwiched').textContent = place < 0 ? say('Choose a function in the table.') : state.sandwich;
  if (place < 0) return;
  callers.show(tree.callers(place));
  callees.show(tree.callees(place));
}

// Controls.
for (const name of CHOSEN) {
  field(name).addEventListener('change', () => {
    if (name === 'source' || name === 'task') for (const other of ['subtask', 'thread']) field(other).value = '';
    for (const old of ['base_source', 'base_task', 'base_thread', 'base_subtask', 'subtask', 'thread']) address.delete(old);
    state.zoom = null;
    load();
  });
}
for (const name of ['colour', 'width']) {
  field(name).addEventListener('change', (event) => {
    state[name] = event.target.value;
    address.set('colour', state.colour);
    showAll();
  });
}
field('palette').addEventListener('change', (event) => {
  state.palette = event.target.checked ? 'safe' : '';
  showAll();
});
let typing = null;
field('search').addEventListener('input', (event) => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    state.q = event.target.value;
    showAll();
  }, 150);
});
field('search').addEventListener('keydown', (event) => {
  if (event.key === 'Enter') next(event.shiftKey ? -1 : 1);
  if (event.key === 'Escape') { clear(); field('graph').focus(); }
});

function clear() {
  state.q = '';
  field('search').value = '';
  showAll();
}

const press = {
  reset,
  next: () => next(1),
  previous: () => next(-1),
  invert: () => { state.flame = !state.flame; showAll(); },
};
page.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.dataset.view) {
    state.view = button.dataset.view;
    showAll();
  }
  press[button.dataset.flame]?.();
});

// The graph or, where it is hidden, the table gets the focus, so that the keys go on.
function focusView() {
  (state.view === 'table' ? field('top').parentElement : field('graph')).focus({ preventScroll: true });
}

// Keys, only while the graph or the table has the focus: they are those of async-profiler and FlameGraph.
page.querySelector('.flame-views').addEventListener('keydown', (event) => {
  if (!tree) return;
  const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f';
  if (!isFind && (event.ctrlKey || event.metaKey || event.altKey)) return;
  const keys = {
    0: reset,
    n: () => next(1),
    N: () => next(-1),
    i: press.invert,
    I: press.invert,
    t: () => { state.view = state.view === 'table' ? 'graph' : 'table'; showAll(); focusView(); },
    s: () => { if (graph.focused > 0) sandwich(tree.label(graph.focused)); },
    Escape: () => (state.q ? clear() : zoom(0)),
  };
  const inGraph = event.target === field('graph');
  if (inGraph) Object.assign(keys, { Enter: () => zoom(graph.focused), Delete: () => remove(graph.focused) });
  for (const key of inGraph ? ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'] : []) {
    keys[key] = () => {
      graph.focus(graph.step(key));
      tell(graph.focused);
    };
  }
  const action = isFind ? () => { field('search').focus(); field('search').select(); } : keys[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
});

addEventListener('workbench:theme', () => { showAll(); });
// A mark changes neither the time nor the zone that is shown.
let shownTime = '';
const timeShown = () => `${timeRange.range} ${timeRange.zone}`;
timeRange.onChange(() => {
  field('against').querySelector('[value="brushes"]').disabled = !isMarked();
  if (shownTime !== timeShown()) load();
  shownTime = timeShown();
});
field('search').value = state.q;
field('cpu').value = address.get('cpu') || '';
field('against').value = address.get('against') || '';
field('against').querySelector('[value="brushes"]').disabled = !isMarked();
for (const name of ['source', 'task', 'subtask', 'thread']) if (address.get(name)) fillSelect(name, [{ key: address.get(name), title: address.get(name) }], address.get(name));
shownTime = timeShown();
load(state.zoom);
