// Small buttons and lines of the log page's details.
import { element } from './element.js';
import { clock, permalink } from './log_address.js';
import { say } from './words.js';

export function button(text, label, press) {
  const made = element('button', '', text);
  made.type = 'button';
  if (label) made.setAttribute('aria-label', label);
  if (label) made.title = label;
  made.addEventListener('click', press);
  return made;
}

// Buttons that add a term to the search, wanted or left out.
export function filters(narrow, term, what) {
  const tools = element('span', 'tools');
  tools.append(
    button('+', say('List only records with {what}', { what }), () => narrow(term)),
    button('−', say('Leave out records with {what}', { what }), () => narrow(`-${term}`)),
  );
  return tools;
}

// A record as one line of a short list; `open` is called with it when it is pressed.
export function recordLine(row, open, className = '') {
  const line = element('li', `${row.level || 'none'} ${className}`.trim());
  const link = element('a');
  link.href = permalink(row);
  link.title = `${row.file}:${row.line}`;
  link.append(element('span', 'n', String(row.line)), element('span', 'text', `${clock(row.ts, false)} ${row.message}`));
  link.translate = false;
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(row, false);
  });
  line.append(link);
  return line;
}
