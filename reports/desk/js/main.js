// The page: panels, contents that follow the reader, and the state of the address.

// unpack reads the data: JSON, or gzip in base64 where they are large.
async function unpack() {
  const packed = document.getElementById('packed').textContent;
  if (!packed) return JSON.parse(document.getElementById('data').textContent);
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}
const D = await unpack();
useZone(D.zone);
if (D.served) D.details = new Array(D.jobs.job.length).fill(null);
list();

function show(id) {
  const node = document.getElementById(id);
  if (!node) return;
  node.scrollIntoView({ behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth', block: 'start' });
  const head = node.querySelector('h2');
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
}

panel('today-panel', ['from', 'to', 'today'], drawToday);
panel('demand-panel', ['from', 'to'], drawDemand);
panel('jobs-panel', ['from', 'to', 'q', 'sort', 'job'], drawJobs);
panel('job-panel', ['job', 'cores', 'due', 'from', 'to', 'run'], drawJob);
panel('plan-panel', ['plancores', 'pick'], drawPlan);
panel('run-panel', ['job', 'run'], drawRun);
panel('machines-panel', ['machines'], drawMachines);

const search = document.getElementById('search');
search.addEventListener('input', () => { allRows = false; change({ q: search.value || undefined }); });
const first = readHash();
search.value = state.q || '';
document.documentElement.classList.add('live');
render();

for (const link of document.querySelectorAll('#contents a[href^="#"]')) {
  link.addEventListener('click', (e) => { e.preventDefault(); const id = link.hash.slice(1); change({ show: id }); show(id); });
}
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) document.querySelector(`#contents a[href="#${entry.target.id}"]`)?.classList.toggle('near', entry.isIntersecting);
  const near = [...document.querySelectorAll('#contents a')];
  const current = near.find((a) => a.classList.contains('near'));
  near.forEach((a) => a === current ? a.setAttribute('aria-current', 'true') : a.removeAttribute('aria-current'));
}, { rootMargin: '-80px 0px -55% 0px' });
document.querySelectorAll('main > section').forEach((s) => seen.observe(s));

let width = innerWidth, waiting;
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(() => render(), 80);
});
addEventListener('beforeprint', () => { printing = true; render(); });
addEventListener('afterprint', () => { printing = false; render(); });
addEventListener('hashchange', () => { const id = readHash(); search.value = state.q || ''; render(); if (id) show(id); });
document.addEventListener('keydown', (e) => {
  if (e.key === '/' && !e.ctrlKey && !e.metaKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { e.preventDefault(); search.focus(); }
});
if (first && document.getElementById(first)) document.getElementById(first).scrollIntoView();
document.documentElement.dataset.ready = Math.round(performance.now());
if (D.pending) askOverview();
window.desk = { words, data: D, state, exports, csv, seconds, number, percent, bytes }; // for tests
