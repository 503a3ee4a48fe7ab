// A number stays beside its unit, wherever its line ends: `12.8` at the end of one and `s` at the start of the next are
// read as two things. What is copied to a terminal, and the evidence, stay as they are.
const PARTED = /(\d) (?=(?:%|[mµn]?s|min|h|days?|bytes|[kMGT]B|[KMGT]iB)(?![\w%]))/g;
const VERBATIM = 'pre, code, script, style, textarea, select, template, .mono, .plot, [translate=no]';

export const withUnits = (text) => text.replace(PARTED, '$1\u00a0');

// Keeps the units of every text of a part of the page.
export function keepUnits(part) {
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const kept = withUnits(currentNode.data);
    if (kept !== currentNode.data && !currentNode.parentElement.closest(VERBATIM)) currentNode.data = kept;
  }
}
