/** Draws the page from its data. */
function start() {
  const { tables, charts, rankings, details } = JSON.parse(document.getElementById("data").textContent);
  const drawn = [];
  const host = element("div", { class: "charts" });
  document.getElementById("charts")?.append(host);
  drawn.push(...charts.map((chart) => new Scatter(host, chart, tables[0])));
  rankings.forEach((entry) => ranking(host, entry, tables[0]));
  tables.forEach((table, at) => {
    const first = at === 0;
    const filtered = first ? (rows) => drawn.forEach((chart) => chart.show(rows)) : null;
    new SortedTable(document.getElementById(`table-${at + 1}`), table, first && details.length > 0, filtered);
  });
  if (details.length) sections(document.getElementById("operators"), tables[0], details);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach((chart) => chart.plot.redraw()));
  const follow = () => location.hash.startsWith("#operator-") && open(decodeURIComponent(location.hash.slice("#operator-".length)));
  addEventListener("hashchange", follow);
  follow();
}

start();
