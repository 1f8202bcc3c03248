// Numbers, durations and times as racecard writes them everywhere: see package reports/style.

const NONE = '–';
const known = (x) => typeof x === 'number' && isFinite(x);
const group = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

// rounded writes x >= 0 with some decimals; halves go to the even digit.
function rounded(x, places) {
  const text = x.toFixed(places), exact = x.toFixed(Math.min(100, places + 40)), rest = exact.slice(exact.indexOf('.') + 1 + places);
  if (!/^50*$/.test(rest)) return text;
  const down = places ? exact.slice(0, exact.indexOf('.') + 1 + places) : exact.slice(0, exact.indexOf('.'));
  return '02468'.includes(down[down.length - 1]) ? down : text;
}
function fixed(x, places) {
  if (!known(x)) return NONE;
  const [whole, fraction] = rounded(Math.abs(x), places).split('.');
  const text = group(whole) + (fraction === undefined ? '' : '.' + fraction);
  return x < 0 && /[1-9]/.test(text) ? '−' + text : text;
}
const magnitude = (x) => Number(Math.abs(x).toExponential(2).split('e')[1]);
function decimals(x, places) {
  const text = fixed(x, Math.max(places, 0));
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}
function number(x) {
  if (!known(x)) return NONE;
  if (x === 0) return '0';
  if (Math.abs(x) >= 1e15 || Math.abs(x) < 1e-6) return String(Number(x.toPrecision(3))).replace(/e([+-])(\d)$/, 'e$10$2').replace('-', '−');
  return decimals(x, 2 - magnitude(x));
}
const count = (n) => fixed(n, 0);
const unitLabel = (unit) => unit === 'core' ? 'Cores' : 'Tokens';
const coresText = (n, unit) => count(n) + ' ' + (unit || 'core') + (n === 1 ? '' : 's');
function percent(share) {
  if (!known(share)) return NONE;
  const p = share * 100, abs = Math.abs(p);
  if (p === 0) return '0%';
  if (abs < 0.001) return '<0.001%';
  if (abs < 9.95) return decimals(p, 1 - magnitude(p)) + '%';
  if (abs >= 99.5 && abs < 100) return decimals(Math.sign(p) * Math.floor(abs * 10) / 10, 1) + '%';
  return fixed(p, 0) + '%';
}
const signed = (share) => known(share) ? (share > 0 ? '+' : '') + percent(share) : NONE;
function two(s, large, largeName, small, smallName) {
  const n = Math.round(s / small), per = large / small;
  const rest = n % per;
  return fixed(Math.floor(n / per), 0) + ' ' + largeName + (rest > 0 ? ' ' + rest + ' ' + smallName : '');
}
function seconds(s) {
  if (!known(s)) return NONE;
  if (s < 0) return '−' + seconds(-s);
  if (s === 0) return '0 s';
  if (s < 0.9994e-3) return decimals(s * 1e6, 1 - magnitude(s * 1e6)) + ' µs';
  if (s < 0.9994) return decimals(s * 1e3, 1 - magnitude(s * 1e3)) + ' ms';
  if (s < 59.5) return decimals(s, 1 - magnitude(s)) + ' s';
  if (s < 3599.5) return two(s, 60, 'min', 1, 's');
  if (s < 86370) return two(s, 3600, 'h', 60, 'min');
  return two(s, 86400, 'd', 3600, 'h');
}
const signedSeconds = (s) => known(s) ? (s < 0 ? '−' + seconds(-s) : '+' + seconds(s)) : NONE;
function bytes(n) {
  if (!known(n)) return NONE;
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
  let x = n, i = 0;
  while (i < units.length - 1 && Math.abs(x) >= 999.5) { x /= 1000; i++; }
  return (i === 0 ? fixed(x, 0) : decimals(x, 1 - magnitude(x))) + ' ' + units[i];
}

// Times of the trace: dates and clock times in its zone, or time since its start.
function clockParts(s) {
  const parts = {};
  for (const p of clockParts.format.formatToParts(new Date(s * 1000))) parts[p.type] = p.value;
  return parts;
}
function useZone(zone) {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };
  try {
    clockParts.format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
  } catch {
    clockParts.format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  }
}
function when(s) {
  if (!known(s)) return NONE;
  if (!D.unix) return '+' + seconds(s - D.from_s);
  const p = clockParts(s);
  return `${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}`;
}
// stamp writes an instant for a program: to the second, or in seconds since the start of the trace.
function stamp(s) {
  if (!known(s)) return null;
  const p = clockParts(Math.round(s));
  return D.unix ? `${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}:${p.second}` : s - D.from_s;
}
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
// shortWhen writes a tick of an axis of so many seconds.
function shortWhen(s, span) {
  if (!D.unix) return seconds(s - D.from_s);
  const p = clockParts(s);
  const month = months[Number(p.month) - 1], day = Number(p.day) + ' ' + month;
  if (span > 300 * 86400) return month + ' ' + p.year;
  if (span > 4 * 86400) return day;
  if (span > 86400) return day + ' ' + p.hour + ':' + p.minute;
  return span > 600 ? p.hour + ':' + p.minute : p.hour + ':' + p.minute + ':' + p.second;
}
// clockText writes a time of the day, in seconds since its midnight, and how many days later it is.
const clockText = (s) => {
  const minutes = Math.round(s / 60), days = Math.floor(minutes / 1440), of = ((minutes % 1440) + 1440) % 1440;
  return String(Math.floor(of / 60)).padStart(2, '0') + ':' + String(of % 60).padStart(2, '0') + (days === 1 ? ' on the next day' : days > 1 ? ` ${days} days later` : '');
};
const sentence = (text) => visible(text.slice(0, 1).toUpperCase() + text.slice(1)) + '.';
const shorten = (text, most) => {
  const all = Array.from(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  return all.length > most ? all.slice(0, most - 1).join('') + '…' : text;
};
