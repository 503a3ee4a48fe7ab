// Charts: drawn when they come into view, on the one time range and zone of the case, in the page's theme.
import { addressOf, job, keepJob } from './chart_address.js';
import { crosshair, marks } from './chart_overlay.js';
import { onPaper } from './chart_paper.js';
import { fill, refreshTables, toggle } from './chart_table.js';
import { plotlyWords } from './plotly_words.js';
import { NARROW, narrow } from './chart_narrow.js';
import { timeRange } from './time_range.js';
import { reveal } from './tools.js';
import { say } from './words.js';

const bar = document.getElementById('chart-bar');
const charts = [...document.querySelectorAll('.chart[data-figure]')];
const coarse = matchMedia('(pointer: coarse)').matches;
const inView = new Set();
let following = false;
let loading = null;

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = bar.dataset.plotly;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error(say('The chart library could not be loaded.')));
    document.head.append(script);
  });
  return loading;
}

// Plotly writes times in UTC only: in another zone every time is moved by the zone's offset before it is drawn.
const toAxis = (ms) => ms + timeRange.offset(ms);
const fromAxis = (value) => {
  const local = typeof value === 'number' ? value : Date.parse(`${value.replace(' ', 'T')}Z`);
  return local - timeRange.offset(local);
};

function inZone(figure) {
  const sample = timeRange.shown?.[0] ?? 0;
  for (const [name, axis] of Object.entries(figure.layout)) {
    if (name.startsWith('xaxis') && axis.title?.text) {
      axis.title.text = axis.title.text.replace('(UTC)', `(${timeRange.zoneName(sample)})`);
    }
  }
  if (timeRange.zone === 'utc') return;
  for (const trace of figure.data) {
    if (trace.x) trace.x = trace.x.map((value) => (typeof value === 'number' ? toAxis(value) : value));
  }
}

// The whole time range has a margin, so that the first and the last bar are not clipped.
function axisRange() {
  if (timeRange.range) return timeRange.range.map(toAxis);
  if (!timeRange.whole) return null;
  const [from, to] = timeRange.whole;
  const margin = Math.max((to - from) * 0.015, 500);
  return [toAxis(from - margin), toAxis(to + margin)];
}

function showChosen(chart, meta) {
  for (const button of chart.querySelectorAll('[data-choice]')) {
    button.hidden = Boolean(job?.value && button.dataset.job && button.dataset.job !== job.value);
    button.setAttribute('aria-pressed', String(button.dataset.choice === meta?.chosen));
  }
  const select = chart.querySelector('[data-choices]');
  if (select && meta?.chosen) select.value = meta.chosen;
  const link = chart.querySelector('[data-chosen-task]');
  if (link && meta?.chosen) {
    const url = new URL(link.href);
    url.searchParams.set('task', meta.chosen.split(':')[1]);
    link.href = url;
  }
}

// A selection in the figure itself opens its numbers too.
function choose(chart, key, openData = false) {
  const address = new URL(location.href);
  address.searchParams.set(chart.id, key);
  history.replaceState(history.state, '', timeRange.kept(address));
  draw(chart);
  const data = chart.querySelector('.data');
  if (openData) data.hidden = false;
  chart.querySelector('[data-table]').setAttribute('aria-expanded', String(!data.hidden));
  if (!data.hidden) fill(chart);
}

const widthOf = (chart) => chart.querySelector('.plot').clientWidth || chart.clientWidth;

function figureAddress(chart, theme = window.workbenchTheme.name, width = widthOf(chart)) {
  const url = addressOf(chart, chart.dataset.figure);
  url.searchParams.set('theme', theme);
  if (width < NARROW) url.searchParams.set('narrow', 'yes');
  return url;
}

async function draw(chart) {
  const url = figureAddress(chart);
  const wanted = `${url.search} ${timeRange.zone}`;
  chart.dataset.drawn = wanted;
  try {
    const [library, response] = await Promise.all([plotly(), fetch(url)]);
    if (!response.ok) throw new Error(say('The workbench answered {status}.', { status: response.status }));
    const answer = await response.json();
    if (chart.dataset.drawn === wanted) await show(chart, library, answer);
  } catch (error) {
    const plot = chart.querySelector('.plot');
    plot.classList.remove('waiting');
    plot.textContent = say('The chart could not be drawn: {message}', { message: error.message });
  }
}

