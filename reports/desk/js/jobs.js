// Jobs: the table that is sorted and searched.

const FEW = 25;
let allRows = false;

function jobRow(i) {
  const j = D.jobs, part = inPeriod();
  return { i, job: j.job[i],
    runs: part ? sumOver(j.runs_by_bucket[i]) : j.runs[i],
    held: part ? sumOver(j.held_by_bucket[i]) : j.held_core_h[i],
    wasted: part ? sumOver(j.wasted_by_bucket[i]) : j.wasted_core_h[i],
    cost: j.cost && j.cost.length ? (part ? sumOver(j.cost_by_bucket[i]) : j.cost[i]) : null,
    p50: j.p50_s[i], p95: j.p95_s[i], change: j.changed[i] ? j.change[i] : null, any: j.change[i], cause: j.cause[i], since: j.since_s[i],
    due: j.deadline[i], risk: j.chance_of_a_miss[i] };
}
function jobRows() {
  const part = inPeriod(), rows = D.jobs.job.map((_, i) => jobRow(i));
  const q = (state.q || '').trim().toLowerCase();
  return rows.filter((r) => (!part || r.runs > 0) && (!q || r.job.toLowerCase().includes(q) || r.cause.toLowerCase().includes(q)));
}

function drawJobs() {
  const j = D.jobs, priced = j.cost && j.cost.length > 0, due = j.deadline.some(Boolean), part = inPeriod();
  const columns = [
    { key: 'job', text: 'Job', value: (r) => r.job.toLowerCase(), show: (r) => jobButton(r.i, 44), class: 'wide' },
    { key: 'runs', text: 'Runs', number: true, value: (r) => r.runs, show: (r) => count(r.runs) },
    priced ? { key: 'cost', text: 'Cost', number: true, value: (r) => r.cost, show: (r) => money(r.cost) }
      : { key: 'held', text: 'Core-hours', number: true, value: (r) => r.held, show: (r) => number(r.held) },
    { key: 'wasted', text: 'Wasted core-hours', number: true, value: (r) => r.wasted, show: (r) => meter(r.wasted / r.held, number(r.wasted)), title: 'Core-hours held but not useful' },
    { key: '', text: 'Median over time', show: (r) => spark(j.p50_by_bucket_s[r.i], 120, 26), class: 'sparks' },
    { key: 'p50', text: 'Median', number: true, value: (r) => r.p50, show: (r) => seconds(r.p50), title: 'Half of the runs took at most this' },
    { key: 'p95', text: 'P95', number: true, value: (r) => r.p95, show: (r) => seconds(r.p95), title: '95% of the runs took at most this' },
    { key: 'change', text: 'Change', number: true, value: (r) => r.change, show: (r) => known(r.change) ? el('span', { class: r.change > 0 ? 'up' : 'down' }, signed(r.change)) : known(r.any) ? el('span', { class: 'muted' }, '~') : NONE, title: 'Of the median; ~ is no change' },
    { key: 'cause', text: 'Cause', value: (r) => r.cause || null, show: (r) => r.cause ? [el('bdi', {}, visible(shorten(r.cause, 70))), known(r.since) ? el('span', { class: 'sub' }, 'since ' + when(r.since)) : ''] : '', class: 'cause' },
  ];
  if (due) {
    columns.push({ key: 'risk', text: 'Deadline risk', number: true, value: (r) => r.risk, title: 'Chance that the next run misses its deadline on the usual tokens',
      show: (r) => r.due ? [el('span', { class: r.risk > 0.05 ? 'up' : '' }, percent(r.risk)), el('span', { class: 'sub' }, (r.due.includes(':') ? 'by ' : 'within ') + r.due)] : '' });
  }
  const [key, way] = (state.sort || '').split('.');
  const sort = columns.find((c) => c.key === key && c.value);
  const all = j.job.length + j.more, far = D.beyond ? findJobs(allRows ? 500 : FEW) : null;
  const rows = far && far.known ? far.rows.map(jobRow) : jobRows();
  if (sort && !(far && far.known)) rows.sort(byValue(sort.value, way === 'down'));
  const matches = far && far.known ? far.matches : rows.length, shown = allRows ? rows.slice(0, far ? 500 : rows.length) : rows.slice(0, FEW);
  document.getElementById('found').textContent = far && !far.known || matches === all ? `${count(all)} ${all === 1 ? 'job' : 'jobs'}` : `${count(matches)} of ${count(all)} jobs`;
  const csvRows = () => [['job', 'runs', 'held_core_h', 'wasted_core_h', 'cost', 'p50_s', 'p95_s', 'change', 'cause', 'since', 'deadline', 'chance_of_a_miss'],
    ...(far ? shown : rows).map((r) => [r.job, r.runs, r.held, r.wasted, r.cost, r.p50, r.p95, r.change, r.cause, known(r.since) ? stamp(r.since) : '', r.due, r.risk])];
  return [
    table({ label: 'Jobs, ' + (sort ? 'by ' + sort.text.toLowerCase() : D.pending ? 'those whose runs took longest together first' : 'those that waste most first') + (part ? ', runs of the chosen period' : ''), columns, rows: shown, sort: sort ? { key, down: way === 'down' } : D.pending ? undefined : { key: 'wasted', down: true },
      current: (r) => r.job === currentJob(), onsort: (c, down) => change({ sort: c.key + (down ? '.down' : '.up') }) }),
    !rows.length && el('p', { class: 'note' }, all ? 'No job matches.' : 'The trace names no jobs.'),
    matches > shown.length && !allRows && el('button', { type: 'button', class: 'more', 'data-key': 'more', onclick: () => { allRows = true; render(['q']); } }, far && matches > 500 ? 'Show the first 500' : `Show all ${count(matches)}`),
    far && matches > shown.length && el('p', { class: 'note' }, `${count(shown.length)} of ${count(matches)} jobs are shown and saved as CSV; search and sorting look at all of them.`),
    part && el('p', { class: 'note' }, 'Runs, core-hours and waste are of the chosen period; medians, changes and risks are of all runs.'),
    j.more > 0 && !far && el('p', { class: 'note' }, `${count(j.more)} more jobs that waste less are left out.`),
    footer('jobs', csvRows, racecard('waste', D.price && '--price', D.price && word(D.price), '--json', 'PERIOD'), racecard('compare', '--all')),
  ];
}
function meter(share, text) {
  const fill = el('span', { class: 'fill' }), node = el('span', { class: 'meter', title: known(share) ? percent(share) + ' of what was held' : '' }, el('span', {}, text), el('span', { class: 'track', 'aria-hidden': 'true' }, fill));
  fill.style.width = known(share) ? Math.min(100, share * 100) + '%' : '0';
  return node;
}
const currentJob = () => state.job !== undefined && D.jobs.job.some((j) => shorten(j, 2000) === shorten(state.job, 2000)) ? D.jobs.job.find((j) => shorten(j, 2000) === shorten(state.job, 2000)) : D.jobs.job.find((_, i) => D.served || D.details[i]) ?? D.jobs.job[0];
