// The rule editor: form and YAML of the same text, errors at their lines while one types, drafts saved by themselves.
import { post, toast } from './tools.js';
import { say } from './words.js';

const PREVIEW_MS = 350;
const SAVE_MS = 1500;
const MOST_STEPS = 200;
const NAMES = ['rule', 'fires', 'silent'].filter((name) => document.getElementById(`text-${name}`));

const editor = document.getElementById('editor');
const areas = Object.fromEntries(NAMES.map((name) => [name, document.getElementById(`text-${name}`)]));
const texts = () => Object.fromEntries(NAMES.map((name) => [name, areas[name].value]));
const chosenCase = document.getElementById('case');
const saveState = document.getElementById('save-state');
const revision = document.getElementById('revision');

// Tabs

const tabs = [...document.querySelectorAll('[role="tab"]')];

function show(tab, focus = false) {
  for (const each of tabs) {
    const chosen = each === tab;
    each.setAttribute('aria-selected', chosen);
    each.tabIndex = chosen ? 0 : -1;
    document.getElementById(each.getAttribute('aria-controls')).hidden = !chosen;
  }
  if (focus) tab.focus();
  NAMES.forEach(align);
}

for (const tab of tabs) {
  tab.addEventListener('click', () => show(tab));
  tab.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) show(tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length], true);
  });
}

// Line numbers, with the lines that have an error

const wrong = Object.fromEntries(NAMES.map((name) => [name, new Set()]));

function number(name) {
  const gutter = document.getElementById(`gutter-${name}`);
  const count = areas[name].value.split('\n').length;
  gutter.replaceChildren(...Array.from({ length: count }, (_, place) => {
    const line = document.createElement('span');
    line.textContent = `${place + 1}\n`;
    if (wrong[name].has(place + 1)) line.className = 'wrong';
    return line;
  }));
  align(name);
}

function align(name) {
  document.getElementById(`gutter-${name}`).scrollTop = areas[name].scrollTop;
}

for (const name of NAMES) {
  areas[name].addEventListener('scroll', () => align(name), { passive: true });
  areas[name].addEventListener('input', () => { number(name); changed(); });
  areas[name].addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    const before = areas[name].value.slice(0, areas[name].selectionStart).split('\n').at(-1);
    const indent = before.match(/^ */)[0];
    if (!indent) return;
    event.preventDefault();
    document.execCommand('insertText', false, `\n${indent}`);
  });
}

function jump(name, line) {
  show(document.getElementById(`tab-${name}`));
  const area = areas[name];
  const start = area.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const length = area.value.slice(start).split('\n', 1)[0].length;
  area.focus();
  area.setSelectionRange(start, start + length);
  area.scrollTop = Math.max(0, (line - 6) * Number.parseFloat(getComputedStyle(area).lineHeight));
}

document.getElementById('part-problems').addEventListener('click', (event) => {
  const target = event.target.closest('[data-jump]');
  if (target) jump(target.dataset.jump, Number(target.dataset.line));
});

// Undo and redo over the form and all three texts

const steps = [JSON.stringify(texts())];
let present = 0;

function remember() {
  const now = JSON.stringify(texts());
  if (now === steps[present]) return;
  steps.splice(present + 1, steps.length, now);
  if (steps.length > MOST_STEPS) steps.shift();
  present = steps.length - 1;
  offerSteps();
}

function offerSteps() {
  document.getElementById('undo').disabled = present === 0;
  document.getElementById('redo').disabled = present === steps.length - 1;
}

function go(direction) {
  remember();
  present = Math.min(Math.max(present + direction, 0), steps.length - 1);
  for (const [name, text] of Object.entries(JSON.parse(steps[present]))) {
    areas[name].value = text;
    number(name);
  }
  offerSteps();
  changed();
}

document.getElementById('undo').addEventListener('click', () => go(-1));
document.getElementById('redo').addEventListener('click', () => go(1));

// Preview of the draft

let asking = null;
let previewTimer = 0;

const ofRunbook = editor.dataset.ofRunbook ? { of_runbook: '1' } : {};
const asked = () => ({ ...texts(), ...ofRunbook, ...(chosenCase ? { case: chosenCase.value } : {}) });

