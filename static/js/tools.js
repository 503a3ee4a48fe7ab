// Small things that several pages need.

export const csrfToken = () => document.querySelector('meta[name="csrf-token"]')?.content || '';

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or no https: the caller selects the text instead
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

// What a script says where the workbench answered with its sign-in page.
const SIGNED_OUT = 'You are signed out. Sign in in another tab and try again.';
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
    const refusal = new Error(out || answer.detail || `The workbench answered ${response.status}.`);
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
