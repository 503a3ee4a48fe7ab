// Small buttons of the log page's details.
import { element } from './element.js';

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
    button('+', `List only records with ${what}`, () => narrow(term)),
    button('−', `Leave out records with ${what}`, () => narrow(`-${term}`)),
  );
  return tools;
}