// Everything visible is drawn before the first await, because printing does not wait.
async function show(chart, library, { figure, summary, axis }, paperWidth = null) {
  const plot = chart.querySelector('.plot');
  chart.querySelector('.summary').textContent = summary;
  plot.setAttribute('aria-label', say('{title}: {summary}', { title: chart.querySelector('h3').textContent, summary }));
  plot.classList.remove('waiting');
  plot.hidden = !figure;
  chart.classList.toggle('without-data', !figure);
  if (!figure) {
    library.purge(plot);
    return;
  }
  if (axis === 'time') {
    inZone(figure);
    if (axisRange()) figure.layout.xaxis.range = axisRange();
  }
  if (coarse) figure.layout.dragmode = false;
  showChosen(chart, figure.layout.meta);
  const width = paperWidth || widthOf(chart);
  const least = figure.layout.meta?.least_width;
  if (paperWidth || least > width) figure.layout.width = Math.max(least || 0, width);
  if (width < NARROW) narrow(figure.layout, width);
  // Plotly takes the height of its container when the window changes, and not that of the layout.
  plot.style.height = figure.layout.height ? `${figure.layout.height}px` : '';
  delete chart.dataset.stale;
  await library.react(plot, figure.data, figure.layout, {
    responsive: true,
    displaylogo: false,
    displayModeBar: coarse ? false : 'hover',
    // Charts of incidents go to no cloud.
    modeBarButtonsToRemove: ['sendChartToCloud', 'toImage', 'select2d', 'lasso2d', 'zoomIn2d', 'zoomOut2d', 'autoScale2d'],
    doubleClick: axis === 'time' ? false : 'reset+autosize',
    // What Windows and GNOME give a double click, about; Plotly's own 300 ms pass while a busy page draws.
    doubleClickDelay: 500,
    ...plotlyWords(),
  });
  if (chart.querySelector('[data-choice]') && !plot.dataset.clicked) {
    plot.dataset.clicked = 'yes';
    plot.on('plotly_click', ({ points: [point] }) => { if (point?.customdata) choose(chart, point.customdata, true); });
  }
  if (axis === 'time' && !plot.dataset.followed) {
    plot.dataset.followed = 'yes';
    plot.on('plotly_relayout', (change) => follow(change));
    plot.on('plotly_doubleclick', () => timeRange.choose(null));
    plot.on('plotly_afterplot', () => marks(plot, toAxis));
    crosshair(plot, timePlots, toAxis, fromAxis);
  }
  if (axis === 'time') marks(plot, toAxis);
}

// The drawn charts over time that can be seen now.
const timePlots = () => [...inView]
  .filter((chart) => chart.dataset.axis === 'time')
  .map((chart) => chart.querySelector('.plot'))
  .filter((plot) => plot.data && !plot.hidden);

function follow(change) {
  if (following) return;
  const key = Object.keys(change).find((name) => /^xaxis\d*\.range\[0\]$/.test(name));
  if (key) timeRange.choose([fromAxis(change[key]), fromAxis(change[key.replace('[0]', '[1]')])]);
  else if (Object.keys(change).some((name) => /^xaxis\d*\.autorange$/.test(name))) timeRange.choose(null);
}

// Keys on a focused chart over time: + and - zoom around the middle of what is shown, the arrows move it.
const ZOOM = 0.5;
const STEP = 0.25;
function zoomed(key, [from, to]) {
  const length = to - from;
  if (key === '+' || key === '=') return [from + (length * ZOOM) / 2, to - (length * ZOOM) / 2];
  if (key === '-') return [from - length * ZOOM, to + length * ZOOM];
  if (key === 'ArrowLeft') return [from - length * STEP, to - length * STEP];
  return key === 'ArrowRight' ? [from + length * STEP, to + length * STEP] : null;
}

document.addEventListener('keydown', (event) => {
  const chart = event.target.closest?.('.chart[data-axis="time"]');
  const { shown, whole } = timeRange;
  const isTyped = event.target.matches?.('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey;
  if (!chart || isTyped || event.target.closest('.data') || !shown || !whole) return;
  const range = zoomed(event.key, shown);
  if (!range) return;
  event.preventDefault();
  const [from, to] = [Math.max(range[0], whole[0]), Math.min(range[1], whole[1])];
  if (from < to) timeRange.choose(from === whole[0] && to === whole[1] ? null : [from, to]);
});

// Visible charts are updated at once, the others when they come into view. The dragged chart shows
// the range already: it is not drawn a second time.
async function narrowAll() {
  const range = axisRange();
  if (!loading || !range) return;
  const library = await loading;
  for (const chart of charts) if (chart.dataset.drawn) chart.dataset.stale = 'range';
  following = true;
  await Promise.all(timePlots().map((plot) => {
    delete plot.closest('.chart').dataset.stale;
    return shows(plot, range) ? null : library.relayout(plot, { 'xaxis.range': range });
  }));
  following = false;
}

function shows(plot, range) {
  const { xaxis } = plot._fullLayout;
  return xaxis.range.every((end, place) => Math.abs(xaxis.r2l(end) - range[place]) < 1);
}

async function refresh(chart) {
  delete chart.dataset.stale;
  const plot = chart.querySelector('.plot');
  if (chart.dataset.axis !== 'time' || !plot.data || !axisRange()) return;
  following = true;
  await (await plotly()).relayout(plot, { 'xaxis.range': axisRange() });
  following = false;
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) inView.delete(target);
    else {
      inView.add(target);
      if (!target.dataset.drawn) draw(target);
      else if (target.dataset.stale) refresh(target);
    }
  }
}, { rootMargin: '300px' });
for (const chart of charts) seen.observe(chart);

