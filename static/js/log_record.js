// One record in detail: text, actions, trace, operations, fields and neighbours.
import { element } from './element.js';
import { ask, mayChange, permalink } from './log_address.js';
import { button, filters, recordLine } from './log_controls.js';
import { marked } from './log_list.js';
import { readShift, shiftInWords } from './log_shift.js';
import { timeRange } from './time_range.js';
import { copyText, toast } from './tools.js';
import { say, sayCounted } from './words.js';

async function copied(text, what) {
  toast(await copyText(text) ? say('{what} copied.', { what }) : say('The browser does not let the page copy.'));
}

export class LogRecord {
  // narrow  called with a term to add to the search
  // go      called with (kind, direction, extra) to step in the list
  // open    called with {file, line} to show a record, whatever is listed
  // moved   called with (file, ms) to move the clock of a file
  // pins    gives the form that pins the record
  constructor(body, { narrow, go, open, moved, pins }) {
    Object.assign(this, { body, narrow, go, open, moved, pins });
    this.row = null;
    this.words = [];
  }

  // Cached details of records may be outdated.
  forget() { this.telling = null; }

  // Details of a record, requested once while it is the current one.
  tell(row) {
    if (this.telling?.position !== row.position) {
      this.telling = { position: row.position, answer: ask('record', { position: row.position }) };
    }
    return this.telling.answer;
  }

