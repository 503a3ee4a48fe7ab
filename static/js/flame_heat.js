// Times of samples by task: dragging over the grid selects a time range, a task's name selects the task.
import { element } from './element.js';
import { timeRange } from './time_range.js';
import { say } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const STEPS = 5;
const LEAST_DRAG = 4;

// `chooseTask(key)` is called for the name that is pressed.
export class FlameHeat {
  constructor(section, grid, chooseTask) {
    Object.assign(this, { section, grid, chooseTask });
  }

  show(heat, task) {
    this.heat = heat;
    this.section.hidden = !heat;
    if (!heat) return;
    const most = Math.max(...heat.rows.flatMap((row) => Object.values(row.samples)));
    this.grid.replaceChildren(...heat.rows.flatMap((row) => this.#row(row, most, task)), ...this.#axis());
  }

  #row(row, most, task) {
    const name = element('button', 'plain-button', row.title);
    name.type = 'button';
    name.title = row.title;
    name.setAttribute('aria-pressed', String(row.key === task));
    name.addEventListener('click', () => this.chooseTask(row.key === task ? '' : row.key));
    const cells = element('div', 'cells');
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `0 0 ${this.heat.slots} 1`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', this.#rowText(row));
    // One path for each shade, so that the grid costs little however many slots it has.
    const shades = Array.from({ length: STEPS }, () => '');
    for (const [slot, samples] of Object.entries(row.samples)) {
      shades[Math.min(Math.ceil((samples / most) * STEPS), STEPS) - 1] += `M${slot} 0h1v1h-1z`;
    }
    shades.forEach((d, step) => {
      if (!d) return;
      const path = document.createElementNS(SVG, 'path');
      path.setAttribute('d', d);
      path.setAttribute('class', `heat-${step + 1}`);
      svg.append(path);
    });
    cells.append(svg, this.#range());
    cells.addEventListener('pointerdown', (event) => this.#down(event, cells));
    return [name, cells];
  }

  #rowText(row) {
    const [slot, samples] = Object.entries(row.samples).sort((one, other) => other[1] - one[1])[0];
    return say('{task}: most samples, {samples}, at {time}', { task: row.title, samples: Math.round(samples), time: timeRange.timeOf(this.#time(Number(slot))) });
  }

  #time(slot) {
    return this.heat.from_ms + slot * this.heat.slot_ms;
  }

  // The chosen time, over the cells.
  #range() {
    const mark = element('i', 'chosen');
    const { range } = timeRange;
    mark.hidden = !range;
    if (!range) return mark;
    const whole = this.heat.slots * this.heat.slot_ms;
    const [left, right] = range.map((ms) => Math.min(Math.max((ms - this.heat.from_ms) / whole, 0), 1) * 100);
    mark.style.cssText = `left:${left}%;width:${Math.max(right - left, 0.3)}%`;
    return mark;
  }

  #axis() {
    const ends = element('div', 'ends small muted');
    const times = [this.heat.from_ms, this.#time(this.heat.slots)];
    ends.append(...times.map((ms) => element('span', '', `${timeRange.timeOf(Math.round(ms / 1000) * 1000).slice(11)} ${timeRange.zoneName(ms)}`)));
    return [element('span'), ends];
  }

  #down(event, cells) {
    if (event.button) return;
    const box = cells.getBoundingClientRect();
    const slotAt = (x) => Math.floor(Math.min(Math.max((x - box.left) / box.width, 0), 0.99999) * this.heat.slots);
    const brush = element('i', 'chosen');
    cells.setPointerCapture(event.pointerId);
    const move = (moved) => {
      const [left, right] = [event.clientX, moved.clientX].map((x) => Math.min(Math.max(x, box.left), box.right) - box.left).sort((a, b) => a - b);
      brush.style.cssText = `left:${left}px;width:${right - left}px`;
      if (!brush.isConnected) cells.append(brush);
    };
    const up = (released) => {
      cells.removeEventListener('pointermove', move);
      cells.removeEventListener('pointerup', up);
      cells.removeEventListener('pointercancel', up);
      brush.remove();
      if (released.type === 'pointercancel') return;
      const isClick = Math.abs(released.clientX - event.clientX) < LEAST_DRAG;
      const [first, last] = [slotAt(event.clientX), slotAt(isClick ? event.clientX : released.clientX)].sort((a, b) => a - b);
      timeRange.choose([this.#time(first), this.#time(last + 1) - 1]);
    };
    cells.addEventListener('pointermove', move);
    cells.addEventListener('pointerup', up);
    cells.addEventListener('pointercancel', up);
  }
}
