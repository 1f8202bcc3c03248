// Today: what the period cost, what of it was used, and what is late, slower or odd.

const CLASSES = [['useful', 'useful'], ['failed', 'failed'], ['speculative', 'speculative'], ['barrier_idle', 'idle, waiting for tasks'],
  ['tail_idle', 'idle, last tasks'], ['driver', 'driver'], ['unused', 'never used']];
const periodText = () => inPeriod() ? `${when(D.buckets.edges[state.from])} to ${when(D.buckets.edges[state.to])}` : `${when(D.from_s)} to ${when(D.to_s)}`;
const money = (x) => number(x);

const statOf = (value, label, note, cls) => el('div', { class: 'stat ' + (cls || '') }, el('dt', {}, label), el('dd', {}, value), el('dd', { class: 'sub' }, note || ''));
// reading stands where the numbers of a panel are still to come.
const reading = () => D.failed ? el('p', { class: 'note', role: 'alert' }, 'The store cannot be read: ' + visible(shorten(D.failed, 300)))
  : el('p', { class: 'note busy' }, 'Reading what the runs held …');

function drawToday() {
  if (D.pending) {
    return [el('dl', { class: 'stats' }, statOf(count(inPeriod() ? sumOver(D.buckets.runs) : D.runs), 'Runs', ''), statOf(count(D.today.changed), 'Jobs changed', 'of ' + count(D.today.compared) + ' compared')), reading()];
  }
  const w = D.today.waste, b = D.buckets, whole = !inPeriod();
  const available = w.available;
  const held = whole && available ? w.held_core_h : sumOver(b.held_core_h), wasted = whole && available ? w.wasted_core_h : sumOver(b.wasted_core_h);
  const runs = whole ? D.runs : sumOver(b.runs), bad = whole ? D.not_succeeded : sumOver(b.not_succeeded);
  const bad7 = D.today.breaches.length;
  const priced = w.priced;
  // Where nothing was held but what tasks used, idle time is not known.
  const idle = Object.entries(w.by_basis || {}).some(([basis, n]) => basis !== 'use' && n > 0);
  const failures = available && (w.status_unknown || 0) < w.runs;
  const bads = bad ? count(bad) + ' did not succeed' : D.status_unknown ? 'none is known to have failed' : 'all succeeded';
  const ends = whole && D.status_unknown ? `; of ${D.status_unknown === runs ? 'none' : count(runs - D.status_unknown)} the end is known` : '';
  const cost = whole && priced ? w.cost : sumOver(b.cost);
  const out = [el('dl', { class: 'stats' },
    priced ? statOf(money(cost), 'Cost', number(held) + ' core-hours') : statOf(available ? number(held) : NONE, idle ? 'Core-hours held' : 'Core-hours of tasks', 'no prices given'),
    statOf(available && idle ? percent((held - wasted) / held) : NONE, 'Used', available && !idle ? 'what was held is not known' : available ? number(held - wasted) + ' core-hours' : ''),
    statOf(failures || available && idle ? percent(wasted / held) : NONE, idle ? 'Wasted' : 'Wasted by failures', failures || available && idle ? number(wasted) + ' core-hours' : available ? 'how runs ended is not known' : ''),
    statOf(count(runs), 'Runs', bads + ends, bad > 0.1 * runs ? 'warn' : ''),
    statOf(count(D.today.changed), 'Jobs changed', 'of ' + count(D.today.compared) + ' compared'),
    statOf(count(bad7), 'Rules breached', bad7 ? 'see below' : 'none', bad7 ? 'warn' : ''))];
  if (available) out.push(heldBar(w, whole, idle ? 'Core-hours held, by use' : 'Core-hours of tasks, by use'));
  for (const text of w.warnings || []) out.push(el('p', { class: 'note' }, sentence(text)));
  out.push(el('div', { class: 'columns' }, breaches(), warnings()));
  const rows = () => [['measure', 'value'], ['from', periodText()], ['held_core_h', held], ['wasted_core_h', wasted], ['cost', priced ? cost : null], ['runs', runs],
    ['not_succeeded', bad], ...(whole && available ? CLASSES.map(([k]) => [k + '_core_h', w.classes[k]]) : []),
    ...D.today.breaches.map((x) => ['breach: ' + x.rule, x.job + ': ' + x.what])];
  out.push(footer('today', rows, racecard('waste', D.price && '--price', D.price && word(D.price), 'PERIOD'), racecard('check', '--now end', ...deadlineFlags()), ['racecard inspect', word(D.path)].join(' ')));
  return out;
}
const deadlineFlags = () => D.jobs.job.flatMap((job, i) => D.jobs.deadline[i] ? ['--deadline', word(job + '=' + D.jobs.deadline[i])] : []);

