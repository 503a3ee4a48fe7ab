// The rows of the upload page: uploads in progress, stored files, and their folders.
import { sizeOf } from './tools.js';
import { say, sayCounted } from './words.js';

const OPEN_FILES = 30;
const MANY_SEEN = 3;
const UNREAD_NAMED = 3;
const ROW_PROGRESS_BYTES = 2 * 1024 * 1024;
const byId = (id) => document.getElementById(id);

// Shows an error above the list.
export function problem(text) {
  const box = document.createElement('div');
  box.className = 'message error';
  const inner = document.createElement('div');
  inner.textContent = text;
  box.append(inner);
  byId('problems').append(box);
}

// A row that the workbench rendered.
export const rowFrom = (html) => {
  const holder = document.createElement('template');
  holder.innerHTML = html.trim(); // rendered, and escaped, by the workbench itself
  return holder.content.firstElementChild;
};

// The folder's part of the list, created if missing.
export function folderOf(name) {
  const found = [...byId('folders').children].find((each) => each.dataset.folder === name);
  if (found) return found;
  const folder = document.createElement('details');
  folder.className = 'folder';
  folder.dataset.folder = name;
  folder.open = true;
  const summary = document.createElement('summary');
  const path = document.createElement('span');
  path.className = 'path';
  path.textContent = name || say('Files');
  const counts = document.createElement('span');
  counts.className = 'muted counts';
  const unread = document.createElement('span');
  unread.className = 'muted unread';
  summary.append(path, counts, unread);
  folder.append(summary);
  const after = [...byId('folders').children].find((each) => each.dataset.folder > name);
  byId('folders').insertBefore(folder, after || null);
  byId('files-card').hidden = false;
  return folder;
}

// The row of an upload in progress; its button calls `cancel`.
export function addRow(item, cancel) {
  const slash = item.path.lastIndexOf('/');
  const row = document.createElement('div');
  row.className = 'file';
  for (const [kind, text] of [['name', item.path.slice(slash + 1)], ['format muted', ''], ['size number muted small', sizeOf(item.file.size)], ['remove', '']]) {
    const cell = document.createElement('div');
    cell.className = kind;
    cell.textContent = text;
    row.append(cell);
  }
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'icon-button small';
  button.title = say('Cancel');
  button.setAttribute('aria-label', say('Cancel the upload of {path}', { path: item.path }));
  button.append(crossIcon());
  button.addEventListener('click', cancel);
  row.querySelector('.remove').append(button);
  if (item.file.size > ROW_PROGRESS_BYTES) {
    const progress = document.createElement('progress');
    progress.max = 1;
    progress.value = 0;
    progress.setAttribute('aria-label', say('Upload of {path}', { path: item.path }));
    row.append(progress);
  }
  row.dataset.bytes = item.file.size;
  item.row = row;
  folderOf(slash < 0 ? '' : item.path.slice(0, slash)).append(row);
  paint(item);
}

const crossIcon = () => byId('cross-icon').content.cloneNode(true);

const WORDS = { waiting: say('waiting'), sending: say('sending'), failed: say('not sent'), refused: say('not taken'), repeated: say('in this case already') };

// The text of a row while a worker redacts its file.
export const redactingText = (bytes) => (bytes ? say('taking secrets out, {size} gone through', { size: sizeOf(bytes) }) : say('taking secrets out'));

function wordOf(item, share) {
  if (item.paused) return say('waiting for the connection');
  return item.state === 'sending' && item.file.size > ROW_PROGRESS_BYTES ? say('sending, {share} %', { share: Math.floor(100 * share) }) : WORDS[item.state];
}

// Brings the row up to date with its file.
export function paint(item) {
  if (item.state === 'done') return;
  item.row.classList.toggle('waiting', item.state === 'waiting');
  item.row.classList.toggle('repeated', item.state === 'repeated');
  item.row.classList.toggle('failed', ['failed', 'refused'].includes(item.state));
  const share = item.file.size ? item.sent / item.file.size : 0;
  const processing = item.state === 'sending' && share >= 1;
  item.row.querySelector('.format').textContent = processing ? ((item.redacting ?? null) === null ? say('recognising') : redactingText(item.redacting)) : wordOf(item, share);
  item.row.querySelector('.remove').hidden = !item.mayCancel?.();
  const progress = item.row.querySelector('progress');
  if (progress) {
    progress.hidden = !['sending', 'waiting'].includes(item.state);
    if (processing) progress.removeAttribute('value');
    else progress.value = share;
  }
  item.row.querySelector('.note')?.remove();
  if (item.detail) {
    const note = document.createElement('div');
    note.className = item.state === 'repeated' ? 'note' : 'note error';
    note.textContent = item.detail;
    item.row.append(note);
  }
}

// Which stored files were not recognised.
function unreadWords(rows) {
  const unread = rows.filter((row) => row.dataset.file && !Number(row.dataset.recognised));
  if (!unread.length) return '';
  const names = unread.slice(0, UNREAD_NAMED).map((row) => row.querySelector('.name').textContent.trim()).join(say(', '));
  const more = unread.length - UNREAD_NAMED;
  return say('not recognised: {names}', { names: more > 0 ? say('{names} and {count} more', { names, count: more }) : names });
}

// Brings the counts up to date, and closes the folders once they are many.
export function fold() {
  const many = document.querySelectorAll('.file').length > OPEN_FILES;
  for (const folder of byId('folders').children) {
    const every = [...folder.querySelectorAll('.file')];
    if (!every.length) { folder.remove(); continue; }
    const rows = every.filter((row) => !row.classList.contains('repeated')); // what is here already counts once
    const bytes = rows.reduce((sum, row) => sum + Number(row.dataset.bytes || 0), 0);
    const recognised = rows.filter((row) => Number(row.dataset.recognised) > 0).length;
    folder.querySelector('summary .counts').textContent =
      sayCounted('{count} file, {size}, {recognised} recognised', '{count} files, {size}, {recognised} recognised', rows.length, { size: sizeOf(bytes), recognised });
    folder.querySelector('summary .unread').textContent = unreadWords(rows);
    if (many && !folder.dataset.folded) {
      folder.dataset.folded = 'yes';
      folder.open = false;
    }
    if (rows.some((row) => row.classList.contains('failed') || row.querySelector('.note.error'))) folder.open = true;
  }
}

// Many files of an earlier case are reported once, not per file.
export function tellSeen() {
  const seen = new Map();
  for (const row of document.querySelectorAll('.file[data-seen]')) {
    const known = seen.get(row.dataset.seen) || { row, count: 0 };
    known.count += 1;
    seen.set(row.dataset.seen, known);
  }
  const [most] = [...seen.values()].sort((one, other) => other.count - one.count);
  byId('upload').classList.toggle('many-seen', Boolean(most) && most.count > MANY_SEEN);
  byId('seen').replaceChildren();
  if (!most || most.count <= MANY_SEEN) return;
  const { seenUrl, seenTitle, seenVerdict, seen: number } = most.row.dataset;
  const box = document.createElement('div');
  box.className = 'message info';
  const inner = document.createElement('div');
  const link = document.createElement('a');
  link.href = seenUrl;
  link.textContent = say('case {number}, {title}', { number, title: seenTitle });
  const rest = seenVerdict ? say(': {verdict}. The answer may be there.', { verdict: seenVerdict }) : say('. The answer may be there.');
  inner.append(say('{count} of these files were seen before in', { count: most.count }), ' ', link, rest);
  box.append(inner);
  byId('seen').append(box);
}
