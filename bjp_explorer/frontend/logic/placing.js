/** Where to write the names of nodes: beside their node, clear of edges, of other nodes and of other names. */

import { short } from "./format.js";

const GAP = 4;
/** What a name pays for lying on an edge, and for each pixel of the edge that it covers. */
const EDGE_COST = 24;
const COVERED = 1.2;
/** What a name pays for each square pixel of a node or of another name. */
const OVERLAP = 4;
const OUTSIDE = 1e5;
/** A name up to this length stays in one line, and no line is longer than the second length. */
const ONE_LINE = 12;
const LONGEST_LINE = 18;

/** @typedef {ReturnType<typeof box>} Box */
/** @typedef {Record<"x" | "y", number>[]} Segment its two ends */
/** @typedef {{ x: number, y: number, r: number, w: number, h: number, priority: number, must: number }} Labelled */

/** A name in one line or two, as even as its words allow; longer ones are shortened in the middle. */
export function linesOf(/** @type {string} */ name) {
  // A line may end after a space, which goes, or after an underscore, which stays.
  const words = name.split(/(?<=[ _])/u);
  if ([...name].length <= ONE_LINE || words.length < 2) return [short(name, LONGEST_LINE)];
  const splits = words.slice(1).map((_, k) => [words.slice(0, k + 1), words.slice(k + 1)]);
  const lines = splits.map((pair) => pair.map((part) => part.join("").trimEnd()));
  const longest = (/** @type {string[]} */ pair) => Math.max(...pair.map((line) => line.length));
  const best = lines.reduce((a, b) => (longest(b) < longest(a) ? b : a));
  return best.map((line) => short(line, LONGEST_LINE));
}

export function overlap(/** @type {Box} */ a, /** @type {Box} */ b) {
  const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return w > 0 && h > 0 ? w * h : 0;
}

/** @param {number} cx @param {number} cy @param {number} w @param {number} h */
export function box(cx, cy, w, h) {
  return { left: cx - w / 2, right: cx + w / 2, top: cy - h / 2, bottom: cy + h / 2, cx, cy };
}

/** How much of a segment lies in a box (Liang–Barsky). */
function covered(/** @type {Segment} */ [start, end], /** @type {Box} */ { left, right, top, bottom }) {
  let [t0, t1] = [0, 1];
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const sides = [[-dx, start.x - left], [dx, right - start.x], [-dy, start.y - top], [dy, bottom - start.y]];
  for (const [p, q] of sides) {
    if (p === 0) {
      if (q < 0) return 0;
    } else if (p < 0) t0 = Math.max(t0, q / p);
    else t1 = Math.min(t1, q / p);
  }
  return t0 < t1 ? (t1 - t0) * Math.hypot(dx, dy) : 0;
}

function near(/** @type {Segment} */ [a, b], /** @type {Box} */ { left, right, top, bottom }) {
  return Math.max(a.x, b.x) > left && Math.min(a.x, b.x) < right &&
    Math.max(a.y, b.y) > top && Math.min(a.y, b.y) < bottom;
}

/** Below, above and beside a node, then aslant and shifted. */
function candidates(/** @type {Labelled} */ node, /** @type {number} */ width, /** @type {number} */ height) {
  // The name of a node that is in sight is kept in sight, too.
  const visible = node.x >= 0 && node.x <= width;
  const inside = (/** @type {number} */ cx) =>
    visible ? Math.min(Math.max(cx, node.w / 2 + 3), Math.max(width - node.w / 2 - 3, node.w / 2 + 3)) : cx;
  const across = node.r + GAP + node.w / 2;
  const down = node.r + GAP + node.h / 2;
  /** @type {[number, number, number][]} how far to the right, how far down, and the price */
  const ways = [[0, down, 0], [0, -down, 12], [across, 0, 16], [-across, 0, 18]];
  for (const [side, lift] of [[1, 1], [-1, 1], [1, -1], [-1, -1]]) {
    ways.push([side * (across - 0.25 * node.r), lift * 0.75 * down, 24]);
    ways.push([side * 0.3 * node.w, lift * down, 24]);
    ways.push([side * 0.5 * node.w, lift * (down + 1), 30]);
    ways.push([side * across, lift * 0.5 * node.h, 30]);
  }
  ways.push([0, down + 0.6 * node.h, 48], [0, -down - 0.6 * node.h, 54]);
  return ways.map(([right, low, price]) => {
    const x = low && Math.abs(low) >= down ? inside(node.x + right) : node.x + right;
    const place = box(x, node.y + low, node.w, node.h);
    const cut = place.left < 0 || place.right > width || place.top < 0 || place.bottom > height;
    return { ...place, cost: price + (cut ? OUTSIDE : 0) };
  });
}

/**
 * A box for each label, in pixels, the most important first; those that all have to be there are then placed once more,
 * when each knows where the others are. w, h: size of the text; segments: the edges to keep clear of where possible. A
 * label that must show is `shown` even where it overlaps.
 */
export function placeLabels(
  /** @type {Labelled[]} */ nodes,
  /** @type {Segment[]} */ segments,
  /** @type {number} */ width,
  /** @type {number} */ height,
) {
  const discs = nodes.map((n) => box(n.x, n.y, 2 * n.r + 3, 2 * n.r + 3));
  const result = new Array(nodes.length).fill(null);
  const order = nodes
    .map((_, k) => k)
    .sort((a, b) => nodes[b].must - nodes[a].must || nodes[b].priority - nodes[a].priority || a - b);

  function placeOne(/** @type {number} */ k) {
    const node = nodes[k];
    const reach = box(node.x, node.y, 2 * (node.w + node.r + GAP), 2 * (2 * node.h + node.r + GAP));
    const lines = segments.filter((seg) => near(seg, reach));
    const taken = discs.filter((disc, j) => j !== k && overlap(disc, reach) > 0);
    result.forEach((other, j) => {
      if (j !== k && other?.shown && overlap(other, reach) > 0) taken.push(other);
    });
    /** @type {any} the first candidate at least is taken */ let best = null;
    for (const place of candidates(node, width, height)) {
      let hard = 0;
      for (const other of taken) hard += overlap(place, other);
      let cost = place.cost + OVERLAP * hard;
      for (let s = 0; s < lines.length && (!best || cost < best.cost); s += 1) {
        const length = covered(lines[s], place);
        if (length > 0) cost += EDGE_COST + COVERED * length;
      }
      if (!best || cost < best.cost) best = { ...place, cost, hard };
    }
    result[k] = { ...best, shown: node.must || (best.hard < 2 && best.cost < OUTSIDE) };
  }

  order.forEach(placeOne);
  if (nodes.every(({ must }) => must)) order.forEach(placeOne);
  return result;
}
