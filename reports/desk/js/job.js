// One job: its runs, what changed, and what other numbers of tokens and deadlines would do.

const currentRow = () => D.jobs.job.indexOf(currentJob());
const detailOf = (row) => D.details && D.details[row];

function drawJob(node) {
  if (D.beyond && state.job !== undefined && !D.jobs.job.includes(state.job) && !asked.has('name ' + state.job)) {
    askName(state.job);
    return el('p', { class: 'note busy' }, 'Looking for the job …');
  }
  const row = currentRow();
  if (row < 0) return el('p', { class: 'note' }, 'The trace names no jobs.');
  const job = D.jobs.job[row], d = detailOf(row);
  const head = el('div', { class: 'controls' }, el('label', {}, 'Job ', el('select', { 'data-key': 'job', class: 'jobs', onchange: (e) => change({ job: D.jobs.job[Number(e.target.value)], run: undefined, cores: undefined, due: undefined }) },
    D.jobs.job.map((j, i) => (D.served || D.details[i] || i === row) && el('option', { value: i, selected: i === row }, visible(shorten(j, 80)))))));
  const title = el('p', { class: 'jobname' }, name(job, 400));
  if (!d) {
    if (D.served) { askDetail(row); return [head, title, el('p', { class: 'note busy' }, 'Reading its runs …')]; }
    if (D.jobs.runs[row] < 2) return [head, title, el('p', { class: 'note' }, 'The job has one run: there is nothing to compare it with.')];
    return [head, title, el('p', { class: 'note' }, 'This page holds details of the jobs that waste most. '), command(racecard('desk', '--out', 'page.html', '--jobs', String(D.jobs.job.length)))];
  }
  const wide = widthOf(node, 1600), two = wide >= 1000, part = two ? Math.floor((wide - 32) / 2) : wide;
  return [head, title, facts(row, d), runsOverTime(row, d, wide), el('div', { class: two ? 'pair' : '' },
    el('div', { class: 'card' }, stagesThenNow(row, d, part)), el('div', { class: 'card' }, forecastPanel(row, d, part))), el('div', { class: two ? 'pair' : '' },
    el('div', { class: 'card' }, deadlinePanel(row, d, part)), el('div', { class: 'card' }, fanPanel(row, d, part)))];
}
function facts(row, d) {
  const j = D.jobs;
  const fact = (k, v) => v && el('div', {}, el('dt', {}, k), el('dd', {}, v));
  return el('dl', { class: 'facts' }, fact('Runs', count(j.runs[row])), fact('Median', seconds(j.p50_s[row])), fact('P95', seconds(j.p95_s[row])), fact('Usually submitted', d.start && (d.times && d.times.length > 4 ? `${count(d.times.length)} times a day` : 'at ' + (d.times || [d.start]).join(', '))),
    fact('Core-hours', number(j.held_core_h[row])), fact('Wasted', percent(j.wasted_core_h[row] / j.held_core_h[row])),
    fact('Changed', j.changed[row] ? [signed(j.change[row]), known(j.since_s[row]) ? ' since ' + when(j.since_s[row]) : ''] : 'no'),
    fact('Cause', j.cause[row] && el('bdi', {}, visible(shorten(j.cause[row], 90)))), fact('Deadline', j.deadline[row] && [j.deadline[row], ', missed with a chance of ', percent(j.chance_of_a_miss[row])]));
}

