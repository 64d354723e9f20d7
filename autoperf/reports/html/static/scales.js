const TIMES = [[1e-3, "ns"], [1, "us"], [1e3, "ms"], [1e6, "s"]];
const BYTES = [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"]];

/** A tick of a logarithmic axis in the largest unit that it reaches. */
function tick(value, unit) {
  const units = unit === "us" ? TIMES : unit === "bytes" ? BYTES : [[1, ""]];
  const [scale, name] = units.findLast(([size]) => value >= size * 0.999) ?? units[0];
  return `${Number((value / scale).toPrecision(3))} ${name}`.trim();
}

/** The ticks of a logarithmic axis: powers of ten (of two for bytes), no more than fit. */
function ticks(low, high, unit, room) {
  const base = unit === "bytes" ? 4 : 10;
  const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
  const last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / room));
  const powers = [];
  for (let power = first; power <= last; power += step) powers.push(base ** power);
  return powers.length > 1 ? powers : between(low, high);
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
