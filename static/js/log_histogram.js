// Records over time by level, errors and warnings above on a scale of their own. Dragging chooses the time.
import { element } from './element.js';
import { clock, number } from './log_address.js';
import { timeRange } from './time_range.js';
import { say } from './words.js';

const ORDER = ['FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'none'];
const ALARMING = ['FATAL', 'ERROR', 'WARN'];
const SVG = 'http://www.w3.org/2000/svg';
const BANDS = [{ levels: ALARMING, top: 15, height: 23 }, { levels: ORDER, top: 55, height: 41 }];
const LEAST_DRAG = 4;

export class LogHistogram {
  // goTo  called with the place in the list of the first record of a slot that was clicked
  constructor(plot, hovered, goTo) {
    this.plot = plot;
    this.hovered = hovered;
    this.goTo = goTo;
    this.told = null;
    plot.addEventListener('pointerdown', (event) => this.#down(event));
    plot.addEventListener('pointermove', (event) => this.#hover(event));
    plot.addEventListener('dblclick', () => timeRange.choose(null));
    plot.addEventListener('pointerleave', () => { this.hovered.textContent = ''; });
  }

  show(told) {
    this.told = told;
    this.plot.replaceChildren();
    if (!told.slots) return;
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `0 0 ${told.slots} 96`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', this.#summary());
    for (const band of BANDS) this.#band(svg, band);
    this.plot.append(svg);
    for (const band of BANDS) this.#scale(band);
    const ends = element('div', 'ends');
    const [from, to] = [told.from_ms, told.from_ms + told.slots * told.slot_ms];
    const withDay = new Date(from).toDateString() !== new Date(to).toDateString();
    ends.append(...[from, to].map((ms) => element('span', '', `${clock(ms, withDay)} ${timeRange.zoneName(ms)}`)));
    this.plot.append(ends);
    this.cursor = element('div', 'cursor');
    this.cursor.hidden = true;
    this.plot.append(this.cursor);
  }

  #most(band) {
    const sums = Array.from({ length: this.told.slots }, () => 0);
    for (const level of band.levels) (this.told.levels[level] || []).forEach((count, slot) => { sums[slot] += count; });
    return Math.max(...sums, 0);
  }

  #band(svg, band) {
    const most = this.#most(band);
    const below = Array.from({ length: this.told.slots }, () => 0);
    const bottom = band.top + band.height;
    for (const level of band.levels) {
      const counts = this.told.levels[level];
      if (!counts || !most) continue;
      const path = document.createElementNS(SVG, 'path');
      path.setAttribute('class', level);
      path.setAttribute('d', counts.map((count, slot) => {
        if (!count) return '';
        // At least one pixel: a single error among thousands of records is seen.
        const height = Math.max((count / most) * band.height, 1.2);
        const y = bottom - below[slot] - height;
        below[slot] += height;
        return `M${slot + 0.08} ${y.toFixed(2)}h.84v${height.toFixed(2)}h-.84z`;
      }).join(''));
      svg.append(path);
    }
    const base = document.createElementNS(SVG, 'path');
    base.setAttribute('class', 'base');
    base.setAttribute('d', `M0 ${bottom}H${this.told.slots}`);
    svg.append(base);
  }

  #scale(band) {
    const most = this.#most(band);
    if (!most) return;
    const told = element('span', 'scale', band.levels === ORDER ? say('{count} records', { count: number(most) }) : say('{count} errors and warnings', { count: number(most) }));
    told.style.top = `${((band.top - 15) / 96) * (this.plot.querySelector('svg').clientHeight || 96)}px`;
    this.plot.append(told);
  }

  #summary() {
    const totals = Object.entries(this.told.totals).map(([level, count]) => `${number(count)} ${level}`);
    return say('Records over time: {totals}', { totals: totals.join(', ') });
  }

  // Marks the time of the current record.
  mark(ms) {
    if (!this.cursor || !this.told?.slots) return;
    const share = (ms - this.told.from_ms) / (this.told.slots * this.told.slot_ms);
    this.cursor.hidden = ms === null || share < 0 || share > 1;
    this.cursor.style.left = `${share * 100}%`;
  }

  #slot(event) {
    const box = this.plot.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 0.99999);
    return Math.floor(share * this.told.slots);
  }

  #time(slot) {
    return this.told.from_ms + slot * this.told.slot_ms;
  }

  #hover(event) {
    if (!this.told?.slots) return;
    const slot = this.#slot(event);
    const counts = Object.entries(this.told.levels).filter(([, each]) => each[slot]);
    const told = counts.map(([level, each]) => `${number(each[slot])} ${level}`).join(', ') || say('no record');
    this.hovered.textContent = `${clock(this.#time(slot), false)} ${told}`;
  }

  #down(event) {
    if (event.button || !this.told?.slots) return;
    const start = { x: event.clientX, slot: this.#slot(event) };
    const brush = element('div', 'brush');
    const box = this.plot.getBoundingClientRect();
    this.plot.setPointerCapture(event.pointerId);
    const move = (moved) => {
      const [left, right] = [start.x, moved.clientX].map((x) => Math.min(Math.max(x, box.left), box.right) - box.left).sort((a, b) => a - b);
      brush.style.left = `${left}px`;
      brush.style.width = `${right - left}px`;
      if (!brush.isConnected) this.plot.append(brush);
    };
    const up = (released) => {
      this.plot.removeEventListener('pointermove', move);
      this.plot.removeEventListener('pointerup', up);
      this.plot.removeEventListener('pointercancel', up);
      brush.remove();
      if (released.type === 'pointercancel') return;
      const [first, last] = [start.slot, this.#slot(released)].sort((a, b) => a - b);
      if (Math.abs(released.clientX - start.x) < LEAST_DRAG) this.goTo(this.#before(first));
      else timeRange.choose([this.#time(first), this.#time(last + 1) - 1]);
    };
    this.plot.addEventListener('pointermove', move);
    this.plot.addEventListener('pointerup', up);
    this.plot.addEventListener('pointercancel', up);
  }

  // How many records of the list are before a slot: the place of its first one.
  #before(slot) {
    return Object.values(this.told.levels).reduce((sum, counts) => sum + counts.slice(0, slot).reduce((a, b) => a + b, 0), 0);
  }
}
