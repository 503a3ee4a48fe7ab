// Charts: drawn when they come into view, on one time axis, in the page's theme.
const bar = document.getElementById('chart-bar');
const charts = [...document.querySelectorAll('.chart[data-figure]')];
const job = document.getElementById('chart-job');
const whole = bar.dataset.from ? [Number(bar.dataset.from), Number(bar.dataset.to)] : null;
const coarse = matchMedia('(pointer: coarse)').matches;
let range = null;
let following = false;
let loading = null;

const asked = new URLSearchParams(location.search);
if (asked.get('from') && asked.get('to')) range = [Number(asked.get('from')), Number(asked.get('to'))];
if (job && asked.has('job')) job.value = asked.get('job');

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = bar.dataset.plotly;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error('The chart library could not be loaded.'));
    document.head.append(script);
  });
  return loading;
}

function shownRange() {
  if (range) return range;
  if (!whole) return null;
  const margin = Math.max((whole[1] - whole[0]) * 0.015, 500);
  return [whole[0] - margin, whole[1] + margin];
}

// Titles are cut, and the legend gets room for its rows, where a phone's width does not hold them.
const NARROW = 560;
const CHARACTER = 7.2;
function narrow(layout, width) {
  const most = Math.floor((width - layout.margin.l) / CHARACTER);
  for (const each of layout.annotations || []) {
    if (each.xref !== 'paper' || each.text.length <= most || each.text.includes('<')) continue;
    each.text = `${each.text.slice(0, most - 13)}…${each.text.slice(-12)}`;
  }
  layout.height += 60;
}

async function draw(chart) {
  const plot = chart.querySelector('.plot');
  const url = new URL(chart.dataset.figure, location.href);
  url.searchParams.set('theme', window.workbenchTheme.name);
  if (job?.value) url.searchParams.set('job', job.value);
  chart.dataset.drawn = url.search;
  try {
    const [library, response] = await Promise.all([plotly(), fetch(url)]);
    if (!response.ok) throw new Error(`The workbench answered ${response.status}.`);
    const { figure, summary, axis } = await response.json();
    if (chart.dataset.drawn !== url.search) return;
    chart.querySelector('.summary').textContent = summary;
    plot.setAttribute('aria-label', `${chart.querySelector('h3').textContent}: ${summary}`);
    if (!figure) {
      plot.classList.remove('waiting');
      library.purge(plot);
      plot.hidden = true;
      return;
    }
    if (axis === 'time' && shownRange()) figure.layout.xaxis.range = shownRange();
    if (coarse) figure.layout.dragmode = false;
    const width = plot.clientWidth || chart.clientWidth;
    if (width < NARROW) narrow(figure.layout, width);
    plot.classList.remove('waiting');
    plot.hidden = false;
    await library.react(plot, figure.data, figure.layout, {
      responsive: true,
      displaylogo: false,
      displayModeBar: coarse ? false : 'hover',
      modeBarButtonsToRemove: ['select2d', 'lasso2d', 'zoomIn2d', 'zoomOut2d', 'autoScale2d'],
      toImageButtonOptions: { filename: chart.id, scale: 2 },
      doubleClick: axis === 'time' ? false : 'reset+autosize',
    });
    if (axis === 'time' && !plot.dataset.followed) {
      plot.dataset.followed = 'yes';
      plot.on('plotly_relayout', (change) => follow(plot, change));
      plot.on('plotly_doubleclick', () => zoom(null));
    }
  } catch (error) {
    plot.classList.remove('waiting');
    plot.textContent = `The chart could not be drawn: ${error.message}`;
  }
}

const milliseconds = (value) => (typeof value === 'number' ? value : Date.parse(`${value.replace(' ', 'T')}Z`));

function follow(plot, change) {
  if (following) return;
  const key = Object.keys(change).find((name) => /^xaxis\d*\.range\[0\]$/.test(name));
  if (key) zoom([milliseconds(change[key]), milliseconds(change[key.replace('[0]', '[1]')])]);
  else if (Object.keys(change).some((name) => /^xaxis\d*\.autorange$/.test(name))) zoom(null);
}

async function zoom(to) {
  range = to;
  const address = new URL(location.href);
  for (const [name, place] of [['from', 0], ['to', 1]]) {
    if (to) address.searchParams.set(name, Math.round(to[place]));
    else address.searchParams.delete(name);
  }
  history.replaceState(null, '', address);
  following = true;
  const library = await plotly();
  const drawn = charts.filter((chart) => chart.dataset.axis === 'time' && chart.querySelector('.plot').data);
  await Promise.all(drawn.map((chart) => library.relayout(chart.querySelector('.plot'), { 'xaxis.range': shownRange() })));
  following = false;
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: '400px' });
for (const chart of charts) seen.observe(chart);

const redraw = () => charts.filter((chart) => chart.dataset.drawn).forEach(draw);
addEventListener('workbench:theme', redraw);
addEventListener('beforeprint', () => charts.filter((chart) => !chart.dataset.drawn).forEach(draw));
document.getElementById('reset-zoom').addEventListener('click', () => zoom(null));
job?.addEventListener('change', () => {
  const address = new URL(location.href);
  address.searchParams.set('job', job.value);
  history.replaceState(null, '', address);
  redraw();
  for (const data of document.querySelectorAll('.chart .data:not([hidden])')) fill(data.closest('.chart'));
});

async function fill(chart) {
  const data = chart.querySelector('.data');
  const url = new URL(chart.querySelector('[data-table]').dataset.table, location.href);
  if (job?.value) url.searchParams.set('job', job.value);
  const response = await fetch(url);
  data.innerHTML = response.ok ? await response.text() : ''; // rendered, and escaped, by the workbench itself
  if (!response.ok) data.textContent = `The workbench answered ${response.status}.`;
}

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-table]');
  if (!button) return;
  const chart = button.closest('.chart');
  const data = chart.querySelector('.data');
  data.hidden = !data.hidden;
  button.setAttribute('aria-expanded', String(!data.hidden));
  if (!data.hidden) await fill(chart);
});
