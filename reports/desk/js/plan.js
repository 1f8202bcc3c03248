// A day of several jobs on tokens that they share.

function drawPlan(node) {
  const p = D.plan, out = [];
  if (D.served) out.push(planForm());
  if (!p || !p.days || !p.days.length) return out.length ? out.concat(el('p', { class: 'note' }, 'Name jobs with clock times, such as nightly-index@07:00, and the tokens that they share.')) : el('p', { class: 'note' }, 'No plan: times of this trace have no calendar, or no job recurs.');
  const i = Math.min(state.plancores ?? usualDay(p), p.days.length - 1), day = p.days[i], width = widthOf(node, 1600);
  out.push(el('div', { class: 'controls' }, p.days.length > 1 && slider('plancores', unitLabel(p.unit), i, p.days.length - 1, count(day.tokens)),
    el('p', { class: 'verdict ' + (day.fits ? 'fits' : 'refused') }, day.jobs.some((j) => known(j.deadline_s)) ? (day.fits ? 'Every deadline is met with a chance of at least ' + percent(day.sure) + '.' : 'Not every deadline is met with a chance of ' + percent(day.sure) + '.') : `No deadlines: when jobs end if they share these ${p.unit}s.`,
      day.fewest_tokens > 0 && day.jobs.some((j) => known(j.deadline_s)) ? ` Fewest ${p.unit}s: ${count(day.fewest_tokens)}.` : '')));
  out.push(gantt(day, p.unit, width), table({ label: `Jobs on ${coresText(day.tokens, p.unit)}`, rows: day.jobs, columns: [
    { text: 'Job', show: (j) => name(j.job, 44) }, { text: 'Start', number: true, show: (j) => j.start }, { text: 'Half end by', number: true, show: (j) => j.p50_end }, { text: '95% end by', number: true, show: (j) => j.p95_end },
    { text: 'Deadline', number: true, show: (j) => j.deadline || NONE }, { text: 'Chance', number: true, show: (j) => known(j.chance) ? el('span', { class: j.chance < day.sure ? 'up' : '' }, percent(j.chance)) : NONE },
    { text: 'After', show: (j) => (j.after || []).map((a, i) => [i ? ', ' : '', name(a, 30)]) }, { text: 'Past runs', number: true, show: (j) => count(j.runs) }] }));
  out.push(...(day.warnings || []).map((text) => el('p', { class: 'note' }, planNote(day, text))));
  const rows = () => [['job', 'start', 'p50_end', 'p95_end', 'deadline', 'chance', 'tokens'], ...day.jobs.map((j) => [j.job, j.start, j.p50_end, j.p95_end, j.deadline, j.chance, day.tokens])];
  out.push(footer('plan', rows, racecard('plan', '--tokens', String(day.tokens), ...p.args.map(word))));
  if (!D.served) out.push(otherPlan(p, day));
  return out;
}
// planNote writes a note as a sentence; one that begins with the name of a job keeps that.
const planNote = (day, text) => day.jobs.some((j) => text.startsWith(j.job + ': ')) ? visible(text) + '.' : sentence(text);
// otherPlan writes the command for a day of other jobs, tokens and clock times: a page in a file does not simulate.
function otherPlan(p, day) {
  const jobs = el('input', { size: 60, 'data-key': 'planjobs', value: state.pick ?? p.args.map(word).join(' '), autocomplete: 'off', spellcheck: 'false' });
  const tokens = el('input', { type: 'number', min: 1, max: 1000000, value: day.tokens, 'data-key': 'planned' });
  const line = el('div', { 'aria-live': 'polite' });
  const write = () => line.replaceChildren(command(racecard('plan', '--tokens', String(Math.max(1, Math.round(Number(tokens.value)) || 1)), ...words(jobs.value))));
  jobs.addEventListener('input', write);
  tokens.addEventListener('input', write);
  jobs.addEventListener('change', () => change({ pick: jobs.value.trim() || undefined }));
  write();
  return el('details', { class: 'other', open: state.pick !== undefined }, el('summary', {}, 'Another day'),
    el('div', { class: 'controls' }, el('label', { class: 'grow' }, 'Jobs, with @ and a clock time where they have one ', jobs), el('label', {}, unitLabel(p.unit) + ' ', tokens)), line,
    el('p', { class: 'note' }, 'This command simulates the day; a page that ', el('code', {}, racecard('desk')), ' opens draws it, too.'));
}
// usualDay is the first on which every deadline is met; without deadlines the one on the most tokens that a job usually holds.
const usualDay = (p) => p.days.some((d) => d.jobs.some((j) => known(j.deadline_s))) ? Math.max(0, p.days.findIndex((d) => d.fits)) : Math.min(1, p.days.length - 1);

