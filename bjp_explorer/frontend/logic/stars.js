/** The samples of a star and the engine's numbers for them, as lessons/hub.py packs them. */

/** @import { StarsPayload } from "../payloads.d.ts" */
/** @typedef {[leaves: number, rows: number, strength: number]} Setting places of the three sliders */
/**
 * ln Pr(⊥̸) from both ends; the sums of ln Pr over the edges from the leaves, the edges from the hub, and pairs of leaves.
 *
 * @typedef {{ leaf: number, hub: number, leaves: number, hub_edges: number, pairs: number }} Numbers
 */

const NUMBERS = 5;
const FOUND = Math.log(0.9);

/** What a test makes of an edge that is there; none of the sample's denies it. */
export const verdictOf = (/** @type {number} */ log) => (log >= FOUND ? "found" : "undecided");

/** Inflate what Python packed. */
export async function unpack(/** @type {StarsPayload} */ sent) {
  const bytes = Uint8Array.from(atob(sent.packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Stars(sent, await new Response(stream).arrayBuffer());
}

export class Stars {
  constructor(/** @type {StarsPayload} */ sent, /** @type {ArrayBuffer} */ raw) {
    const { rows, leaves, seeds, strengths } = sent;
    this.sent = sent;
    this.samples = seeds.length;
    const floats = strengths * seeds.length * rows.length * leaves * NUMBERS;
    this.values = new Float64Array(raw, 0, floats);
    this.codes = new Uint16Array(raw, floats * 8).slice();
    const most = rows[rows.length - 1];
    // The rows that each size adds are sorted, and written as differences.
    const starts = new Set([0, ...rows]);
    for (let k = 0; k < this.codes.length; k += 1) {
      if (!starts.has(k % most)) this.codes[k] += this.codes[k - 1];
    }
  }

  /** @returns {Numbers} */
  numbers(/** @type {Setting} */ [k, rows, strength], /** @type {number} */ sample) {
    const { sent, samples, values } = this;
    const at = ((strength * samples + sample) * sent.rows.length + rows) * sent.leaves + k;
    const [leaf, hub, leaves, hub_edges, pairs] = values.subarray(at * NUMBERS, (at + 1) * NUMBERS);
    return { leaf, hub, leaves, hub_edges, pairs };
  }

  /** The rows of a sample: bit k is leaf k, the last bit the hub. */
  rows(/** @type {Setting} */ [, rows, strength], /** @type {number} */ sample) {
    const sizes = this.sent.rows;
    const start = (strength * this.samples + sample) * sizes[sizes.length - 1];
    return this.codes.subarray(start, start + sizes[rows]);
  }

  /** How often an end finds the edge in the first samples, and how often it is undecided. */
  tally(/** @type {Setting} */ setting, /** @type {"leaf" | "hub"} */ end, /** @type {number} */ drawn) {
    const tally = { found: 0, undecided: 0 };
    for (let k = 0; k < drawn; k += 1) tally[verdictOf(this.numbers(setting, k)[end])] += 1;
    return tally;
  }
}

/**
 * Where the rows lie: each given leaf, from the second on, halves every slice, side by side and one above the other in
 * turn; hub is the hub's bit.
 */
export function deal(
  /** @type {Uint16Array} */ codes,
  /** @type {number} */ given,
  /** @type {number} */ hub,
) {
  const across = Math.ceil(given / 2);
  const columns = 2 ** across;
  const lines = 2 ** (given - across);
  const rows = Array.from({ length: columns * lines }, () => /** @type {number[][]} */ ([[], []]));
  codes.forEach((code, row) => {
    let [x, y] = [0, 0];
    for (let k = 1; k <= given; k += 1) {
      const bit = (code >> k) & 1;
      if (k % 2) x = 2 * x + bit;
      else y = 2 * y + bit;
    }
    rows[y * columns + x][(code ^ (code >> hub)) & 1].push(row);
  });
  const slices = rows.map(([same, other]) => ({ same: same.length, rows: [...same, ...other] }));
  return { columns, lines, slices };
}
