/** One timeline for two climbs: by flip number or by tests made. No DOM here. */

/** @import { ClimbPayload } from "../payloads.d.ts" */

/** Where each state of a climb stands: the start, every step, and the proposal that was refused. */
export function places(/** @type {ClimbPayload} */ data, /** @type {"flips" | "tests"} */ by) {
  const { steps, rejected, made } = data;
  if (by === "tests") {
    const all = [0, ...steps.map((step) => step.tests ?? 0)];
    return rejected ? [...all, rejected.tests ?? 0] : all;
  }
  const all = [0, ...steps.map((step, k) => step.at ?? k + 1)];
  return rejected ? [...all, made + 1] : all;
}

/** The last of the states that stand at a place or before it. */
export function stateAt(/** @type {number[]} */ where, /** @type {number} */ place) {
  let [low, high] = [0, where.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (where[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The state whose place is nearest, the earlier of two. */
export function nearest(/** @type {number[]} */ where, /** @type {number} */ place) {
  const low = stateAt(where, place);
  const next = Math.min(low + 1, where.length - 1);
  return place - where[low] <= where[next] - place ? low : next;
}

/**
 * The places at which one of the climbs changes, in ascending order.
 *
 * @param {...number[]} lists
 */
export function union(...lists) {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}
