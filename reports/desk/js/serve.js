// A page that is served asks for jobs, runs and plans when they are looked at.

const asked = new Set();
async function ask(path, parameters) {
  const answer = await fetch(path + '?' + new URLSearchParams(parameters), { headers: { Accept: 'application/json' } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error || answer.statusText);
  return body;
}
async function askDetail(row) {
  if (asked.has('job ' + row)) return;
  asked.add('job ' + row);
  try {
    const got = await ask('job', { job: D.jobs.job[row] });
    D.details[row] = got.detail;
    if (known(got.risk)) D.jobs.chance_of_a_miss[row] = got.risk;
  } catch (e) {
    D.details[row] = { runs: { id: [], at_s: [], took_s: [], cores: [], input_bytes: [], status: [], more: 0 }, why: e.message, explained: [], start: '' };
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
  const jobs = el('input', { name: 'jobs', size: 60, 'data-key': 'planjobs', value: state.pick ?? (D.plan ? D.plan.args.join(' ') : ''), placeholder: 'nightly-index@07:00 audit@06:30', autocomplete: 'off', spellcheck: 'false' });
  const cores = el('input', { name: 'cores', type: 'number', min: 1, max: 1000000, value: D.plan && D.plan.days.length ? D.plan.days[Math.min(state.plancores ?? 0, D.plan.days.length - 1)].cores : 8, 'data-key': 'plancores' });
  return el('form', { class: 'controls', onsubmit: async (e) => {
    e.preventDefault();
    problem.textContent = 'Simulating …';
    try {
      D.plan = await ask('plan', { jobs: jobs.value, cores: cores.value });
      state.plancores = 0;
      change({ pick: jobs.value });
      render(['plancores']);
      announce('The plan was simulated.');
    } catch (err) { problem.textContent = err.message; }
  } }, el('label', { class: 'grow' }, 'Jobs with deadlines ', jobs), el('label', {}, 'Cores ', cores), el('button', { type: 'submit' }, 'Simulate'), problem);
}
