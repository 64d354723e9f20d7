const SVG = "http://www.w3.org/2000/svg";

/** A section for each operator, whose content is made when it is opened. */
function sections(host, table, details) {
  const at = place(table, "operator");
  const members = new Map();
  table.rows.forEach((row, position) => {
    const name = spelled(row[at]);
    if (!members.has(name)) members.set(name, []);
    members.get(name).push(position);
  });
  const names = [...members.keys()].sort();
  const blocks = (positions) => positions.map((position) => caseBlock(details[position], table, table.rows[position]));
  host.append(...names.map((name) => section(name, members.get(name), blocks)));
}

function section(name, positions, blocks) {
  const heading = element("summary", {}, element("b", {}, name), ` (${positions.length})`);
  const made = element("details", { id: anchor(name) }, heading);
  made.addEventListener("toggle", () => {
    if (made.open && made.childElementCount === 1) made.append(...blocks(positions));
  });
  return made;
}

function caseBlock({ title, notes = [], tables = [], distributions = [], courses = [], command = "" }, table, row) {
  title ??= ["profile", "inputs"].map((name) => spelled(row[place(table, name)])).filter(Boolean).join(": ");
  const block = element("div", { class: "case" }, element("h3", {}, title), ...notes.map((note) => element("p", {}, note)));
  block.append(...tables.map(smallTable));
  if (distributions.length) block.append(element("div", { class: "distributions" }, ...distributions.map(distribution)));
  if (courses.length) block.append(element("div", { class: "courses" }, ...courses.map(course)));
  if (command) block.append(copied(command));
  return block;
}

function smallTable({ rows: [head, ...rows] }) {
  const cells = (tag, row) => element("tr", {}, ...row.map((text) => element(tag, tag === "th" ? { scope: "col" } : {}, text)));
  const grid = element("table", {}, element("thead", {}, cells("th", head)), element("tbody", {}, ...rows.map((row) => cells("td", row))));
  return element("div", { class: "fitting", tabindex: "0", role: "region", "aria-label": head.join(", ") }, grid);
}

/** A histogram, as its bins say; the last one has everything above. */
function distribution([label, bins, ends]) {
  const counts = [...bins].map((digit) => parseInt(digit, 36));
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${counts.length} 36`);
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `distribution of ${label}, from ${ends[0]} to ${ends[1]}`);
  counts.forEach((count, at) => {
    const bar = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ x: at + 0.05, y: 36 - count, width: 0.9, height: count })) bar.setAttribute(name, value);
    picture.append(bar);
  });
  return element("div", {}, element("div", { class: "muted" }, label), picture,
    element("div", { class: "ends" }, element("span", {}, ends[0]), element("span", {}, ends[1])));
}

function copied(command) {
  const button = element("button", {
    type: "button",
    onclick: async () => {
      await navigator.clipboard.writeText(command);
      button.textContent = "Copied";
    },
  }, "Copy");
  return element("div", { class: "command" }, element("code", {}, command), button);
}

/** Opens the section of an operator and scrolls to it. */
function open(operator) {
  const target = document.getElementById(anchor(operator));
  if (!target) return;
  target.open = true;
  target.scrollIntoView();
  target.querySelector("summary").focus({ preventScroll: true });
}

/** A series over its runs: a line through the levels, and a mark where a step began. */
function course([label, levels, ends, dates, steps]) {
  const picture = drawn("svg", { viewBox: `0 -2 ${Math.max(1, levels.length - 1)} 40`, preserveAspectRatio: "none", role: "img" });
  const told = steps.map(([, text]) => `; ${text}`).join("");
  picture.setAttribute("aria-label", `${label} in ${levels.length} runs, from ${ends[0]} to ${ends[1]}${told}`);
  const points = [...levels].flatMap((digit, run) => (digit === " " ? [] : [`${run},${36 - parseInt(digit, 36)}`]));
  picture.append(
    ...steps.map(([run]) => drawn("line", { class: "step", x1: run, x2: run, y1: -2, y2: 38 })),
    drawn("polyline", { points: points.join(" ") }),
  );
  const row = (texts) => element("div", { class: "ends" }, ...texts.map((text) => element("span", {}, text)));
  return element("div", {}, element("div", { class: "muted" }, `${label}: ${ends[0]} to ${ends[1]}`), picture, row(dates));
}

function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
