// The details beside the list: one record, a breakdown of the listed records, or the pins.
import { remember, shown } from './log_address.js';
import { LogPins } from './log_pins.js';
import { LogRecord } from './log_record.js';
import { LogValues } from './log_values.js';

const TABS = ['record', 'patterns', 'pinned'];

export class LogPanel {
  // narrow    called with a term to add to the search
  // go        called with (kind, direction, extra) to step in the list
  // open      called with {file, line} to show a record, whatever is listed
  // moved     called with (file, ms) to move the clock of a file
  // changed   called when a pin was added or taken away
  constructor(panel, { narrow, go, open, moved, changed }) {
    this.panel = panel;
    this.pins = new LogPins(this.body('pinned'), { open, changed });
    this.record = new LogRecord(this.body('record'), { narrow, go, open, moved, pins: this.pins });
    this.by = panel.querySelector('#by');
    this.by.value = shown().by || 'pattern';
    this.values = new LogValues(panel.querySelector('#values'), this.by, { narrow, open });
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
    this.record.forget();
    if (this.shown === 'record') this.record.fill();
    if (this.shown === 'patterns') this.values.fill();
    if (this.shown === 'pinned') this.pins.fill();
  }

  choose(row) {
    this.record.row = row;
    clearTimeout(this.waiting);
    if (this.shown === 'record') this.waiting = setTimeout(() => this.record.fill(), 90);
  }
}
