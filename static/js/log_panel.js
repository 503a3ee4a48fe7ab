// The details beside the list: one record, what the listed records are made of, and what is pinned.
import { element } from './element.js';
import { ask, clock, mayChange, part, permalink, remember, shown } from './log_address.js';
import { button, filters } from './log_controls.js';
import { marked } from './log_list.js';
import { readShift, shiftInWords } from './log_shift.js';
import { LogValues } from './log_values.js';
import { timeRange } from './time_range.js';
import { copyText, post, toast } from './tools.js';

const TABS = ['record', 'patterns', 'pinned'];

async function copy(text, what) {
  toast(await copyText(text) ? `${what} copied.` : 'The browser does not let the page copy.');
}

export class LogPanel {
  // narrow    called with a term to add to the search
  // go        called with (kind, direction, extra) to step in the list
  // open      called with {file, line} to show a record, whatever is listed
  // moved     called with (file, ms) to move the clock of a file
  // changed   called when a pin was added or taken away
  constructor(panel, { narrow, go, open, moved, changed }) {
    Object.assign(this, { panel, narrow, go, open, moved, changed });
    this.row = null;
    this.words = [];
    this.by = panel.querySelector('#by');
    this.by.value = shown().by || 'pattern';
    this.values = new LogValues(panel.querySelector('#values'), this.by, narrow);
    this.by.addEventListener('change', () => {
      remember({ by: this.by.value === 'pattern' ? '' : this.by.value });
      this.values.fill();
    });
    for (const name of TABS) this.tab(name).addEventListener('click', () => this.show(name));
    panel.querySelector('[role="tablist"]').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = TABS[(TABS.indexOf(this.shown) + step + TABS.length) % TABS.length];
      this.show(next);
      this.tab(next).focus();
    });
    panel.querySelector('#close-panel').addEventListener('click', () => this.close());
    this.show(TABS.includes(shown().show) ? shown().show : 'record', false);
  }

  tab(name) { return this.panel.querySelector(`#tab-${name}`); }

  body(name) { return this.panel.querySelector(`#panel-${name}`); }

  show(name, isAsked = true) {
    this.shown = name;
    for (const each of TABS) {
      this.tab(each).setAttribute('aria-selected', String(each === name));
      this.tab(each).tabIndex = each === name ? 0 : -1;
      this.body(each).hidden = each !== name;
    }
    if (isAsked) remember({ show: name === 'record' ? '' : name });
    if (isAsked) this.refresh();
  }

  // On a narrow screen the panel is a sheet over the list.
  openSheet() { this.panel.classList.add('open'); }

  close() {
    this.panel.classList.remove('open');
    document.getElementById('list').focus();
  }

  refresh() {
    this.telling = null;
    if (this.shown === 'record' && this.row) this.#fillRecord();
    if (this.shown === 'patterns') this.values.fill();
    if (this.shown === 'pinned') this.#fillPins();
  }

  choose(row) {
    this.row = row;
    clearTimeout(this.waiting);
    if (this.shown === 'record') this.waiting = setTimeout(() => this.#fillRecord(), 90);
  }

  // Everything about a record, asked once while it is the current one.
  tell(row) {
    if (this.telling?.position !== row.position) {
      this.telling = { position: row.position, answer: ask('record', { position: row.position }) };
    }
    return this.telling.answer;
  }

  async #fillRecord() {
    const { row } = this;
    let told;
    try {
      told = await this.tell(row);
    } catch (error) {
      this.telling = null;
      this.body('record').replaceChildren(element('p', 'message error', error.message));
      return;
    }
    if (row !== this.row) return;
    this.told = told;
    const parts = [this.#head(told), this.#text(told), this.#actions(told)];
    if (told.folds.length) parts.push(this.#trace(told));
    if (told.pin) parts.push(this.#pin(told));
    if (told.operations.length) parts.push(element('h4', '', 'Part of'), this.#operations(told));
    parts.push(element('h4', '', 'Fields'), this.#fields(told));
    parts.push(...this.#context(told));
    if (!told.pin && mayChange) parts.push(this.#pin(told));
    parts.push(this.#clock(told));
    this.body('record').replaceChildren(...parts);
    this.body('record').scrollTop = 0;
  }

  #head({ row }) {
    const head = element('div', 'record-head');
    const level = element('span', `level ${row.level || 'none'}`);
    level.append(element('i', `mark-level ${row.level || 'none'}`), ` ${row.level || 'no level'}`);
    const time = row.ts === null ? 'no time' : `${timeRange.timeOf(row.ts)} ${timeRange.zoneName(row.ts)}`;
    head.append(level, element('span', '', time));
    if (row.role) head.append(element('span', '', row.role));
    if (row.host) head.append(element('span', '', row.host));
    return head;
  }

  #text({ message }) {
    const text = element('pre', 'record-text');
    text.append(...marked(message || '', this.words));
    return text;
  }

  #actions(told) {
    const { row } = told;
    const box = element('div', 'actions');
    const link = element('a', 'button small', `${row.file.split('/').at(-1)}:${row.line}`);
    link.title = `The lines of the file: ${row.file}`;
    if (told.lines_url) link.href = told.lines_url;
    const tools = [
      ['Copy', 'Copy the record', () => this.copyRecord()],
      ['JSON', 'Copy the record as JSON', () => copy(JSON.stringify(this.asJson(), null, 2), 'The record as JSON')],
      ['Link', 'Copy the link to this record', () => this.copyLink()],
      ['In the whole list', 'Show the record among all others', () => this.open(row, true)],
    ].map(([text, label, press]) => Object.assign(button(text, label, press), { className: 'button small' }));
    box.append(link, ...tools);
    if (told.download_url) {
      const original = element('a', 'button small', 'Original');
      original.href = told.download_url;
      original.title = 'Download the file as it was uploaded';
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

  copyRecord() {
    if (!this.told) return;
    const { row, message, continuation } = this.told;
    const time = row.ts === null ? '' : `${new Date(row.ts).toISOString()} `;
    const head = `${time}${row.level || ''} ${row.logger || ''} - ${message}`;
    copy(`${head}${continuation ? `\n${continuation}` : ''}\n(${row.file}:${row.line})`, 'The record');
  }

  copyLink() {
    if (this.row) copy(permalink(this.row), 'The link');
  }

  // Exceptions and causes stand open, of the frames the first and the job's own; the others unfold.
  #trace({ folds }) {
    const trace = element('div', 'trace');
    for (const fold of folds) {
      if (fold.title) trace.append(element('div', 'title', fold.title));
      if (fold.lines.length) trace.append(element('pre', '', fold.lines.join('\n')));
      let hidden = [];
      const close = () => {
        if (!hidden.length) return;
        const more = element('details');
        more.append(element('summary', 'small', `${hidden.length} ${hidden.length === 1 ? 'frame' : 'frames'} of Flink, Java and libraries`));
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

  #pin({ row, pin }) {
    const box = element('form', 'pin-form');
    box.append(element('h4', '', pin ? `Pinned by ${pin.by}` : 'Pin this record'));
    const label = element('label', 'visually-hidden', 'Note on this record');
    const note = element('textarea');
    note.id = 'pin-note';
    label.htmlFor = 'pin-note';
    note.placeholder = 'What it tells (shown on the case page)';
    note.rows = 2;
    note.maxLength = 5000;
    note.value = pin?.note || '';
    note.readOnly = !mayChange;
    box.append(label, note);
    if (!mayChange) return box;
    const actions = element('div', 'actions');
    const save = element('button', 'button small', pin ? 'Save the note' : 'Pin');
    actions.append(save);
    if (pin) {
      const away = button('Take the pin off', '', () => this.unpin(row));
      away.className = 'button small';
      actions.append(away);
    }
    box.append(actions);
    box.addEventListener('submit', (event) => {
      event.preventDefault();
      this.pin(row, note.value);
    });
    return box;
  }

  async pin(row, note = '') {
    await this.#write('pins', { file: row.file, line: row.line, note }, 'Pinned: the case page shows it.');
  }

  async unpin(row) {
    await this.#write('unpin', { file: row.file, line: row.line }, 'The pin is off.');
  }

  async #write(name, fields, done) {
    try {
      await post(part(name), fields);
      toast(done);
      this.changed();
    } catch (error) {
      toast(error.message);
    }
  }

  // What the file's clock is moved by: two machines never agree, and some logs are in another zone.
  #clock({ row }) {
    const box = element('form', 'clock-form');
    const label = element('label', 'small', 'Clock of this file moved by ');
    const field = element('input');
    field.type = 'text';
    field.value = row.moved_ms ? shiftInWords(row.moved_ms) : '';
    field.placeholder = '+02:00 or -350 ms';
    field.autocomplete = 'off';
    label.append(field);
    box.append(label, element('button', 'button small', 'Move'));
    box.addEventListener('submit', (event) => {
      event.preventDefault();
      const shift = readShift(field.value);
      if (Number.isNaN(shift)) toast('Write for example +02:00, -90 s or 350 ms.');
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
        button('‹', `Previous record of ${each.label}`, () => this.go('term', -1, { term: each.term })),
        button('›', `Next record of ${each.label}`, () => this.go('term', 1, { term: each.term })),
        button('Only', `List only records of ${each.label}`, () => this.narrow(each.term)),
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
      told.append(element('span', 'name', each.name), element('span', 'value', each.value));
      line.append(told, filters(this.narrow, each.term, `${each.name} ${each.value}`));
      list.append(line);
    }
    return list;
  }

  #context({ context, row }) {
    const made = [];
    for (const [name, title] of [['file', 'Around it in its file'], ['all', 'At the same time in all files']]) {
      const box = element('details');
      box.open = name === 'file';
      box.append(element('summary', 'label', title));
      const list = element('ol', 'context');
      for (const each of context[name]) {
        const line = element('li', `${each.level || 'none'}${each.position === row.position ? ' here' : ''}`);
        const link = element('a');
        link.href = permalink(each);
        link.title = `${each.file}:${each.line}`;
        const text = element('span', 'text', `${clock(each.ts, false)} ${each.message}`);
        link.append(element('span', 'n', String(each.line)), text);
        link.addEventListener('click', (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          this.open(each, false);
        });
        line.append(link);
        list.append(line);
      }
      box.append(list);
      made.push(box);
    }
    return made;
  }

  async #fillPins() {
    const box = this.body('pinned');
    try {
      const { pins } = await ask('pins');
      if (!pins.length) {
        box.replaceChildren(element('p', 'muted small', 'Nothing is pinned yet. Press m on a record: the case page shows it to everybody.'));
        return;
      }
      const list = element('ul', 'pins');
      for (const pin of pins) list.append(this.#pinned(pin));
      box.replaceChildren(list);
    } catch (error) {
      box.replaceChildren(element('p', 'message error', error.message));
    }
  }

  #pinned(pin) {
    const line = element('li');
    const head = element('div', 'record-head');
    head.append(element('i', `mark-level ${pin.level || 'none'}`), element('span', '', `${clock(pin.ts, true)} ${pin.file.split('/').at(-1)}:${pin.line}, ${pin.by}`));
    const link = element('a', 'text', pin.message || 'no message');
    link.href = permalink(pin);
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.open(pin, false);
    });
    line.append(head, link);
    if (pin.note) line.append(element('div', 'note', pin.note));
    return line;
  }
}
