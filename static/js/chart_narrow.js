// A figure where a phone's width does not hold its names: those of rows are cut, titles of panels get a second line and
// the room for it, those below a chart get lines of their own, and the legend gets room for its rows.
import { cut, folded } from './short_name.js';

export const NARROW = 560;
const CHARACTER = 7.2;
const ROW_CHARACTER = 6.6;
const ROW_NAMES = 0.36; // share of the width for the names of rows
const LINE = 15; // pixels of a second line
const LEGEND = 60;
const MOST_LINES = 3; // of a name below a chart

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
  makeRoom(layout, titles, foldBelow(layout, width - left - layout.margin.r));
  if (layout.legend) layout.height += LEGEND;
}

// Names below a panel in lines as wide as their place: Plotly would turn them and print them through the legend. Gives
// the lines that each axis has more than before, by its name.
function foldBelow(layout, width) {
  const more = {};
  for (const name of Object.keys(layout).filter((each) => each.startsWith('xaxis') && layout[each].categoryarray)) {
    const names = layout[name].categoryarray.map(String);
    const most = Math.max(Math.floor(width / names.length / ROW_CHARACTER), 4);
    const ticktext = names.map((each) => each.split('<br>').map((line) => inLines(line, most)).join('<br>'));
    Object.assign(layout[name], { tickmode: 'array', tickvals: names, ticktext, tickangle: 0, automargin: false });
    const lines = (texts) => Math.max(...texts.map((each) => each.split('<br>').length));
    more[name] = Math.max(lines(ticktext) - lines(names), 0);
  }
  return more;
}

// One line, which may be bold, broken after spaces and signs; the last of its lines is cut.
function inLines(line, most) {
  const [, open, name, close] = line.match(/^(<b>)?(.*?)(<\/b>)?$/su);
  const lines = [];
  for (const word of name.match(/[^\s\-_:.]*[\s\-_:.]*/gu).filter(Boolean)) {
    const longer = (lines.at(-1) ?? '') + word;
    if (lines.length && (longer.trim().length <= most || lines.length === MOST_LINES)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const tail = Math.floor(most / 2) - 1;
  return (open || '') + lines.map((each) => cut(each.trim(), most, tail)).join('<br>') + (close || '');
}

const panelsOf = (layout) => Object.keys(layout).filter((name) => name.startsWith('yaxis')).map((name) => layout[name]);

// Moves each panel down by what is added above it: its place is a share of the height, counted from below. A title of two
// lines is above its panel, names in more lines are below theirs; those of the last one are in the margin.
function makeRoom(layout, titles, linesBelow) {
  const inner = layout.height - layout.margin.t - layout.margin.b;
  const panels = panelsOf(layout).filter((axis) => axis.domain).sort((one, other) => other.domain[1] - one.domain[1]);
  const titlesOf = ([, top]) => titles.filter((each) => each.yref === 'paper' && each.y === top);
  const places = panels.map((axis) => ({ axis, own: titlesOf(axis.domain) }));
  let added = 0;
  let below = 0;
  for (const place of places) {
    added += below;
    if (place.own.some((each) => each.text.includes('<br>'))) added += LINE;
    place.added = added;
    below = LINE * (linesBelow[(place.axis.anchor || 'x').replace('x', 'xaxis')] || 0);
  }
  if (!added && !below) return;
  const moved = (share, by) => 1 - ((1 - share) * inner + by) / (inner + added);
  for (const { axis, own, added: by } of places) {
    axis.domain = axis.domain.map((share) => moved(share, by));
    for (const title of own) title.y = axis.domain[1];
  }
  if (layout.legend) layout.legend.y = (layout.legend.y * inner - below) / (inner + added);
  layout.margin.b += below;
  layout.height += added + below;
}
