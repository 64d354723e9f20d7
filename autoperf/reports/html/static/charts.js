const TIMES = [[1e-3, "ns"], [1, "us"], [1e3, "ms"], [1e6, "s"]];
const BYTES = [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"]];

/** A tick of a logarithmic axis in the largest unit that it reaches. */
function tick(value, unit) {
  const units = unit === "us" ? TIMES : unit === "bytes" ? BYTES : [[1, ""]];
  const [scale, name] = units.findLast(([size]) => value >= size * 0.999) ?? units[0];
  return `${Number((value / scale).toPrecision(3))} ${name}`.trim();
}

/** The ticks of a logarithmic axis: powers of ten (of four for bytes), with 2 and 5 between few; no more than fit. */
function ticks(low, high, unit, room) {
  const base = unit === "bytes" ? 4 : 10;
  const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
  const last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / room));
  const powers = [];
  for (let power = first; power <= last; power += step) powers.push(base ** power);
  if (powers.length > 2) return powers;
  const finer = [first - 1, ...powers.map((_, at) => first + at)].flatMap((power) => [1, 2, 5].map((digit) => digit * base ** power));
  const inside = base === 10 ? finer.filter((value) => value >= low && value <= high) : powers;
  return inside.length > 2 && inside.length <= room ? inside : powers.length > 1 ? powers : between(low, high);
}

/** Ticks of a range that has no two powers: multiples of 1, 2 or 5 times a power of ten. */
function between(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((digit) => digit * power >= rough);
  const values = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) values.push(value);
  return values;
}

/** The range of positive values with a margin on a logarithmic axis. */
function range(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!Number.isFinite(low)) return [1, 10];
  const margin = high / low < 1.2 ? 1.5 : (high / low) ** 0.04;
  return [low / margin, high * margin];
}

const HEIGHT = 320;
const REACH = 24;
const TICK_ROOM = { x: 90, y: 40 };
const PALETTE = { slower: "--bad", faster: "--good", undecided: "--doubtful", same: "--muted" };

/** A chart of the table's rows: a point for each, on two logarithmic axes. */
class Scatter {
  constructor(host, chart, table) {
    this.chart = chart;
    this.table = table;
    this.x = place(table, chart.x);
    this.y = place(table, chart.y);
    this.group = chart.group ? place(table, chart.group) : -1;
    this.ends = chart.low ? [place(table, chart.low), place(table, chart.high)] : [];
    this.points = [];
    this.tip = element("div", { class: "tip", hidden: true });
    this.plane = element("div", { role: "img", "aria-label": `${chart.title}; the table has the same figures` });
    this.key = element("ul", { class: "key" });
    this.figure = element("figure", {}, element("figcaption", {}, chart.title));
    if (chart.note) this.figure.append(element("p", { class: "muted" }, chart.note));
    this.figure.append(this.plane, this.key, this.tip);
    host.append(this.figure);
    this.show(table.rows.keys());
    new ResizeObserver(() => this.resize()).observe(this.figure);
  }

