// One file sent in pieces by the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload), each with a checksum.
// Our own client: tus-js-client sends no checksums (its pull request 347 is open since 2022).
import { csrfToken, signedOut } from './tools.js';
import { say } from './words.js';

const PIECE_BYTES = 4 * 1024 * 1024;
const MOST_TRIES = 12;
const LONGEST_PAUSE_MS = 30_000;
const NO_HOPE = new Set([400, 401, 403, 412, 413, 415, 507]);
const NOT_THERE = new Set([404, 410]);

const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
const encoded = (text) => base64(new TextEncoder().encode(text));

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 255] ^ (value >>> 8);
  value = ~value >>> 0;
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

// Browsers have SHA-256 only on pages that came by https or from this machine.
export async function checksumOf(piece) {
  const bytes = await piece.arrayBuffer();
  if (!globalThis.crypto?.subtle) return `crc32 ${base64(crc32(new Uint8Array(bytes)))}`;
  return `sha256 ${base64(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`;
}

function refusal(request) {
  let detail = '';
  try { detail = JSON.parse(request.responseText).detail; } catch { /* not ours: a proxy */ }
  const error = new Error(detail || (request.status === 413 ? say('Too large for this workbench.') : say('The workbench answered {status}.', { status: request.status })));
  return Object.assign(error, { status: request.status });
}

export class ResumableUpload {
  // createUrl  for announcing files; url  of an upload to resume, or null
  // onProgress(bytes), onPause(reason) while it waits for the connection, onPause('') when it goes on
  // onRedacting(bytes) while a worker takes secrets out, with how much text it went through
  constructor({ file, name, redact, createUrl, url = null, onProgress, onPause, onRedacting }) {
    Object.assign(this, { file, name, redact, createUrl, url, onProgress, onPause, onRedacting });
    this.offset = null;
    this.givenUp = false;
  }

  // Sends the missing bytes, however often the connection breaks, and gives the workbench's answer about the file.
  // Throws an error, with the `status` of a refusal, when a retry is useless.
  async run() {
    let tries = 0;
    for (;;) {
      try {
        if (!this.url) await this.announce();
        if (this.offset === null) await this.ask();
        while (this.offset < this.file.size) {
          await this.sendPiece();
          tries = 0;
        }
        return await this.outcome();
      } catch (error) {
        if (this.givenUp || NO_HOPE.has(error.status) || error.name === 'NotReadableError' || error.name === 'NotFoundError') throw error;
        if (NOT_THERE.has(error.status) && this.url) this.url = null;
        else if (NOT_THERE.has(error.status)) throw error;
        this.offset = null;
        tries += 1;
        if (tries > MOST_TRIES) throw error;
        await this.pause(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** tries), error.message);
      }
    }
  }

  // Cancels the upload and deletes it on the server.
  giveUp() {
    this.givenUp = true;
    this.request?.abort();
    this.goOn?.();
    if (this.url) this.call('DELETE', this.url).catch(() => { /* it expires by itself */ });
    this.url = null;
  }

  async announce() {
    const metadata = [`filename ${encoded(this.name)}`, `modified ${encoded(String(this.file.lastModified))}`];
    if (this.redact.length) metadata.push(`redact ${encoded(this.redact.join(' '))}`);
    const request = await this.call('POST', this.createUrl, {
      'Upload-Length': this.file.size, 'Upload-Metadata': metadata.join(','),
    });
    this.url = request.getResponseHeader('Location');
    this.offset = 0;
  }

  async ask() {
    const request = await this.call('HEAD', this.url);
    if (Number(request.getResponseHeader('Upload-Length')) !== this.file.size) throw Object.assign(new Error('Another file'), { status: 410 });
    this.offset = Number(request.getResponseHeader('Upload-Offset'));
    this.onProgress(this.offset);
  }

  async sendPiece() {
    const piece = this.file.slice(this.offset, this.offset + PIECE_BYTES);
    const headers = {
      'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': this.offset, 'Upload-Checksum': await checksumOf(piece),
    };
    const request = await this.call('PATCH', this.url, headers, piece);
    this.offset = Number(request.getResponseHeader('Upload-Offset'));
    this.onProgress(this.offset);
  }

  async outcome() {
    for (;;) {
      const answer = JSON.parse((await this.call('POST', this.url)).responseText);
      if (answer.state !== 'redacting') return answer;
      this.onRedacting(answer.bytes);
      await new Promise((resolve) => { setTimeout(resolve, 1000); });
      if (this.givenUp) throw new Error(say('Cancelled.'));
    }
  }

  call(method, url, headers = {}, body = null) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open(method, url);
      const always = { 'Tus-Resumable': '1.0.0', 'X-CSRFToken': csrfToken(), Accept: 'application/json' };
      for (const [name, value] of Object.entries({ ...always, ...headers })) request.setRequestHeader(name, value);
      if (body) request.upload.onprogress = (event) => this.onProgress(this.offset + event.loaded);
      request.onload = () => {
        const out = signedOut(request.responseURL);
        if (out) reject(Object.assign(new Error(out), { status: 401 }));
        else if (request.status >= 200 && request.status < 300) resolve(request);
        else reject(refusal(request));
      };
      request.onerror = () => reject(new Error(say('The connection broke.')));
      request.onabort = () => reject(new Error(say('Cancelled.')));
      request.send(body);
    });
  }

  // Waits, at most until the browser is online again.
  async pause(milliseconds, reason) {
    this.onPause(reason);
    await new Promise((resolve) => {
      const timer = setTimeout(() => this.goOn(), milliseconds);
      this.goOn = () => { clearTimeout(timer); removeEventListener('online', this.goOn); resolve(); };
      addEventListener('online', this.goOn);
    });
    this.onPause('');
    if (this.givenUp) throw new Error(say('Cancelled.'));
  }
}
