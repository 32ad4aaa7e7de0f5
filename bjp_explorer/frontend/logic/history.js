/** A climb as states: the edges after any number of steps, forwards and backwards. No DOM here. */

/** @import { Edge, Flip, Start } from "../payloads.d.ts" */
/** @typedef {[number, number]} Pair */
/** @typedef {Map<string, Pair>} Edges by key */

/** The name of a pair, whichever of the two comes first: "2-7". */
export const edgeKey = (/** @type {number} */ i, /** @type {number} */ j) =>
  i < j ? `${i}-${j}` : `${j}-${i}`;

export const byKey = (/** @type {Pair[]} */ pairs) => new Map(pairs.map((pair) => [edgeKey(...pair), pair]));

function put(/** @type {Edges} */ edges, /** @type {Pair} */ [i, j], /** @type {boolean} */ present) {
  if (present) edges.set(edgeKey(i, j), [i, j]);
  else edges.delete(edgeKey(i, j));
}

/** A step of a long walk stands for several flips: these pairs changed besides. */
function toggle(/** @type {Edges} */ edges, /** @type {Pair[] | undefined} */ others) {
  for (const pair of others ?? []) put(edges, pair, !edges.has(edgeKey(...pair)));
}

/** Between more edges than so many for each node no name finds a free place. */
const CLEAR = 3;

export class History {
  /** @type {Flip[]} */ steps = [];
  /** @type {boolean[]} whether the pair of each step was an edge before it */ before = [];

  constructor(/** @type {Start} */ start) {
    /** @type {Edges} */ this.edges = byKey(start.edges);
    this.at = 0;
    this.latest = new Map(this.edges);
    this.ever = new Map(this.edges);
  }

  /** Take the steps of the trace; those already known are kept. */
  extend(/** @type {Flip[]} */ steps) {
    for (let k = this.steps.length; k < steps.length; k += 1) {
      const { edge, added, others } = steps[k];
      this.before.push(this.latest.has(edgeKey(...edge)));
      put(this.latest, edge, added);
      toggle(this.latest, others);
      for (const pair of [edge, ...(others ?? [])]) put(this.ever, pair, true);
    }
    this.steps = steps;
  }

  /** The edges that names keep clear of: all of all steps, or where those are too many, of the last graph. */
  get inTheWay() {
    const nodes = new Set([...this.ever.values()].flat()).size;
    return [...(this.ever.size <= CLEAR * nodes ? this.ever : this.latest).values()];
  }

  /** Edges after k steps, as a Map of key → [i, j]. */
  go(/** @type {number} */ k) {
    const target = Math.min(k, this.steps.length);
    while (this.at < target) {
      const { edge, added, others } = this.steps[this.at];
      put(this.edges, edge, added);
      toggle(this.edges, others);
      this.at += 1;
    }
    while (this.at > target) {
      this.at -= 1;
      const { edge, others } = this.steps[this.at];
      put(this.edges, edge, this.before[this.at]);
      toggle(this.edges, others);
    }
    return this.edges;
  }

  /** The number of the last step before k that flipped the same pair, or 0. */
  earlier(/** @type {number} */ k) {
    const key = edgeKey(...this.steps[k - 1].edge);
    for (let m = k - 1; m > 0; m -= 1) if (edgeKey(...this.steps[m - 1].edge) === key) return m;
    return 0;
  }
}

/** Counts against the truth: true and false positives, missing edges, Hamming distance. */
export function compare(/** @type {Edges} */ edges, /** @type {Edges} */ truth) {
  let tp = 0;
  for (const key of edges.keys()) if (truth.has(key)) tp += 1;
  const fp = edges.size - tp;
  const fn = truth.size - tp;
  return { tp, fp, fn, hamming: fp + fn };
}

/** ψ: variables by ascending degree, ties by index; and the degrees, from a set of edges. */
export function degreeOrder(/** @type {Edges} */ edges, /** @type {number} */ n) {
  const degree = new Array(n).fill(0);
  for (const [i, j] of edges.values()) {
    degree[i] += 1;
    degree[j] += 1;
  }
  const order = degree.map((_, i) => i).sort((a, b) => degree[a] - degree[b] || a - b);
  return { degree, order };
}

/**
 * The edges to draw with their tones.
 *
 * @param {Edges} edges
 * @param {Pair | null} flip the pair flipped in this step
 * @param {Edges | null} other the truth or another graph, to compare with
 * @param {[string, string]} tones of edges that both have, and of those that the other hasn't
 */
export function drawnEdges(edges, flip, other, [both, only] = ["tp", "fp"]) {
  const flipped = flip ? edgeKey(...flip) : null;
  /** @type {Edge[]} */ const drawn = [];
  for (const [key, pair] of edges) {
    const tones = [other && (other.has(key) ? both : only), key === flipped && "added"];
    drawn.push([...pair, tones.filter(Boolean).join(" ") || "plain"]);
  }
  for (const [key, pair] of other ?? []) {
    if (!edges.has(key) && key !== flipped) drawn.push([...pair, "missing"]);
  }
  if (flip && !edges.has(edgeKey(...flip))) drawn.push([...flip, "removed"]);
  return drawn;
}

export function ranks(/** @type {number[]} */ order) {
  const rank = new Array(order.length);
  order.forEach((variable, k) => {
    rank[variable] = k;
  });
  return rank;
}
