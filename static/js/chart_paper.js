// Charts on paper: all of them, whether they were in view or not, as wide as the sheet and light.
import { toast } from './tools.js';
import { say } from './words.js';

// Width of a chart on paper: 182 mm of A4 in CSS pixels, without its margins.
const PAPER = 650;
const NARROW = 700;
const ADVICE = say('Not drawn when it was printed. Ctrl+P (⌘P) on the page draws all charts first.');

// plotly() loads the library; draw(chart) draws one in its own time, show(chart, library, answer, width) at once what
// figureAddress(chart, theme, width) answered; quietly(act) keeps charts from following what `act` does to them.
export function onPaper(charts, { plotly, draw, show, figureAddress, quietly }) {
  const missing = () => charts.filter((chart) => !chart.dataset.drawn || chart.querySelector('.plot.waiting'));
  const plots = () => charts.map((chart) => chart.querySelector('.plot')).filter((each) => each.data && !each.hidden);
  const drawnForPaper = new Set();

  // The browser's print menu does not wait, so charts are requested synchronously.
  function drawAtOnce(chart) {
    const request = new XMLHttpRequest();
    try {
      request.open('GET', figureAddress(chart, 'light', PAPER), false);
      request.send();
      if (request.status !== 200) return;
      chart.dataset.drawn ||= 'on paper';
      drawnForPaper.add(chart);
      show(chart, window.Plotly, JSON.parse(request.responseText), PAPER);
    } catch { /* the line broke: paper says so below */ }
  }

  // A chart wider than the sheet is scaled down.
  function fit(plot) {
    const width = Math.max(plot.layout.meta?.least_width || 0, PAPER);
    quietly(() => { window.Plotly.relayout(plot, { width }); });
    plot.style.zoom = PAPER / width;
  }

  addEventListener('beforeprint', () => {
    if (window.Plotly) {
      // Dark charts would waste ink, and those of a phone's width truncate their labels.
      const fitsPaper = window.workbenchTheme.name === 'light' && innerWidth >= NARROW;
      for (const chart of fitsPaper ? missing() : charts) drawAtOnce(chart);
      for (const plot of plots()) fit(plot);
    }
    for (const chart of missing()) {
      const advice = document.createElement('p');
      advice.className = 'on-paper muted small';
      advice.textContent = ADVICE;
      chart.append(advice);
    }
  });

  addEventListener('afterprint', () => {
    for (const advice of document.querySelectorAll('.on-paper')) advice.remove();
    for (const plot of plots()) {
      plot.style.zoom = '';
      const chart = plot.closest('.chart');
      const least = plot.layout.meta?.least_width;
      if (drawnForPaper.has(chart)) {
        // Plotly keeps the width of the first drawing.
        window.Plotly.purge(plot);
        delete plot.dataset.followed;
        draw(chart);
      } else quietly(() => { window.Plotly.relayout(plot, { width: least > plot.clientWidth ? least : null, autosize: true }); });
    }
    drawnForPaper.clear();
  });

  // The shortcut can wait, and also loads the library when no chart was in view yet.
  addEventListener('keydown', async (event) => {
    const left = missing();
    if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || !left.length) return;
    event.preventDefault();
    toast(say('The charts are drawn before they are printed.'));
    await Promise.all(left.map(draw));
    print();
  });

  // The menu needs the library beforehand: it is loaded when the page is idle, on devices with a mouse.
  if (matchMedia('(pointer: fine)').matches && window.requestIdleCallback) {
    addEventListener('load', () => requestIdleCallback(() => plotly().catch(() => { /* a chart that needs it says so */ })));
  }
}
