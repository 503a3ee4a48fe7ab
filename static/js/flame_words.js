// Text for a flame graph: about one frame, and about the shown selection.
import { timeRange } from './time_range.js';
import { say, sayCounted } from './words.js';

export const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const percent = (part, all) => `${all ? ((100 * part) / all).toFixed(2) : '0'} %`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The frame's name, its numbers, and what it means.
export function frameInWords(shown, node, answer) {
  const parent = shown.parent[node];
  const parts = [
    say('self {samples} ({share})', { samples: number.format(shown.own[node]), share: percent(shown.own[node], shown.total) }),
    parent > 0
      ? say('total {samples} ({share} of all, {of_caller} of its caller)', {
        samples: number.format(shown.weight[node]),
        share: percent(shown.weight[node], shown.total),
        of_caller: percent(shown.weight[node], shown.weight[parent]),
      })
      : say('total {samples} ({share} of all)', { samples: number.format(shown.weight[node]), share: percent(shown.weight[node], shown.total) }),
    say('{share} of it off-CPU', { share: percent(shown.waiting[node], shown.weight[node]) }),
  ];
  if (shown.base) parts.push(say('before {samples} ({share})', { samples: number.format(shown.base[node]), share: percent(shown.base[node], shown.total) }));
  if (shown.cut?.[node] > 0) parts.push(say('{samples} in frames too small to show', { samples: number.format(shown.cut[node]) }));
  const name = shown.name[node];
  const meaning = name < 0 ? -1 : answer.meaning[name];
  return {
    frame: shown.label(node),
    numbers: parts.join(' · '),
    meaning: name < 0 ? '' : say('{origin}. {meaning}', { origin: capital(answer.origins[answer.origin[name]].title), meaning: meaning < 0 ? '' : answer.meanings[meaning] }),
  };
}

// The selection in words, also for screen readers; `isUnmarked`: a comparison was asked for without its two marks.
export function summaryInWords(tree, answer, removed, isUnmarked) {
  const { total } = tree;
  if (!answer.totals.weight) return say('No samples fit what is chosen.');
  const off = tree.waiting[0] / (tree.total || 1);
  const parts = [say('{samples} samples, {share} % of them off-CPU.', { samples: number.format(total), share: (100 * off).toFixed(1) })];
  const hottest = tree.top().sort((one, other) => other.own - one.own)[0];
  if (hottest) parts.push(say('Most are in {frame} ({share}).', { frame: hottest.name, share: percent(hottest.own, tree.total) }));
  if (isUnmarked) parts.push(say('No bad and normal range is marked on the charts: this is the whole profile.'));
  if (answer.baseline) {
    parts.push(say('Compared with {base} samples of {case}, counted as if both had {samples}.', {
      base: number.format(answer.totals.base),
      case: answer.baseline.case,
      samples: number.format(answer.totals.weight),
    }));
  }
  if (answer.left_out) parts.push(say('{count} frames are too small to show; zoom in to see them.', { count: number.format(answer.left_out) }));
  if (answer.stacks_left_out) parts.push(say('{count} rare stacks were not kept.', { count: number.format(answer.stacks_left_out) }));
  if (removed) parts.push(sayCounted('{count} stack taken out; press 0 to bring them back.', '{count} stacks taken out; press 0 to bring them back.', removed));
  if (timeRange.range && answer.choices.times.length) parts.push(say('Only samples of {time}.', { time: timeRange.inWords(timeRange.range) }));
  return parts.join(' ');
}
