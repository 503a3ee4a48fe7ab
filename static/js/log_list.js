// A virtual list of millions of records: only visible rows are in the page, fetched in pieces while scrolling.
import { element } from './element.js';
import { clock, number } from './log_address.js';
import { say, sayCounted } from './words.js';

const PIECE = 100;
const MOST_PIECES = 80;
const OVERSCAN = 8;
const HIT_SEEN = 50;
// Browsers draw nothing beyond some ten million pixels. Above this height a step of the wheel still moves by rows, and
// the bar's place is set right when the scrolling ends.
const MOST_HEIGHT = 5_000_000;

export class LogList {
  // box     the listbox
  // fetch   (start, count) -> rows
  // choose  called with (row, place) when a record becomes the current one
  constructor(box, { fetch, choose }) {
    this.box = box;
    this.fetch = fetch;
    this.choose = choose;
    this.height = element('div', 'height');
    this.rows = element('div');
    this.rows.role = 'presentation';
    this.height.role = 'presentation';
    box.append(this.height, this.rows);
    this.words = [];
    this.withDay = false;
    this.firstFault = null; // the place of the earliest error
    this.reset(0, -1);
    box.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    box.addEventListener('click', (event) => {
      const row = event.target.closest('.log-row');
      if (row) this.go(Number(row.dataset.place), 'stay');
    });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  get rowHeight() {
    return Number.parseFloat(getComputedStyle(this.box).getPropertyValue('--row')) || 24;
  }

  get fitting() {
    return Math.max(Math.floor(this.box.clientHeight / this.rowHeight), 1);
  }

  // Other records: `total` of them, `place` is the current one, -1 for none.
  reset(total, place) {
    this.total = total;
    this.place = Math.min(place, total - 1);
    this.pieces = new Map();
    this.generation = (this.generation || 0) + 1;
    this.scale = Math.max((total * this.rowHeight) / MOST_HEIGHT, 1);
    this.height.style.height = `${Math.min(total * this.rowHeight, MOST_HEIGHT)}px`;
    this.top = 0;
    if (place > 0) this.#reveal(this.place, 'center');
    else this.#place();
    if (this.place >= 0) this.#tell();
  }

  // Clears the cache after rows changed, at the same position.
  refresh() {
    this.pieces = new Map();
    this.generation += 1;
    this.draw();
  }

  // Makes a record the current one. `how` is stay, near (scroll only as far as needed) or center.
  go(place, how = 'near') {
    if (!this.total) return;
    this.place = Math.min(Math.max(place, 0), this.total - 1);
    this.#reveal(this.place, how);
    this.#tell();
  }

  async #tell() {
    const { place, generation } = this;
    const row = await this.current();
    if (row && place === this.place && generation === this.generation) this.choose(row, place);
  }

  // The current record, once fetched: a key may be faster than its row.
  async current() {
    const { place } = this;
    return this.row(place) || (await this.#piece(Math.floor(place / PIECE)))?.[place % PIECE];
  }

  row(place) {
    const piece = this.pieces.get(Math.floor(place / PIECE));
    return Array.isArray(piece) ? piece[place % PIECE] : undefined;
  }

  #reveal(place, how) {
    const fits = this.fitting;
    if (how === 'center') this.top = place - Math.floor(fits / 2);
    else if (how === 'near' && place < this.top) this.top = place;
    else if (how === 'near' && place > this.top + fits - 1) this.top = place - fits + 1;
    this.#place();
  }

