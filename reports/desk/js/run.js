// One run against its usual, in seconds that sum to the difference, and its slowest tasks.

function drawRun(node) {
  const row = currentRow(), d = row >= 0 && detailOf(row);
  if (!d) return el('p', { class: 'note' }, 'Choose a job.');
  let all = d.explained || [];
  if (!all.length) return [el('p', { class: 'note' }, 'No run of this job has a time and a usual to compare it with.'), command(racecard('explain', '--job', word(D.jobs.job[row])))];
  let e = all.find((e) => e.run === state.run);
  if (!e && D.served && state.run && d.runs.id.includes(state.run)) { askRun(row, state.run); return el('p', { class: 'note busy' }, 'Reading the run …'); }
  e = e || all[0];
  const beyond = e.took_s - e.usual_s;
  const head = el('div', { class: 'controls' }, el('label', {}, 'Run ', el('select', { 'data-key': 'run', class: 'jobs', onchange: (ev) => change({ run: ev.target.value }) },
    all.map((x) => el('option', { value: x.run, selected: x === e }, `${when(x.submitted_s)}  ${signedSeconds(x.took_s - x.usual_s)}  ${visible(shorten(x.run, 60))}`)))),
  el('span', { class: 'muted' }, D.served ? 'A click on a run above explains it.' : 'The latest run, and the runs furthest from the median.'));
  const sum = el('p', { class: 'lead' }, `Took ${seconds(e.took_s)}, ${seconds(Math.abs(beyond))} ${beyond < 0 ? 'less' : 'longer'} than usual (${seconds(e.usual_s)}; 8 of 10 between ${seconds(e.usual_p10_s)} and ${seconds(e.usual_p90_s)}, n = ${count(e.usual_runs)}).`);
  const wide = widthOf(node, 1600), two = wide >= 1000;
  const parts = e.parts || [], most = Math.max(...parts.map((p) => Math.abs(p.seconds)), 1e-9);
  const big = parts.filter((p) => Math.abs(p.seconds) >= 0.02 * most), rest = parts.filter((p) => Math.abs(p.seconds) < 0.02 * most).reduce((s, p) => s + p.seconds, 0);
  const slow = e.slowest || [], label = 'Slowest tasks';
  const rows = () => [['part', 'stage', 'seconds'], ...parts.map((p) => [p.what, p.stage, p.seconds]), ['usual', '', e.usual_s], ['took', '', e.took_s], ...slow.map((t) => [`slow task ${t.task}.${t.attempt}`, t.stage, t.seconds])];
  const notes = (e.warnings || []).map((text) => el('p', { class: 'note' }, sentence(text)));
  return [head, sum, ...notes, el('div', { class: two ? 'pair' : '' },
    el('div', { class: 'card' }, el('h3', {}, 'Usual to this run'), waterfall(e, big, rest, two ? Math.floor((wide - 32) / 2) : wide)),
    el('div', { class: 'card' }, el('h3', {}, label), el('p', { class: 'note' }, 'By how much they outlast the median of their stage.'), slow.length ? table({ label, rows: slow, columns: [
      { text: 'Stage', show: (t) => name(t.stage || '(the run itself)', 90) }, { text: 'Task', number: true, show: (t) => t.task + (t.attempt ? ` (attempt ${t.attempt})` : '') },
      { text: 'Took', number: true, show: (t) => seconds(t.seconds) }, { text: 'Median', number: true, show: (t) => seconds(t.median_s) }, { text: 'Machine', show: (t) => t.machine ? name(t.machine, 40) : NONE }, { text: 'Status', show: (t) => t.status }] }) : el('p', { class: 'note' }, 'No attempt outlasts the median of its stage.'))),
  footer('run', rows, racecard('explain', '--run', word(e.run)))];
}

function waterfall(e, parts, rest, width) {
  const items = [{ label: 'usual', from: 0, to: e.usual_s, total: true }];
  let at = e.usual_s;
  for (const p of parts) { items.push({ part: p, from: at, to: at + p.seconds }); at += p.seconds; }
  if (Math.abs(rest) > 1e-9) { items.push({ label: 'small parts', from: at, to: at + rest }); at += rest; }
  items.push({ label: 'this run', from: 0, to: e.took_s, total: true });
  const line = 28, left = Math.min(260, width * 0.42), right = 86, height = items.length * line + 6;
  const high = Math.max(...items.map((i) => Math.max(i.from, i.to)), 1e-9) * 1.02;
  const x = scale(0, high, left, width - right);
  const node = svg('svg', { class: 'chart', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `From the usual ${seconds(e.usual_s)} to ${seconds(e.took_s)}: ` + parts.map((p) => `${p.what} ${p.stage || ''} ${signedSeconds(p.seconds)}`).join(', ') });
  items.forEach((i, k) => {
    const y = k * line + 5, text = i.label || visible(partLabel(i.part)), lines = twoLines(text, Math.floor((left - 8) / (text.length * 6.4 > left - 8 ? 5.9 : 6.4)));
    const a = x(Math.min(i.from, i.to)), b = x(Math.max(i.from, i.to));
    node.append(svg('text', { class: 'tick name' + (lines.length > 1 ? ' small' : ''), x: left - 8, y: y + 8, 'text-anchor': 'end' }, svg('title', {}, text),
      lines.map((part, n) => svg('tspan', { x: left - 8, dy: n ? '1.05em' : lines.length > 1 ? '-.2em' : '.32em' }, part))),
      svg('rect', { class: i.total ? 'total' : i.to > i.from ? 'longer' : 'shorter', x: a, y, width: Math.max(1.5, b - a), height: 16 }),
      svg('text', { class: 'tick value', x: b + 6, y: y + 8, dy: '.32em' }, i.total ? seconds(i.to) : signedSeconds(i.to - i.from)));
    if (k < items.length - 1) node.append(svg('line', { class: 'grid', x1: x(i.to), x2: x(i.to), y1: y + 16, y2: y + line }));
  });
  return node;
}
const partLabel = (p) => p.what === 'stage' || p.what === 'skew' ? (p.what === 'skew' ? 'skew in ' : 'stage ') + (p.stage || '(the run itself)') + otherTasks(p) : PARTS[p.what] || p.what;
// otherTasks are the tasks of a part's stage, of the usual run and of this one, where they differ by a tenth or more.
const otherTasks = (p) => p.here !== undefined && Math.abs(p.here - p.usual) >= 0.1 * p.usual ? `, ${count(p.usual)} → ${count(p.here)} tasks` : '';
// twoLines divides a text into at most two lines of so many characters, at a space where there is one.
function twoLines(text, most) {
  if (text.length <= most) return [text];
  const space = text.lastIndexOf(' ', most), at = space > most / 3 ? space : most;
  return [text.slice(0, at), shorten(text.slice(at).trim(), most)];
}
