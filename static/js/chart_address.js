// Where a chart's figure and numbers are: for the chosen job and, where a chart shows one thing at a time, for that one.
export const job = document.getElementById('chart-job');

const asked = new URLSearchParams(location.search);
if (job && asked.has('job')) job.value = asked.get('job');

export function addressOf(chart, path) {
  const url = new URL(path, location.href);
  if (job?.value) url.searchParams.set('job', job.value);
  const chosen = new URLSearchParams(location.search).get(chart.id);
  if (chosen) url.searchParams.set('chosen', chosen);
  return url;
}
