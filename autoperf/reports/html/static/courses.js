/** The symbol of each kind of mark, its tone and its words: colour is never the only sign. */
const MARKS = {
  slower: ["\u25B2", "bad", "slower"],
  faster: ["\u25BC", "good", "faster"],
  more: ["\u25B2", "bad", "more instructions"],
  fewer: ["\u25BC", "good", "fewer instructions"],
  "slower drift": ["\u2197", "bad", "drifts, slower"],
  "faster drift": ["\u2198", "good", "drifts, faster"],
  "slower last run": ["\u25B3", "doubtful", "perhaps slower: a single run"],
  "faster last run": ["\u25BD", "doubtful", "perhaps faster: a single run"],
  accepted: ["\u25C7", "muted", "accepted"],
  results: ["\u2715", "doubtful", "other results"],
  facts: ["\u25A0", "muted", "the machine or a version changed"],
};
const LEVELS = ["slower", "faster", "more", "fewer", "accepted"];
const MAX_FACTS = 8;
const MARGIN = 0.25;
const LEAST = { us: 1.06, "": 1.001 };

/** A value in its unit: a time, or a count with all its digits. */
function reading(value, unit) {
  return unit === "us" ? tick(value, unit) : value.toLocaleString("en");
}

function middle(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted.length ? (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2 : NaN;
}

/** The course of a figure: a chart that is drawn once it is near the window, and its marks in words. */
function course([label, unit, values, marks, set]) {
  const runs = nights[set];
  const present = values.filter((value) => value !== null);
  const last = present.length ? ` last ${reading(present.at(-1), unit)}, lowest ${reading(Math.min(...present), unit)}` : "";
  const made = element("figure", { class: "course" }, element("figcaption", {}, label, element("span", { class: "muted" }, last)));
  const host = element("div", { class: "plot" });
  const notes = element("ul", { class: "marks" }, ...marks.map(([, kind, text]) =>
    element("li", {}, symbol(kind), " ", text)));
  made.append(host, notes);
  const chart = new CourseChart(host, label, unit, values, runs, marks);
  chart.beyond().forEach((text) => notes.append(element("li", { class: "muted" }, text)));
  whenNear(made, () => chart.draw());
  return made;
}

function symbol(kind) {
  const [sign, tone, words] = MARKS[kind];
  return element("span", { class: `sign ${tone}`, role: "img", "aria-label": words }, sign);
}

/** Calls a function once, when an element comes near the window or is printed. */
function whenNear(node, draw) {
  const once = () => {
    watch.disconnect();
    removeEventListener("beforeprint", once);
    draw();
  };
  const watch = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && once(), { rootMargin: "400px" });
  watch.observe(node);
  addEventListener("beforeprint", once);
}

class CourseChart {
  constructor(host, label, unit, values, runs, marks) {
    Object.assign(this, { host, label, unit, values, runs });
    const facts = runs.flatMap(([, , changed], run) => (changed ? [[run, "facts", changed]] : []));
    this.marks = [...marks, ...facts].sort((one, other) => one[0] - other[0]);
    this.length = Math.max(1, values.length - 1);
    this.at = values.length - 1;
    [this.low, this.high] = this.range();
  }

  /** The ends of the logarithmic axis: without single nights far beyond both neighbours, unless it is the last one. */
  range() {
    const present = this.values.filter((value) => value > 0);
    if (!present.length) return [1, 10];
    const usual = present.map((_, at) => middle(present.slice(Math.max(0, at - 1), at + 2)));
    const kept = usual.length > 4 ? [...usual.slice(1, -1), present.at(-1)] : present;
    const [low, high] = [Math.min(...kept), Math.max(...kept)];
    const reach = Math.max(LEAST[this.unit], (high / low) ** MARGIN);
    const near = present.filter((value) => value >= low / reach && value <= high * reach);
    const [least, most] = [Math.min(...near), Math.max(...near)];
    const wider = Math.max(1, Math.sqrt((LEAST[this.unit] * least) / most));
    return [least / wider, most * wider];
  }

