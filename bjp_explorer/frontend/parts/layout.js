/** Where nodes stand: positions shared by every view of one layout, zoom by the views of a page. */

/** @import { NetworkView } from "./network.js" */
/** @typedef {{ x: number[], y: number[], moved: boolean }} Points */
/** @typedef {{ low: number, size: number }} Range */

/** Dragged positions outlive the page: leaving and coming back, or another page, shows the same map. */
/** @type {Map<string, Points>} */ const store = new Map();
/** The zoom outlives its view: one that is made anew on the same page begins with it. */
/** @type {Map<string, { zoom: number, panX: number, panY: number }>} */ const zooms = new Map();
const REMEMBERED = 24;

/** File an entry as the latest; the oldest goes where there are too many. */
function keep(/** @type {Map<string, any>} */ map, /** @type {string} */ key, /** @type {object} */ entry) {
  map.delete(key);
  map.set(key, entry);
  if (map.size > REMEMBERED) map.delete(/** @type {string} */ (map.keys().next().value));
}

function range(/** @type {number[]} */ values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high - low > 1e-9 ? { low, size: high - low } : { low: low - 0.5, size: 1 };
}

const FITTING = { zoom: 1, panX: 0, panY: 0 };

/** Positions in [0, 1]², zoom and pan, and the views that show them. */
export class Scene {
  /** @type {{ x: number[], y: number[] }} */ original;
  /** @type {Points} */ points;
  /** @type {Record<"x" | "y", Range>} */ bounds;
  zoom = 1;
  panX = 0;
  panY = 0;

  /** @type {Set<NetworkView>} */ views = new Set();
  /** @type {string | null} */ layoutId = null;

  /** Take a layout; zoom and drags are kept while its identity stays. */
  use(/** @type {string} */ layoutId, /** @type {number[]} */ x, /** @type {number[]} */ y) {
    const fresh = this.layoutId !== layoutId || this.points.x.length !== x.length;
    this.layoutId = layoutId;
    if (fresh) Object.assign(this, FITTING, zooms.get(this.place));
    this.original = { x, y };
    const points = store.get(layoutId);
    this.points = points?.x.length === x.length ? points : { x: [...x], y: [...y], moved: false };
    keep(store, layoutId, this.points);
    this.bounds = { x: range(x), y: range(y) };
  }

  get moved() {
    return Boolean(this.points?.moved);
  }

  get place() {
    return `${location.pathname} ${this.layoutId}`;
  }

  fit() {
    Object.assign(this, FITTING);
    this.changed();
  }

  restore() {
    Object.assign(this.points, { x: [...this.original.x], y: [...this.original.y], moved: false });
    this.fit();
  }

  move(/** @type {number} */ node, /** @type {number} */ x, /** @type {number} */ y) {
    this.points.x[node] = x;
    this.points.y[node] = y;
    this.points.moved = true;
    this.changed();
  }

  /** Zoom about a point given as a share of the view, e.g. (0.5, 0.5) for its middle. */
  zoomBy(/** @type {number} */ factor, atX = 0.5, atY = 0.5) {
    const zoom = Math.min(12, Math.max(0.5, this.zoom * factor));
    const ratio = zoom / this.zoom;
    this.panX = (this.panX + 0.5 - atX) * ratio - 0.5 + atX;
    this.panY = (this.panY + 0.5 - atY) * ratio - 0.5 + atY;
    this.zoom = zoom;
    this.changed();
  }

  panBy(/** @type {number} */ dx, /** @type {number} */ dy) {
    this.panX += dx;
    this.panY += dy;
    this.changed();
  }

  changed() {
    const { zoom, panX, panY } = this;
    if (this.layoutId !== null) keep(zooms, this.place, { zoom, panX, panY });
    for (const view of this.views) view.invalidate();
  }
}

/** The map from the box around the layout to the pixels of a view, and back; it stretches by half at most. */
export function projection(
  /** @type {Scene} */ scene,
  /** @type {number} */ width,
  /** @type {number} */ height,
  /** @type {{ x: number, y: number, lift: number }} */ margin,
) {
  let spanX = Math.max(40, width - 2 * margin.x);
  let spanY = Math.max(40, height - 2 * margin.y);
  spanX = Math.min(spanX, spanY * 1.55);
  spanY = Math.min(spanY, spanX * 1.45);
  const left = width * (0.5 + scene.panX);
  const top = height * (0.5 + scene.panY) - margin.lift;
  const { zoom, bounds } = scene;
  const axis = (
    /** @type {number} */ origin,
    /** @type {number} */ span,
    /** @type {Range} */ { low, size },
  ) => [
    (/** @type {number} */ u) => origin + ((u - low) / size - 0.5) * span * zoom,
    (/** @type {number} */ px) => ((px - origin) / (span * zoom) + 0.5) * size + low,
  ];
  const [toX, fromX] = axis(left, spanX, bounds.x);
  const [toY, fromY] = axis(top, spanY, bounds.y);
  return { toX, toY, fromX, fromY };
}
