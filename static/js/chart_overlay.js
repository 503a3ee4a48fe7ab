// Overlays of charts that need no redrawing: the shared crosshair, and the two time ranges to compare.
import { timeRange } from './time_range.js';

// Where the plot area of a drawn chart is, and the axis that all its panels share.
function area(plot) {
  const { _size: size, xaxis } = plot._fullLayout;
  return { left: size.l, width: size.w, top: size.t, height: size.h, xaxis };
}

function layer(plot, name) {
  let found = plot.querySelector(`:scope > .${name}`);
  if (!found) {
    found = document.createElement('div');
    found.className = name;
    found.setAttribute('aria-hidden', 'true');
    plot.append(found);
  }
  return found;
}

// The instant under the pointer is shown in every chart over time.
export function crosshair(plot, plots, toAxis, fromAxis) {
  plot.addEventListener('pointermove', (event) => {
    const { left, width, xaxis } = area(plot);
    const at = event.clientX - plot.getBoundingClientRect().left - left;
    hide();
    if (at >= 0 && at <= width) show(plots(), fromAxis(xaxis.p2d(at)), toAxis);
  });
  plot.addEventListener('pointerleave', hide);
}

function show(plots, ms, toAxis) {
  for (const plot of plots) {
    const { left, width, top, height, xaxis } = area(plot);
    const at = xaxis.d2p(toAxis(ms));
    const line = layer(plot, 'crosshair');
    line.hidden = at < 0 || at > width;
    line.style.cssText = `left:${left + at}px;top:${top}px;height:${height}px`;
    line.dataset.time = timeRange.timeOf(ms).slice(11);
    line.classList.toggle('late', at > width / 2);
  }
}

// Also in charts out of sight, which would show an outdated crosshair later.
function hide() {
  for (const line of document.querySelectorAll('.plot > .crosshair')) line.hidden = true;
}

// The time ranges called normal and bad.
export function marks(plot, toAxis) {
  const { left, width, top, height, xaxis } = area(plot);
  for (const name of ['normal', 'bad']) {
    const range = timeRange[name];
    const band = layer(plot, `mark-${name}`);
    const [from, to] = range ? range.map((ms) => Math.min(Math.max(xaxis.d2p(toAxis(ms)), 0), width)) : [0, 0];
    band.hidden = to - from < 1;
    band.style.cssText = `left:${left + from}px;width:${to - from}px;top:${top}px;height:${height}px`;
  }
}
