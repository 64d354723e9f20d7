/** An element with attributes and children; text is always set as text, so that no name can be markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The anchor of an operator's section. */
function anchor(operator) {
  return `operator-${encodeURIComponent(operator)}`;
}

/** A cell's text. */
function spelled(cell) {
  return cell === null ? "" : typeof cell === "string" ? cell : cell[1];
}

/** Whether a cell is an address with the text of its link. */
function isLink(cell) {
  return Array.isArray(cell) && typeof cell[0] === "string";
}

/** A cell's number, or its text. */
function valued(cell) {
  return Array.isArray(cell) ? cell[isLink(cell) ? 1 : 0] : cell;
}

/** The position of a column by its name, -1 without one. */
function place(table, name) {
  return table.columns.findIndex((column) => column.name === name);
}

/** The runs of the page's courses. */
let nights = [];

/** Draws the page from its data. */
function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { cards, tables, main, charts, rankings, details, blocks } = data;
  nights = data.nights;
  const drawn = [];
  cards.forEach((entry) => document.getElementById("cards").append(card(entry, details[entry.row], tables[main])));
  tables.filter(({ title }) => title === "Operators").forEach(finder);
  if (blocks.length) blockList(document.getElementById("blocks"), blocks);
  const host = element("div", { class: "charts" });
  document.getElementById("charts")?.append(host);
  drawn.push(...charts.map((chart) => new Scatter(host, chart, tables[main])));
  rankings.forEach((entry) => ranking(host, entry, tables[main]));
  tables.forEach((table, at) => {
    const section = document.getElementById(`table-${at + 1}`);
    const filtered = at === main ? (rows) => drawn.forEach((chart) => chart.show(rows)) : null;
    if (table.bars.length) section.append(stacked(table.bars));
    new SortedTable(section, table, at === main && details.length > 0, filtered);
  });
  if (details.length) sections(document.getElementById("operators"), tables[main], details);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach((chart) => chart.plot.redraw()));
  const follow = () => location.hash.startsWith("#operator-") && open(decodeURIComponent(location.hash.slice("#operator-".length)));
  addEventListener("hashchange", follow);
  follow();
}

/** A field above the page that leads to an operator of a table of links. */
function finder({ rows }) {
  const links = new Map(rows.filter(([cell]) => isLink(cell)).map(([[address, name]]) => [name.toLowerCase(), address]));
  if (!links.size) return;
  const list = element("datalist", { id: "operator-names" }, ...rows.map(([cell]) => element("option", { value: spelled(cell) })));
  const go = (event) => {
    const address = links.get(event.target.value.trim().toLowerCase());
    if (address) location.assign(address);
  };
  const field = element("input", { type: "search", list: "operator-names", placeholder: "softmax", onchange: go });
  document.querySelector("header").append(element("div", { class: "controls finder" }, element("label", {}, "Go to an operator", field), list));
}

start();
