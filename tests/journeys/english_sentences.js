// English sentences on a Chinese page: four words in small letters in a row. Names of Flink, options and metrics have
// fewer. Evidence is marked as not to be translated, and titles of English articles as English; both are left out.
() => {
  const VERBATIM = '[lang=en], [translate=no], code, pre, kbd, script, style, textarea, template, .mono';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const sentences = new Set();
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim().replace(/\s+/g, ' ');
    if (/(\b[a-z]{2,}[,.;:]? ){3}[a-z]{2,}/.test(text) && !walker.currentNode.parentElement.closest(VERBATIM)) sentences.add(text);
  }
  return [...sentences];
}
