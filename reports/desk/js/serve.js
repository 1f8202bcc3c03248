// A page that is served asks for jobs, runs and plans when they are looked at.

const asked = new Set();
async function ask(path, parameters) {
  const answer = await fetch(path + '?' + new URLSearchParams(parameters), { headers: { Accept: 'application/json' } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error || answer.statusText);
  return body;
}
// askOverview asks for what runs held, rules, warnings and causes: the page begins with the times of runs only.
async function askOverview() {
  try {
    const got = await ask('overview', {}), before = D.jobs;
    const at = new Map(before.job.map((job, i) => [job, i])), details = D.details;
    Object.assign(D, got, { plan: D.plan });
    asked.clear(); // rows that are no longer listed are asked for anew
    D.details = D.jobs.job.map((job) => details[at.get(job)] ?? null);
    D.jobs.job.forEach((job, i) => { if (at.has(job)) D.jobs.chance_of_a_miss[i] = before.chance_of_a_miss[at.get(job)]; });
    list();
    found = { rows: [], matches: 0 };
    announce('What the runs held was read.');
  } catch (e) {
    D.failed = e.message;
  }
  render();
}
// list notes which jobs the page lists from the start. Of more than these the server searches and sorts all.
function list() {
  D.jobs.listed = D.jobs.job.length;
  D.beyond = D.served && D.jobs.more > 0;
}
// learn takes a row of the server's table into the page's, and returns its place there.
function learn(jobs, i) {
  const at = D.jobs.job.indexOf(jobs.job[i]);
  if (at >= 0) return at;
  for (const [key, column] of Object.entries(jobs)) if (Array.isArray(column) && column.length) D.jobs[key].push(column[i]);
  D.jobs.more--;
  D.details.push(null);
  return D.jobs.job.length - 1;
}
// found is the last answer to a search over all jobs of the store.
let found = { rows: [], matches: 0 };
function findJobs(most) {
  const key = JSON.stringify([state.q, state.sort, state.from, state.to, most, D.pending]);
  if (found.key === key) return found;
  found.key = key;
  const about = { q: state.q ?? '', sort: state.sort ?? '', most };
  if (inPeriod()) Object.assign(about, { from: state.from, to: state.to });
  ask('jobs', about).then((got) => {
    if (found.key !== key) return; // another question was asked since
    found = { key, matches: got.matches, rows: (got.jobs.job || []).map((_, i) => learn(got.jobs, i)), known: true };
    render(['q']);
  }, (e) => announce(e.message));
  return found;
}
// askName asks for the row of a job that the page does not list.
async function askName(job) {
  asked.add('name ' + job);
  try {
    learn((await ask('jobs', { job })).jobs, 0);
  } catch (e) { announce(e.message); }
  render(['job', 'run']);
}
async function askDetail(row) {
  const job = D.jobs.job[row];
  if (asked.has('job ' + job)) return;
  asked.add('job ' + job);
  try {
    const got = await ask('job', { job });
    row = D.jobs.job.indexOf(job); // the overview orders rows, and has fewer
    if (row < 0) { asked.delete('job ' + job); return; }
    D.details[row] = got.detail;
    if (known(got.risk)) D.jobs.chance_of_a_miss[row] = got.risk;
  } catch (e) {
    D.details[row] = { runs: { id: [], at_s: [], took_s: [], tokens: [], input_bytes: [], status: [], more: 0 }, why: e.message, explained: [], start: '' };
  }
  render(['job', 'run']);
}
async function askRun(row, run) {
  if (asked.has('run ' + run)) return;
  asked.add('run ' + run);
  try {
    D.details[row].explained.push(await ask('run', { run, job: D.jobs.job[row] }));
  } catch (e) {
    announce(e.message);
    delete state.run;
  }
  render(['run']);
}
function planForm() {
  const problem = el('p', { class: 'note', role: 'alert' });
  const jobs = el('input', { name: 'jobs', size: 60, 'data-key': 'planjobs', value: state.pick ?? (D.plan ? D.plan.args.map(word).join(' ') : ''), placeholder: 'nightly-index@07:00 audit@06:30', autocomplete: 'off', spellcheck: 'false' });
  const tokens = el('input', { name: 'tokens', type: 'number', min: 1, max: 1000000, value: D.plan && D.plan.days.length ? D.plan.days[Math.min(state.plancores ?? 0, D.plan.days.length - 1)].tokens : 8, 'data-key': 'plancores' });
  return el('form', { class: 'controls', onsubmit: async (e) => {
    e.preventDefault();
    problem.textContent = 'Simulating …';
    try {
      D.plan = await ask('plan', { jobs: jobs.value, tokens: tokens.value });
      state.plancores = 0;
      change({ pick: jobs.value });
      render(['plancores']);
      announce('The plan was simulated.');
    } catch (err) { problem.textContent = err.message; }
  } }, el('label', { class: 'grow' }, 'Jobs with deadlines ', jobs), el('label', {}, unitLabel(D.plan && D.plan.unit) + ' ', tokens), el('button', { type: 'submit' }, 'Simulate'), problem);
}
