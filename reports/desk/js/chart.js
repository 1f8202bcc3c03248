// Charts: plain SVG, drawn for the width at hand.

// ticks returns about n round numbers from low to high.
function ticks(low, high, n, time) {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, n);
  let step;
  if (time) {
    const nice = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 345600, 604800, 1209600, 2419200, 7257600, 31536000];
    step = nice.find((s) => s >= raw) || raw;
  } else {
    const power = 10 ** Math.floor(Math.log10(raw));
    step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  }
  const out = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) out.push(t);
  return out;
}
const scale = (from, to, low, high) => {
  const f = (x) => low + (x - from) / (to - from || 1) * (high - low);
  f.invert = (y) => from + (y - low) / (high - low || 1) * (to - from);
  return f;
};

// chart returns a drawing with axes and its scales. o: width, height, x: [from, to], y: [from, to], yText, xText, xTicks,
// xName, yName (of the axes), title (for readers who cannot see the drawing).
function chart(o) {
  const left = o.left ?? 58, right = o.right ?? 12, top = o.top ?? (o.yName ? 26 : 12), bottom = o.bottom ?? (o.xName ? 40 : 24);
  const x = scale(o.x[0], o.x[1], left, o.width - right), y = scale(o.y[0], o.y[1], o.height - bottom, top);
  const node = svg('svg', { class: 'chart', width: o.width, height: o.height, viewBox: `0 0 ${o.width} ${o.height}`, role: 'img', 'aria-label': o.title });
  for (const t of o.yTicks || ticks(o.y[0], o.y[1], Math.max(2, (o.height - top - bottom) / 42), o.yTime)) {
    node.append(svg('line', { class: 'grid', x1: left, x2: o.width - right, y1: y(t), y2: y(t) }),
      svg('text', { class: 'tick', x: left - 8, y: y(t), dy: '.32em', 'text-anchor': 'end' }, (o.yText || number)(t)));
  }
  let last = -Infinity;
  for (const t of o.xTicks || ticks(o.x[0], o.x[1], (o.width - left - right) / 90, o.xTime)) {
    const text = (o.xText || number)(t), half = text.length * 3.2;
    if (x(t) - half < last || x(t) + half > o.width + 2) continue;
    last = x(t) + half + 10;
    node.append(svg('line', { class: 'axis', x1: x(t), x2: x(t), y1: o.height - bottom, y2: o.height - bottom + 4 }),
      svg('text', { class: 'tick', x: x(t), y: o.height - bottom + 18, 'text-anchor': 'middle' }, text));
  }
  node.append(svg('line', { class: 'axis', x1: left, x2: o.width - right, y1: o.height - bottom, y2: o.height - bottom }));
  if (o.yName) node.append(svg('text', { class: 'tick', x: 0, y: 11 }, o.yName));
  if (o.xName) node.append(svg('text', { class: 'tick', x: (left + o.width - right) / 2, y: o.height - 4, 'text-anchor': 'middle' }, o.xName));
  return { node, x, y, left, right: o.width - right, top, bottom: o.height - bottom };
}
// path joins points; unknown ones part it.
function path(xs, ys, x, y, step) {
  let d = '', pen = false, lastY;
  for (let i = 0; i < ys.length; i++) {
    if (!known(ys[i])) { pen = false; continue; }
    const px = x(xs[i]).toFixed(1), py = y(ys[i]).toFixed(1);
    if (!pen) d += `M${px} ${py}`;
    else d += step ? `H${px}V${py}` : `L${px} ${py}`;
    pen = true; lastY = py;
  }
  return d;
}
// band is the area between two series.
function band(xs, low, high, x, y) {
  const up = xs.map((v, i) => `${x(v).toFixed(1)} ${y(high[i]).toFixed(1)}`);
  const down = xs.map((v, i) => `${x(v).toFixed(1)} ${y(low[i]).toFixed(1)}`).reverse();
  return 'M' + up.concat(down).join('L') + 'Z';
}
// stepBand is the same for bins: value i holds from xs[i] to xs[i + 1].
function stepBand(xs, low, high, x, y) {
  let up = '', down = '';
  for (let i = 0; i < high.length; i++) {
    up += `${i ? 'L' : 'M'}${x(xs[i]).toFixed(1)} ${y(high[i]).toFixed(1)}H${x(xs[i + 1]).toFixed(1)}`;
    down = `L${x(xs[i + 1]).toFixed(1)} ${y(low[i]).toFixed(1)}H${x(xs[i]).toFixed(1)}` + down;
  }
  return up + down + 'Z';
}
// hatch is a pattern for what is extrapolated.
function hatch(id) {
  return svg('defs', {}, svg('pattern', { id, width: 7, height: 7, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    svg('line', { class: 'hatch', x1: 0, x2: 0, y1: 0, y2: 7 })));
}
// spark is a small line of the median over time, with its latest value.
function spark(values, width, height) {
  const seen = values.filter(known);
  const node = svg('svg', { class: 'spark', width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  if (!seen.length) return node;
  const low = Math.min(...seen), high = Math.max(...seen);
  const x = scale(0, Math.max(1, values.length - 1), 3, width - 4), y = scale(Math.min(low, high * 0.8), high, height - 4, 4);
  if (inPeriod()) node.append(svg('rect', { class: 'chosen', x: x(state.from - 0.5), width: Math.max(2, x(state.to - 0.5) - x(state.from - 0.5)), y: 0, height }));
  const at = [], kept = [];
  values.forEach((v, i) => { if (known(v)) { at.push(i); kept.push(v); } });
  node.append(svg('path', { class: 'line', d: path(at, kept, x, y) }),
    svg('circle', { class: 'dot', cx: x(at[at.length - 1]), cy: y(kept[kept.length - 1]), r: 2.4 }));
  return node;
}
const legend = (...items) => el('ul', { class: 'legend' }, items.filter(Boolean).map(([cls, text]) => el('li', {}, el('span', { class: 'key ' + cls, 'aria-hidden': 'true' }), text)));
// widthOf is the room for a drawing in a node.
const widthOf = (node, most) => printing ? PRINTED : Math.max(260, Math.min(most || 4000, Math.floor(node.clientWidth || 600)));
const PRINTED = 680; // px between the margins of a sheet of A4
let printing = false;
