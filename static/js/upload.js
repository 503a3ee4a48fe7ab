// The drop zone: many files, whole folders, pasted text. Small files travel together, large ones alone.
import { chosenRules } from './redaction.js';
import { csrfToken, durationOf, post, sizeOf, toast } from './tools.js';

const SMALL_BYTES = 4 * 1024 * 1024;
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_FILES = 60;
const AT_ONCE = 2;
const OPEN_FILES = 30;
const MANY_SEEN = 3;
const ROW_PROGRESS_BYTES = 2 * 1024 * 1024;

const root = document.getElementById('upload');
const zone = document.getElementById('dropzone');
const byId = (id) => document.getElementById(id);
const limits = {
  file: Number(root.dataset.mostFile),
  total: Number(root.dataset.mostCase),
  files: Number(root.dataset.mostFiles),
};
const addresses = {
  add: root.dataset.addUrl, paste: root.dataset.pasteUrl, analyse: root.dataset.analyseUrl, title: root.dataset.titleUrl,
};

const items = [];
const running = new Set();
let opening = null;
let startWhenDone = false;
let began = 0;

// What was dropped or chosen

async function entriesOf(transfer) {
  // Both lists are empty as soon as the event is over, so they are read before anything is awaited.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = [...transfer.files];
  if (!entries.length) return plain.map((file) => ({ file, path: file.name }));
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry, found) {
  if (entry.isFile) {
    try {
      const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
      found.push({ file, path: entry.fullPath.replace(/^\//, '') });
    } catch (error) {
      problem(`${entry.fullPath.replace(/^\//, '')} could not be read: ${error.message}`);
    }
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!some.length) return;
    for (const each of some) await walk(each, found);
  }
}

const ofInput = (input) => [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));

function problem(text) {
  const box = document.createElement('div');
  box.className = 'message error';
  const inner = document.createElement('div');
  inner.textContent = text;
  box.append(inner);
  byId('problems').append(box);
}

async function take(found) {
  if (!found.length) return;
  byId('problems').replaceChildren();
  const known = new Set(items.map((item) => `${item.path}\n${item.file.size}`));
  const held = [...document.querySelectorAll('.file[data-bytes]')].reduce((sum, row) => sum + Number(row.dataset.bytes), 0);
  let total = held;
  let count = document.querySelectorAll('.file').length;
  let refused = 0;
  for (const { file, path } of found) {
    if (known.has(`${path}\n${file.size}`)) continue;
    if (count >= limits.files || total + file.size > limits.total) { refused += 1; continue; }
    count += 1;
    total += file.size;
    const item = { file, path, state: 'waiting', sent: 0, row: null, detail: '' };
    if (file.size > limits.file) {
      item.state = 'refused';
      item.detail = `Larger than ${sizeOf(limits.file)}, the most that one file may have. Compress it, or cut it to the time of the incident.`;
    }
    items.push(item);
    addRow(item);
  }
  if (refused) problem(`${refused} files were left out: a case holds at most ${limits.files} files and ${sizeOf(limits.total)}. An archive counts as one file.`);
  fold();
  zone.classList.add('compact');
  byId('hints')?.remove();
  if (!began) began = performance.now();
  refresh();
  try {
    await opened();
  } catch (error) {
    for (const item of items) if (item.state === 'waiting') fail(item, error.message, true);
    refresh();
    return;
  }
  pump();
}

// The case is opened when the first file comes, so that nobody fills a form first.

function opened() {
  if (addresses.add) return Promise.resolve();
  opening ??= (async () => {
    const title = byId('title').value || guessedTitle();
    const answer = await post(root.dataset.newUrl, { title });
    byId('title').value ||= title;
    Object.assign(addresses, { add: answer.add_url, paste: answer.paste_url, analyse: answer.analyse_url, title: answer.title_url });
    byId('analyse').action = addresses.analyse;
    history.replaceState(null, '', answer.files_url);
  })().catch((error) => { opening = null; throw error; });
  return opening;
}

function guessedTitle() {
  const first = items[0]?.path || '';
  const name = first.includes('/') ? first.split('/')[0] : first.replace(/\.(zip|tar|tgz|tar\.gz|gz|log|txt|json)$/i, '');
  return name.replace(/[_]+/g, ' ').slice(0, 120);
}

byId('title')?.addEventListener('change', async () => {
  if (addresses.title && byId('title').value.trim()) await post(addresses.title, { title: byId('title').value });
});

// Sending

function pump() {
  while (running.size < AT_ONCE) {
    const batch = nextBatch();
    if (!batch.length) break;
    send(batch);
  }
  if (!running.size && !items.some((item) => item.state === 'waiting')) finished();
}

function nextBatch() {
  const batch = [];
  let bytes = 0;
  for (const item of items) {
    if (item.state !== 'waiting') continue;
    if (item.file.size > SMALL_BYTES) {
      if (batch.length) continue;
      return [item];
    }
    if (batch.length >= BATCH_FILES || bytes + item.file.size > BATCH_BYTES) break;
    batch.push(item);
    bytes += item.file.size;
  }
  return batch;
}

function send(batch) {
  const body = new FormData();
  for (const item of batch) {
    item.state = 'sending';
    item.sent = 0;
    body.append('name', item.path);
    body.append('file', item.file, 'file');
    paint(item);
  }
  for (const rule of chosenRules()) body.append('redact', rule);
  const request = new XMLHttpRequest();
  const job = { request, batch };
  running.add(job);
  request.open('POST', addresses.add);
  request.setRequestHeader('X-CSRFToken', csrfToken());
  request.setRequestHeader('Accept', 'application/json');
  request.upload.onprogress = (event) => {
    // The parts travel in order: what is sent fills the files one after the other.
    let left = event.loaded;
    for (const item of batch) {
      item.sent = Math.min(left, item.file.size);
      left = Math.max(0, left - item.file.size);
      paint(item);
    }
    refresh();
  };
  const done = () => { running.delete(job); fold(); refresh(); pump(); };
  request.onload = () => {
    let answer = null;
    try { answer = JSON.parse(request.responseText); } catch { /* not ours: a proxy, or the sign-in page */ }
    if (request.status === 200 && Array.isArray(answer?.files)) {
      batch.forEach((item, place) => settle(item, answer.files[place]));
    } else {
      const reason = answer?.detail || (request.status === 413 ? 'Too large for this workbench.' : `The workbench answered ${request.status}.`);
      for (const item of batch) fail(item, reason, true);
    }
    done();
  };
  request.onerror = () => { for (const item of batch) fail(item, 'The connection broke.', true); done(); };
  request.onabort = () => { for (const item of batch) fail(item, 'Cancelled.', true); done(); };
  request.send(body);
}

function settle(item, answer) {
  item.sent = item.file.size;
  if (answer?.taken) {
    item.state = 'done';
    const row = rowFrom(answer.html);
    item.row.replaceWith(row);
    item.row = row;
  } else {
    item.state = answer?.repeats ? 'repeated' : 'refused';
    item.detail = answer?.detail || 'Not taken.';
    paint(item);
  }
}

function fail(item, reason, again) {
  item.state = again ? 'failed' : 'refused';
  item.detail = reason;
  item.sent = 0;
  paint(item);
}

function finished() {
  refresh();
  if (!items.length) return;
  if (startWhenDone && !items.some((item) => item.state === 'failed')) byId('analyse').submit();
}

byId('cancel-upload').addEventListener('click', () => {
  startWhenDone = false;
  for (const item of items) if (item.state === 'waiting') fail(item, 'Cancelled.', true);
  for (const { request } of [...running]) request.abort();
  refresh();
});

byId('retry-upload').addEventListener('click', () => {
  for (const item of items) {
    if (item.state !== 'failed') continue;
    item.state = 'waiting';
    item.detail = '';
    paint(item);
  }
  began = performance.now();
  opened().then(pump, (error) => problem(error.message));
});

byId('analyse').addEventListener('submit', (event) => {
  if (!running.size && !items.some((item) => item.state === 'waiting')) return;
  event.preventDefault();
  startWhenDone = true;
  refresh();
});

addEventListener('beforeunload', (event) => { if (running.size) event.preventDefault(); });

// The list

const rowFrom = (html) => {
  const holder = document.createElement('template');
  holder.innerHTML = html.trim(); // rendered, and escaped, by the workbench itself
  return holder.content.firstElementChild;
};

function folderOf(name) {
  const found = [...byId('folders').children].find((each) => each.dataset.folder === name);
  if (found) return found;
  const folder = document.createElement('details');
  folder.className = 'folder';
  folder.dataset.folder = name;
  folder.open = true;
  const summary = document.createElement('summary');
  const path = document.createElement('span');
  path.className = 'path';
  path.textContent = name || 'Files';
  const counts = document.createElement('span');
  counts.className = 'muted';
  summary.append(path, counts);
  folder.append(summary);
  const after = [...byId('folders').children].find((each) => each.dataset.folder > name);
  byId('folders').insertBefore(folder, after || null);
  byId('files-card').hidden = false;
  return folder;
}

function addRow(item) {
  const slash = item.path.lastIndexOf('/');
  const row = document.createElement('div');
  row.className = 'file';
  for (const [kind, text] of [['name', item.path.slice(slash + 1)], ['format muted', ''], ['size number muted small', sizeOf(item.file.size)], ['remove', '']]) {
    const cell = document.createElement('div');
    cell.className = kind;
    cell.textContent = text;
    row.append(cell);
  }
  if (item.file.size > ROW_PROGRESS_BYTES) {
    const progress = document.createElement('progress');
    progress.max = 1;
    progress.value = 0;
    progress.setAttribute('aria-label', `Upload of ${item.path}`);
    row.append(progress);
  }
  row.dataset.bytes = item.file.size;
  item.row = row;
  folderOf(slash < 0 ? '' : item.path.slice(0, slash)).append(row);
  paint(item);
}

const WORDS = { waiting: 'waiting', sending: 'sending', failed: 'not sent', refused: 'not taken', repeated: 'in this case already' };

function paint(item) {
  if (item.state === 'done') return;
  item.row.classList.toggle('waiting', item.state === 'waiting');
  item.row.classList.toggle('failed', ['failed', 'refused'].includes(item.state));
  const share = item.file.size ? item.sent / item.file.size : 0;
  const processing = item.state === 'sending' && share >= 1;
  item.row.querySelector('.format').textContent = processing ? 'recognising' : WORDS[item.state];
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

function fold() {
  const many = document.querySelectorAll('.file').length > OPEN_FILES;
  for (const folder of byId('folders').children) {
    const rows = [...folder.querySelectorAll('.file')];
    if (!rows.length) { folder.remove(); continue; }
    const bytes = rows.reduce((sum, row) => sum + Number(row.dataset.bytes || 0), 0);
    const recognised = rows.filter((row) => Number(row.dataset.recognised) > 0).length;
    folder.querySelector('summary .muted').textContent =
      `${rows.length} file${rows.length === 1 ? '' : 's'}, ${sizeOf(bytes)}, ${recognised} recognised`;
    if (many && !folder.dataset.folded) {
      folder.dataset.folded = 'yes';
      folder.open = false;
    }
    if (rows.some((row) => row.classList.contains('failed') || row.querySelector('.note.error'))) folder.open = true;
  }
}

// Many files of an earlier case are told once, not file by file.
function tellSeen() {
  const seen = new Map();
  for (const row of document.querySelectorAll('.file[data-seen]')) {
    const known = seen.get(row.dataset.seen) || { row, count: 0 };
    known.count += 1;
    seen.set(row.dataset.seen, known);
  }
  const [most] = [...seen.values()].sort((one, other) => other.count - one.count);
  root.classList.toggle('many-seen', Boolean(most) && most.count > MANY_SEEN);
  byId('seen').replaceChildren();
  if (!most || most.count <= MANY_SEEN) return;
  const { seenUrl, seenTitle, seenVerdict, seen: number } = most.row.dataset;
  const box = document.createElement('div');
  box.className = 'message info';
  const inner = document.createElement('div');
  const link = document.createElement('a');
  link.href = seenUrl;
  link.textContent = `case ${number}, ${seenTitle}`;
  inner.append(`${most.count} of these files were seen before in `, link, `${seenVerdict ? `: ${seenVerdict}` : ''}. The answer may be there.`);
  box.append(inner);
  byId('seen').append(box);
}

function refresh() {
  const total = items.reduce((sum, item) => sum + item.file.size, 0);
  const sent = items.reduce((sum, item) => sum + item.sent, 0);
  const done = items.filter((item) => !['waiting', 'sending'].includes(item.state)).length;
  const failed = items.filter((item) => item.state === 'failed').length;
  const busy = done < items.length;
  byId('upload-bar').hidden = false;
  byId('upload-progress').hidden = !busy;
  if (total) byId('upload-progress').value = sent / total;
  byId('cancel-upload').hidden = !busy;
  byId('retry-upload').hidden = busy || !failed;
  const stored = document.querySelectorAll('.file[data-file]').length;
  byId('start').disabled = !stored && !busy;
  const seconds = (performance.now() - began) / 1000;
  const rate = seconds > 0.5 ? sent / seconds : 0;
  byId('upload-rate').textContent = busy && rate ? `${sizeOf(Math.round(rate))}/s, about ${durationOf((total - sent) / rate)} left` : '';
  let text = `${stored} file${stored === 1 ? '' : 's'} stored.`;
  if (busy) text = `${done} of ${items.length} files, ${sizeOf(sent)} of ${sizeOf(total)}`;
  else if (failed) text = `${stored} stored, ${failed} not sent.`;
  if (startWhenDone && busy) text += '. The diagnosis starts when all are there.';
  const repeated = items.filter((item) => item.state === 'repeated').length;
  if (!busy && repeated) byId('upload-rate').textContent = `${repeated} ${repeated === 1 ? 'repeats another one and counts' : 'repeat others and count'} once.`;
  if (!busy) tellSeen();
  const state = byId('upload-state');
  if (state.textContent !== text) state.textContent = text;
}

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
      note.textContent = `${row.querySelector('.name').textContent.trim()} was removed. `;
      const undo = document.createElement('button');
      undo.className = 'button small quiet';
      undo.textContent = 'Undo';
      undo.addEventListener('click', async () => {
        try { note.replaceWith(rowFrom((await post(answer.restore_url)).html)); fold(); refresh(); } catch (error) { toast(error.message); }
      });
      note.append(undo);
      row.replaceWith(note);
      undo.focus();
      refresh();
    } catch (error) { toast(error.message); }
  }
});

