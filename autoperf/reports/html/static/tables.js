const CHUNK = 200;

/** A table that sorts by its headings and filters by text and by lists of values. */
class SortedTable {
  constructor(host, table, linked, onfilter) {
    this.table = table;
    this.linked = linked;
    this.onfilter = onfilter;
    this.sorted = null;
    this.descending = false;
    this.shown = table.columns.map((column) => !column.hidden);
    this.texts = table.rows.map((row) => row.map(spelled).join(" ").toLowerCase());
    this.count = element("p", { class: "muted", role: "status" });
    this.body = element("tbody");
    this.more = element("button", { type: "button", onclick: () => this.append() });
    this.grid = element("table", { "aria-label": table.title }, element("thead"), this.body);
    host.append(this.controls(), this.count);
    host.append(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title }, this.grid));
    host.append(this.more);
    this.head();
    this.filter();
  }

  controls() {
    this.search = element("input", { type: "search", oninput: () => this.filter(), placeholder: "softmax (32, 32)" });
    const fields = [element("label", {}, "Search", this.search)];
    this.selects = [];
    this.table.columns.forEach((column, at) => {
      if (column.filter) fields.push(this.choice(column, at));
    });
    return element("div", { class: "controls" }, ...fields, this.chooser());
  }

  choice(column, at) {
    const values = [...new Set(this.table.rows.map((row) => spelled(row[at])))].sort();
    const options = values.map((value) => element("option", { value: `=${value}` }, value || "none"));
    const select = element("select", { onchange: () => this.filter() }, element("option", { value: "" }, "all"), ...options);
    this.selects.push([select, at]);
    return element("label", {}, column.title, select);
  }

  chooser() {
    const select = element("select", {
      onchange: () => {
        const at = Number(select.value);
        this.shown[at] = !this.shown[at];
        this.fillChooser(select);
        this.head();
        this.draw();
      },
    });
    this.fillChooser(select);
    return element("label", {}, "Columns", select);
  }

  fillChooser(select) {
    const options = this.table.columns.map((column, at) =>
      element("option", { value: String(at) }, `${this.shown[at] ? "hide" : "show"} ${column.title}`));
    select.replaceChildren(element("option", { value: "", selected: true, disabled: true }, "show or hide"), ...options);
  }

  head() {
    const cells = this.table.columns.map((column, at) => {
      const order = this.sorted === at ? (this.descending ? "descending" : "ascending") : "none";
      const button = element("button", { type: "button", onclick: () => this.sort(at) }, column.title);
      return element("th", { scope: "col", "aria-sort": order, class: column.right ? "right" : "" }, button);
    });
    const row = element("tr", {}, ...cells.filter((_, at) => this.shown[at]));
    const focused = this.grid.tHead.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.grid.tHead.replaceChildren(row);
    if (focused !== null) [...row.querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  }

  sort(at) {
    // Figures begin with the largest, words with the first.
    this.descending = this.sorted === at ? !this.descending : this.table.columns[at].right;
    this.sorted = at;
    this.head();
    this.order();
    this.draw();
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = this.selects.filter(([select]) => select.value).map(([select, at]) => [select.value.slice(1), at]);
    this.rows = [];
    this.table.rows.forEach((row, position) => {
      const kept = words.every((word) => this.texts[position].includes(word));
      if (kept && chosen.every(([value, at]) => spelled(row[at]) === value)) this.rows.push(position);
    });
    this.count.textContent = `${this.rows.length} of ${this.table.rows.length} rows`;
    this.order();
    this.draw();
    this.onfilter?.(this.rows);
  }

  order() {
    if (this.sorted === null) return;
    const at = this.sorted;
    const sign = this.descending ? -1 : 1;
    const value = (position) => valued(this.table.rows[position][at]);
    this.rows.sort((first, second) => {
      const [left, right] = [value(first), value(second)];
      if (left === null || right === null) return (left === null) - (right === null);
      return sign * (typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right)));
    });
  }

  draw() {
    this.body.replaceChildren();
    this.append();
  }

  append() {
    const start = this.body.rows.length;
    const next = this.rows.slice(start, start + CHUNK).map((position) => this.row(this.table.rows[position]));
    this.body.append(...next);
    const left = this.rows.length - start - next.length;
    this.more.hidden = left === 0;
    this.more.textContent = `Show ${Math.min(left, CHUNK)} more of ${left}`;
  }

  row(cells) {
    const made = [];
    this.table.columns.forEach((column, at) => {
      if (this.shown[at]) made.push(this.cell(column, cells[at]));
    });
    return element("tr", {}, ...made);
  }

  cell(column, value) {
    const text = spelled(value);
    const title = column.title;
    const address = isLink(value) ? value[0] : this.linked && column.name === "operator" ? `#${anchor(text)}` : "";
    if (address) return element("td", { class: "text", "data-title": title }, element("a", { href: address }, text));
    const tone = column.unit === "ratio" ? ratioTone(valued(value)) : (TONES[text] ?? "");
    const kind = column.right ? "right" : text.length > 24 ? "text long" : "text";
    return element("td", { class: `${kind} ${tone}`.trim(), "data-title": title }, text);
  }
}

/** The tone of a ratio of times that differs by a tenth or more. */
function ratioTone(ratio) {
  return ratio === null || Math.abs(Math.log(ratio)) < Math.log(1.1) ? "" : ratio > 1 ? "bad" : "good";
}

const TONES = {
  slower: "bad", failed: "bad", crashed: "bad", timeout: "bad", faster: "good", undecided: "doubtful", skipped: "doubtful",
};