function gantt(day, unit, width) {
  const jobs = day.jobs, line = 28, left = Math.min(220, width * 0.32), right = 16, top = 6;
  const use = day.use || [], from = Math.min(...jobs.map((j) => j.start_s), ...use.map((u) => u.from_s)), to = Math.max(...jobs.map((j) => Math.max(j.p95_end_s, known(j.deadline_s) ? j.deadline_s : 0)), ...use.map((u) => u.to_s));
  const pad = (to - from) * 0.02 || 60, x = scale(from - pad, to + pad, left, width - right);
  const body = top + jobs.length * line, strip = 76, height = body + strip + 40;
  const node = svg('svg', { class: 'chart', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'The day: ' + jobs.map((j) => `${shorten(j.job, 60)} from ${j.start} to ${j.p50_end}, 95% by ${j.p95_end}`).join('; ') });
  let last = -Infinity;
  for (const t of ticks(from - pad, to + pad, (width - left) / 80, true)) {
    if (x(t) - last < 50) continue;
    last = x(t);
    node.append(svg('line', { class: 'grid', x1: x(t), x2: x(t), y1: top, y2: body + strip + 14 }), svg('text', { class: 'tick', x: x(t), y: height - 8, 'text-anchor': 'middle' }, t >= 86400 && t % 86400 === 0 ? `+${t / 86400} d` : clockText(t).slice(0, to - from < 600 ? 8 : 5)));
  }
  jobs.forEach((j, i) => {
    const y = top + i * line + 5;
    node.append(svg('text', { class: 'tick name', x: left - 10, y: y + 8, dy: '.32em', 'text-anchor': 'end' }, svg('title', {}, visible(shorten(j.job, 300))), visible(shorten(j.job, Math.floor(left / 7.4)))),
      svg('rect', { class: 'late', x: x(j.start_s), y, width: Math.max(1, x(j.p95_end_s) - x(j.start_s)), height: 16 }),
      svg('rect', { class: 'busy', x: x(j.start_s), y, width: Math.max(1.5, x(j.p50_end_s) - x(j.start_s)), height: 16 }));
    if (known(j.deadline_s)) node.append(svg('line', { class: 'due', x1: x(j.deadline_s), x2: x(j.deadline_s), y1: y - 4, y2: y + 20 }));
  });
  if (use.length) {
    const most = Math.max(day.tokens, ...use.map((u) => u.p95_tokens)), y = scale(0, most, body + strip + 12, body + 16);
    const xs = use.map((u) => u.from_s).concat(use[use.length - 1].to_s), zero = use.map(() => 0);
    node.append(svg('path', { class: 'area late', d: stepBand(xs, zero, use.map((u) => u.p95_tokens), x, y) }), svg('path', { class: 'area busy', d: stepBand(xs, zero, use.map((u) => u.mean_tokens), x, y) }),
      svg('line', { class: 'capacity', x1: left, x2: width - right, y1: y(day.tokens), y2: y(day.tokens) }), svg('text', { class: 'tick', x: left - 10, y: y(day.tokens), dy: '.32em', 'text-anchor': 'end' }, coresText(day.tokens, unit)),
      svg('text', { class: 'tick', x: left - 10, y: y(0), dy: '0', 'text-anchor': 'end' }, '0'));
  }
  return el('div', {}, node, legend(['busy-key', `half end by, and mean ${unit}s in use`], ['late-key', `95% end by, and 95th percentile of ${unit}s`], jobs.some((j) => known(j.deadline_s)) ? ['due-key', 'deadline'] : null));
}