  /** Sentences about the nights that the axis leaves out. */
  beyond() {
    const left = this.values.filter((value) => value !== null && (value > this.high || value < this.low));
    if (!left.length) return [];
    const ends = [...new Set([Math.min(...left), Math.max(...left)])].map((value) => reading(value, this.unit)).join(" to ");
    return [`\u2195 ${left.length} ${left.length === 1 ? "night is" : "nights are"} beyond the axis, at its edge: ${ends}`];
  }

  y(value) {
    const share = Math.log(value / this.low) / Math.log(this.high / this.low);
    return 96 - 92 * Math.min(1, Math.max(0, share));
  }

  draw() {
    const picture = drawn("svg", { viewBox: `-0.5 0 ${this.length + 1} 100`, preserveAspectRatio: "none", "aria-hidden": "true" });
    const points = this.values.flatMap((value, run) => (value === null ? [] : [`${run},${this.y(value).toFixed(1)}`]));
    this.cursor = drawn("line", { class: "cursor", y1: 0, y2: 100 });
    picture.append(
      ...this.levels(),
      ...this.marks.map(([run, kind]) => drawn("line", { class: `mark ${MARKS[kind][1]}`, x1: run - 0.5, x2: run - 0.5, y1: 0, y2: 100 })),
      drawn("polyline", { points: points.join(" ") }),
      drawn("path", { d: points.map((point) => `M${point}h0`).join("") }),
      this.cursor,
    );
    const signs = (below) => element("div", { class: "signs" },
      ...this.marks.filter(([, kind]) => (kind === "facts") === below).map(([run, kind]) => this.sign(run, kind)));
    const row = (name, texts) => element("div", { class: name }, ...texts.map((text) => element("span", {}, text)));
    const dates = this.runs.length ? [this.runs[0][0], this.runs.at(-1)[0]] : [];
    const said = this.marks.map(([run, , text]) => `; ${this.runs[run]?.[0]}: ${text}`).join("");
    const plane = element("div", {
      class: "plane", tabindex: "0", role: "slider", "aria-label": `${this.label} in ${this.values.length} runs${said}`,
      "aria-valuemin": 0, "aria-valuemax": this.length, "aria-valuenow": this.at,
      onpointermove: (event) => this.read(Math.round((this.length + 1) * (event.offsetX / plane.clientWidth) - 0.5)),
      onpointerleave: () => this.forget(),
      onfocus: () => this.read(this.at),
      onblur: () => this.forget(),
      onkeydown: (event) => this.key(event),
    }, picture);
    this.plane = plane;
    this.tip = element("output", { class: "tip", hidden: true });
    const scale = [this.high, Math.sqrt(this.low * this.high), this.low].map((value) => reading(this.short(value), this.unit));
    this.host.append(row("scale", [...new Set(scale)]), element("div", { class: "drawing" }, signs(false), plane,
      element("div", { class: "below" }, signs(true), row("ends", dates)), this.tip));
  }

  short(value) {
    return this.unit === "us" ? value : Math.round(value);
  }

  sign(run, kind) {
    const made = symbol(kind);
    made.style.left = `${(100 * run) / (this.length + 1)}%`;
    return made;
  }

  /** About 95% of the nights at each level between steps, where there are any. */
  levels() {
    const steps = this.marks.filter(([, kind]) => LEVELS.includes(kind)).map(([run]) => run);
    const ends = [0, ...new Set(steps), this.values.length];
    return ends.slice(1).flatMap((end, at) => {
      const logs = this.values.slice(ends[at], end).filter((value) => value !== null && value > 0).map(Math.log);
      if (!logs.length || !steps.length) return [];
      const level = middle(logs);
      const reach = 1.96 * 1.4826 * middle(logs.map((value) => Math.abs(value - level)));
      const [top, bottom] = [this.y(Math.exp(level + reach)), this.y(Math.exp(level - reach))];
      const height = Math.max(1, bottom - top);
      return [drawn("rect", { class: "band", x: ends[at] - 0.5, width: end - ends[at], y: top, height })];
    });
  }

