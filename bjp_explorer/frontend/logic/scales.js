/** Scales of an axis of scores, and which of them shows some scores best. */

import { ticks } from "./ticks.js";

/** From this ratio of the extremes on, a log scale shows more than a linear one. */
const SPREAD = 8;
/** Half of the scores in this share of the height are too close to be told apart. */
const CROWDED = 1 / 6;
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

/**
 * The scale that shows some scores best: the log scale where a large jump would flatten the rest.
 *
 * @returns {"linear" | "log"}
 */
export function usualScale(/** @type {number[]} */ values) {
  if (values.length < 3 || !canLog(values)) return "linear";
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return high - middle < CROWDED * (high - low) ? "log" : "linear";
}
