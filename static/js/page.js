// Shared by every page: theme switch, copy buttons, dialogs, shortcuts, ages.
import { copyAnswer, copyText, reveal, toast } from './tools.js';
import { say } from './words.js';

document.addEventListener('click', (event) => {
  const target = event.target.closest('[data-theme-switch],[data-copy],[data-markdown],[data-dialog],[data-close]');
  if (!target) return;
  if ('themeSwitch' in target.dataset) window.workbenchTheme.toggle();
  if ('copy' in target.dataset) copyFrom(target);
  if ('markdown' in target.dataset) {
    event.preventDefault();
    copyMarkdown(target);
  }
  if ('dialog' in target.dataset) {
    event.preventDefault();
    document.getElementById(target.dataset.dialog)?.showModal();
  }
  if ('close' in target.dataset) target.closest('dialog')?.close();
});

async function copyFrom(button) {
  const source = button.dataset.copy
    ? document.getElementById(button.dataset.copy)
    : button.parentElement.querySelector('pre');
  const copied = await copyText(source.textContent.trim());
  const before = button.textContent;
  button.textContent = copied ? say('Copied') : say('Select it');
  if (!copied) getSelection().selectAllChildren(source);
  setTimeout(() => { button.textContent = before; }, 1600);
}

// A link to Markdown is copied; where the page may not copy, it is a file.
async function copyMarkdown(link) {
  if (await copyAnswer(link.href)) toast(say('Copied as Markdown.'));
  else location.assign(link.href);
}

for (const form of document.querySelectorAll('form[data-autosubmit]')) {
  form.addEventListener('change', () => form.requestSubmit());
}

// Elements that scroll are in the tab order, so that the keyboard can scroll them; others are not.
function reachScrolling(part) {
  for (const each of part.querySelectorAll('pre, .table-scroll')) {
    const scrolls = each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight;
    if (scrolls && !each.hasAttribute('tabindex')) each.tabIndex = 0;
  }
}
reachScrolling(document);
document.addEventListener('toggle', (event) => reachScrolling(event.target), true);
addEventListener('resize', () => reachScrolling(document));

// Shortcuts. One letter keys can be switched off: some people speak to their machine.
const KEY = 'workbench-shortcuts';
const stored = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
let enabled = stored() !== 'off';
let prefix = false;

// Whether a key that was pressed counts as a shortcut of one letter.
export function isShortcut(event) {
  if (!enabled || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !event.target.closest?.('input, textarea, select, [contenteditable]') && !document.querySelector('dialog[open]');
}

const help = document.getElementById('shortcuts');
const toggle = help?.querySelector('input[type="checkbox"]');
if (toggle) {
  toggle.checked = enabled;
  toggle.addEventListener('change', () => {
    enabled = toggle.checked;
    try { localStorage.setItem(KEY, enabled ? 'on' : 'off'); } catch { toast(say('It holds for this page only.')); }
  });
}

const placeOf = (hash) => (hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null);
const revealAddress = () => {
  const target = placeOf(location.hash);
  reveal(target);
  target?.scrollIntoView({ block: 'start' });
};
addEventListener('hashchange', revealAddress);
if (location.hash) revealAddress();
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash !== '#') reveal(placeOf(link.hash));
});
addEventListener('beforeprint', () => {
  for (const fold of document.querySelectorAll('details.fold:not([open]), details.finding-fold:not([open])')) {
    fold.dataset.forPaper = 'yes';
    fold.open = true;
  }
});
addEventListener('afterprint', () => {
  for (const fold of document.querySelectorAll('details[data-for-paper]')) {
    delete fold.dataset.forPaper;
    fold.open = false;
  }
});

const go = (key) => {
  const target = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
  if (target) target.click();
};

const step = (direction) => {
  const places = [...document.querySelectorAll('[data-stop]')];
  if (!places.length) return;
  const here = places.findIndex((place) => place.contains(document.activeElement));
  const next = places[Math.min(Math.max(here + direction, 0), places.length - 1)];
  reveal(next);
  next.focus();
  next.scrollIntoView({ block: 'start' });
};

document.addEventListener('keydown', (event) => {
  if (!isShortcut(event)) return;
  if (prefix) {
    prefix = false;
    go(event.key);
    return;
  }
  const actions = {
    '?': () => help?.showModal(),
    '/': () => document.querySelector('[data-search]')?.focus(),
    n: () => go('n'),
    j: () => step(1),
    k: () => step(-1),
    g: () => { prefix = true; setTimeout(() => { prefix = false; }, 1500); },
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

// The visible section is marked in the case page's own navigation.
const links = [...document.querySelectorAll('.section-nav a[href^="#"]')];
if (links.length) {
  const sections = links.map((link) => document.querySelector(link.hash)).filter(Boolean);
  const mark = () => {
    const read = sections.findLast((section) => section.getBoundingClientRect().top < 200) || sections[0];
    for (const link of links) {
      if (link.hash === `#${read.id}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true });
  mark();
}
