// Marks over every time chart where each finding of the page began, and where its alerts fired and were resolved. They
// are not part of the figure, so that a brush does not redraw them.
import { element } from './element.js';
import { timeRange } from './time_range.js';
import { say } from './words.js';

const findings = [...document.querySelectorAll('.finding[data-began]')].map((finding) => {
  const title = finding.querySelector('h3').textContent;
  return {
    look: ['critical', 'warning'].find((each) => finding.classList.contains(each)) || 'info',
    ms: Number(finding.dataset.began),
    told: (time) => say('{title}, began {time}', { title, time }),
  };
});
const alerts = [...document.querySelectorAll('[data-alert-began]')].flatMap((alert) => {
  const title = alert.querySelector('strong').textContent;
  const { alertBegan, alertResolved } = alert.dataset;
  const fired = { look: 'alert', ms: Number(alertBegan), told: (time) => say('{title}, fired {time}', { title, time }) };
  if (!alertResolved) return [fired];
  const told = (time) => say('{title}, resolved {time}', { title, time });
  return [fired, { look: 'alert resolved', ms: Number(alertResolved), told }];
});
const moments = [...findings, ...alerts];

function layerOf(plot) {
  const found = plot.querySelector(':scope > .finding-marks');
  if (found) return found;
  const made = element('div', 'finding-marks');
  made.setAttribute('aria-hidden', 'true');
  made.append(...moments.map(({ look }) => element('i', look)));
  plot.append(made);
  return made;
}

function show(plot) {
  if (!plot._fullLayout?._size) return;
  const { _size: size, xaxis } = plot._fullLayout;
  const layer = layerOf(plot);
  layer.style.cssText = `left:${size.l}px;width:${size.w}px;top:${size.t + size.h}px;--plot-height:${size.h}px`;
  moments.forEach(({ ms, told }, place) => {
    const at = xaxis.d2p(ms + timeRange.offset(ms));
    const mark = layer.children[place];
    mark.hidden = !(at >= 0 && at <= size.w);
    mark.style.left = `${at}px`;
    mark.title = told(`${timeRange.timeOf(ms)} ${timeRange.zoneName(ms)}`);
  });
}

// A redrawn chart has a new container, which emits an event after each drawing.
const drawn = new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    if (![...addedNodes].some((node) => node.classList?.contains('plot-container'))) continue;
    target.on('plotly_afterplot', () => show(target));
    requestAnimationFrame(() => show(target));
  }
});
if (moments.length) {
  for (const plot of document.querySelectorAll('.chart[data-axis="time"] .plot')) drawn.observe(plot, { childList: true });
}
