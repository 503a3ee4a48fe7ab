// What a script can see of WCAG 2.2 AA on the open page, as a list of sentences; contrast after its relative luminance.
() => {
  const CONTROLS = 'button, a[href], input:not([type=hidden]), select, textarea, summary';
  const faults = [];
  const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const named = (element) => (element.getAttribute('aria-label') || element.textContent || element.title || '').trim()
    || [...(element.labels || [])].map((label) => label.textContent).join('').trim()
    || element.getAttribute('aria-labelledby') || element.querySelector('img[alt], title');
  const where = (element) => element.outerHTML.slice(0, 120);

  if (!document.documentElement.lang) faults.push('the page names no language');
  if (!document.title.trim()) faults.push('the page has no title');
  const tops = [...document.querySelectorAll('h1')].filter(shown).length;
  if (tops !== 1) faults.push(`the page has ${tops} main headings`);
  if (!document.querySelector('main')) faults.push('the page has no main part');
  for (const element of document.querySelectorAll(CONTROLS)) {
    if (shown(element) && !named(element)) faults.push(`no name: ${where(element)}`);
  }
  for (const image of document.querySelectorAll('img')) if (!image.hasAttribute('alt')) faults.push(`no alt: ${where(image)}`);
  const ids = [...document.querySelectorAll('body [id]:not(svg [id])')].map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((each) => each === id).length > 1) faults.push(`id twice: ${id}`);
  for (const element of document.querySelectorAll('[tabindex]')) if (element.tabIndex > 0) faults.push(`tab order: ${where(element)}`);
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(`${document.documentElement.scrollWidth} px wide on ${innerWidth}`);

  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  // A page has a few colours and thousands of texts: each colour and each background is computed once.
  const once = (compute) => {
    const known = new Map();
    return (key) => {
      if (!known.has(key)) known.set(key, compute(key));
      return known.get(key);
    };
  };
  const rgba = once((color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  });
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => value / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = once((element) => over(
    rgba(getComputedStyle(element).backgroundColor),
    element.parentElement ? background(element.parentElement) : [255, 255, 255],
  ));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || seen.has(element) || !shown(element)) continue;
    if (element.closest('svg, script, style, option, [disabled], .js-plotly-plot, .visually-hidden')) continue;
    seen.add(element);
    const style = getComputedStyle(element);
    const behind = background(element);
    const [light, dark] = [luminance(over(rgba(style.color), behind)), luminance(behind)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${where(element)}`);
  }
  return faults;
}
