// Text for a flame graph: about one frame, and about the shown selection.
import { timeRange } from './time_range.js';

export const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const percent = (part, all) => `${all ? ((100 * part) / all).toFixed(2) : '0'} %`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The frame's name, its numbers, and what it means.
export function frameInWords(shown, node, answer) {
  const parent = shown.parent[node];
  const parts = [
    `self ${number.format(shown.own[node])} (${percent(shown.own[node], shown.total)})`,
    `total ${number.format(shown.weight[node])} (${percent(shown.weight[node], shown.total)} of all${parent > 0 ? `, ${percent(shown.weight[node], shown.weight[parent])} of its caller` : ''})`,
    `${percent(shown.waiting[node], shown.weight[node])} of it off-CPU`,
  ];
  if (shown.base) parts.push(`before ${number.format(shown.base[node])} (${percent(shown.base[node], shown.total)})`);
  if (shown.cut?.[node] > 0) parts.push(`${number.format(shown.cut[node])} in frames too small to show`);
  const name = shown.name[node];
  const meaning = name < 0 ? -1 : answer.meaning[name];
  return {
    frame: shown.label(node),
    numbers: parts.join(' · '),
    meaning: name < 0 ? '' : `${capital(answer.origins[answer.origin[name]].title)}. ${meaning < 0 ? '' : answer.meanings[meaning]}`,
  };
}

// The selection in words, also for screen readers.
export function summaryInWords(tree, answer, removed) {
  const { total } = tree;
  if (!answer.totals.weight) return 'No samples fit what is chosen.';
  const off = tree.waiting[0] / (tree.total || 1);
  const parts = [`${number.format(total)} samples, ${(100 * off).toFixed(1)} % of them off-CPU.`];
  const hottest = tree.top().sort((one, other) => other.own - one.own)[0];
  if (hottest) parts.push(`Most are in ${hottest.name} (${percent(hottest.own, tree.total)}).`);
  if (answer.baseline) {
    parts.push(`Compared with ${number.format(answer.totals.base)} samples of ${answer.baseline.case}, counted as if both had ${number.format(answer.totals.weight)}.`);
  }
  if (answer.left_out) parts.push(`${number.format(answer.left_out)} frames are too small to show; zoom in to see them.`);
  if (answer.stacks_left_out) parts.push(`${number.format(answer.stacks_left_out)} rare stacks were not kept.`);
  if (removed) parts.push(`${removed} stack${removed > 1 ? 's' : ''} taken out; press 0 to bring them back.`);
  if (timeRange.range && answer.choices.times.length) parts.push(`Only samples of ${timeRange.inWords(timeRange.range)}.`);
  return parts.join(' ');
}
