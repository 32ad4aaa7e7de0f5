/** Pairs of variables. */

/**
 * The name of a pair, whichever of the two comes first: "2-7".
 *
 * @param {number} i
 * @param {number} j
 */
export const edgeKey = (i, j) => (i < j ? `${i}-${j}` : `${j}-${i}`);

/**
 * Pairs by their names, each once.
 *
 * @param {[number, number][]} pairs
 */
export const byKey = (pairs) => new Map(pairs.map((pair) => [edgeKey(...pair), pair]));