function runsOverTime(row, d, width) {
  const r = d.runs, n = r.id.length, at = r.at_s, took = r.took_s;
  const head = el('h3', {}, 'Runs over time');
  const valid = at.map((t, i) => known(t) && known(took[i]));
  if (!valid.some(Boolean)) return [head, el('p', { class: 'note' }, 'No run has a known completion time.')];
  const ts = at.filter((_, i) => valid[i]), ys = took.filter((_, i) => valid[i]);
  const pad = (Math.max(...ts) - Math.min(...ts)) * 0.02 || 1;
  const x = [Math.min(...ts) - pad, Math.max(...ts) + pad];
  const c = chart({ width, height: 245, x, y: [0, Math.max(...ys) * 1.1 || 1], yTime: true, yText: seconds, yName: 'completion time', xTime: true, xText: (t) => shortWhen(t, x[1] - x[0]), left: 72,
    title: `Completion times of ${n} runs; median ${seconds(D.jobs.p50_s[row])}` });
  const since = D.jobs.since_s[row];
  if (inPeriod()) {
    const a = Math.max(c.left, c.x(D.buckets.edges[state.from])), b = Math.min(c.right, c.x(D.buckets.edges[state.to]));
    if (b > a) c.node.append(svg('rect', { class: 'brush', x: a, width: b - a, y: c.top, height: c.bottom - c.top }));
  }
  if (D.jobs.changed[row] && known(since)) {
    const mid = (of) => { const s = of.slice().sort((a, b) => a - b); return s.length ? (s[Math.floor((s.length - 1) / 2)] + s[Math.ceil((s.length - 1) / 2)]) / 2 : NaN; };
    const before = mid(took.filter((s, i) => valid[i] && at[i] < since && r.status[i] === 'succeeded')), after = mid(took.filter((s, i) => valid[i] && at[i] >= since && r.status[i] === 'succeeded'));
    const px = Math.max(c.left, c.x(since));
    for (const [a, b, y] of [[c.left, px, before], [px, c.right, after]]) if (known(y)) c.node.append(svg('line', { class: 'level', x1: a, x2: b, y1: c.y(y), y2: c.y(y) }));
    if (since >= x[0]) {
      const late = px > (c.left + c.right) / 2;
      c.node.append(svg('line', { class: 'changeline', x1: px, x2: px, y1: c.top, y2: c.bottom }),
        svg('text', { class: 'label', x: px + (late ? -6 : 6), y: c.top + 10, 'text-anchor': late ? 'end' : 'start' }, visible(shorten(D.jobs.cause[row] || 'changed', Math.floor(width / 16)))));
    }
  }
  const explained = new Set((d.explained || []).map((e) => e.run));
  for (let i = 0; i < n; i++) {
    if (!valid[i]) continue;
    const px = c.x(at[i]), py = c.y(took[i]), bad = r.status[i] !== 'succeeded' && r.status[i] !== 'unknown';
    const mark = bad ? svg('path', { class: 'fail', d: `M${px - 3.5} ${py - 3.5}l7 7m0-7l-7 7` }) : svg('circle', { class: 'run' + (explained.has(r.id[i]) || D.served ? ' explained' : ''), cx: px, cy: py, r: r.id[i] === state.run ? 6 : 3.2 });
    mark.append(svg('title', {}, `${visible(shorten(r.id[i], 80))}\n${when(at[i])}: ${seconds(took[i])}, ${r.status[i]}`));
    if (explained.has(r.id[i]) || D.served) mark.addEventListener('click', () => { change({ run: r.id[i], show: 'run' }); show('run'); });
    c.node.append(mark);
  }
  const rows = () => [['run', 'submitted', 'took_s', 'tokens', 'input_bytes', 'status'], ...r.id.map((id, i) => [id, stamp(at[i]), took[i], r.tokens[i], r.input_bytes[i], r.status[i]])];
  return el('div', { class: 'card' }, head, c.node, legend(D.served ? null : ['run-key', 'run'], explained.size || D.served ? ['explained-key', 'run; a click explains it'] : null, ['fail-key', 'did not succeed'], D.jobs.changed[row] ? ['level-key', 'median before and after'] : null),
    r.more > 0 && el('p', { class: 'note' }, `The newest ${count(n)} of ${count(n + r.more)} runs.`), footer('runs', rows, ...usualCommands(row, d)));
}

