// Keys of the log page, as in lnav, with deviations from the conventions: n is the next hit, i the histogram, 0 the
// whole time, and g stays the prefix of pages, so that g g leads to the first record.
import { isShortcut } from './page.js';

const keysOf = ({ list, panel, step, act }) => ({
  e: () => step('error', 1),
  E: () => step('error', -1),
  w: () => step('warning', 1),
  W: () => step('warning', -1),
  n: () => step('hit', 1),
  N: () => step('hit', -1),
  f: () => step('file', 1),
  F: () => step('file', -1),
  o: () => act.stepOperation(1),
  O: () => act.stepOperation(-1),
  u: () => step('pin', 1),
  U: () => step('pin', -1),
  m: act.togglePin,
  j: () => list.go(list.place + 1),
  k: () => list.go(list.place - 1),
  G: () => list.go(list.total - 1),
  b: () => list.go(list.place - list.fitting),
  p: act.togglePanel,
  P: () => act.openPanel('patterns'),
  i: act.foldHistogram,
  z: () => act.zoom(0.25),
  Z: () => act.zoom(4),
  x: act.toggleOthers,
  c: () => panel.record.copy(),
  y: () => panel.record.copyLink(),
});

const listKeysOf = ({ list, act }, keys) => ({
  ArrowDown: keys.j,
  ArrowUp: keys.k,
  PageDown: () => list.go(list.place + list.fitting),
  PageUp: keys.b,
  ' ': () => list.go(list.place + list.fitting),
  Home: () => list.go(0),
  End: keys.G,
  Enter: () => act.openPanel('record'),
});

// box, search  the elements of the list and of the search field
// step         called with (kind, direction) to go to the next record of a kind
// act          what else keys do, by name
export function listenForKeys(page) {
  const { box, search, list, panel } = page;
  const keys = keysOf(page);
  const listKeys = listKeysOf(page, keys);
  const afterPrefix = { gg: () => list.go(0) };
  let prefix = '';
  document.addEventListener('keydown', (event) => {
    const inList = event.target === box;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === 'f' && (event.ctrlKey || event.metaKey) && inList) {
      event.preventDefault();
      search.focus();
      search.select();
      return;
    }
    if (event.key === 'Escape' && panel.panel.contains(event.target)) {
      event.preventDefault();
      event.stopPropagation();
      panel.close();
      return;
    }
    const before = prefix;
    prefix = plain && ['g', 't'].includes(event.key) && isShortcut(event) && !before ? event.key : '';
    let pressed = inList && plain ? listKeys[event.key] : null;
    if (!pressed && isShortcut(event) && !prefix) pressed = before ? afterPrefix[before + event.key] : keys[event.key];
    if (!pressed) return;
    // The keys of every page (n opens a new case there) are not meant; but it has to see the end of a prefix.
    if (!before) {
      event.preventDefault();
      event.stopPropagation();
    }
    pressed();
  }, true);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      box.focus({ preventScroll: true });
    }
  });
}