  /** Draws these rows; those without a positive figure on both axes have no point. */
  show(positions) {
    this.points = [];
    for (const position of positions) {
      const row = this.table.rows[position];
      const [x, y] = [valued(row[this.x]), valued(row[this.y])];
      if (x > 0 && y > 0) this.points.push({ x, y, row, tone: this.group < 0 ? "" : spelled(row[this.group]) });
    }
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.corners(), this.plane);
    this.legend();
  }

  corners() {
    this.limits = { x: range(this.points.map((point) => point.x)), y: range(this.points.map((point) => point.y)) };
    return [this.limits.x, this.limits.y];
  }

  options() {
    const scale = (name) => ({ distr: 3, time: false, range: () => this.limits[name] });
    return {
      width: Math.max(200, this.figure.clientWidth), height: HEIGHT, legend: { show: false },
      scales: { x: scale("x"), y: scale("y") },
      axes: [this.axis(this.x, "x"), this.axis(this.y, "y")],
      series: [{}, { paths: () => null, points: { show: false } }],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      hooks: { draw: [(plot) => this.draw(plot)], setCursor: [(plot) => this.hover(plot)] },
    };
  }

  axis(at, name) {
    const { title, unit = "" } = this.table.columns[at];
    const colour = () => tone("--muted");
    return {
      label: title, stroke: colour, grid: { stroke: () => tone("--line"), width: 1 }, ticks: { show: false }, size: name === "y" ? 66 : 44,
      splits: (plot, _, low, high) => ticks(low, high, unit, Math.floor((name === "x" ? plot.width : HEIGHT) / TICK_ROOM[name])),
      filter: (_, splits) => splits,
      values: (_, splits) => splits.map((value) => tick(value, unit)),
    };
  }

  draw(plot) {
    const context = plot.ctx;
    context.save();
    context.beginPath();
    context.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    context.clip();
    this.chart.lines.forEach((line) => this.line(plot, line));
    context.globalAlpha = this.points.length > 500 ? 0.55 : 0.8;
    const radius = (this.points.length > 500 ? 2.2 : 3.4) * devicePixelRatio;
    for (const point of this.points) {
      context.strokeStyle = context.fillStyle = tone(PALETTE[point.tone] ?? "--mark-1");
      context.beginPath();
      this.ends.forEach((at, end) => {
        const y = plot.valToPos(valued(point.row[at]), "y", true);
        context[end ? "lineTo" : "moveTo"](plot.valToPos(point.x, "x", true), y);
      });
      context.stroke();
      this.ends.forEach((at) => this.edge(plot, point, valued(point.row[at])));
      context.beginPath();
      context.arc(plot.valToPos(point.x, "x", true), plot.valToPos(point.y, "y", true), radius, 0, 2 * Math.PI);
      context.fill();
    }
    context.restore();
  }

  /** A triangle at the edge of the plot where an interval goes on beyond it. */
  edge(plot, point, value) {
    const [low, high] = this.limits.y;
    if (value >= low && value <= high) return;
    const size = 5 * devicePixelRatio;
    const [x, y] = [plot.valToPos(point.x, "x", true), value > high ? plot.bbox.top : plot.bbox.top + plot.bbox.height];
    const inner = value > high ? y + size : y - size;
    const context = plot.ctx;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - size, inner);
    context.lineTo(x + size, inner);
    context.fill();
  }

  line(plot, line) {
    const context = plot.ctx;
    context.strokeStyle = tone("--text");
    context.lineWidth = 2 * devicePixelRatio;
    context.beginPath();
    for (const [x, y] of line.points) context.lineTo(plot.valToPos(x, "x", true), plot.valToPos(y, "y", true));
    context.stroke();
  }

  legend() {
    const groups = [...new Set(this.points.map((point) => point.tone))].filter(Boolean);
    const lines = this.chart.lines.filter((line) => this.crosses(line)).map((line) => line.label).filter(Boolean);
    const colours = [...groups.map((name) => PALETTE[name] ?? "--mark-1"), ...lines.map(() => "--text")];
    const entries = [...groups, ...lines].map((name, at) => [name, colours[at]]);
    this.key.replaceChildren(...entries.map(([name, colour]) => {
      const entry = element("li", {}, `\u25CF ${name}`);
      entry.style.color = `var(${colour})`;
      return entry;
    }));
  }

  /** Whether a part of a straight line lies within the plot. */
  crosses({ points: [[x1, y1], [x2, y2]] }) {
    const [[left, right], [low, high]] = [this.limits.x, this.limits.y];
    const slope = Math.log(y2 / y1) / Math.log(x2 / x1);
    const ends = [left, right].map((x) => y1 * (x / x1) ** slope);
    return Math.max(...ends) >= low && Math.min(...ends) <= high;
  }

  /** The point below the cursor, described beside it; a click opens its operator. */
  hover(plot) {
    const { left, top } = plot.cursor;
    let nearest = null;
    let least = REACH;
    for (const point of left >= 0 ? this.points : []) {
      const distance = Math.hypot(plot.valToPos(point.x, "x") - left, plot.valToPos(point.y, "y") - top);
      if (distance < least) [nearest, least] = [point, distance];
    }
    this.tip.hidden = nearest === null;
    plot.over.onclick = nearest && (() => open(nearest.row[place(this.table, "operator")]));
    if (nearest) this.describe(nearest.row, plot, left, top);
  }

  describe(row, plot, left, top) {
    const text = (name) => (place(this.table, name) < 0 ? "" : spelled(row[place(this.table, name)]));
    const named = [text("operator"), text("profile"), text("inputs")].filter(Boolean).join(" ");
    const figures = [this.x, this.y].map((at) => `${this.table.columns[at].title} ${spelled(row[at])}`).join(", ");
    this.tip.replaceChildren(element("b", {}, named), element("br"), figures);
    const over = plot.over.getBoundingClientRect();
    const own = this.figure.getBoundingClientRect();
    const width = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(over.left - own.left + left + 12, own.width - width))}px`;
    this.tip.style.top = `${over.top - own.top + top + 14}px`;
  }

  resize() {
    const width = Math.max(200, this.figure.clientWidth);
    if (width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }
}

/** The value of a colour of the page's style. */
function tone(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A list of rows with bars. */
function ranking(host, { title, rows, tone: colour = "", most = Math.max(...rows.map((row) => row.value)) }, table) {
  const entries = rows.map(({ row, value, text }) => {
    const cells = table.rows[row];
    const named = (name) => spelled(cells[place(table, name)] ?? null);
    const bar = element("span", { class: `bar ${colour}`.trim() });
    bar.style.width = `${Math.max(0.5, (100 * value) / most)}%`;
    const words = ["operator", "pass", "clock", "profile"].map(named).filter(Boolean).join(" ");
    const link = element("a", { href: `#${anchor(named("operator"))}` }, `${words} `,
      element("span", { class: "inputs" }, named("inputs")));
    return element("li", {}, bar, link, element("span", { class: "right" }, text));
  });
  host.append(element("figure", {}, element("figcaption", {}, title), element("ol", { class: "ranking" }, ...entries)));
}

/** Bars of parts, one below the other, to one scale. */
function stacked(bars) {
  const sums = bars.map(([, parts]) => parts.reduce((sum, [, value]) => sum + value, 0));
  const most = Math.max(...sums);
  const rows = bars.map(([label, parts], row) => {
    const bar = element("span", { class: "bar", role: "img", "aria-label": `${label}; the table has the same values` });
    bar.style.width = `${(100 * sums[row]) / most}%`;
    bar.append(...parts.flatMap(([name, value, text], at) => {
      if (!value) return [];
      const part = element("span", { class: `part-${at + 1}`, title: `${name} ${text}` });
      part.style.width = `${(100 * value) / sums[row]}%`;
      return [part];
    }));
    return element("li", {}, element("span", {}, label), bar);
  });
  const key = bars[0][1].map(([name], at) => element("li", {}, element("span", { class: `swatch part-${at + 1}` }), name));
  return element("div", {}, element("ul", { class: "stack" }, ...rows), element("ul", { class: "key" }, ...key));
}
