// A figure where a phone's width does not hold its names: those of rows are cut, titles of panels get a second line and
// the room for it, and the legend gets room for its rows.
import { cut, folded } from './short_name.js';

export const NARROW = 560;
const CHARACTER = 7.2;
const ROW_CHARACTER = 6.6;
const ROW_NAMES = 0.36; // share of the width for the names of rows
const LINE = 15; // pixels of a second line
const LEGEND = 60;

export function narrow(layout, width) {
  let left = layout.margin.l;
  for (const axis of panelsOf(layout)) {
    if (!axis.categoryarray) continue;
    const names = axis.categoryarray.map((each) => cut(String(each), Math.floor((width * ROW_NAMES) / ROW_CHARACTER), 8));
    Object.assign(axis, { tickmode: 'array', tickvals: axis.categoryarray, ticktext: names });
    left = Math.max(left, ...names.map((each) => each.length * ROW_CHARACTER));
  }
  const most = Math.floor((width - left) / CHARACTER);
  const titles = (layout.annotations || []).filter((each) => each.xref === 'paper' && !each.text.includes('<'));
  for (const title of titles) title.text = folded(title.text, most, 12);
  makeRoom(layout, titles);
  if (layout.legend) layout.height += LEGEND;
}

const panelsOf = (layout) => Object.keys(layout).filter((name) => name.startsWith('yaxis')).map((name) => layout[name]);

// Moves each panel below a title of two lines down by one: its place is a share of the height, counted from below.
function makeRoom(layout, titles) {
  const inner = layout.height - layout.margin.t - layout.margin.b;
  const panels = panelsOf(layout).filter((axis) => axis.domain).sort((one, other) => other.domain[1] - one.domain[1]);
  const titlesOf = ([, top]) => titles.filter((each) => each.yref === 'paper' && each.y === top);
  const places = panels.map((axis) => ({ axis, own: titlesOf(axis.domain) }));
  let added = 0;
  for (const place of places) {
    if (place.own.some((each) => each.text.includes('<br>'))) added += LINE;
    place.added = added;
  }
  if (!added) return;
  const moved = (share, by) => 1 - ((1 - share) * inner + by) / (inner + added);
  for (const { axis, own, added: by } of places) {
    axis.domain = axis.domain.map((share) => moved(share, by));
    for (const title of own) title.y = axis.domain[1];
  }
  if (layout.legend) layout.legend.y *= inner / (inner + added);
  layout.height += added;
}