// usualCommands print the runs of a job: before and after its change, or the latest one against the usual.
function usualCommands(row, d) {
  if (D.jobs.changed[row]) return [racecard('compare', '--all')];
  return D.served || (d.explained || []).length ? [racecard('explain', '--job', word(D.jobs.job[row]))] : [];
}
function stagesThenNow(row, d, width) {
  const s = d.stages, head = el('h3', {}, 'Stages, then and now');
  if (!s || !s.stage || !s.stage.length) return [head, el('p', { class: 'note' }, 'Too few runs with stages.')];
  const order = s.stage.map((_, i) => i).sort((a, b) => Math.abs(s.now_core_s[b] - s.then_core_s[b]) - Math.abs(s.now_core_s[a] - s.then_core_s[a])).slice(0, 14);
  const most = Math.max(...s.now_core_s, ...s.then_core_s, 1e-9);
  const bar = (v, cls) => { const f = el('span', { class: 'stagebar ' + cls }); f.style.width = Math.max(0.5, v / most * 100) + '%'; return f; };
  const body = order.map((i) => el('tr', {}, el('th', { scope: 'row' }, name(s.stage[i] || '(the run itself)', 90)),
    el('td', { class: 'bars', 'aria-hidden': 'true' }, bar(s.then_core_s[i], 'then'), bar(s.now_core_s[i], 'now')), el('td', { class: 'number' }, seconds(s.then_core_s[i])), el('td', { class: 'number' }, seconds(s.now_core_s[i])),
    el('td', { class: 'number' }, ratio(s.now_core_s[i], s.then_core_s[i]))));
  const rows = () => [['stage', 'then_core_s', 'now_core_s', 'longest_task_then_s', 'longest_task_now_s'], ...s.stage.map((n, i) => [n, s.then_core_s[i], s.now_core_s[i], s.longest_then_s[i], s.longest_now_s[i]])];
  const label = 'Core time of stages before and after a change';
  return [head, el('p', { class: 'note' }, `Core time in a usual run: median of ${count(s.runs_then)} runs before and ${count(s.runs_now)} from ${when(s.from_s)} on.`),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, el('table', { class: 'stages' }, el('caption', {}, label), el('thead', {}, el('tr', {}, ['Stage', '', 'Then', 'Now', ''].map((t, i) => t ? el('th', { scope: 'col', class: i > 1 ? 'number' : '' }, t) : el('td')))), el('tbody', {}, body))),
    d.parts && d.parts.length ? partsList(d.parts) : '', footer('stages', rows, ...(d.parts && d.parts.length ? [racecard('compare', '--json')] : usualCommands(row, d)))];
}
const ratio = (now, then) => then > 0 && now > 0 ? Math.abs(now / then - 1) < 0.1 ? el('span', { class: 'muted' }, '~') : el('span', { class: now > then ? 'up' : 'down' }, '×' + number(now / then)) : '';
const PARTS = { queueing: 'queueing', cores: 'cores', input: 'input', driver: 'driver and start-up', contention: 'contention (all stages alike)', failures: 'failures', unexplained: 'unexplained' };
const partName = (p) => p.what === 'stage' || p.what === 'skew' ? [p.what === 'skew' ? 'skew in stage ' : 'stage ', name(p.stage || '(the run itself)', 60)] : PARTS[p.what] || p.what;
function partsList(parts) {
  const most = Math.max(...parts.map((p) => Math.abs(p.seconds)), 1e-9), big = parts.filter((p) => Math.abs(p.seconds) >= 0.03 * most).slice(0, 6);
  return el('p', { class: 'note' }, 'The change of the mean run: ', big.map((p, i) => [i ? ', ' : '', partName(p), ' ', el('b', {}, signedSeconds(p.seconds))]), '.');
}

