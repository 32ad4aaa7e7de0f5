/** Where to write the names of nodes: below if there is room, else above, right, left. */

const GAP = 4;
const EDGE_COST = 36;

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
/** @typedef {ReturnType<typeof box>} Box */
/** @typedef {{ x1: number, y1: number, x2: number, y2: number }} Segment */
/** @typedef {{ x: number, y: number, r: number, w: number, h: number, priority: number, must: number }} Labelled */

const widths = new Map();
document.fonts?.addEventListener("loadingdone", () => widths.clear());

/**
 * Width of a text in pixels, remembered.
 *
 * @param {string} text
 * @param {string} font
 */
export function textWidth(text, font) {
  const key = `${font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 5000) widths.clear();
    pen.font = font;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/**
 * @param {Box} a
 * @param {Box} b
 */
function overlap(a, b) {
  const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return w > 0 && h > 0 ? w * h : 0;
}

/**
 * @param {number} cx
 * @param {number} cy
 * @param {number} w
 * @param {number} h
 */
function box(cx, cy, w, h) {
  return { left: cx - w / 2, right: cx + w / 2, top: cy - h / 2, bottom: cy + h / 2, cx, cy };
}

/**
 * @param {Segment} seg
 * @param {Box} b
 */
function crosses(seg, b) {
  if (
    (seg.x1 < b.left && seg.x2 < b.left) ||
    (seg.x1 > b.right && seg.x2 > b.right) ||
    (seg.y1 < b.top && seg.y2 < b.top) ||
    (seg.y1 > b.bottom && seg.y2 > b.bottom)
  ) {
    return false;
  }
  // Clip the segment to the box (Liang–Barsky): anything left means they meet.
  let t0 = 0;
  let t1 = 1;
  const dx = seg.x2 - seg.x1;
  const dy = seg.y2 - seg.y1;
  for (
    const [p, q] of [
      [-dx, seg.x1 - b.left],
      [dx, b.right - seg.x1],
      [-dy, seg.y1 - b.top],
      [dy, b.bottom - seg.y1],
    ]
  ) {
    if (p === 0) {
      if (q < 0) return false;
    } else if (p < 0) t0 = Math.max(t0, q / p);
    else t1 = Math.min(t1, q / p);
  }
  return t0 < t1;
}

/**
 * @param {Labelled} node
 * @param {number} width
 * @param {number} height
 */
function candidates(node, width, height) {
  // The name of a node that is in sight is kept in sight, too.
  const seen = node.x >= 0 && node.x <= width;
  const inside = (/** @type {number} */ cx) =>
    seen ? Math.min(Math.max(cx, node.w / 2 + 3), Math.max(width - node.w / 2 - 3, node.w / 2 + 3)) : cx;
  const across = node.r + GAP + node.w / 2;
  const down = node.r + GAP + node.h / 2;
  const places = [
    box(inside(node.x), node.y + down, node.w, node.h),
    box(inside(node.x), node.y - down, node.w, node.h),
  ];
  for (const side of [1, -1]) places.push(box(node.x + side * across, node.y, node.w, node.h));
  for (const lift of [0.75, -0.75]) {
    for (const side of [1, -1]) {
      places.push(box(node.x + side * across * 0.8, node.y + lift * down, node.w, node.h));
    }
  }
  return places.map((place, order) => ({
    ...place,
    cost: order * 14 +
      (place.left < 0 || place.right > width || place.top < 0 || place.bottom > height ? 1e5 : 0),
  }));
}

/**
 * Place labels greedily, the most important first.
 *
 * nodes: [{ x, y, r, w, h, priority, must }] in pixels; w, h: size of the text.
 * segments: [{ x1, y1, x2, y2 }], the edges to keep clear of where possible.
 * Returns [{ x, y, shown }]; a label that must show is shown even where it overlaps.
 *
 * @param {Labelled[]} nodes
 * @param {Segment[]} segments
 * @param {number} width
 * @param {number} height
 */
export function placeLabels(nodes, segments, width, height) {
  const discs = nodes.map((n) => box(n.x, n.y, 2 * n.r + 3, 2 * n.r + 3));
  const placed = [];
  const result = new Array(nodes.length);
  const order = nodes
    .map((_, k) => k)
    .sort((a, b) => nodes[b].must - nodes[a].must || nodes[b].priority - nodes[a].priority || a - b);
  for (const k of order) {
    const node = nodes[k];
    /** @type {any} the first candidate at least is taken */
    let best = null;
    for (const place of candidates(node, width, height)) {
      const limit = best ? best.cost : Infinity;
      if (place.cost >= limit) continue;
      let hard = 0;
      for (let j = 0; j < discs.length; j += 1) if (j !== k) hard += overlap(place, discs[j]);
      for (const other of placed) hard += overlap(place, other);
      let cost = place.cost + 4 * hard;
      for (let s = 0; s < segments.length && cost < limit; s += 1) {
        if (crosses(segments[s], place)) cost += EDGE_COST;
      }
      if (cost < limit) best = { ...place, cost, hard };
    }
    const shown = node.must || (best.hard < 2 && best.cost < 1e5);
    result[k] = { x: best.cx, y: best.cy, shown };
    if (shown) placed.push(best);
  }
  return result;
}
