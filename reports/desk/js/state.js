// The state of the page, which the hash of its address holds: job, run, period, sorting, search, cores, deadline.

const state = {};
const listeners = [];

function readHash() {
  const text = decodeURI2(location.hash.slice(1));
  for (const key of Object.keys(state)) delete state[key];
  if (!text.includes('=')) return text;
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (['from', 'to', 'cores', 'due', 'plancores'].includes(key)) {
      const n = Number(value);
      if (Number.isInteger(n) && n >= 0) state[key] = n;
    } else if (['job', 'run', 'q', 'sort', 'show', 'pick'].includes(key)) state[key] = value;
  }
  const n = D.buckets.edges.length - 1;
  if (!(state.from < state.to && state.to <= n)) { delete state.from; delete state.to; }
  return state.show || '';
}
function decodeURI2(text) { try { return decodeURIComponent(text); } catch { return text; } }

// change changes the state; undefined removes a key.
function change(changes) {
  let changed = [];
  for (const [key, value] of Object.entries(changes)) {
    if (state[key] === value) continue;
    changed.push(key);
    if (value === undefined) delete state[key];
    else state[key] = value;
  }
  if (!changed.length) return;
  history.replaceState(null, '', '#' + new URLSearchParams(Object.entries(state)).toString());
  render(changed);
}
// panel draws a part of the page anew whenever one of the keys changes.
function panel(id, keys, draw) { listeners.push({ id, keys, draw }); }
function render(changed) {
  for (const { id, keys, draw } of listeners) {
    if (changed && !keys.some((k) => changed.includes(k))) continue;
    const node = document.getElementById(id);
    const focus = document.activeElement && node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    const scroll = node.querySelector('.scroll')?.scrollLeft;
    node.replaceChildren(...[draw(node)].flat(Infinity).filter(Boolean));
    if (scroll) node.querySelector('.scroll')?.scrollTo({ left: scroll });
    if (focus) node.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }
}
const inPeriod = () => state.from !== undefined;
// sumOver sums a column of buckets over the period that is chosen.
const sumOver = (column) => {
  let sum = 0;
  for (let i = inPeriod() ? state.from : 0; i < (inPeriod() ? state.to : column.length); i++) sum += column[i] || 0;
  return sum;
};
