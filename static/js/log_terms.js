// The search terms of the log page as removable chips, and its levels.
import { element } from './element.js';
import { clocks, number } from './log_address.js';
import { shiftInWords } from './log_shift.js';
import { say } from './words.js';

const LEVELS = ['FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'];
const sources = (terms) => terms.map((term) => term.source);

export class LogTerms {
  // searchFor  called with a search in place of the present one
  // moveClock  called with (file, ms) to move the clock of a file
  constructor({ terms, levels }, { searchFor, moveClock }) {
    Object.assign(this, { terms, levels, searchFor, moveClock });
  }

  // totals: records of each level that the search leaves.
  show(terms, totals) {
    this.terms.replaceChildren(...this.#searched(terms), ...this.#moved());
    this.levels.replaceChildren(...this.#toggles(terms, totals));
  }

  #searched(terms) {
    return terms.map((term) => chip(
      term.excluded ? term.label.replace(/^-/, '') : term.label,
      term.source,
      term.excluded,
      () => this.searchFor(sources(terms.filter((each) => each !== term)).join(' ')),
    ));
  }

  #moved() {
    return [...clocks()].map(([file, shift]) => chip(
      say('clock of {file} {shift}', { file: file.split('/').at(-1), shift: shiftInWords(shift) }),
      file,
      false,
      () => this.moveClock(file, 0),
    ));
  }

  // Excluded levels are those of the search's `-level:` term, which the buttons write.
  #toggles(terms, totals) {
    const term = terms.find((each) => each.field === 'level' && each.excluded);
    const out = term ? term.source.replace(/^-level[:=]/i, '').toUpperCase().split(',') : [];
    return LEVELS.filter((level) => totals[level] || out.includes(level)).map((level) => {
      const toggle = element('button', level);
      toggle.type = 'button';
      toggle.setAttribute('aria-pressed', String(!out.includes(level)));
      toggle.append(element('i'), out.includes(level) ? level : `${level} ${number(totals[level])}`);
      toggle.addEventListener('click', () => {
        const left = out.includes(level) ? out.filter((each) => each !== level) : [...out, level];
        const rest = sources(terms.filter((each) => each !== term));
        this.searchFor([...rest, ...(left.length ? [`-level:${left.join(',').toLowerCase()}`] : [])].join(' '));
      });
      return toggle;
    });
  }
}

function chip(text, title, isExcluded, takeAway) {
  const made = element('li', isExcluded ? 'excluded' : '');
  if (isExcluded) made.append(element('span', 'not', say('not')));
  const word = element('span', 'word', text);
  word.title = title;
  const away = element('button', '', '×');
  away.type = 'button';
  away.setAttribute('aria-label', say('Take {text} away', { text }));
  away.addEventListener('click', takeAway);
  made.append(word, away);
  return made;
}
