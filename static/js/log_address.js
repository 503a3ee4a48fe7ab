// The state of the log page in the address, and its requests to the workbench.
//   q      the search             hits=all   the other records are listed too
//   alike  neighbours listed once  at         the record, as file:line
//   clock  a file whose clock is moved, as file:milliseconds; there may be several
//   show   the panel: record, patterns or pinned           by   what patterns are counted by
// The time range and the zone are those of time_range.js.
import { timeRange } from './time_range.js';
import { say } from './words.js';

const page = document.getElementById('log-page');
const NAMES = ['q', 'hits', 'alike', 'at', 'show', 'by'];
const ASKED = ['q', 'hits', 'alike', 'from', 'to'];

export const mayChange = 'mayChange' in page.dataset;

export function shown() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.map((name) => [name, query.get(name) || '']));
}

// Files whose clocks are moved, with the milliseconds.
export function clocks() {
  const told = new URLSearchParams(location.search).getAll('clock').map((each) => /^(.+):(-?\d+)$/.exec(each));
  return new Map(told.filter(Boolean).map(([, file, shift]) => [file, Number(shift)]));
}

// The page's address with other values; empty ones are removed.
export function addressWith(values) {
  const url = timeRange.kept(location.href);
  url.searchParams.set('snapshot', page.dataset.snapshot);
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) {
      url.searchParams.delete(name);
      value.forEach((each) => url.searchParams.append(name, each));
    } else if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  url.search = url.searchParams.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%21', '!');
  return url;
}

// `isStep` makes an entry that Back leads away from.
export function remember(values, isStep = false) {
  const url = addressWith(values);
  if (url.href === location.href) return;
  if (isStep) history.pushState(history.state, '', url);
  else history.replaceState(history.state, '', url);
}

export const permalink = (row) => {
  const url = addressWith({ at: `${row.file}:${row.line}` });
  return url.href;
};

export function part(name) {
  const url = new URL(`${page.dataset.base}${name}/`, location.href);
  url.searchParams.set('snapshot', page.dataset.snapshot);
  return url;
}

// Requests an endpoint for the present state; `extra` adds parameters.
export async function ask(name, extra = {}, signal = undefined) {
  const url = part(name);
  const asked = addressWith({}).searchParams;
  for (const each of ASKED) if (asked.get(each)) url.searchParams.set(each, asked.get(each));
  asked.getAll('clock').forEach((each) => url.searchParams.append('clock', each));
  for (const [each, value] of Object.entries(extra)) url.searchParams.set(each, value);
  const response = await fetch(url, { signal, headers: { Accept: 'application/json' } });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail || say('The workbench answered {status}.', { status: response.status }));
  return answer;
}

export const number = (value) => value.toLocaleString('en');

// `02:00:00.123` in the chosen zone, with the day where the log spans several.
export function clock(ms, withDay) {
  if (ms === null) return say('no time');
  const local = new Date(ms + timeRange.offset(ms)).toISOString();
  return withDay ? `${local.slice(0, 10)} ${local.slice(11, 23)}` : local.slice(11, 23);
}
