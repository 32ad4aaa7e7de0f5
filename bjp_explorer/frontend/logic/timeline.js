/** One timeline for two climbs: by flip number or by tests made. No DOM here. */

/** @import { ClimbPayload } from "../payloads.d.ts" */

/** Where each state of a climb stands: the start, every step, and the proposal that was refused. */
export function places(/** @type {ClimbPayload} */ data, /** @type {"flips" | "tests"} */ by) {
  const { steps, rejected, made } = data;
  const all = steps.map((step, k) => by === "tests" ? step.tests : step.at ?? k + 1);
  const last = by === "tests" ? rejected?.tests ?? 0 : made + 1;
  return [0, ...all, ...(rejected ? [last] : [])];
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

/** The places at which one of the climbs changes, in ascending order. */
export const union = (/** @type {number[][]} */ ...lists) => [...new Set(lists.flat())].sort((a, b) => a - b);
