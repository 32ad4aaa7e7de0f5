/** What was picked in a view: indices of nodes or cards, or [x, y] for a cell. Plain values, no drawing. */

const SINGLE = new Set(["node", "card", "cell"]);
/** Which of these was picked first makes no difference. */
const SORTED = new Set(["nodes", "pair", "cells", "cards"]);

const same = (/** @type {unknown} */ a, /** @type {unknown} */ b) => String(a) === String(b);

export const holds = (/** @type {unknown[]} */ picks, /** @type {unknown} */ pick) =>
  picks.some((other) => same(other, pick));

/** The picks after one more click. */
export function toggled(/** @type {any[]} */ picks, /** @type {any} */ pick, /** @type {string} */ kind) {
  if (holds(picks, pick)) return picks.filter((other) => !same(other, pick));
  if (SINGLE.has(kind) || (kind === "pair" && picks.length === 2)) return [pick];
  return [...picks, pick];
}

/** Picks as Python judges them: a set in ascending order, cells by row and column. */
export function sorted(/** @type {any[]} */ picks, /** @type {string} */ kind) {
  if (!SORTED.has(kind)) return picks;
  const [place, rest] = [(/** @type {any} */ p) => p[0] ?? p, (/** @type {any} */ p) => p[1] ?? 0];
  return [...picks].sort((a, b) => place(a) - place(b) || rest(a) - rest(b));
}

/** The name under which Python filed what a view shows for these picks. */
export function keyOf(/** @type {any[]} */ picks, /** @type {string} */ kind) {
  return sorted(picks, kind).join(",");
}

/** What a kind of picking is about: "nodes", "cells", "cards" or nothing. */
export function objectOf(/** @type {string} */ kind) {
  if (["node", "nodes", "pair", "order"].includes(kind)) return "nodes";
  if (["cell", "cells"].includes(kind)) return "cells";
  return ["card", "cards"].includes(kind) ? "cards" : "";
}