  key(event) {
    const far = event.shiftKey ? 10 : 1;
    const moved = { ArrowLeft: this.at - far, ArrowRight: this.at + far, Home: 0, End: this.length }[event.key];
    if (moved === undefined) return;
    event.preventDefault();
    this.read(moved);
  }

  /** Tells a night's value, build and marks. */
  read(run) {
    this.at = Math.min(this.values.length - 1, Math.max(0, run));
    const [day = "", build = ""] = this.runs[this.at] ?? [];
    const value = this.values[this.at];
    const told = this.marks.filter(([at]) => at === this.at).map(([, kind, text]) => ` ${MARKS[kind][0]} ${text}`);
    const text = `${day}: ${value === null ? "not measured" : reading(value, this.unit)} (${build})${told.join("")}`;
    this.tip.textContent = text;
    this.tip.hidden = false;
    const share = (this.at + 0.5) / (this.length + 1);
    this.tip.style.left = share > 0.5 ? "auto" : `${100 * share}%`;
    this.tip.style.right = share > 0.5 ? `${100 * (1 - share)}%` : "auto";
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.at);
    this.cursor.classList.add("shown");
    this.plane.setAttribute("aria-valuenow", this.at);
    this.plane.setAttribute("aria-valuetext", text);
  }

  forget() {
    this.tip.hidden = true;
    this.cursor.classList.remove("shown");
  }
}

/** The blocks of a page; where they are many, words choose among them. */
function blockList(host, blocks) {
  const made = blocks.map((detail) => [block(detail), JSON.stringify([detail.title, detail.courses?.map(([label]) => label)]).toLowerCase()]);
  if (blocks.length > 5) {
    const search = element("input", {
      type: "search", placeholder: "float16 (32, 32)",
      oninput: () => {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        made.forEach(([node, text]) => { node.hidden = !words.every((word) => text.includes(word)); });
      },
    });
    host.append(element("div", { class: "controls" }, element("label", {}, "Search", search)));
  }
  const isSingle = blocks.every(({ courses = [] }) => courses.length < 2);
  host.append(key(blocks), element("div", { class: isSingle ? "pairs" : "" }, ...made.map(([node]) => node)));
}

/** The meaning of the symbols in the charts of these blocks, and the newest changes of the machine in words. */
function key(blocks) {
  const courses = blocks.flatMap(({ courses = [] }) => courses);
  if (!courses.length) return null;
  const sets = [...new Set(courses.map(([, , , , set]) => set))];
  const facts = sets.flatMap((set) => nights[set].filter(([, , changed]) => changed)).sort(([one], [other]) => (one < other ? 1 : -1));
  const kinds = new Set([...courses.flatMap(([, , , marks]) => marks.map(([, kind]) => kind)), ...(facts.length ? ["facts"] : [])]);
  const levels = LEVELS.some((kind) => kinds.has(kind)) ? "; shaded: about 95% of the nights at each level" : "";
  return element("div", {},
    element("ul", { class: "key" },
      ...Object.keys(MARKS).filter((kind) => kinds.has(kind)).map((kind) => element("li", {}, symbol(kind), ` ${MARKS[kind][2]}`)),
      element("li", { class: "muted" }, `logarithmic axes${levels}`)),
    element("ul", { class: "marks" }, ...facts.slice(0, MAX_FACTS).map(([day, , changed]) =>
      element("li", {}, symbol("facts"), ` ${day}: ${changed}`)),
    facts.length > MAX_FACTS ? element("li", { class: "muted" }, `and ${facts.length - MAX_FACTS} earlier nights, told by the charts`) : null));
}