  // Sets the scroll bar to the first visible row.
  #place() {
    const last = Math.max(this.total - this.box.clientHeight / this.rowHeight, 0);
    this.top = Math.min(Math.max(this.top, 0), last);
    const way = Math.max(this.height.offsetHeight - this.box.clientHeight, 0);
    this.known = Math.round(last ? (this.top / last) * way : 0);
    if (this.scale === 1) this.known = Math.round(this.top * this.rowHeight);
    this.box.scrollTop = this.known;
    this.known = this.box.scrollTop;
    this.draw();
  }

  #scrolled() {
    const now = this.box.scrollTop;
    const moved = now - this.known;
    if (!moved) return;
    const way = this.height.offsetHeight - this.box.clientHeight;
    const last = Math.max(this.total - this.box.clientHeight / this.rowHeight, 0);
    const isWheel = this.scale > 1 && Math.abs(moved) < this.box.clientHeight * 2;
    if (this.scale === 1 || isWheel) this.top += moved / this.rowHeight;
    else this.top = (now / way) * last;
    this.top = Math.min(Math.max(this.top, 0), last);
    this.known = now;
    this.draw();
    if (isWheel) {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.#place(), 200);
    }
  }

  // Draws the visible rows.
  draw() {
    const height = this.rowHeight;
    const first = Math.max(Math.floor(this.top) - OVERSCAN, 0);
    const end = Math.min(Math.ceil(this.top + this.box.clientHeight / height) + OVERSCAN, this.total);
    const drawn = [];
    for (let place = first; place < end; place += 1) {
      const row = this.row(place);
      const line = row ? this.#line(row, place) : this.#waiting(place);
      line.style.top = `${this.box.scrollTop + (place - this.top) * height}px`;
      drawn.push(line);
    }
    this.rows.replaceChildren(...drawn);
    const current = this.place >= first && this.place < end ? `record-${this.place}` : null;
    if (current) this.box.setAttribute('aria-activedescendant', current);
    else this.box.removeAttribute('aria-activedescendant');
    this.box.hidden = !this.total;
    if (this.total) this.#want(Math.floor(first / PIECE), Math.floor((end - 1) / PIECE));
  }

  #want(first, last) {
    clearTimeout(this.wanting);
    const missing = [];
    for (let piece = first; piece <= last; piece += 1) if (!this.pieces.has(piece)) missing.push(piece);
    if (!missing.length) return;
    // While the bar is dragged the pieces on the way are not fetched.
    this.wanting = setTimeout(() => missing.forEach((piece) => this.#piece(piece)), this.pieces.size ? 40 : 0);
  }

  #piece(piece) {
    if (this.pieces.has(piece)) return this.pieces.get(piece);
    const { generation } = this;
    const coming = this.fetch(piece * PIECE, PIECE).then((rows) => {
      if (generation !== this.generation) return null;
      this.pieces.set(piece, rows);
      while (this.pieces.size > MOST_PIECES) this.pieces.delete(this.pieces.keys().next().value);
      this.draw();
      return rows;
    }).catch(() => { if (generation === this.generation) this.pieces.delete(piece); });
    this.pieces.set(piece, coming);
    return coming;
  }

  #option(place, className) {
    const line = element('div', `log-row ${className}${this.withDay ? ' dated' : ''}`);
    line.role = 'option';
    line.id = `record-${place}`;
    line.dataset.place = place;
    line.setAttribute('aria-selected', String(place === this.place));
    line.setAttribute('aria-posinset', place + 1);
    line.setAttribute('aria-setsize', this.total);
    return line;
  }

  #waiting(place) {
    const line = this.#option(place, 'waiting');
    line.append(element('span'), element('span', 'time', '…'), element('span', 'text', say('record {number}', { number: number(place + 1) })));
    return line;
  }

  // The message from shortly before the first hit, where that would lie beyond the end of the line.
  #near(message) {
    const folded = message.toLowerCase();
    const hit = Math.min(...this.words.map((word) => folded.indexOf(word)).filter((found) => found >= 0));
    return hit > HIT_SEEN && hit < Infinity ? `…${message.slice(hit - 30)}` : message;
  }

  #line(row, place) {
    const level = row.level || 'none';
    const line = this.#option(place, level + (row.pinned ? ' pinned' : ''));
    const mark = element('i', 'mark-level');
    const time = element('span', row.back ? 'time back' : 'time', clock(row.ts, this.withDay));
    if (row.back) time.title = say('earlier than the record above it in its file');
    const text = element('span', 'text');
    text.translate = false;
    if (row.level && row.level !== 'INFO') text.append(element('span', 'visually-hidden', `${row.level} `));
    if (row.pinned) text.append(element('span', 'visually-hidden', `${say('pinned')} `));
    if (place === this.firstFault) text.append(element('span', 'first-fault', say('first error')), ' ');
    if (row.repeats > 1) text.append(element('span', 'repeats', `${number(row.repeats)} ×`), ' ');
    if (row.logger) text.append(element('span', 'logger', `${row.logger.split('.').at(-1)} `));
    text.append(...marked(this.#near(row.message), this.words));
    if (row.cause) text.append(' ', element('span', 'cause', row.cause));
    if (row.more) text.append(element('span', 'more', sayCounted('+{count} line', '+{count} lines', row.more)));
    const source = element('span', 'source');
    const place_ = element('bdi', '', `${row.file.split('/').at(-1)}:${row.line}`);
    source.title = `${row.file}:${row.line}`;
    source.append(place_);
    line.append(mark, time, text, source);
    return line;
  }
}

// The text with the searched words marked, case-insensitive.
export function marked(text, words) {
  const folded = text.toLowerCase();
  const parts = [];
  let at = 0;
  while (at < text.length && parts.length < 100) {
    let next = null;
    for (const word of words) {
      const found = folded.indexOf(word, at);
      if (found >= 0 && (!next || found < next[0])) next = [found, found + word.length];
    }
    if (!next || folded.length !== text.length) break;
    if (next[0] > at) parts.push(text.slice(at, next[0]));
    parts.push(element('mark', '', text.slice(...next)));
    [, at] = next;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
