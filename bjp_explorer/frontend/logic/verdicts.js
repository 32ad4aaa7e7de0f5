/** Verdicts on answers, looked up among those that the engine gave; nothing is judged here. */

import { sorted } from "./picks.js";

/** @import { VerdictTree } from "../payloads.d.ts" */

/** The verdict on some picks. */
export function judge(
  /** @type {VerdictTree} */ { candidates, verdicts, nodes, root },
  /** @type {any[]} */ picks,
  /** @type {string} */ kind,
) {
  const places = new Map(candidates.map((candidate, k) => [String(candidate), k]));
  let branch = root;
  for (const pick of sorted(picks, kind)) {
    // All that follows gets the same verdict.
    if (branch >= 0) break;
    branch = nodes[-1 - branch][1][places.get(String(pick)) ?? -1];
  }
  return verdicts[branch < 0 ? nodes[-1 - branch][0] : branch];
}

/**
 * How far a lesson has come, by the states of its questions: "solved", "shown" (answered, with help), "begun" or "new".
 *
 * @returns {"solved" | "shown" | "begun" | "new"}
 */
export function stateOf(/** @type {(string | undefined)[]} */ states, /** @type {boolean} */ opened) {
  if (states.every((state) => state === "solved")) return "solved";
  if (states.every((state) => state === "solved" || state === "shown")) return "shown";
  return opened || states.some(Boolean) ? "begun" : "new";
}