async function preview() {
  clearTimeout(previewTimer);
  asking?.abort();
  asking = new AbortController();
  try {
    draw(await post(editor.dataset.preview, asked(), { signal: asking.signal }));
  } catch (error) {
    if (error.name === 'AbortError') return;
    document.getElementById('part-problems').textContent = say('No preview: {message}', { message: error.message });
  }
}

// The server writes a value of the form into the YAML. In sequence, so that none is lost.
let writing = Promise.resolve();

async function rewrite(name, value) {
  asking?.abort();
  try {
    const answer = await post(editor.dataset.preview, { ...asked(), name, value });
    areas.rule.value = answer.text;
    written();
    draw(answer);
  } catch (error) {
    toast(say('Not written: {message}', { message: error.message }));
  }
}

function draw(answer) {
  for (const [name, content] of Object.entries(answer.parts)) {
    const part = document.getElementById(`part-${name}`);
    const typing = name === 'form' && part?.contains(document.activeElement);
    const open = [...(part?.querySelectorAll('details') || [])].map((each) => [each.dataset.keep, each.open]);
    if (part && !typing) part.innerHTML = content || say('<p class="muted">The form comes back when the YAML can be read.</p>');
    for (const [keep, is] of open) part.querySelector(`details[data-keep="${keep}"]`)?.toggleAttribute('open', is);
  }
  for (const name of NAMES) {
    wrong[name] = new Set(answer.problems.filter((each) => each.where === name).map((each) => each.line || 1));
    number(name);
  }
  document.getElementById('not-ready').hidden = answer.ready;
  document.getElementById('publish-button').disabled = !answer.ready;
}

const form = document.getElementById('part-form'); // a runbook has none
form?.addEventListener('change', (event) => {
  const { name } = event.target.dataset;
  const { value } = event.target;
  if (name) writing = writing.then(() => rewrite(name, value));
});
form?.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.target.tagName !== 'INPUT') return;
  event.preventDefault();
  event.target.blur();
});
chosenCase?.addEventListener('change', preview);

// Drafts save themselves

let saveTimer = 0;
let saving = null;
let saved = JSON.stringify(texts());
let refused = false;

function changed() {
  clearTimeout(previewTimer);
  previewTimer = setTimeout(preview, PREVIEW_MS);
  written();
}

function written() {
  clearTimeout(saveTimer);
  saveTimer = setTimeout(() => { remember(); save(); }, SAVE_MS);
  if (JSON.stringify(texts()) !== saved && !refused) saveState.textContent = say('Not saved yet');
}

async function save() {
  clearTimeout(saveTimer);
  await writing;
  await saving;
  const now = JSON.stringify(texts());
  if (now === saved && editor.dataset.save) return true;
  saving = store(now);
  return saving;
}

async function store(now) {
  const isNew = !editor.dataset.save;
  const fields = { ...JSON.parse(now), revision: revision.value };
  if (isNew && editor.dataset.base) fields.base = editor.dataset.base;
  try {
    const answer = await post(editor.dataset.save || editor.dataset.create, fields);
    saved = now;
    refused = false;
    revision.value = answer.revision;
    Object.assign(editor.dataset, { save: answer.save_url, publish: answer.publish_url, backtest: answer.backtest_url });
    document.getElementById('texts').action = answer.save_url;
    document.getElementById('discard-form').action = answer.discard_url;
    document.getElementById('discard-draft').hidden = false;
    if (isNew) history.replaceState(null, '', answer.url);
    saveState.textContent = say('Draft saved {saved}', { saved: answer.saved });
    return true;
  } catch (error) {
    refused = true;
    saveState.textContent = say('Not saved. {message}', { message: error.message });
    return false;
  }
}

document.getElementById('texts').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (await save()) toast(say('The draft is saved.'));
});

// Actions on a draft apply to the text on the page: it is saved first.
for (const door of ['publish', 'backtest']) {
  document.getElementById(`${door}-form`)?.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!(await save())) return;
    event.target.action = editor.dataset[door];
    event.target.submit();
  });
}

let leaving = false;
document.getElementById('discard-form').addEventListener('submit', () => { leaving = true; });
addEventListener('beforeunload', (event) => {
  if (!leaving && JSON.stringify(texts()) !== saved) event.preventDefault();
});

show(tabs[0]);
editor.classList.add('ready');
NAMES.forEach(number);
preview();
