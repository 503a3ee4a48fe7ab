// Plotly's own words and dates in the reader's language, for the configuration of a plot: nothing where that is English.
// The mode bar shows the names of four buttons; axes show dates. Names of days and months are the browser's.
import { say } from './words.js';

const language = document.documentElement.lang;
const BUTTONS = () => ({
  Zoom: say('Zoom'),
  Pan: say('Pan'),
  'Reset axes': say('Reset axes'),
  Autoscale: say('Autoscale'),
  'Double-click to zoom back out': say('Double-click to zoom back out'),
  'Double-click on legend to isolate one trace': say('Double-click on legend to isolate one trace'),
});

// Months without names, from the largest part to the smallest; the forms are those of d3-time-format.
const DATES = { month: '%Y-%m', dayMonth: '%m-%d', dayMonthYear: '%Y-%m-%d', date: '%Y-%m-%d' };

const named = (options, days) => days.map((date) => new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }).format(date));
const week = Array.from({ length: 7 }, (_, day) => Date.UTC(2023, 0, 1 + day));  // the first is a Sunday
const year = Array.from({ length: 12 }, (_, month) => Date.UTC(2023, month, 1));

function format() {
  return {
    ...DATES,
    days: named({ weekday: 'long' }, week),
    shortDays: named({ weekday: 'short' }, week),
    months: named({ month: 'long' }, year),
    shortMonths: named({ month: 'short' }, year),
  };
}

export function plotlyWords() {
  if (language === 'en') return {};
  return { locale: language, locales: { [language]: { dictionary: BUTTONS(), format: format() } } };
}
