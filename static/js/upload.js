// The drop zone: many files, whole folders, pasted text. Small files travel together, large ones alone and in pieces,
// so that they go on where they were when the line broke or the page was loaded again.
import { chosenRules } from './redaction.js';
import { ResumableUpload } from './resumable_upload.js';
import { csrfToken, durationOf, post, signedOut, sizeOf } from './tools.js';
import { followArrivals } from './upload_arrivals.js';
import { watchChanges } from './upload_changes.js';
import { entriesOf, ofInput } from './upload_drop.js';
import { pasteBox } from './upload_paste.js';
import { addRow, fold, folderOf, paint, problem, rowFrom, tellSeen } from './upload_rows.js';
import { say, sayCounted } from './words.js';

const SMALL_BYTES = 4 * 1024 * 1024;
const PACKED_BYTES = 64 * 1024;
const PACKED = /\.(zip|tar|gz|tgz|bz2|xz|zst)$/i;
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_FILES = 60;
const AT_ONCE = 2;

const root = document.getElementById('upload');
const zone = document.getElementById('dropzone');
const byId = (id) => document.getElementById(id);
const limits = {
  file: Number(root.dataset.mostFile),
  total: Number(root.dataset.mostCase),
  files: Number(root.dataset.mostFiles),
};
const addresses = {
  add: root.dataset.addUrl, begin: root.dataset.beginUrl, paste: root.dataset.pasteUrl,
  analyse: root.dataset.analyseUrl, title: root.dataset.titleUrl, awaited: root.dataset.awaitedUrl, giveUp: root.dataset.giveUpUrl,
};

const items = [];
const running = new Set();
let opening = null;
let startWhenDone = false;
let began = 0;

// Dropped or selected files

// A file that was partly uploaded before the page was loaded; the resumed row replaces its row.
function arrivedBefore(file, path) {
  const row = [...byId('arrival-list').children].find((each) => each.dataset.name === path
    && Number(each.dataset.bytes) === file.size && Number(each.dataset.modified) === file.lastModified);
  if (!row) return { url: null, sent: 0 };
  row.remove();
  byId('arrivals').hidden = !byId('arrival-list').children.length;
  return { url: row.dataset.arrival, sent: Number(row.dataset.offset) };
}

async function take(found) {
  if (!found.length) {
    problem(say('Nothing was added: there is no file in it.'));
    return;
  }
  byId('problems').replaceChildren();
  const known = new Set(items.map((item) => `${item.path}\n${item.file.size}`));
  const before = new Map(found.map(({ file, path }) => [file, arrivedBefore(file, path)]));
  const held = [...document.querySelectorAll('.file[data-bytes]')].reduce((sum, row) => sum + Number(row.dataset.bytes), 0);
  let total = held;
  let count = document.querySelectorAll('.file').length;
  let refused = 0;
  for (const { file, path } of found) {
    if (known.has(`${path}\n${file.size}`)) continue;
    if (count >= limits.files || total + file.size > limits.total) { refused += 1; continue; }
    count += 1;
    total += file.size;
    const item = { file, path, state: 'waiting', paused: false, row: null, detail: '', upload: null, ...before.get(file) };
    item.before = item.sent;
    item.mayCancel = () => item.state === 'waiting' || Boolean(item.upload && item.state === 'sending');
    if (file.size > limits.file) {
      item.state = 'refused';
      item.detail = say('Larger than {size}, the most that one file may have. Compress it, or cut it to the time of the incident.', { size: sizeOf(limits.file) });
    }
    items.push(item);
    addRow(item, () => { cancel(item); giveUp([item]); refresh(); pump(); });
  }
  if (refused) {
    problem(say('{refused} files were left out: a case holds at most {most} files and {size}. An archive counts as one file.', {
      refused, most: limits.files, size: sizeOf(limits.total),
    }));
  }
  fold();
  zone.classList.add('compact');
  byId('hints')?.remove();
  if (!began) began = performance.now();
  refresh();
  try {
    await opened();
    await announce();
  } catch (error) {
    for (const item of items) if (item.state === 'waiting') fail(item, error.message, true);
    refresh();
    return;
  }
  pump();
}

// The case is opened with the first file, without a form.

function opened() {
  if (addresses.add) return Promise.resolve();
  opening ??= (async () => {
    const title = byId('title').value || guessedTitle();
    const answer = await post(root.dataset.newUrl, { title });
    byId('title').value ||= title;
    Object.assign(addresses, { add: answer.add_url, begin: answer.begin_url, paste: answer.paste_url, analyse: answer.analyse_url, title: answer.title_url, awaited: answer.awaited_url, giveUp: answer.give_up_url });
    byId('analyse').action = addresses.analyse;
    history.replaceState(null, '', answer.files_url);
  })().catch((error) => { opening = null; throw error; });
  return opening;
}

function guessedTitle() {
  const first = items[0]?.path || '';
  const name = first.includes('/') ? first.split('/')[0] : first.replace(/\.(zip|tar|tgz|tar\.gz|gz|log|txt|json)$/i, '');
  return name.slice(0, 120);
}

byId('title')?.addEventListener('change', async () => {
  if (addresses.title && byId('title').value.trim()) await post(addresses.title, { title: byId('title').value });
});

// What takes more than one request is announced, so that the workbench can say what did not arrive if it is cut.

async function announce() {
  const waiting = items.filter((item) => item.state === 'waiting');
  if (waiting.length < 2 || (waiting.every(isSmall) && waiting.length <= BATCH_FILES && sizeOfAll(waiting) <= BATCH_BYTES)) return;
  await post(addresses.awaited, { names: namesOf(waiting) });
}

function giveUp(given) {
  if (addresses.giveUp && given.length) post(addresses.giveUp, { names: namesOf(given) }).catch((error) => problem(error.message));
}

