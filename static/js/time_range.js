// The one time range of a case. It lives in the address, so a link keeps it and Back undoes it:
//   from, to      the shown range, ISO 8601 in UTC with milliseconds; without them the whole time of the evidence.
//                 Epoch milliseconds, as Grafana's addresses have them, are read too
//   normal, bad   two ranges to compare, each `from/to`
//   tz            utc, browser or evidence: the zone of printed times; by default the user's last choice
// Times are epoch milliseconds here, ranges are [from, to], and null is the whole time.
import { post, toast } from './tools.js';
import { say } from './words.js';

export const ZONES = ['utc', 'browser', 'evidence'];
const MOST_EARLIER = 50;
const MINUTE = 60_000;

const written = (ms) => new Date(ms).toISOString();
const isRange = ([from, to]) => Number.isFinite(from) && Number.isFinite(to) && from < to;
const same = (one, other) => String(one) === String(other);

const instant = (text) => (/^\d{12,14}$/.test(text) ? Number(text) : Date.parse(text));

function readPair(from, to) {
  const range = [instant(from), instant(to)];
  return isRange(range) ? range : null;
}

// `13:05:00.120`, with as many places as are not zero.
const clock = (iso) => iso.slice(11, 23).replace(/\.000$/, '').replace(/(\.\d+?)0+$/, '$1');

class TimeRange {
  #listeners = new Set();
  #earlier = [];
  #zone = 'utc';

  constructor() {
    // whole           the time of all evidence, null while nothing has a time
    // evidenceOffset  minutes that the clock of the files is ahead of UTC, null while that is not known
    this.whole = null;
    this.evidenceOffset = null;
    this.#read();
    // Normalises the address for other readers.
    if (/[?&]from=\d{12,14}(&|$)/.test(location.search)) history.replaceState(history.state, '', this.kept(location.href));
    addEventListener('popstate', () => {
      const before = this.range;
      this.#read();
      // A link inside the page adds a history entry, which keeps the undo history.
      if (history.state === null && same(before, this.range)) history.replaceState({ earlier: this.#earlier }, '');
      else this.#earlier = history.state?.earlier ?? [];
      this.#tell();
    });
    this.#earlier = history.state?.earlier ?? [];
  }

  #read() {
    const asked = new URLSearchParams(location.search);
    this.range = readPair(asked.get('from'), asked.get('to'));
    this.normal = readPair(...(asked.get('normal') || '').split('/'));
    this.bad = readPair(...(asked.get('bad') || '').split('/'));
    this.#zone = [asked.get('tz'), document.documentElement.dataset.zone, 'utc'].find((zone) => ZONES.includes(zone));
  }

  // How times are written; that of the files only where it is known.
  get zone() {
    return this.#zone === 'evidence' && this.evidenceOffset === null ? 'utc' : this.#zone;
  }

  // The shown range, also when it is the whole time; null while nothing has a time.
  get shown() {
    return this.range || this.whole;
  }

  get canUndo() {
    return this.#earlier.length > 0;
  }

  // Calls `listener` after every change.
  onChange(listener) {
    this.#listeners.add(listener);
  }

  #tell() {
    for (const listener of this.#listeners) listener(this);
  }

  // Shows a range, null for the whole time; undo leads back.
  choose(range) {
    const next = range && isRange(range) ? range.map(Math.round) : null;
    if (same(next, this.range)) return;
    this.#go(next, [...this.#earlier, this.range].slice(-MOST_EARLIER));
  }

  undo() {
    if (this.canUndo) this.#go(this.#earlier.at(-1), this.#earlier.slice(0, -1));
  }

  #go(range, earlier) {
    this.range = range;
    this.#earlier = earlier;
    history.pushState({ earlier }, '', this.kept(location.href));
    this.#tell();
  }

  // Marks a range to compare; `name` is normal or bad, null removes the mark.
  mark(name, range) {
    this[name] = range && isRange(range) ? range.map(Math.round) : null;
    this.#replace();
  }

  chooseZone(zone) {
    const page = document.documentElement.dataset;
    this.#zone = zone;
    page.zone = zone;
    post(page.zoneUrl, { zone }).catch((error) => toast(say('The zone holds for this page only. {message}', { message: error.message })));
    this.#replace();
  }

  #replace() {
    history.replaceState(history.state, '', this.kept(location.href));
    this.#tell();
  }

  // An address with the range, the marks and the zone of this page.
  kept(address) {
    const url = new URL(address, location.href);
    const values = {
      from: this.range && written(this.range[0]),
      to: this.range && written(this.range[1]),
      normal: this.normal && this.normal.map(written).join('/'),
      bad: this.bad && this.bad.map(written).join('/'),
      tz: this.#zone === 'utc' ? null : this.#zone,
    };
    for (const [name, value] of Object.entries(values)) {
      if (value) url.searchParams.set(name, value);
      else url.searchParams.delete(name);
    }
    url.search = url.searchParams.toString().replaceAll('%3A', ':').replaceAll('%2F', '/');
    return url;
  }

  // Milliseconds that the chosen zone is ahead of UTC at a time.
  offset(ms) {
    if (this.zone === 'browser') return -new Date(ms).getTimezoneOffset() * MINUTE;
    return this.zone === 'evidence' ? this.evidenceOffset * MINUTE : 0;
  }

  // `UTC`, or how far the zone is ahead of it at a time: `UTC+02:00`.
  zoneName(ms) {
    const minutes = this.offset(ms) / MINUTE;
    if (!minutes) return 'UTC';
    const part = (value) => String(Math.floor(value)).padStart(2, '0');
    return `UTC${minutes < 0 ? '-' : '+'}${part(Math.abs(minutes) / 60)}:${part(Math.abs(minutes) % 60)}`;
  }

  // A time in the chosen zone: `2026-11-22 13:05:00.120`.
  timeOf(ms) {
    const local = written(ms + this.offset(ms));
    return `${local.slice(0, 10)} ${clock(local)}`;
  }

  // A time as people type it in the chosen zone, or as ISO 8601 with a zone of its own; NaN when it is neither.
  readTime(text) {
    const typed = text.trim().replace(' ', 'T');
    if (/(Z|[+-]\d\d:?\d\d)$/.test(typed)) return Date.parse(typed);
    const local = Date.parse(`${typed}Z`);
    return local - this.offset(local);
  }

  // A range as a sentence's part: `2026-11-22 13:05:00 to 13:06:00 UTC, 1 min`.
  inWords([from, to]) {
    // Milliseconds say nothing of a range of minutes. They are cut off, as in every other time of the pages.
    const whole = to - from < MINUTE ? 1 : 1000;
    const [first, last] = [from, to].map((ms) => this.timeOf(Math.floor(ms / whole) * whole));
    const end = first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last;
    return say('{first} to {last} {zone}, {length}', { first, last: end, zone: this.zoneName(from), length: lengthInWords(to - from) });
  }
}

// A length of time with its two largest units: `37 min 12 s`.
export function lengthInWords(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${Number((ms / 1000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1000);
  const units = [['d', 86_400], ['h', 3600], ['min', 60], ['s', 1]];
  const at = units.findIndex(([, size]) => seconds >= size);
  const [[name, size], smaller] = units.slice(at, at + 2);
  const rest = smaller ? Math.floor((seconds % size) / smaller[1]) : 0;
  return `${Math.floor(seconds / size)} ${name}${rest ? ` ${rest} ${smaller[0]}` : ''}`;
}

export const timeRange = new TimeRange();
