// Schedulers on clusters of several sizes.

function drawMachines(node) {
  const m = D.machines;
  if (m && !m.workers.length) return [el('p', { class: 'note' }, `Not simulated: ${visible(shorten(m.why, 300))}`), command(m.command)];
  if (!m) return [el('p', { class: 'note' }, 'Not simulated in this page; this command compares schedulers on clusters of several sizes.'), command(racecard('simulate eagle', '--experiment sweep'))];
  const width = widthOf(node, 1600), xs = m.workers.map(Math.log2), most = Math.max(...m.short_p95_s.flat().filter(known), 1e-9);
  const c = chart({ width, height: 270, xName: 'machines', yName: 'P95 of short jobs', x: [xs[0], xs[xs.length - 1] || 1], y: [0, most * 1.05], yTime: true, yText: seconds, xTicks: xs, xText: (t) => count(Math.round(2 ** t)), left: 72, right: 20, title: m.title });
  // Schedulers whose times are within 2% of each other are one line.
  const lines = [];
  m.schedulers.forEach((s, i) => {
    const like = lines.find((l) => m.short_p95_s[i].every((v, k) => Math.abs(v - l.p95[k]) <= 0.02 * l.p95[k]));
    if (like) like.names.push(s);
    else lines.push({ names: [s], p95: m.short_p95_s[i] });
  });
  lines.forEach((l, i) => c.node.append(svg('path', { class: 'line ' + SERIES[i % 6] + ' dash' + i % 3, d: path(xs, l.p95, c.x, c.y) }), ...l.p95.map((v, k) => known(v) && svg('circle', { class: 'point ' + SERIES[i % 6], cx: c.x(xs[k]), cy: c.y(v), r: 3 })).filter(Boolean)));
  const rows = m.schedulers.flatMap((s, i) => m.workers.map((w, k) => ({ s, w, p50: m.short_p50_s[i][k], p95: m.short_p95_s[i][k], long: m.long_p95_s[i][k], busy: m.utilization[i][k] })));
  const best = m.schedulers.map((s, i) => { // the fewest workers with a P95 within a tenth of the first scheduler's on the largest cluster
    const goal = m.short_p95_s[0][m.workers.length - 1] * 1.1, k = m.short_p95_s[i].findIndex((v) => v <= goal);
    return { s, k };
  });
  const columns = [{ text: 'Scheduler', show: (r) => r.s }, { text: 'Machines', number: true, show: (r) => count(r.w) }, { text: 'Short jobs, median', number: true, show: (r) => seconds(r.p50) }, { text: 'Short jobs, P95', number: true, show: (r) => seconds(r.p95) },
    { text: 'Long jobs, P95', number: true, show: (r) => seconds(r.long) }, { text: 'Busy', number: true, show: (r) => percent(r.busy) }];
  return [el('p', { class: 'lead' }, `Fewest machines on which 95% of short jobs end within 1.1 times their time under ${m.schedulers[0]} on ${count(m.workers[m.workers.length - 1])} machines: `, best.map((b, i) => [i ? ', ' : '', el('b', {}, b.s), b.k < 0 ? ' none of these' : ` ${count(m.workers[b.k])}`]), '.'),
    c.node, legend(...lines.map((l, i) => [SERIES[i % 6], l.names.join(' and ') + (l.names.length > 1 ? ', alike' : '')])), table({ label: 'Schedulers by number of machines', columns, rows }), ...(m.notes || []).map((n) => el('p', { class: 'note' }, sentence(n))),
    footer('schedulers', () => [['scheduler', 'machines', 'short_p50_s', 'short_p95_s', 'long_p95_s', 'utilization'], ...rows.map((r) => [r.s, r.w, r.p50, r.p95, r.long, r.busy])], m.command)];
}
