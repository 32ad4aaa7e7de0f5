/** Verdicts on answers, looked up among those that the engine gave; nothing is judged here. */

import { sorted } from "./picks.js";

/** @typedef {import("../payloads.d.ts").VerdictTree} VerdictTree */

/**
 * The verdict on some picks.
 *
 * @param {VerdictTree} tree
 * @param {any[]} picks
 * @param {string} kind
 */
export function judge({ candidates, verdicts, nodes, root }, picks, kind) {
  const places = new Map(candidates.map((candidate, k) => [String(candidate), k]));
  let branch = root;
  for (const pick of sorted(picks, kind)) {
    // All that follows gets the same verdict.
    if (branch >= 0) break;
    branch = nodes[-1 - branch][1][places.get(String(pick)) ?? -1];
  }
  return verdicts[branch < 0 ? nodes[-1 - branch][0] : branch];
}

/** @typedef {"open" | "tried" | "shown" | "solved"} State */

/** @type {State[]} */
const STATES = ["open", "tried", "shown", "solved"];

/** The best that became of a question: once solved, solved. */
export const reached = (/** @type {import("./memory.js").Kept | undefined} */ answer) =>
  STATES.findLast((state) => answer?.state === state || answer?.before === state) ?? "open";

/**
 * How far a lesson has come, by the states of its questions: "solved", "shown" (answered, with help), "begun" or "new".
 *
 * @param {State[]} states
 * @param {boolean} opened
 * @returns {"solved" | "shown" | "begun" | "new"}
 */
export function stateOf(states, opened) {
  if (states.every((state) => state === "solved")) return "solved";
  if (states.every((state) => state === "solved" || state === "shown")) return "shown";
  return opened || states.some((state) => state !== "open") ? "begun" : "new";
}
