// Plots as SVG texts for the documents: dark on white, series told apart by shape as well as by colour.
const COLOURS = ["#0a6570", "#a8501c", "#8a2a62", "#3b6fb0", "#5b676b"];
const TEXT = "#171d1f";
const MUTED = "#4a555a";
const LINE = "#dfe4e5";
const WIDTH = 760;

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const at = (n) => Number(n.toFixed(1));
const text = (x, y, words, { anchor = "start", fill = MUTED, bold = false } = {}) =>
  `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}" fill="${fill}"${bold ? ' font-weight="600"' : ""}>${escape(words)}</text>`;
const line = (x1, y1, x2, y2, stroke = LINE) => `<path d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}" stroke="${stroke}"/>`;

/** Circle, square, triangle, diamond, cross. */
const SHAPES = [
  (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0-8 0`,
  (x, y) => `M${x - 3.5} ${y - 3.5}h7v7h-7z`,
  (x, y) => `M${x} ${y - 4.5}l4.5 8h-9z`,
  (x, y) => `M${x} ${y - 5}l5 5l-5 5l-5-5z`,
  (x, y) => `M${x - 4} ${y - 4}l8 8m0-8l-8 8`,
];
function mark(series, x, y) {
  const d = SHAPES[series % SHAPES.length](at(x), at(y));
  const colour = COLOURS[series % COLOURS.length];
  return series % SHAPES.length === 4
    ? `<path d="${d}" stroke="${colour}" stroke-width="2" fill="none"/>`
    : `<path d="${d}" fill="${colour}" stroke="#fff"/>`;
}

const frame = (height, label, body) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escape(label)}"><rect width="100%" height="100%" fill="#fff"/>${body.join("")}</svg>\n`;

function legend(series, x, y, marks = [...series.keys()]) {
  let left = x;
  return series.flatMap((name, i) => {
    const out = [mark(marks[i], left + 5, y - 4), text(left + 15, y, name, { fill: TEXT })];
    left += 31 + 6.6 * name.length;
    return out;
  });
}

/** Ticks of a scale: 1, 2, 5 in a logarithmic one, about six in a linear one. */
function ticksOf(low, high, log) {
  const out = [];
  if (log) {
    for (let ten = 10 ** Math.floor(Math.log10(low)); ten <= high; ten *= 10)
      for (const n of [1, 1.5, 2, 3, 5, 7]) if (n * ten >= low && n * ten <= high) out.push(n * ten);
    return out.length > 9 ? out.filter((n) => /^[125]/.test(n.toExponential()) && !/^1\.5/.test(n.toExponential())) : out;
  }
  const raw = (high - low) / 6;
  const ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((n) => n * ten >= raw) * ten;
  for (let n = Math.ceil(low / step) * step; n <= high + step / 1e6; n += step) out.push(Number(n.toFixed(6)));
  return out;
}
const scale = (low, high, log, from, to) => (value) => {
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
};
const number = (n) => (n >= 1000 ? n.toLocaleString("en") : `${Number(n.toFixed(2))}`);

/** A row a case, a mark a series; `marks` where they are not the first ones. */
export function dots({ title, series, rows, low, high, log = false, marks = [...series.keys()] }) {
  const top = 62;
  const pitch = 19;
  const left = 16 + 6.8 * Math.max(...rows.map(({ name }) => name.length));
  const bottom = top + rows.length * pitch;
  const x = scale(low, high, log, left + 10, WIDTH - 24);
  const body = [text(8, 18, title, { fill: TEXT, bold: true }), ...legend(series, 8, 40, marks)];
  for (const tick of ticksOf(low, high, log)) {
    body.push(line(x(tick), top - 6, x(tick), bottom));
    body.push(text(x(tick), bottom + 16, number(tick), { anchor: "middle" }));
  }
  rows.forEach(({ name, values }, i) => {
    const y = top + (i + 0.5) * pitch;
    const there = values.filter((value) => value !== null);
    body.push(text(left, y + 4, name, { anchor: "end", fill: TEXT }));
    if (there.length > 1) body.push(line(x(Math.min(...there)), y, x(Math.min(high, Math.max(...there))), y, "#97a3a7"));
    values.forEach((value, s) => {
      if (value !== null) body.push(mark(marks[s], x(Math.min(high, value)), y));
    });
  });
  return frame(bottom + 26, title, body);
}

/** Panels side by side with one scale upwards; a line a series. */
export function panels({ y: label, series, low, high, panels: all }) {
  const top = 64;
  const bottom = 300;
  const y = scale(low, high, false, bottom, top);
  const body = [text(8, 18, label, { fill: TEXT, bold: true }), ...legend(series, 8, 40)];
  const room = (WIDTH - 48) / all.length;
  for (const tick of ticksOf(low, high, false)) {
    body.push(line(40, y(tick), WIDTH - 8, y(tick)), text(34, y(tick) + 4, number(tick), { anchor: "end" }));
  }
  all.forEach(({ name, xs, lines }, p) => {
    const from = 40 + p * room;
    const x = (i) => from + ((i + 0.5) * room) / xs.length;
    body.push(text(from + room / 2, bottom + 36, name, { anchor: "middle", fill: TEXT }));
    xs.forEach((value, i) => body.push(text(x(i), bottom + 18, value, { anchor: "middle" })));
    lines.forEach((values, s) => {
      // What is missing, or too high to show, ends the line.
      let d = "";
      let pen = false;
      values.forEach((value, i) => {
        const shown = value !== null && value <= high;
        if (shown) d += `${pen ? "L" : "M"}${at(x(i))} ${at(y(value))}`;
        pen = shown;
      });
      body.push(`<path d="${d}" fill="none" stroke="${COLOURS[s]}" stroke-width="1.5"/>`);
      values.forEach((value, i) => {
        if (value === null) return;
        if (value <= high) body.push(mark(s, x(i), y(value)));
        else body.push(text(x(i), top - 2 + 12, `${value.toFixed(2)} ↑`, { anchor: "middle", fill: COLOURS[s] }));
      });
    });
  });
  return frame(bottom + 48, label, body);
}

/** Clouds of points, one path a panel. */
export function scatter({ y: label, panels: all }) {
  const values = all.flatMap(({ points }) => points.map(([, v]) => v));
  const [top, bottom] = [40, 300];
  const high = Math.max(...values) * 1.03;
  const y = scale(0, high, false, bottom, top);
  const body = [text(8, 18, label, { fill: TEXT, bold: true })];
  for (const tick of ticksOf(0, high, false))
    body.push(line(40, y(tick), WIDTH - 8, y(tick)), text(34, y(tick) + 4, number(tick), { anchor: "end" }));
  const room = (WIDTH - 48) / all.length;
  all.forEach(({ name, points }, p) => {
    const from = 44 + p * room;
    const most = Math.max(...points.map(([v]) => v)) * 1.03;
    const x = scale(0, most, false, from, from + room - 24);
    for (const tick of ticksOf(0, most, false)) body.push(text(x(tick), bottom + 18, number(tick), { anchor: "middle" }));
    const d = points.map(([a, b]) => `M${at(x(a))} ${at(y(b))}h0`).join("");
    body.push(`<path d="${d}" stroke="${COLOURS[p]}" stroke-width="4" stroke-linecap="round" stroke-opacity="0.7"/>`);
    body.push(text(from + room / 2, bottom + 38, name, { anchor: "middle", fill: TEXT }));
  });
  return frame(bottom + 50, label, body);
}
