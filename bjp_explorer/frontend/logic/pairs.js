/** Pairs of variables. */

/** The name of a pair, whichever of the two comes first: "2-7". */
export const edgeKey = (
  /** @type {number} */ i,
  /** @type {number} */ j,
) => (i < j ? `${i}-${j}` : `${j}-${i}`);

/** Pairs by their names, each once. */
export const byKey = (/** @type {[number, number][]} */ pairs) =>
  new Map(pairs.map((pair) => [edgeKey(...pair), pair]));
