// Charts on paper: all of them, whether they were in view or not, as wide as the sheet.
import { toast } from './tools.js';

// Paper is narrower than the window, and white: dark drawings keep their dark ground.
const PAPER = 680;
const ADVICE = 'Not drawn when it was printed. Ctrl+P (⌘P) on the page draws all charts first.';

// plotly() loads the library; draw(chart) draws one in its own time, show(chart, library, answer) at once what
// figureAddress(chart) answered; quietly(act) keeps charts from following what `act` does to them.
export function onPaper(charts, { plotly, draw, show, figureAddress, quietly }) {
  const missing = () => charts.filter((chart) => !chart.dataset.drawn || chart.querySelector('.plot.waiting'));

  function resize(width) {
    if (!window.Plotly) return;
    document.documentElement.classList.toggle('dark-charts', Boolean(width) && window.workbenchTheme.name === 'dark');
    const plots = charts.map((chart) => chart.querySelector('.plot')).filter((each) => each.data && !each.hidden);
    quietly(() => {
      for (const plot of plots) window.Plotly.relayout(plot, width ? { width } : { width: null, autosize: true });
    });
  }

  // The browser's menu does not wait: what was never in view is asked for while everything stands still.
  function drawAtOnce(chart) {
    const request = new XMLHttpRequest();
    try {
      request.open('GET', figureAddress(chart), false);
      request.send();
      if (request.status !== 200) return;
      chart.dataset.drawn ||= 'on paper';
      show(chart, window.Plotly, JSON.parse(request.responseText));
    } catch { /* the line broke: paper says so below */ }
  }

  addEventListener('beforeprint', () => {
    if (window.Plotly) for (const chart of missing()) drawAtOnce(chart);
    resize(PAPER);
    for (const chart of missing()) {
      const advice = document.createElement('p');
      advice.className = 'on-paper muted small';
      advice.textContent = ADVICE;
      chart.append(advice);
    }
  });

  addEventListener('afterprint', () => {
    for (const advice of document.querySelectorAll('.on-paper')) advice.remove();
    resize(null);
  });

  // The key can wait; it also brings the library where nothing was in view yet.
  addEventListener('keydown', async (event) => {
    const left = missing();
    if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || !left.length) return;
    event.preventDefault();
    toast('The charts are drawn before they are printed.');
    await Promise.all(left.map(draw));
    print();
  });

  // The menu needs the library before it is asked: it comes once the page has nothing else to do, where a mouse is.
  if (matchMedia('(pointer: fine)').matches && window.requestIdleCallback) {
    addEventListener('load', () => requestIdleCallback(() => plotly().catch(() => { /* a chart that needs it says so */ })));
  }
}
