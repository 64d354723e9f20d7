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

function caseBlock(detail, table, row) {
  const title = detail.title ?? ["profile", "inputs"].map((name) => spelled(row[place(table, name)])).filter(Boolean).join(": ");
  return element("div", { class: "case" }, element("h3", {}, title), ...contents(detail), key([detail]));
}

/** A block of a page, whose title may lead to another page. */
function block(detail) {
  const title = detail.address ? element("a", { href: detail.address }, detail.title) : detail.title;
  const id = detail.anchor || null;
  return element("article", { class: "card", id }, element("h3", {}, title), ...contents(detail));
}

/** A result that stands before the tables, with a link to its operator's section. */
function card({ title, row, notes = [] }, detail, table) {
  const operator = spelled(table.rows[row][place(table, "operator")]);
  const link = element("a", { href: `#${anchor(operator)}` }, title);
  return element("article", { class: "card" }, element("h3", {}, link), ...paragraphs(notes), ...contents(detail), key([detail]));
}

function contents({ notes = [], sides = [], bar = null, bars = [], tables = [], distributions = [], courses = [], command = "" }) {
  const parts = [];
  if (sides.length) parts.push(element("div", { class: "sides" }, ...sides.map(side)));
  if (bar) parts.push(ratioBar(bar));
  if (courses.length) parts.push(element("div", { class: "courses" }, ...courses.map(course)));
  parts.push(...paragraphs(notes));
  if (bars.length) parts.push(stacked(bars));
  const grids = tables.map(smallTable);
  if (sides.length && grids.length) parts.push(element("details", {}, element("summary", {}, "More"), ...grids));
  else parts.push(...grids);
  if (distributions.length) parts.push(element("div", { class: "distributions" }, ...distributions.map(distribution)));
  if (command) parts.push(copied(command));
  return parts;
}

function paragraphs(texts) {
  return texts.map((text) => element("p", {}, text));
}

/** One of two compared things; words that differ are marked. */
function side([label, value, words = []]) {
  const marked = words.flatMap(([text, differs]) => [differs ? element("mark", {}, text) : text, " "]);
  const head = element("div", { class: "head" }, element("span", { class: "muted" }, label), element("b", {}, value));
  return element("div", { class: "side" }, head, ...(words.length ? [element("div", { class: "inputs" }, ...marked)] : []));
}

/** A bar of the larger value, divided where the smaller one ends, with the interval as a line. */
function ratioBar([text, share, ends, labels, tone]) {
  const bar = element("div", { class: `ratio ${tone}`, role: "img", "aria-label": `${text}: ${labels.join(", ")}` });
  const [less, interval] = [element("span", { class: "less" }), element("span", { class: "interval" })];
  less.style.width = `${100 * share}%`;
  interval.style.left = `${100 * ends[0]}%`;
  interval.style.width = `${100 * (ends[1] - ends[0])}%`;
  bar.append(less, interval);
  const key = labels.map((label, at) => element("span", { class: at ? tone : "good" }, `\u25A0 ${label}`));
  return element("div", {}, element("b", {}, text), bar, element("div", { class: "ends" }, ...key));
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

function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
