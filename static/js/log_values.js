// Breakdown of the listed records: the most frequent patterns, loggers, hosts and so on, each with a small graph.
import { element } from './element.js';
import { ask, number, shown } from './log_address.js';
import { filters, recordLine } from './log_controls.js';
import { say } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const SAMPLES = 3;

export class LogValues {
  // by      the select element with the counted field
  // narrow  called with a term to add to the search
  // open    called with {file, line} to show a record, whatever is listed
  constructor(box, by, { narrow, open }) {
    Object.assign(this, { box, by, narrow, open });
  }

  async fill() {
    const { box } = this;
    const asked = {};
    this.asked = asked;
    let told;
    try {
      told = await ask('breakdown', { by: this.by.value });
    } catch (error) {
      box.replaceChildren(element('p', 'message error', error.message));
      return;
    }
    if (this.asked !== asked) return;
    const list = element('ul', 'values');
    const all = told.values.reduce((sum, each) => sum + each.records, 0) + told.without;
    for (const each of told.values) list.append(this.#value(each, all));
    const rest = element('p', 'muted small');
    const more = told.distinct - told.values.length;
    if (more > 0) rest.append(say('{more} rarer ones are not shown.', { more: number(more) }), ' ');
    if (told.without) rest.append(say('{count} records have none.', { count: number(told.without) }));
    box.replaceChildren(list, rest);
  }

  #value(each, all) {
    const line = element('li');
    const what = element('span', 'what', each.text ?? each.value);
    what.title = each.text ?? each.value;
    const numbers = element('div', 'numbers');
    const share = (100 * each.records) / all;
    numbers.append(element('span', 'count', `${number(each.records)}, ${share < 0.1 ? '< 0.1' : share.toFixed(1)} %`), graph(each.slots));
    const term = this.by.value === 'pattern' ? `pattern:${each.value}` : `${this.by.value}="${each.value.replace(/["\\]/g, '\\$&')}"`;
    numbers.append(filters(this.narrow, term, this.by.value === 'pattern' ? say('this pattern') : `${this.by.value} ${each.value}`));
    line.append(what, numbers);
    if (each.level) {
      const told = element('span', 'small muted');
      told.append(element('i', `mark-level ${each.level}`), ` ${each.level}${each.logger ? `, ${each.logger.split('.').at(-1)}` : ''}`);
      line.append(told);
    }
    line.append(this.#samples(term));
    return line;
  }

  // The first records of a value, fetched on demand.
  #samples(term) {
    const box = element('details', 'samples');
    box.append(element('summary', 'small', say('Samples')));
    box.addEventListener('toggle', async () => {
      if (!box.open || box.querySelector('ol, .error')) return;
      try {
        const { rows } = await ask('records', { q: `${shown().q} ${term}`.trim(), start: 0, count: SAMPLES });
        const list = element('ol', 'context');
        list.append(...rows.map((row) => recordLine(row, this.open)));
        box.append(list);
      } catch (error) {
        box.append(element('p', 'message error', error.message));
      }
    });
    return box;
  }
}

// Records in equal slots of the time, as small bars.
function graph(slots) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${slots.length || 1} 20`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const most = Math.max(...slots, 1);
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', slots.map((count, slot) => {
    if (!count) return '';
    const height = Math.max((count / most) * 20, 1.5);
    return `M${slot + 0.1} ${20 - height}h.8v${height}h-.8z`;
  }).join(''));
  svg.append(path);
  return svg;
}
