// The line viewer: permalinks, a jump to a line, wrapping.
const lines = document.getElementById('lines');
const wrap = document.getElementById('wrap');
const KEY = 'workbench-wrap';

const apply = () => lines?.classList.toggle('wrap', wrap.checked);
try { wrap.checked = localStorage.getItem(KEY) !== 'off'; } catch { wrap.checked = true; }
apply();
wrap.addEventListener('change', () => {
  apply();
  try { localStorage.setItem(KEY, wrap.checked ? 'on' : 'off'); } catch { /* it holds for this page */ }
});

const jump = document.getElementById('jump');
const address = (line) => {
  const query = jump.dataset.query ? `?${jump.dataset.query}` : '';
  return `${jump.dataset.base}lines/${line}/${query}#L${line}`;
};
jump.addEventListener('submit', (event) => {
  event.preventDefault();
  const line = Number.parseInt(document.getElementById('jump-line').value, 10);
  if (line > 0) location.assign(address(line));
});

// A line's number is its permalink: the address then centres on that line for whoever opens it.
lines?.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-line]');
  if (!link) return;
  event.preventDefault();
  history.replaceState(null, '', address(link.dataset.line));
  for (const row of lines.querySelectorAll('tr.cited')) row.classList.remove('cited');
  link.closest('tr').classList.add('cited');
  document.getElementById('jump-line').value = link.dataset.line;
});

const cited = lines?.querySelector('tr.cited');
const asked = location.hash ? document.getElementById(location.hash.slice(1)) : null;
if (cited && !document.querySelector('.pointed')) (asked || cited).scrollIntoView({ block: 'center' });
