/** What the graph shows of one term: the pair, the blanket that is given, the line between the two. */

/** @import { Edge } from "../payloads.d.ts" */
/** @import { Walk } from "./walk.js" */

/** "independent", "dependent" or "inferred"; "local" for a local score or none at all. */
export function kindOf(/** @type {Walk} */ walk, /** @type {number | null} */ t) {
  if (t === null || walk.local) return "local";
  if (!walk.isComputed(t)) return "inferred";
  return walk.terms.dependent[t] ? "dependent" : "independent";
}

/**
 * Roles of nodes, tones of edges and the line of the pair for term t (null: none).
 * pending(i, j) tells whether a change of that pair has been asked for; with `hidden` the term is only asked about.
 */
export function spotlight(
  /** @type {Walk} */ walk,
  /** @type {[number, number][]} */ edges,
  /** @type {number | null} */ t,
  /** @type {(i: number, j: number) => boolean} */ pending,
  hidden = false,
) {
  const kind = hidden ? "local" : kindOf(walk, t);
  const given = new Set(t === null ? [] : walk.given(t));
  const x = t === null ? -1 : walk.terms.x[t];
  const y = t === null || walk.local ? -1 : walk.terms.y[t];
  const roles = new Map([...given].map((i) => [i, "given"]));
  if (x >= 0) roles.set(x, "x");
  if (y >= 0) roles.set(y, "y");
  const tone = (/** @type {number} */ i, /** @type {number} */ j) => {
    if (pending(i, j)) return "pending";
    if ((i === x && j === y) || (i === y && j === x)) return kind === "inferred" ? "plain" : "tested";
    return (i === x && given.has(j)) || (j === x && given.has(i)) ? "given" : "plain";
  };
  const link = {
    i: x,
    j: y,
    tone: hidden ? "proposed" : kind,
    question: hidden,
    dependent: t !== null && y >= 0 && Boolean(walk.terms.dependent[t]),
    straight: y >= 0 && walk.adjacent(x, y),
  };
  const drawn = edges.map(([i, j]) => /** @type {Edge} */ ([i, j, tone(i, j)]));
  return { kind, x, roles, edges: drawn, link: y >= 0 ? link : null };
}
