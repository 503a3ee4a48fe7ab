import { say } from './words.js';

/** Fills values without evidence into all commands and changes of a runbook or a plan; the browser stores them. */

const HARMLESS = /^[\w@%+=:,./][\w@%+=:,./-]*$/;
const form = document.querySelector('[data-runbook-values]');

if (form) {
  const inputs = [...form.querySelectorAll('input[data-name]')];
  const blocks = [...document.querySelectorAll('.command code, .diff pre.to .line')];
  const texts = new Map(blocks.map((block) => [block, block.textContent]));
  const key = `runbook-values:${form.dataset.runbookValues}`;

  const known = () =>
    Object.fromEntries(
      inputs.filter((input) => HARMLESS.test(input.value)).map((input) => [input.dataset.name, input.value]),
    );

  const show = () => {
    const values = known();
    for (const [block, text] of texts) {
      block.textContent = Object.entries(values).reduce((said, [name, value]) => said.split(`<${name}>`).join(value), text);
    }
    for (const input of inputs) {
      const refused = input.value !== '' && !(input.dataset.name in values);
      input.setCustomValidity(refused ? say('Letters, digits and @ % + = : , . / - _ only') : '');
    }
  };

  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? '{}');
    } catch {
      return {};
    }
  };

  const kept = read();
  for (const input of inputs) {
    if (typeof kept[input.dataset.name] === 'string') input.value = kept[input.dataset.name];
  }
  show();
  form.addEventListener('input', (event) => {
    show();
    event.target.reportValidity();
    try {
      // Other pages of the case have fields of their own.
      const others = Object.entries(read()).filter(([name]) => !inputs.some((input) => input.dataset.name === name));
      localStorage.setItem(key, JSON.stringify({ ...Object.fromEntries(others), ...known() }));
    } catch {
      // A browser that stores nothing still fills the commands of this page.
    }
  });
}
