// Elements. Text of the trace becomes text nodes and attribute values only: nothing is parsed as HTML.

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'text') node.textContent = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) node.append(child);
  }
  return node;
}
const el = (tag, attributes, ...children) => put(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => put(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

// name is a name of the trace: isolated, so that its direction does not spread.
const name = (text, most) => el('bdi', { class: 'name', title: text.length > (most || 60) ? shorten(text, 300) : undefined },
  visible(shorten(text, most || 60)));
// visible replaces characters that cannot be seen, or that turn text around, by their numbers.
const visible = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
  (c) => '⟨' + c.charCodeAt(0).toString(16).padStart(4, '0') + '⟩');

function announce(text) { document.getElementById('status').textContent = text; }

// command is a command line that prints the numbers of a panel, and a button that copies it.
function command(text) {
  const long = text.length > 400; // then it scrolls
  const code = el('code', long ? { class: 'long', tabindex: 0, role: 'region', 'aria-label': 'Command' } : {}, text);
  const button = el('button', {
    type: 'button', class: 'quiet', onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        announce('The command was copied.');
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(code);
      }
    },
  }, 'Copy');
  return el('div', { class: 'command' }, code, button);
}
const word = (text) => /^[A-Za-z0-9_./+=:,-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
// words divides what somebody typed, or a link holds, into the words of a command, as a shell does with single quotes. They are quoted again.
const words = (text) => (text.replace(/'\\''/g, '\0').match(/(?:'[^']*'|[^\s'])+/g) || []).map((w) => word(w.replace(/'/g, '').replace(/\0/g, "'")));
// racecard joins a command and the flags that chose runs.
function racecard(verb, ...rest) {
  const period = state.from !== undefined && rest.includes('PERIOD')
    ? ['--since', word(D.buckets.names[state.from]), '--until', word(D.buckets.names[state.to])] : [];
  const flags = rest.includes('PERIOD') && period.length ? D.flags.replace(/--(since|until) \S+ ?/g, '').trim() : D.flags;
  return ['racecard', ...verb.split(' '), word(D.path), ...rest.filter((r) => r !== 'PERIOD' && r !== ''), ...period, flags].filter(Boolean).join(' ');
}

// csv writes rows for a spreadsheet. Cells that it would take for formulas begin with an apostrophe.
function csv(rows) {
  const cell = (x) => {
    if (x === null || x === undefined || (typeof x === 'number' && !isFinite(x))) return '';
    if (typeof x === 'number' || typeof x === 'boolean') return String(x);
    const text = /^[=+\-@\t\r]/.test(x) ? "'" + x : x;
    return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  };
  return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}
// footer is the foot of a panel: its numbers as a file, and the commands that print them.
function footer(file, rows, ...commands) {
  const save = el('button', {
    type: 'button', class: 'quiet', 'data-csv': file, onclick: () => {
      const url = URL.createObjectURL(new Blob(['\ufeff', csv(rows())], { type: 'text/csv' }));
      const link = el('a', { href: url, download: file + '.csv' });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    },
  }, 'Save CSV');
  exports[file] = rows;
  return el('footer', { class: 'source' }, el('div', { class: 'commands' }, commands.filter(Boolean).map(command)), save);
}
const exports = {}; // rows by file, for tests
