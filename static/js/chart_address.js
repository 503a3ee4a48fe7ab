// Addresses of a chart's figure and numbers, for the selected job and, where a chart has choices, the selected one.
export const job = document.getElementById('chart-job');

const asked = new URLSearchParams(location.search);
if (job && asked.has('job')) job.value = asked.get('job');

export function addressOf(chart, path) {
  const url = new URL(path, location.href);
  if (job?.value) url.searchParams.set('job', job.value);
  const chosen = new URLSearchParams(location.search).get(chart.id);
  if (chosen) url.searchParams.set('chosen', chosen);
  url.searchParams.set('language', document.documentElement.lang); // the answer is kept by the browser
  return url;
}
