// Demand: cores that were held and used over time. A drag over the drawing chooses a period, as the two lists do.

const SERIES = ['s0', 's1', 's2', 's3', 's4', 's5'];

function drawDemand(node) {
  let d = D.demand;
  if (D.pending) return [el('div', { class: 'controls' }, periodPicker()), reading()];
  if (!d) return el('p', { class: 'note' }, 'No attempt has a known start and end: demand over time is not available.');
  const rows = tableOf(d);
  const width = widthOf(node, 1600), edges = D.buckets.edges;
  d = coarser(d, Math.ceil(d.used.length * 2.5 / Math.max(1, width - 70))); // or the line hides what it goes over
  const n = d.used.length, xs = [...Array.from({ length: n }, (_, i) => d.from_s + i * d.bin_s), d.to_s];
  const out = [el('div', { class: 'controls' }, periodPicker(), el('span', { class: 'muted' }, inPeriod() ? '' : 'Drag over the drawing to choose a period.'))];
  const stacked = [], zero = new Array(n).fill(0);
  let below = zero;
  for (const s of d.held) {
    const above = below.map((v, i) => v + (s.values[i] || 0));
    stacked.push([below, above]);
    below = above;
  }
  const total = d.total.values || [];
  let most = Math.max(...below, ...d.used, 1e-9);
  const cap = Math.max(0, ...total.filter(known));
  const off = total.reduce((s, v, i) => s + Math.abs((v || 0) - (below[i] || 0)), 0), size = total.reduce((s, v) => s + (v || 0), 0);
  const same = cap > 0 && off < 0.1 * size; // nothing else can be seen beside it
  const shown = cap > 0 && cap < 4 * most && !same;
  if (shown) most = Math.max(most, cap);
  const c = chart({ width, height: 270, x: [xs[0], xs[n]], y: [0, most * 1.05], yName: 'cores', xTime: true, xText: (t) => shortWhen(t, xs[n] - xs[0]),
    title: `Cores held and used from ${when(xs[0])} to ${when(xs[n])}; at most ${number(Math.max(...below))} held and ${number(Math.max(...d.used))} used, on average over ${seconds(d.bin_s)}` });
  stacked.forEach(([low, high], i) => c.node.append(svg('path', { class: 'area ' + (d.held.length > 1 ? SERIES[i % 6] : 'heldarea'), d: stepBand(xs, low, high, c.x, c.y) })));
  c.node.append(svg('path', { class: 'line used', d: path(xs, d.used.concat(d.used[n - 1]), c.x, c.y, true) }));
  if (shown) c.node.append(svg('path', { class: 'line capacity', d: path(xs, total.concat(total[total.length - 1]), c.x, c.y, true) }));
  brush(c, edges);
  out.push(c.node, legend(...d.held.map((s, i) => [d.held.length > 1 ? SERIES[i % 6] : 'heldarea', (d.held.length > 1 ? visible(shorten(s.name || '(no ' + d.by + ')', 40)) : 'held')]),
    ['used-key', 'used'], shown ? ['capacity-key', 'capacity of the machines'] : null));
  if (same) out.push(el('p', { class: 'note' }, 'The machines of the trace had no more cores than runs held: their capacity is not drawn.'));
  else if (cap > 0 && !shown) out.push(el('p', { class: 'note' }, `Capacity of the machines: ${number(cap)} cores, beyond this scale.`));
  if (d.mem && d.mem.length) {
    const m = chart({ width, height: 130, x: [xs[0], xs[n]], y: [0, Math.max(...d.mem) * 1.05 || 1], yText: bytes, xTime: true, xText: (t) => shortWhen(t, xs[n] - xs[0]), title: 'Memory held over time' });
    m.node.append(svg('path', { class: 'area mem', d: stepBand(xs, zero, d.mem, m.x, m.y) }));
    out.push(el('h3', {}, 'Memory held'), m.node);
  }
  out.push(footer('demand', rows, racecard('analyze', '--only workload', '--json', 'PERIOD')));
  return out;
}

