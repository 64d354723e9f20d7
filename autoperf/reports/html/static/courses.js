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
