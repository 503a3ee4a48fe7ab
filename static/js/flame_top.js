// The table beside a flame graph: each function with its samples on itself and in all it called.
import { say } from './words.js';


const MOST_ROWS = 300;
const ORDERS = { own: (row) => -row.own, total: (row) => -row.total, change: (row) => -Math.abs(row.total - row.base) };
let order = 'own';

function cell(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

// `choose(name)` is called for the function that is pressed; `meaningOf(place)` gives a sentence or nothing.
export function fillTop(table, tree, { pattern, choose, meaningOf }) {
  if (!tree.base && order === 'change') order = 'own';
  const share = (value) => `${tree.total ? ((100 * value) / tree.total).toFixed(2) : 0} %`;
  const rows = tree.top().filter((row) => !pattern || pattern.test(row.name));
  rows.sort((one, other) => ORDERS[order](one) - ORDERS[order](other) || one.name.localeCompare(other.name));
  const head = document.createElement('tr');
  for (const [key, title] of [['own', say('Self')], ['total', say('Total')], ...(tree.base ? [['change', say('Change')]] : [])]) {
    const made = cell('th', '', 'number');
    made.scope = 'col';
    if (key === order) made.ariaSort = 'descending';
    const button = cell('button', key === order ? `${title} ↓` : title, 'plain-button');
    button.type = 'button';
    button.addEventListener('click', () => {
      order = key;
      fillTop(table, tree, { pattern, choose, meaningOf });
    });
    made.append(button);
    head.append(made);
  }
  const name = cell('th', say('Function'));
  name.scope = 'col';
  head.append(name);
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...rows.slice(0, MOST_ROWS).map((row) => {
    const made = document.createElement('tr');
    made.append(cell('td', share(row.own), 'number'), cell('td', share(row.total), 'number'));
    if (tree.base) {
      const change = (100 * (row.total - row.base)) / (tree.total || 1);
      made.append(cell('td', `${change > 0 ? '+' : ''}${change.toFixed(2)}`, 'number'));
    }
    const place = document.createElement('td');
    const button = cell('button', row.name, 'plain-button frame-name');
    button.type = 'button';
    button.title = say('Callers and callees');
    button.addEventListener('click', () => choose(row.name));
    place.append(button);
    const meaning = meaningOf(row.place);
    if (meaning) {
      const told = cell('div', meaning, 'muted small meaning');
      told.title = meaning;
      place.append(told);
    }
    made.append(place);
    return made;
  }));
  table.caption.textContent = rows.length > MOST_ROWS ? say('The first {shown} of {count} functions', { shown: MOST_ROWS, count: rows.length }) : say('{count} functions', { count: rows.length });
}
