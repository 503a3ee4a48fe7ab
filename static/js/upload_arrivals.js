// Files that were partly uploaded, or being redacted, when the page was loaded.
import { ResumableUpload } from './resumable_upload.js';
import { csrfToken } from './tools.js';
import { fold, folderOf, problem, redactingText, rowFrom } from './upload_rows.js';
import { say } from './words.js';

const list = document.getElementById('arrival-list');

function takeAway(row) {
  row.remove();
  document.getElementById('arrivals').hidden = !list.children.length;
}

async function followRedaction(row, stored) {
  const shown = row.querySelector('.format');
  const onRedacting = (bytes) => { shown.textContent = redactingText(bytes); };
  try {
    const answer = await new ResumableUpload({ url: row.dataset.redacting, onRedacting }).outcome();
    if (!answer.taken) { shown.textContent = answer.detail; return; }
    const made = rowFrom(answer.html);
    folderOf(made.dataset.folder || '').append(made);
    takeAway(row);
    fold();
    stored();
  } catch (error) { problem(error.message); }
}

// stored  called when another file has arrived
export function followArrivals(stored) {
  for (const row of document.querySelectorAll('[data-redacting]')) followRedaction(row, stored);
  list.addEventListener('click', async (event) => {
    const row = event.target.closest('[data-discard]')?.closest('.file');
    if (!row) return;
    const answer = await fetch(row.dataset.arrival || row.dataset.redacting, { method: 'DELETE', headers: { 'X-CSRFToken': csrfToken(), 'Tus-Resumable': '1.0.0' } });
    if (!answer.ok && answer.status !== 404) { problem(say('The workbench answered {status}.', { status: answer.status })); return; }
    takeAway(row);
  });
}