// unitOf is the name of what a job's runs hold: core or token.
const unitOf = (d) => (d.forecast && d.forecast.unit) || 'core';
// coreAt is the position in the grid of tokens that the slider is at.
const coreAt = (f) => Math.min(state.cores ?? f.usual, f.tokens.length - 1);
const dueAt = (row, f) => Math.min(state.due ?? stated(row, f), f.deadline_s.length - 1);
function stated(row, f) {
  const risk = D.jobs.chance_of_a_miss[row]; // of the deadline that was stated
  if (known(risk) && known(detailOf(row).due_s)) return Math.max(0, f.deadline_s.indexOf(detailOf(row).due_s));
  const i = f.deadline_s.findIndex((s) => s >= f.p95_s[f.usual]);
  return i < 0 ? f.deadline_s.length - 1 : i;
}
// dueFlags are the flags of racecard forecast for a deadline of the run.
const dueFlags = (f, due) => [...(f.start ? ['--start', f.start] : []), '--deadline', due + 's'];
const grid = (f) => f.tokens.join(',');
function slider(key, text, value, most, shown) {
  const output = el('output', {}, shown);
  return el('label', { class: 'slider' }, el('span', {}, text, ' ', output), el('input', { type: 'range', min: 0, max: most, step: 1, value, 'data-key': key, 'aria-valuetext': shown, oninput: (e) => change({ [key]: Number(e.target.value) }) }));
}

function forecastPanel(row, d, width) {
  const f = d.forecast, head = el('h3', {}, 'The next run on other ' + unitOf(d) + 's');
  if (!f) return [head, el('p', { class: 'note' }, 'No forecast: ' + visible(shorten(d.why, 300)) + '.')];
  const i = coreAt(f), n = f.tokens.length, top = Math.max(...f.p95_s.slice(0), 1e-9);
  const height = 260, low = f.tokens[0], high = f.tokens[n - 1];
  const ys = [0, Math.min(top, f.p95_s[f.usual] * 4) * 1.05];
  const logx = (v) => Math.log2(v);
  const c = chart({ width, height, x: [logx(low), logx(high) || 1], y: ys, yTime: true, yText: seconds, left: 72, right: 16, xTicks: f.tokens.map(logx), xText: (t) => count(Math.round(2 ** t)), xName: unitOf(d) + 's', yName: 'time of the run',
    title: `Time of the next run on ${count(low)} to ${coresText(high, f.unit)}: median, 90% and 95%. On ${coresText(f.tokens[i], f.unit)} half end in ${seconds(f.p50_s[i])} and 95% in ${seconds(f.p95_s[i])}` });
  c.node.prepend(hatch('beyond'));
  const X = (v) => c.x(logx(v)), Y = (v) => Math.max(c.top, c.y(v));
  const seen = f.tokens_seen;
  if (known(seen[0]) && known(seen[1])) {
    for (const [a, b] of [[c.left, X(Math.max(low, seen[0], 1))], [X(Math.max(low, Math.min(high, seen[1]))), c.right]]) if (b - a > 1) c.node.append(svg('rect', { class: 'beyond', x: a, width: b - a, y: c.top, height: c.bottom - c.top, fill: 'url(#beyond)' }));
  }
  const lx = f.tokens.map(logx);
  const cut = (v) => v.map((s) => Math.min(s, ys[1]));
  c.node.append(svg('path', { class: 'band', d: band(lx, cut(f.p50_s), cut(f.p95_s), c.x, c.y) }),
    svg('path', { class: 'line thin', d: path(lx, cut(f.p90_s), c.x, c.y) }), svg('path', { class: 'line', d: path(lx, cut(f.p50_s), c.x, c.y) }));
  if (f.knee >= 0) {
    c.node.append(svg('circle', { class: 'knee', cx: X(f.tokens[f.knee]), cy: Y(f.p50_s[f.knee]), r: 5 }));
    const end = f.knee > n - 3;
    const py = Y(f.p50_s[f.knee]), below = py + 18 < c.bottom - 4; // below the median there is no other line
    c.node.append(svg('text', { class: 'label', x: X(f.tokens[f.knee]) + (end ? -8 : 8), y: below ? py + 18 : Math.max(c.top + 10, py - 10), 'text-anchor': end ? 'end' : 'start' }, `knee: ${count(f.tokens[f.knee])}`));
  }
  c.node.append(svg('line', { class: 'cursor', x1: X(f.tokens[i]), x2: X(f.tokens[i]), y1: c.top, y2: c.bottom }));
  const read = el('dl', { class: 'readout', 'aria-live': 'polite' }, [['Half end in', seconds(f.p50_s[i])], ['90% in', seconds(f.p90_s[i])], ['95% in', seconds(f.p95_s[i])], ['Core-hours', number(f.core_h[i])], ...(coreCost(f.core_h[i], row))].map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v))));
  const rows = () => [['tokens', 'p50_s', 'p90_s', 'p95_s', 'core_h', 'extrapolated'], ...f.tokens.map((k, i) => [k, f.p50_s[i], f.p90_s[i], f.p95_s[i], f.core_h[i], f.extrapolated[i]])];
  const notes = [...(f.notes || []), ...(f.warnings || [])].map((text) => el('p', { class: 'note' }, sentence(text)));
  return [head, slider('cores', unitLabel(f.unit), i, n - 1, count(f.tokens[i]) + (i === f.usual && known(seen[0]) ? ', as usual' : '') + (f.extrapolated[i] ? ', extrapolated' : '')), read, c.node,
    legend(['line-key', 'half of runs'], ['band-key', 'up to 95%'], known(seen[0]) ? ['beyond-key', 'extrapolated: no past run held as many or as few'] : null, f.knee >= 0 ? ['knee-key', 'knee: the fewest within 10% of the shortest'] : null), ...notes,
    footer('forecast', rows, racecard('forecast', '--job', word(D.jobs.job[row]), '--tokens', grid(f), ...(f.start ? dueFlags(f, f.deadline_s[dueAt(row, f)]) : [])))];
}
function coreCost(coreH, row) {
  const cost = D.jobs.cost && D.jobs.cost[row], held = D.jobs.held_core_h[row];
  return D.today.waste.priced && held > 0 ? [['Cost', money(coreH * cost / held)]] : [];
}

