// Runs before the page is painted, so that the chosen theme does not flash.
(() => {
  const KEY = 'workbench-theme';
  const root = document.documentElement;
  root.classList.add('js');
  let chosen = null;
  try { chosen = localStorage.getItem(KEY); } catch { /* storage may be forbidden: the system's theme counts */ }
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
  window.workbenchTheme = {
    get name() {
      return root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    },
    toggle() {
      root.dataset.theme = this.name === 'dark' ? 'light' : 'dark';
      try { localStorage.setItem(KEY, root.dataset.theme); } catch { /* as above: it holds for this page */ }
      dispatchEvent(new CustomEvent('workbench:theme', { detail: root.dataset.theme }));
    },
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (!root.dataset.theme) dispatchEvent(new CustomEvent('workbench:theme'));
  });
})();