// heldBar divides the core-hours that were held into classes.
function heldBar(w, whole, title) {
  if (!whole) {
    return el('p', { class: 'note' }, 'Classes of use, rules and warnings are of all runs; the command below divides those of this period.');
  }
  const bar = el('div', { class: 'bar', role: 'img', 'aria-label': title }), list = el('ul', { class: 'legend wide' });
  const all = w.held_core_h || 1;
  const parts = CLASSES.filter(([k]) => w.classes[k] > 0);
  for (const [key, text] of parts) {
    const piece = el('span', { class: 'use-' + key });
    piece.style.flexGrow = String(w.classes[key] / all);
    bar.append(piece);
    list.append(el('li', {}, el('span', { class: 'key use-' + key, 'aria-hidden': 'true' }), text + ' ', el('b', {}, percent(w.classes[key] / all)), el('span', { class: 'muted' }, ' ' + number(w.classes[key]))));
  }
  return el('div', { class: 'held' }, el('h3', {}, title), bar, list);
}

const RULES = { slower: 'Slower', failures: 'Fails', deadline: 'Late', missing: 'Missing', stale: 'Stale data', damaged: 'Damaged data' };
let allBreaches = false;
function breaches() {
  const all = D.today.breaches, few = allBreaches ? all : all.slice(0, 8);
  const list = el('ul', { class: 'items' });
  for (const b of few) {
    list.append(el('li', {}, el('span', { class: 'tag ' + b.rule }, RULES[b.rule] || b.rule),
      el('div', {}, b.row >= 0 ? jobButton(b.row) : b.job ? name(b.job) : '', ' ', el('span', { class: 'muted' }, visible(shorten(b.what, 220))))));
  }
  return el('div', {}, el('h3', {}, 'Late, slower, failing'),
    all.length ? list : el('p', { class: 'note' }, 'No rule is breached.'),
    all.length > few.length && el('button', { type: 'button', class: 'more', onclick: () => { allBreaches = true; render(['today']); } }, `Show all ${count(all.length)}`),
    !D.jobs.deadline.some(Boolean) && el('p', { class: 'note' }, 'No deadlines were stated: add --deadline JOB=07:00 when the page is made.'));
}
function warnings() {
  const all = D.today.warnings || [];
  return el('div', {}, el('h3', {}, 'Warnings about the data'),
    all.length ? el('ul', { class: 'items' }, all.map((w) => el('li', {}, el('span', { class: 'tag ' + w.severity }, w.severity === 'bad' ? 'Wrong' : 'Check'),
      el('div', {}, visible(w.what), ' ', el('span', { class: 'muted' }, visible(w.text)))))) : el('p', { class: 'note' }, 'None.'));
}
// jobButton opens a job.
function jobButton(row, most) {
  const job = D.jobs.job[row];
  return el('a', { href: '#' + new URLSearchParams({ show: 'job', job: shorten(job, 2000) }), class: 'open', 'data-key': 'job-' + row, onclick: (e) => { e.preventDefault(); openJob(row); } }, name(job, most));
}
function openJob(row) {
  change({ job: D.jobs.job[row], run: undefined, cores: undefined, due: undefined, show: 'job' });
  show('job');
}