function deadlinePanel(row, d, width) {
  const f = d.forecast, head = el('h3', {}, 'A deadline');
  if (!f || !f.deadline_s.length) return [head, el('p', { class: 'note' }, 'No forecast.')];
  const k = dueAt(row, f), i = coreAt(f), due = f.deadline_s[k], chance = f.chance[k];
  const by = d.start ? ', ' + clockAfter(d.start, due) + ' if submitted at ' + d.start : '';
  const c = chart({ width, height: 220, x: [Math.log2(f.tokens[0]), Math.log2(f.tokens[f.tokens.length - 1]) || 1], y: [0, 1], yText: percent, yTicks: [0, 0.25, 0.5, 0.75, 1], xTicks: f.tokens.map(Math.log2), xText: (t) => count(Math.round(2 ** t)), xName: unitOf(d) + 's', yName: 'chance to end in time', right: 16,
    title: `Chance that the run ends within ${seconds(due)}, by ${f.unit}s` });
  const lx = f.tokens.map(Math.log2);
  c.node.append(svg('line', { class: 'level', x1: c.left, x2: c.right, y1: c.y(f.sure), y2: c.y(f.sure) }), svg('text', { class: 'label', x: c.right, y: c.y(f.sure) + 14, 'text-anchor': 'end' }, percent(f.sure)));
  c.node.append(svg('path', { class: 'line', d: path(lx, chance, c.x, c.y) }), svg('line', { class: 'cursor', x1: c.x(lx[i]), x2: c.x(lx[i]), y1: c.top, y2: c.bottom }), svg('circle', { class: 'dot', cx: c.x(lx[i]), cy: c.y(chance[i]), r: 4 }));
  const fewest = f.fewest[k];
  const rows = () => [['deadline_s', ...f.tokens.map((n) => 'chance_on_' + n), 'fewest_tokens', 'chance_on_fewest'], ...f.deadline_s.map((s, k) => [s, ...f.chance[k], f.fewest[k] > 0 ? f.fewest[k] : null, f.fewest_chance[k]])];
  return [head, slider('due', 'Within', k, f.deadline_s.length - 1, seconds(due) + by),
    el('dl', { class: 'readout', 'aria-live': 'polite' }, [['Chance of a miss on ' + coresText(f.tokens[i], f.unit), percent(1 - chance[i])], [`Fewest ${f.unit}s for ${percent(f.sure)}`, fewest > 0 ? count(fewest) : fewest < 0 ? 'not known' : 'none suffice'], ['Chance on these', fewest > 0 ? percent(f.fewest_chance[k]) : NONE]].map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v)))),
    c.node, footer('deadline', rows, racecard('forecast', '--job', word(D.jobs.job[row]), '--tokens', grid(f), ...dueFlags(f, due)))];
}
function clockAfter(start, after) {
  const [h, m] = start.split(':').map(Number);
  return 'by ' + clockText(h * 3600 + m * 60 + after);
}

