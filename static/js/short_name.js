// Names of rows and panels where the width does not hold them: cut in the middle, with `tail` letters at the end.

// Names are escaped for Plotly: an entity is one letter, and is never cut.
const LETTERS = /&(?:amp|lt|gt);|./gsu;

export function cut(text, most, tail) {
  const letters = text.match(LETTERS) || [];
  if (letters.length <= most) return text;
  return [...letters.slice(0, Math.max(most - tail - 1, 1)), '…', ...letters.slice(-tail)].join('');
}
