/** One timeline for two climbs: by flip number or by tests made. No DOM here. */

/**
 * Where each state of a climb stands: the start, every step, and the proposal that was refused.
 *
 * @param {import("../payloads.d.ts").ClimbPayload} data
 * @param {"flips" | "tests"} by
 */
export function places(data, by) {
  const { steps, rejected, made } = data;
  if (by === "tests") {
    const all = [0, ...steps.map((step) => step.tests ?? 0)];
    return rejected ? [...all, rejected.tests ?? 0] : all;
  }
  const all = [0, ...steps.map((step, k) => step.at ?? k + 1)];
  return rejected ? [...all, made + 1] : all;
}

/**
 * The last of the states that stand at a place or before it.
 *
 * @param {number[]} where
 * @param {number} place
 */
export function stateAt(where, place) {
  let [low, high] = [0, where.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (where[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The state whose place is nearest, the earlier of two.
 *
 * @param {number[]} where
 * @param {number} place
 */
export function nearest(where, place) {
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