function fanPanel(row, d, width) {
  const f = d.fan, head = el('h3', {}, 'Remaining time, C(p,a)');
  if (!f && !d.stages) return [head, el('p', { class: 'note' }, 'Too few runs with stages.')];
  if (!f) return [head, el('p', { class: 'note' }, 'Simulated for the jobs that waste most; these commands build it for any.'), ...fanCommands(row, d).map(command)];
  const k = Math.max(0, f.tokens.length > 1 ? nearest(f.tokens, d.forecast.tokens[coreAt(d.forecast)]) : 0);
  const c = chart({ width, height: 260, x: [0, 1], y: [0, Math.max(f.p95_s[k][0], 1e-9) * 1.05], yTime: true, yText: seconds, xText: percent, xTicks: [0, 0.25, 0.5, 0.75, 1], xName: 'progress', yName: 'remaining time', left: 72, right: 20,
    title: `Remaining time on ${coresText(f.tokens[k], unitOf(d))} by progress: at the start half of runs take ${seconds(f.p50_s[k][0])}` });
  c.node.append(svg('path', { class: 'band', d: band(f.progress, f.p50_s[k], f.p95_s[k], c.x, c.y) }), svg('path', { class: 'line thin', d: path(f.progress, f.p90_s[k], c.x, c.y) }), svg('path', { class: 'line', d: path(f.progress, f.p50_s[k], c.x, c.y) }));
  const ended = f.progress[1 + f.p50_s[k].findLastIndex((s) => s > f.p50_s[k][0] / 1000)];
  const rests = ended < 0.95 && `On ${coresText(f.tokens[k], unitOf(d))}, simulated runs never rest at ${percent(ended)} or more: they end at once.`;
  const rows = () => [['tokens', 'progress', 'p50_s', 'p90_s', 'p95_s'], ...f.tokens.flatMap((n, k) => f.progress.map((p, i) => [n, p, f.p50_s[k][i], f.p90_s[k][i], f.p95_s[k][i]]))];
  return [head, el('p', { class: 'note' }, `On ${coresText(f.tokens[k], unitOf(d))}, the nearest to the slider of ${f.tokens.map(count).join(', ')}; by share of the work done.${f.newest ? ` From the newest ${count(f.newest)} runs; the commands take all.` : ''}`), c.node, legend(['line-key', 'half of runs'], ['band-key', 'up to 95%']), rests && el('p', { class: 'note' }, rests), ...(f.notes || []).map((text) => el('p', { class: 'note' }, sentence(text))), footer('fan', rows, ...fanCommands(row, d))];
}
const nearest = (all, x) => all.reduce((best, v, i) => Math.abs(Math.log(v / x)) < Math.abs(Math.log(all[best] / x)) ? i : best, 0);
function fanCommands(row, d) {
  const cores = d.fan ? d.fan.tokens : d.forecast ? [d.forecast.tokens[d.forecast.usual]] : [];
  if (!cores.length) return [];
  return [racecard('fit', '--job', word(D.jobs.job[row]), '--min-runs 1', '--out', 'models'), `racecard table build models --out tables --allocations ${cores.join(',')} && racecard table lookup tables --job ${word(D.jobs.job[row])} --progress 0.5 --allocation ${cores[Math.floor(cores.length / 2)]}`];
}
