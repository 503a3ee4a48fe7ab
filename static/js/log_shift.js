// The shift of a file's clock, as text and as milliseconds.
const UNITS = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

// `+02:00`, `-90 s`, `350 ms` as milliseconds; 0 for empty text, NaN for invalid text.
export function readShift(text) {
  const typed = text.trim().replace(/^\u2212/, '-');
  if (!typed) return 0;
  const zone = /^([+-]?)(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(typed);
  if (zone) return (zone[1] === '-' ? -1 : 1) * (((Number(zone[2]) * 60 + Number(zone[3])) * 60 + Number(zone[4] || 0)) * 1000);
  const amount = /^([+-]?\d{1,9}(?:\.\d{1,3})?) ?(ms|s|min|h|d)$/.exec(typed);
  return amount ? Math.round(Number(amount[1]) * UNITS[amount[2]]) : NaN;
}

export function shiftInWords(ms) {
  const unit = ['d', 'h', 'min', 's'].find((each) => ms % UNITS[each] === 0) || 'ms';
  return `${ms > 0 ? '+' : '-'}${Math.abs(ms) / UNITS[unit]} ${unit}`;
}
