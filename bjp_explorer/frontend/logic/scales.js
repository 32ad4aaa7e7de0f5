/** Scales of an axis, where it is marked, and which shows some scores best. */

/** From this ratio of the extremes on, a log scale shows more than a linear one. */
const SPREAD = 8;
/** Half of the scores in this share of the height are too close to be told apart. */
const CROWDED = 1 / 6;

/** Round values that cover a range: 1, 2 or 5 times a power of ten. */
export function ticks(/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ most) {
  const raw = (high - low) / Math.max(1, most);
  const size = 10 ** Math.floor(Math.log10(raw || 1));
  const sizes = [1, 2, 5, 10].map((m) => m * size);
  const inside = (/** @type {number} */ s) => Math.floor(high / s + 1e-9) - Math.ceil(low / s - 1e-9) + 1;
  // As coarse as possible, but one mark alone gives no scale.
  const step = sizes.find((s) => s >= raw && inside(s) > 1) ?? sizes.findLast((s) => inside(s) > 1) ??
    sizes[0];
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) {
    found.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  }
  return found;
}

/** Round negative values, 1, 2 or 5 times a power of ten; only the powers where those are too many. */
function powers(/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ most) {
  const all = [];
  for (let e = Math.ceil(Math.log10(-low)); e >= Math.floor(Math.log10(-high)) - 1; e -= 1) {
    for (const m of [5, 2, 1]) all.push({ value: -m * 10 ** e, whole: m === 1 });
  }
  const inside = all.filter(({ value }) => value >= low && value <= high);
  const few = inside.length > most ? inside.filter(({ whole }) => whole) : inside;
  return few.map(({ value }) => value);
}

/**
 * `to` is the height of a value, `ticks` where the axis is marked.
 *
 * @typedef {{ to: (v: number) => number, ticks: (low: number, high: number, most: number) => number[] }} Scale
 */

/** The log scale, of negative scores only, spreads out the last small gains. @type {Record<"linear" | "log", Scale>} */
export const SCALES = {
  linear: { to: (v) => v, ticks: (low, high, most) => ticks(low, high, Math.min(4, most)) },
  log: { to: (v) => -Math.log10(-v), ticks: powers },
};

/** Whether a log scale makes sense: every score below zero, and some many times others. */
export function canLog(/** @type {number[]} */ values) {
  return values.every((v) => v < 0) && Math.min(...values) < SPREAD * Math.max(...values);
}

/** The scale that shows some scores best: the log scale where a large jump would flatten the rest. */
/** @returns {"linear" | "log"} */
export function usualScale(/** @type {number[]} */ values) {
  if (values.length < 3 || !canLog(values)) return "linear";
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return high - middle < CROWDED * (high - low) ? "log" : "linear";
}
