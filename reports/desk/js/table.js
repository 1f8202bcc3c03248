// Tables that are sorted by a click on a heading. columns: {key, text, value(row), show(row), number, title}.

function table(o) {
  const head = el('tr');
  for (const c of o.columns) {
    const sorted = o.sort && o.sort.key === c.key;
    const th = el('th', { scope: 'col', class: (c.number ? 'number ' : '') + (c.class || ''), 'aria-sort': sorted ? (o.sort.down ? 'descending' : 'ascending') : undefined });
    if (o.onsort && c.key) {
      th.append(el('button', { type: 'button', 'data-key': 'sort-' + c.key, title: c.title, onclick: () => o.onsort(c, sorted ? !o.sort.down : !!c.number) },
        c.text, el('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted ? (o.sort.down ? '↓' : '↑') : '')));
    } else {
      th.append(c.text);
    }
    head.append(th);
  }
  const body = el('tbody');
  for (const row of o.rows) {
    const tr = el('tr', { 'aria-current': o.current && o.current(row) ? 'true' : undefined });
    o.columns.forEach((c, i) => tr.append(el(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : undefined, class: (c.number ? 'number ' : '') + (c.class || '') }, c.show(row))));
    body.append(tr);
  }
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': o.label },
    el('table', {}, el('caption', {}, o.label), el('thead', {}, head), body));
}
// compare orders values; unknown ones come last.
function byValue(value, down) {
  return (a, b) => {
    const x = value(a), y = value(b);
    const nx = x === null || x === undefined || (typeof x === 'number' && isNaN(x)), ny = y === null || y === undefined || (typeof y === 'number' && isNaN(y));
    if (nx || ny) return nx - ny;
    const c = typeof x === 'string' ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
    return down ? -c : c;
  };
}
