// Functions shared by several pages: copying, fetching, sign-in.
import { say } from './words.js';


export const csrfToken = () => document.querySelector('meta[name="csrf-token"]')?.content || '';

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or no https: the caller selects the text instead
  }
}

// Copies what an address answers. The text has yet to come: some browsers let a page copy only while the press lasts, so
// they get the promise of it at once. Gives false where the page may not copy, or where nothing came.
export async function copyAnswer(url) {
  const coming = fetch(url).then((response) => {
    if (!response.ok || signedOut(response.url)) throw new Error(say('The workbench answered {status}.', { status: response.status }));
    return response.blob();
  });
  const text = coming.then(async (blob) => new Blob([await blob.text()], { type: 'text/plain' }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    return true;
  } catch {
    return false;
  }
}

export function toast(text) {
  document.querySelector('.toast')?.remove();
  const box = document.createElement('div');
  box.className = 'toast';
  box.role = 'status';
  box.textContent = text;
  document.body.append(box);
  setTimeout(() => box.remove(), 4000);
}

// The message when the workbench answered with its sign-in page.
const SIGNED_OUT = say('You are signed out. Sign in in another tab and try again.');
export const signedOut = (url) => (url && new URL(url, location.href).pathname === '/login/' ? SIGNED_OUT : '');

export async function post(url, fields = {}, options = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'X-CSRFToken': csrfToken(), Accept: 'application/json' },
    ...options,
  });
  const answer = await response.json().catch(() => ({}));
  const out = signedOut(response.url);
  if (!response.ok || out) {
    const refusal = new Error(out || answer.detail || say('The workbench answered {status}.', { status: response.status }));
    throw Object.assign(refusal, { status: response.status });
  }
  return answer;
}

export function sizeOf(bytes) {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1000 && unit < units.length - 1) { amount /= 1000; unit += 1; }
  return `${unit === 0 ? amount : amount.toFixed(amount < 10 ? 1 : 0)} ${units[unit]}`;
}

export function durationOf(seconds) {
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

// Opens a place that an address or a key leads to, and every fold around it.
export function reveal(target) {
  if (!target) return;
  const inside = target.matches('section, article') ? target.querySelector(':scope > details.fold, :scope > details.finding-fold') : null;
  if (inside) inside.open = true;
  for (let fold = target.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
}