// Charts out of sight are redrawn when they become visible.
function redraw() {
  for (const chart of charts) {
    if (!chart.dataset.drawn) continue;
    if (inView.has(chart)) draw(chart);
    else delete chart.dataset.drawn;
  }
}

document.addEventListener('change', ({ target }) => {
  if ('choices' in target.dataset) choose(target.closest('.chart'), target.value);
});

// The largest changes between the two marked time ranges.
const changes = document.getElementById('changes');
let compared = '';
async function compare() {
  const { normal, bad } = timeRange;
  changes.hidden = !(normal && bad);
  const url = new URL(changes.dataset.changes, location.href);
  for (const name of ['normal', 'bad']) {
    if (timeRange[name]) url.searchParams.set(name, timeRange[name].map((ms) => new Date(ms).toISOString()).join('/'));
  }
  if (changes.hidden || compared === url.search) return;
  compared = url.search;
  const response = await fetch(url);
  const list = document.getElementById('changes-list');
  if (response.ok) list.innerHTML = await response.text(); // rendered, and escaped, by the workbench itself
  else list.textContent = say('The workbench answered {status}.', { status: response.status });
}
changes.addEventListener('click', (event) => {
  const metric = event.target.closest('[data-show-metric]')?.dataset.showMetric;
  const chart = document.getElementById('chart-metrics');
  if (!metric || !chart) return;
  choose(chart, metric);
  reveal(chart);
  chart.scrollIntoView({ block: 'start' });
});
timeRange.onChange(compare);
compare();

let zone = timeRange.zone;
timeRange.onChange(() => {
  if (timeRange.zone !== zone) {
    zone = timeRange.zone;
    redraw();
  } else narrowAll();
});
timeRange.onChange(refreshTables);
refreshTables();
addEventListener('workbench:theme', redraw);

onPaper(charts, { plotly, draw, show, figureAddress, quietly: (act) => { following = true; act(); following = false; } });

job?.addEventListener('change', () => {
  const address = new URL(location.href);
  address.searchParams.set('job', job.value);
  history.replaceState(history.state, '', timeRange.kept(address));
  keepJob();
  redraw();
  refreshTables();
});
keepJob();

// A picture has the page's background and the chart's title, for a place without either.
async function picture(chart, format) {
  const library = await plotly();
  const plot = chart.querySelector('.plot');
  if (!plot.data) return;
  const { layout } = plot;
  const title = { text: chart.querySelector('h3').textContent, x: 0.01, xanchor: 'left', y: 0.99, yanchor: 'top', font: { size: 15 } };
  const margin = { ...layout.margin, t: layout.margin.t + 34 };
  const background = getComputedStyle(chart).backgroundColor;
  await library.downloadImage(
    { data: plot.data, layout: { ...layout, title, margin, height: layout.height + 34, width: plot.clientWidth, paper_bgcolor: background } },
    { format, scale: format === 'png' ? 2 : 1, width: plot.clientWidth, height: layout.height + 34, filename: chart.id },
  );
}

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-table], [data-picture], [data-choice]');
  if (!button) return;
  const chart = button.closest('.chart');
  if ('choice' in button.dataset) {
    choose(chart, button.dataset.choice);
    return;
  }
  if ('picture' in button.dataset) {
    await picture(chart, button.dataset.picture);
    return;
  }
  await toggle(chart, button);
});

// The menu of exports closes after a choice, by a click beside it and by Escape.
function closeExports(isKept = () => false) {
  for (const menu of document.querySelectorAll('.export[open]')) if (!isKept(menu)) menu.open = false;
}
document.addEventListener('click', ({ target }) => closeExports((menu) => menu.contains(target) && !target.closest('[data-picture], [data-download]')));
document.addEventListener('keydown', ({ key }) => { if (key === 'Escape') closeExports(); });
