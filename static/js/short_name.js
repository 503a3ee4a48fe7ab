// Names of rows and panels where the width does not hold them: cut in the middle, with `tail` letters at the end, or in
// two lines of which the second is cut.

// Names are escaped for Plotly: an entity is one letter, and is never cut.
const LETTERS = /&(?:amp|lt|gt);|./gsu;

export function cut(text, most, tail) {
  const letters = text.match(LETTERS) || [];
  if (letters.length <= most) return text;
  return [...letters.slice(0, Math.max(most - tail - 1, 1)), '…', ...letters.slice(-tail)].join('');
}

export function folded(text, most, tail) {
  if ((text.match(LETTERS) || []).length <= most) return text;
  const words = text.split(/(?<!\d) /); // a number stays beside its unit
  let first = cut(words.shift(), most, tail);
  while (words.length && (`${first} ${words[0]}`.match(LETTERS)).length <= most) first += ` ${words.shift()}`;
  return words.length ? `${first}<br>${cut(words.join(' '), most, tail)}` : first;
}
