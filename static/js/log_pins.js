// Pinned records: the list of them, the form that pins one, and the requests behind both.
import { element } from './element.js';
import { ask, clock, mayChange, part, permalink } from './log_address.js';
import { button } from './log_controls.js';
import { post, toast } from './tools.js';
import { say } from './words.js';

export class LogPins {
  // open     called with {file, line} to show a record, whatever is listed
  // changed  called when a pin was added or taken away
  constructor(body, { open, changed }) {
    Object.assign(this, { body, open, changed });
  }

  async fill() {
    try {
      const { pins } = await ask('pins');
      if (!pins.length) {
        this.body.replaceChildren(element('p', 'muted small', say('Nothing is pinned yet. Press m on a record: the case page shows it to everybody.')));
        return;
      }
      const list = element('ul', 'pins');
      for (const pin of pins) list.append(this.#pinned(pin));
      this.body.replaceChildren(list);
    } catch (error) {
      this.body.replaceChildren(element('p', 'message error', error.message));
    }
  }

  #pinned(pin) {
    const line = element('li');
    const head = element('div', 'record-head');
    head.append(element('i', `mark-level ${pin.level || 'none'}`), element('span', '', `${clock(pin.ts, true)} ${pin.file.split('/').at(-1)}:${pin.line}, ${pin.by}`));
    const link = element('a', 'text', pin.message || say('no message'));
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

  // The form below a record: pins it, or changes the note of its pin.
  form({ row, pin }) {
    const box = element('form', 'pin-form');
    box.append(element('h4', '', pin ? say('Pinned by {by}', { by: pin.by }) : say('Pin this record')));
    const label = element('label', 'visually-hidden', say('Note on this record'));
    const note = element('textarea');
    note.id = 'pin-note';
    label.htmlFor = 'pin-note';
    note.placeholder = say('What it shows (seen on the case page)');
    note.rows = 2;
    note.maxLength = 5000;
    note.value = pin?.note || '';
    note.readOnly = !mayChange;
    box.append(label, note);
    if (!mayChange) return box;
    const actions = element('div', 'actions');
    const save = element('button', 'button small', pin ? say('Save the note') : say('Pin'));
    actions.append(save);
    if (pin) {
      const away = button(say('Take the pin off'), '', () => this.unpin(row));
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
    await this.#write('pins', { file: row.file, line: row.line, note }, say('Pinned: the case page shows it.'));
  }

  async unpin(row) {
    await this.#write('unpin', { file: row.file, line: row.line }, say('The pin is off.'));
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
}
