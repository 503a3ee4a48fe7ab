// Changes of a stored file on the upload page: remove, restore, set the format.
import { post, toast } from './tools.js';
import { fold, rowFrom } from './upload_rows.js';
import { say } from './words.js';

const byId = (id) => document.getElementById(id);

// Listens to the list; `changed` is called when a row was added or removed.
export function watchChanges(changed) {
  byId('folders').addEventListener('click', async (event) => {
    const change = event.target.closest('[data-change]');
    const remove = event.target.closest('[data-remove]');
    if (change) {
      event.preventDefault();
      chooseFormat(change);
    }
    if (remove) {
      try {
        const row = remove.closest('.file');
        const answer = await post(remove.dataset.remove);
        const note = document.createElement('div');
        note.className = 'file muted';
        note.append(say('{file} was removed.', { file: row.querySelector('.name').textContent.trim() }), ' ');
        const undo = document.createElement('button');
        undo.className = 'button small quiet';
        undo.textContent = say('Undo');
        undo.addEventListener('click', async () => {
          try { note.replaceWith(rowFrom((await post(answer.restore_url)).html)); fold(); changed(); } catch (error) { toast(error.message); }
        });
        note.append(undo);
        row.replaceWith(note);
        undo.focus();
        changed();
      } catch (error) { toast(error.message); }
    }
  });
}

function chooseFormat(link) {
  const select = document.createElement('select');
  select.className = 'small';
  select.setAttribute('aria-label', say('Format of {file}', { file: link.dataset.change }));
  const own = new Option(say('As recognised'), '');
  select.append(own, byId('format-choices').content.cloneNode(true));
  select.value = link.dataset.format;
  select.addEventListener('change', async () => {
    try {
      const answer = await post(link.href, { member: link.dataset.change, format: select.value });
      const row = rowFrom(answer.html);
      select.closest('.file').replaceWith(row);
      row.querySelector('[data-change]')?.focus();
      fold();
    } catch (error) { toast(error.message); }
  });
  link.replaceWith(select);
  select.focus();
}
