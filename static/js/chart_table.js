// The numbers of a chart as a table and as CSV: those of the time shown, sorted by a column, with the columns one wants.
import { addressOf } from './chart_address.js';
import { element } from './element.js';
import { timeRange } from './time_range.js';
import { copyText, toast } from './tools.js';
import { say } from './words.js';

const dataOf = (chart) => chart.querySelector('.data');

// The address with the shown time range, which filters the rows of time charts.
function narrowed(chart, path) {
  const url = addressOf(chart, path);
  if (timeRange.range) {
    ['from', 'to'].forEach((name, end) => url.searchParams.set(name, new Date(timeRange.range[end]).toISOString()));
  }
  return url;
}

export async function fill(chart) {
  const data = dataOf(chart);
  const url = narrowed(chart, chart.querySelector('[data-table]').dataset.table);
  if (data.dataset.sort) url.searchParams.set('sort', data.dataset.sort);
  const response = await fetch(url);
  data.innerHTML = response.ok ? await response.text() : ''; // rendered, and escaped, by the workbench itself
  if (!response.ok) data.textContent = say('The workbench answered {status}.', { status: response.status });
  else {
    offerColumns(data);
    offerMarkdown(data);
  }
}

// A row as Markdown, without hidden columns.
function line(row) {
  const shown = [...row.cells].filter((cell) => !cell.hidden);
  const texts = shown.map((cell) => cell.textContent.trim().replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|~]/g, '\\$&'));
  return `| ${texts.join(' | ')} |`;
}

function asMarkdown(table) {
  const [head, ...rows] = [...table.rows];
  const rule = [...head.cells].filter((cell) => !cell.hidden).map(() => '---');
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

function offerMarkdown(data) {
  const button = element('button', 'button quiet small copy', say('Copy as Markdown'));
  button.type = 'button';
  button.addEventListener('click', async () => {
    const copied = await copyText(asMarkdown(data.querySelector('table')));
    toast(copied ? say('Copied as Markdown.') : say('The browser does not let the page copy.'));
  });
  data.prepend(button);
}

// Hidden columns stay hidden, by name, while the page is open.
function offerColumns(data) {
  const heads = [...data.querySelectorAll('thead th')];
  if (heads.length < 3) return;
  const away = new Set(JSON.parse(data.dataset.away || '[]'));
  const box = element('details', 'columns');
  box.open = 'choosing' in data.dataset;
  box.addEventListener('toggle', () => data.toggleAttribute('data-choosing', box.open));
  box.append(element('summary', 'small', say('Columns')));
  const apply = () => {
    data.dataset.away = JSON.stringify([...away]);
    for (const row of data.querySelectorAll('tr')) {
      heads.forEach((head, place) => { if (row.cells[place]) row.cells[place].hidden = away.has(head.textContent); });
    }
  };
  for (const head of heads) {
    const label = element('label', 'small');
    const tick = element('input');
    tick.type = 'checkbox';
    tick.checked = !away.has(head.textContent);
    tick.addEventListener('change', () => {
      if (tick.checked) away.delete(head.textContent);
      else away.add(head.textContent);
      apply();
    });
    label.append(tick, ` ${head.textContent}`);
    box.append(label);
  }
  data.prepend(box);
  apply();
}

export async function toggle(chart, button) {
  const data = dataOf(chart);
  data.hidden = !data.hidden;
  button.setAttribute('aria-expanded', String(!data.hidden));
  if (!data.hidden) await fill(chart);
}

document.addEventListener('click', async (event) => {
  const head = event.target.closest('[data-sort]');
  const chart = head?.closest('.chart');
  if (!chart) return;
  const column = head.dataset.sort;
  const data = dataOf(chart);
  data.dataset.sort = data.dataset.sort === `-${column}` ? column : `-${column}`;
  await fill(chart);
  data.querySelector(`[data-sort="${column}"]`)?.focus();
});

export function refreshTables() {
  for (const chart of document.querySelectorAll('.chart')) {
    for (const link of chart.querySelectorAll('[data-download]')) link.href = narrowed(chart, link.dataset.download);
    if (!dataOf(chart).hidden) fill(chart);
  }
}
