// Pasted content: files as if dropped, text in its own box.
import { chosenRules } from './redaction.js';
import { post } from './tools.js';
import { problem } from './upload_rows.js';

const byId = (id) => document.getElementById(id);

function show(isShown) {
  byId('paste').hidden = !isShown;
  byId('open-paste').setAttribute('aria-expanded', String(isShown));
  if (isShown) byId('paste-text').focus();
}

// take       called with pasted files, as [{file, path}]
// opened     gives a promise that the case is there
// addresses  where to send what, once it is
// store      called with the row of a text that has arrived
export function pasteBox({ take, opened, addresses, store }) {
  addEventListener('paste', (event) => {
    if (event.target.closest?.('input, textarea')) return;
    const files = [...(event.clipboardData?.files || [])];
    const text = event.clipboardData?.getData('text/plain');
    if (files.length) take(files.map((file) => ({ file, path: file.name })));
    else if (text) { show(true); byId('paste-text').value = text; }
  });
  byId('open-paste').addEventListener('click', () => show(byId('paste').hidden));
  byId('close-paste').addEventListener('click', () => show(false));
  byId('paste').addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = byId('paste-text').value;
    try {
      await opened();
      const answer = await post(addresses.paste, { text, name: byId('paste-name').value, redact: chosenRules().join(' ') });
      byId('paste').reset();
      show(false);
      store(answer.html);
    } catch (error) { problem(error.message); }
  });
}