// tableOf returns a function that makes the table of demand, a row per bin.
function tableOf(d) {
  return () => [['from', 'seconds', ...d.held.map((s) => 'held_' + (d.held.length > 1 ? s.name : 'cores')), 'used_cores', ...(d.mem ? ['mem_bytes'] : [])],
    ...d.used.map((used, i) => [stamp(d.from_s + i * d.bin_s), d.bin_s, ...d.held.map((s) => s.values[i]), used, ...(d.mem ? [d.mem[i]] : [])])];
}

// coarser returns demand in bins that are k times as wide, each the mean of those in it.
function coarser(d, k) {
  const wide = (values) => values && Array.from({ length: Math.ceil(values.length / k) }, (_, i) => {
    const part = values.slice(i * k, (i + 1) * k).filter(known);
    return part.length ? part.reduce((sum, v) => sum + v, 0) / part.length : null;
  });
  return { ...d, bin_s: d.bin_s * k, to_s: d.from_s + d.used.length * d.bin_s, used: wide(d.used), mem: wide(d.mem),
    held: d.held.map((s) => ({ ...s, values: wide(s.values) })), total: { ...d.total, values: wide(d.total.values) } };
}

// periodPicker chooses a period by two lists.
function periodPicker() {
  const names = D.buckets.edges.map((t) => D.unix ? when(t).replace(' 00:00', '') : '+' + seconds(t - D.buckets.edges[0]));
  const n = names.length - 1;
  const list = (key, at, from, to, text) => el('label', {}, text + ' ', el('select', { 'data-key': key, onchange: (e) => {
    const v = Number(e.target.value);
    const next = key === 'from' ? { from: v, to: Math.max(state.to ?? n, v + 1) } : { from: state.from ?? 0, to: v };
    change(next.from === 0 && next.to === n ? { from: undefined, to: undefined } : next);
  } }, names.slice(from, to + 1).map((text, i) => el('option', { value: from + i, selected: from + i === at }, text))));
  return el('span', { class: 'period' }, list('from', state.from ?? 0, 0, n - 1, 'Runs submitted from'), ' ', list('to', state.to ?? n, (state.from ?? 0) + 1, n, 'until'),
    ' ', inPeriod() && el('button', { type: 'button', 'data-key': 'all', onclick: () => change({ from: undefined, to: undefined }) }, 'All'));
}

function brush(c, edges) {
  const clip = (t) => Math.max(c.left, Math.min(c.right, c.x(t)));
  const rect = svg('rect', { class: 'brush', y: c.top, height: c.bottom - c.top, x: 0, width: 0 });
  const mark = (a, b) => { rect.setAttribute('x', clip(a)); rect.setAttribute('width', Math.max(0, clip(b) - clip(a))); };
  if (inPeriod()) mark(edges[state.from], edges[state.to]);
  c.node.append(rect);
  c.node.classList.add('brushed');
  const at = (e) => {
    const t = c.x.invert(e.clientX - c.node.getBoundingClientRect().left);
    let i = edges.findIndex((edge) => edge > t) - 1;
    if (i === -2) i = edges.length - 2;
    return Math.max(0, i);
  };
  let begin;
  c.node.addEventListener('pointerdown', (e) => { if (e.button === 0 && e.pointerType !== 'touch') { begin = at(e); c.node.setPointerCapture(e.pointerId); mark(edges[begin], edges[begin + 1]); } });
  c.node.addEventListener('pointermove', (e) => { if (begin !== undefined) { const i = at(e); mark(edges[Math.min(begin, i)], edges[Math.max(begin, i) + 1]); } });
  c.node.addEventListener('pointerup', (e) => {
    if (begin === undefined) return;
    const i = at(e), from = Math.min(begin, i), to = Math.max(begin, i) + 1;
    begin = undefined;
    change(from === 0 && to === edges.length - 1 ? { from: undefined, to: undefined } : { from, to });
    render(['from']);
  });
}
