// Addresses of a chart's figure and numbers, for the selected job and, where a chart has choices, the selected one.
export const job = document.getElementById('chart-job');

const asked = new URLSearchParams(location.search);
if (job && asked.has('job')) job.value = asked.get('job');

// Pages that a chart leads to are about the selected job; where all are selected they choose one.
export function keepJob() {
  if (!job) return;
  for (const link of document.querySelectorAll('a[data-keep-job]')) {
    const url = new URL(link.href);
    url.searchParams.delete('job');
    if (job.value) url.searchParams.set('job', job.value);
    link.href = url;
  }
}

export function addressOf(chart, path) {
  const url = new URL(path, location.href);
  if (job?.value) url.searchParams.set('job', job.value);
  const chosen = new URLSearchParams(location.search).get(chart.id);
  if (chosen) url.searchParams.set('chosen', chosen);
  url.searchParams.set('language', document.documentElement.lang); // the answer is kept by the browser
  return url;
}