  async fill() {
    const { row } = this;
    if (!row) return;
    let told;
    try {
      told = await this.tell(row);
    } catch (error) {
      this.telling = null;
      this.body.replaceChildren(element('p', 'message error', error.message));
      return;
    }
    if (row !== this.row) return;
    this.told = told;
    const parts = [this.#head(told), this.#text(told), this.#actions(told)];
    if (told.folds.length) parts.push(this.#trace(told));
    if (told.pin) parts.push(this.pins.form(told));
    if (told.operations.length) parts.push(element('h4', '', say('Part of')), this.#operations(told));
    parts.push(element('h4', '', say('Fields')), this.#fields(told));
    parts.push(...this.#context(told));
    if (!told.pin && mayChange) parts.push(this.pins.form(told));
    parts.push(this.#clock(told));
    this.body.replaceChildren(...parts);
    this.body.scrollTop = 0;
  }

  #head({ row }) {
    const head = element('div', 'record-head');
    const level = element('span', `level ${row.level || 'none'}`);
    level.append(element('i', `mark-level ${row.level || 'none'}`), ` ${row.level || say('no level')}`);
    const time = row.ts === null ? say('no time') : `${timeRange.timeOf(row.ts)} ${timeRange.zoneName(row.ts)}`;
    head.append(level, element('span', '', time));
    if (row.role) head.append(element('span', '', row.role));
    if (row.host) head.append(element('span', '', row.host));
    return head;
  }

  #text({ message }) {
    const text = element('pre', 'record-text');
    text.translate = false;
    text.append(...marked(message || '', this.words));
    return text;
  }

  #actions(told) {
    const { row } = told;
    const box = element('div', 'actions');
    const link = element('a', 'button small', `${row.file.split('/').at(-1)}:${row.line}`);
    link.title = say('The lines of the file: {file}', { file: row.file });
    if (told.lines_url) link.href = told.lines_url;
    const tools = [
      [say('Copy'), say('Copy the record'), () => this.copy()],
      ['JSON', say('Copy the record as JSON'), () => copied(JSON.stringify(this.asJson(), null, 2), say('The record as JSON'))],
      [say('Link'), say('Copy the link to this record'), () => this.copyLink()],
      [say('In the whole list'), say('Show the record among all others'), () => this.open(row, true)],
    ].map(([text, label, press]) => Object.assign(button(text, label, press), { className: 'button small' }));
    box.append(link, ...tools);
    if (told.download_url) {
      const original = element('a', 'button small', say('Original'));
      original.href = told.download_url;
      original.title = say('Download the file as it was uploaded');
      box.append(original);
    }
    return box;
  }

  asJson() {
    const { row, message, continuation, fields } = this.told;
    const named = Object.fromEntries(fields.map((each) => [each.name, each.value]));
    const time = row.ts === null ? null : new Date(row.ts).toISOString();
    return { time, ...named, file: row.file, line: row.line, message, ...(continuation ? { continuation } : {}) };
  }

  copy() {
    if (!this.told) return;
    const { row, message, continuation } = this.told;
    const time = row.ts === null ? '' : `${new Date(row.ts).toISOString()} `;
    const head = `${time}${row.level || ''} ${row.logger || ''} - ${message}`;
    copied(`${head}${continuation ? `\n${continuation}` : ''}\n(${row.file}:${row.line})`, say('The record'));
  }

  copyLink() {
    if (this.row) copied(permalink(this.row), say('The link'));
  }

  // Exceptions and causes are expanded, with the first frame and the user frames; the others are folded.
  #trace({ folds }) {
    const trace = element('div', 'trace');
    trace.translate = false;
    for (const fold of folds) {
      if (fold.title) trace.append(element('div', 'title', fold.title));
      if (fold.lines.length) trace.append(element('pre', '', fold.lines.join('\n')));
      let hidden = [];
      const close = () => {
        if (!hidden.length) return;
        const more = element('details');
        more.append(element('summary', 'small', sayCounted('{count} frame of Flink, Java and libraries', '{count} frames of Flink, Java and libraries', hidden.length)));
        more.append(...hidden.map((text) => element('div', 'frame', text)));
        trace.append(more);
        hidden = [];
      };
      fold.frames.forEach((frame, place) => {
        if (!place || frame.own) {
          close();
          trace.append(element('div', frame.own ? 'frame own' : 'frame', frame.text));
        } else hidden.push(frame.text);
      });
      close();
    }
    return trace;
  }

  // The shift of the file's clock: two machines never agree, and some logs are in another zone.
  #clock({ row }) {
    const box = element('form', 'clock-form');
    const label = element('label', 'small', say('Clock of this file moved by'));
    label.append(' ');
    const field = element('input');
    field.type = 'text';
    field.value = row.moved_ms ? shiftInWords(row.moved_ms) : '';
    field.placeholder = say('+02:00 or -350 ms');
    field.autocomplete = 'off';
    label.append(field);
    box.append(label, element('button', 'button small', say('Move')));
    box.addEventListener('submit', (event) => {
      event.preventDefault();
      const shift = readShift(field.value);
      if (Number.isNaN(shift)) toast(say('Write for example +02:00, -90 s or 350 ms.'));
      else this.moved(row.file, shift);
    });
    return box;
  }

  #operations({ operations }) {
    const list = element('ul', 'operations');
    for (const each of operations) {
      const line = element('li');
      const tools = element('span', 'tools');
      tools.append(
        button('‹', say('Previous record of {label}', { label: each.label }), () => this.go('term', -1, { term: each.term })),
        button('›', say('Next record of {label}', { label: each.label }), () => this.go('term', 1, { term: each.term })),
        button(say('Only'), say('List only records of {label}', { label: each.label }), () => this.narrow(each.term)),
      );
      line.append(element('span', 'label', each.label), tools);
      list.append(line);
    }
    return list;
  }

  #fields({ fields }) {
    const list = element('ul', 'fields');
    for (const each of fields) {
      const line = element('li');
      const told = element('span');
      told.append(element('span', 'name', each.name), Object.assign(element('span', 'value', each.value), { translate: false }));
      line.append(told, filters(this.narrow, each.term, `${each.name} ${each.value}`));
      list.append(line);
    }
    return list;
  }

  #context({ context, row }) {
    const made = [];
    for (const [name, title] of [['file', say('Around it in its file')], ['all', say('At the same time in all files')]]) {
      const box = element('details');
      box.open = name === 'file';
      box.append(element('summary', 'label', title));
      const list = element('ol', 'context');
      for (const each of context[name]) list.append(recordLine(each, this.open, each.position === row.position ? 'here' : ''));
      box.append(list);
      made.push(box);
    }
    return made;
  }
}
