// Redaction of files before they are stored: the selected rules, and a preview.
import { csrfToken } from './tools.js';
import { say } from './words.js';

const PREVIEWED_BYTES = 1024 * 1024;
const byId = (id) => document.getElementById(id);

// The ids of the rules for the next file; empty while the switch is off.
export function chosenRules() {
  if (!byId('redact')?.checked) return [];
  return [...document.querySelectorAll('#redact-rules input:checked')].map((input) => input.value);
}

async function preview(file) {
  const body = new FormData();
  body.append('name', file.name);
  body.append('complete', file.size <= PREVIEWED_BYTES ? '1' : '0');
  body.append('file', file.slice(0, PREVIEWED_BYTES), 'file');
  for (const input of document.querySelectorAll('#redact-rules input:checked')) body.append('redact', input.value);
  const answer = await fetch(byId('redaction').dataset.previewUrl, {
    method: 'POST', body, headers: { 'X-CSRFToken': csrfToken() },
  });
  if (!answer.ok) throw new Error(say('The workbench answered {status}.', { status: answer.status }));
  return answer.text();
}

byId('redact-try')?.addEventListener('click', () => byId('redact-file').click());
byId('redact-file')?.addEventListener('change', async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  const shown = byId('redact-preview');
  try {
    shown.innerHTML = await preview(file);
  } catch (error) {
    shown.textContent = say('This could not be shown: {message}', { message: error.message });
  }
  event.target.value = '';
});
