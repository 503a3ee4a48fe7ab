// Chinese texts of an English page, from its HTML. Names of languages, the other language of the glossary and what
// people write are marked as such; the YAML of rules holds both languages.
(html) => {
  const CHINESE = '[lang|=zh], [translate=no], code, pre, script, style, textarea';
  const walker = document.createTreeWalker(new DOMParser().parseFromString(html, 'text/html'), NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const { textContent, parentElement } = walker.currentNode;
    if (/[\u4e00-\u9fff]/.test(textContent) && !parentElement.closest(CHINESE)) texts.push(textContent.trim());
  }
  return texts;
}