function chooseFormat(link) {
  const select = document.createElement('select');
  select.className = 'small';
  select.setAttribute('aria-label', `Format of ${link.dataset.change}`);
  const own = new Option('As recognised', '');
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

// Ways in

byId('choose-files').addEventListener('click', () => byId('files').click());
byId('choose-folder').addEventListener('click', () => byId('folder').click());
for (const id of ['files', 'folder']) {
  byId(id).addEventListener('change', (event) => {
    take(ofInput(event.target));
    event.target.value = '';
  });
}

let depth = 0;
addEventListener('dragenter', (event) => { if (event.dataTransfer?.types.includes('Files')) { depth += 1; zone.classList.add('over'); } });
addEventListener('dragleave', () => { depth = Math.max(0, depth - 1); if (!depth) zone.classList.remove('over'); });
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', async (event) => {
  event.preventDefault();
  depth = 0;
  zone.classList.remove('over');
  if (event.dataTransfer) take(await entriesOf(event.dataTransfer));
});

addEventListener('paste', (event) => {
  if (event.target.closest?.('input, textarea')) return;
  const files = [...(event.clipboardData?.files || [])];
  const text = event.clipboardData?.getData('text/plain');
  if (files.length) take(files.map((file) => ({ file, path: file.name })));
  else if (text) { showPaste(true); byId('paste-text').value = text; }
});

function showPaste(shown) {
  byId('paste').hidden = !shown;
  byId('open-paste').setAttribute('aria-expanded', String(shown));
  if (shown) byId('paste-text').focus();
}
byId('open-paste').addEventListener('click', () => showPaste(byId('paste').hidden));
byId('close-paste').addEventListener('click', () => showPaste(false));
byId('paste').addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = byId('paste-text').value;
  try {
    await opened();
    const answer = await post(addresses.paste, { text, name: byId('paste-name').value, redact: chosenRules().join(' ') });
    folderOf('').append(rowFrom(answer.html));
    byId('paste').reset();
    showPaste(false);
    fold();
    refresh();
  } catch (error) { problem(error.message); }
});

if (document.querySelector('.file')) refresh();