const namesOf = (some) => JSON.stringify(some.map((item) => item.path));
const sizeOfAll = (some) => some.reduce((sum, item) => sum + item.file.size, 0);

// Sending

function pump() {
  while (running.size < AT_ONCE) {
    const batch = nextBatch();
    if (!batch.length) break;
    if (!isSmall(batch[0])) sendInPieces(batch[0]);
    else send(batch);
  }
  if (!running.size && !items.some((item) => item.state === 'waiting')) finished();
}

// A worker redacts a compressed file, which may be large; it is sent by itself.
function isSmall(item) {
  const most = chosenRules().length && PACKED.test(item.path) ? PACKED_BYTES : SMALL_BYTES;
  return item.file.size <= most;
}

function nextBatch() {
  const batch = [];
  let bytes = 0;
  for (const item of items) {
    if (item.state !== 'waiting') continue;
    if (!isSmall(item)) {
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
  const job = { abort: () => request.abort() };
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
      const reason = signedOut(request.responseURL) || answer?.detail || (request.status === 413 ? say('Too large for this workbench.') : say('The workbench answered {status}.', { status: request.status }));
      for (const item of batch) fail(item, reason, true);
    }
    done();
  };
  request.onerror = () => { for (const item of batch) fail(item, say('The connection broke.'), true); done(); };
  request.onabort = () => { for (const item of batch) fail(item, say('Cancelled.'), true); done(); };
  request.send(body);
}

async function sendInPieces(item) {
  item.state = 'sending';
  const upload = new ResumableUpload({
    file: item.file,
    name: item.path,
    redact: chosenRules(),
    createUrl: addresses.begin,
    url: item.url,
    onProgress: (bytes) => { item.sent = bytes; paint(item); refresh(); },
    onRedacting: (bytes) => { item.redacting = bytes; paint(item); },
    onPause: (reason) => { item.paused = Boolean(reason); paint(item); },
  });
  item.upload = upload;
  const job = { abort: () => cancel(item) };
  running.add(job);
  paint(item);
  try {
    const answer = await upload.run();
    item.redacting = null;
    settle(item, answer);
  } catch (error) {
    // Received bytes are kept for a retry, except after a cancellation, which deletes them.
    item.url = upload.url;
    if (!upload.givenUp) fail(item, error.message, error.status !== 413);
  }
  item.upload = null;
  running.delete(job);
  fold();
  refresh();
  pump();
}

function cancel(item) {
  item.upload?.giveUp();
  item.url = null;
  item.paused = false;
  fail(item, say('Cancelled.'), true);
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
    item.detail = answer?.detail || say('Not taken.');
    paint(item);
  }
}

function fail(item, reason, again) {
  item.state = again ? 'failed' : 'refused';
  item.detail = reason;
  item.sent = 0;
  item.before = 0;
  paint(item);
}

async function finished() {
  refresh();
  if (!items.length) return;
  if (byId('cut')) {
    const answer = await fetch(addresses.awaited, { headers: { Accept: 'application/json' } });
    if (answer.ok && !(await answer.json()).awaited) byId('cut').remove();
  }
  if (startWhenDone && !items.some((item) => item.state === 'failed')) byId('analyse').submit();
}

byId('cancel-upload').addEventListener('click', () => {
  startWhenDone = false;
  giveUp(items.filter((item) => ['waiting', 'sending'].includes(item.state)));
  for (const item of items) if (item.state === 'waiting') cancel(item);
  const begun = Array.from(running); // what is aborted leaves the set, and what it made room for must not begin
  for (const job of begun) job.abort();
  refresh();
});

byId('retry-upload').addEventListener('click', () => {
  for (const item of items) {
    if (item.state !== 'failed') continue;
    Object.assign(item, { state: 'waiting', detail: '' });
    paint(item);
  }
  began = performance.now();
  opened().then(announce).then(pump, (error) => problem(error.message));
});

byId('analyse').addEventListener('submit', (event) => {
  if (!running.size && !items.some((item) => item.state === 'waiting')) return;
  event.preventDefault();
  startWhenDone = true;
  refresh();
});

addEventListener('beforeunload', (event) => { if (running.size) event.preventDefault(); });

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
  const earlier = items.reduce((sum, item) => sum + item.before, 0);
  const rate = seconds > 0.5 ? Math.max(0, sent - earlier) / seconds : 0;
  byId('upload-rate').textContent = busy && rate ? say('{size}/s, about {time} left', { size: sizeOf(Math.round(rate)), time: durationOf((total - sent) / rate) }) : '';
  let text = sayCounted('{count} file stored.', '{count} files stored.', stored);
  if (busy) {
    const course = { done, files: items.length, sent: sizeOf(sent), total: sizeOf(total) };
    text = startWhenDone
      ? say('{done} of {files} files, {sent} of {total}. The diagnosis starts when all are there.', course)
      : say('{done} of {files} files, {sent} of {total}', course);
  } else if (failed) text = say('{stored} stored, {failed} not sent.', { stored, failed });
  const repeated = items.filter((item) => item.state === 'repeated').length;
  if (!busy && repeated) byId('upload-rate').textContent = sayCounted('{count} repeats another one and counts once.', '{count} repeat others and count once.', repeated);
  if (!busy) tellSeen();
  const state = byId('upload-state');
  if (state.textContent !== text) state.textContent = text;
}

watchChanges(refresh);
followArrivals(refresh);

// Inputs

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
  if (event.dataTransfer) take(await entriesOf(event.dataTransfer, problem));
});

const store = (html) => {
  folderOf('').append(rowFrom(html));
  fold();
  refresh();
};
pasteBox({ take, opened, addresses, store });

if (document.querySelector('.file')) refresh();
