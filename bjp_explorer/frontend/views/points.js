/**
 * Points on two axes, tens of thousands of them: a canvas draws them, SVG what stands around.
 *
 * Drag to look closer, click a point to choose it.
 */

import { Axes } from "../parts/axes.js";
import { h, iconButton, setAttr, svg } from "../parts/dom.js";
import { compose, exportMenu, frozen } from "../parts/download.js";
import { count, fixed } from "../logic/format.js";
import { letterScale, Projector } from "../parts/projector.js";
import { isOpen, symbolPath } from "../parts/symbols.js";
import { css } from "../parts/theme.js";
import { Tooltip } from "../parts/tooltip.js";

/** Pixels: within which a point is meant, and from which on a drag is no click. */
const NEAR = 12;
const DRAGGED = 6;
/** How much of an axis stays free at each end. */
const FREE = 0.03;

/** @typedef {import("../payloads.d.ts").PointsPayload} Points */
/** @typedef {import("../payloads.d.ts").AxisPayload} AxisPayload */
/** @typedef {import("../parts/axes.js").Axis} Axis */
/** @typedef {Record<"x" | "y", Axis>} View what is seen of both axes */
/** @typedef {[number, number]} Place in pixels */
/**
 * A group with its numbers read; px and py are where its points are on the screen.
 *
 * @typedef {Omit<import("../payloads.d.ts").GroupPayload, "x" | "y" | "keys" | "levels"> & { x: Float64Array,
 *   y: Float64Array, keys: Int32Array | null, levels: Uint8Array | null, px: Float32Array, py: Float32Array }} Group
 */
/** @typedef {{ group: Group, k: number }} Point */

/**
 * Numbers that came as base64 of their bytes.
 *
 * @template T
 * @param {string} text
 * @param {new (buffer: ArrayBuffer) => T} Type
 */
function decoded(text, Type) {
  const bytes = atob(text);
  const out = new Uint8Array(bytes.length);
  for (let k = 0; k < bytes.length; k += 1) out[k] = bytes.charCodeAt(k);
  return new Type(out.buffer);
}

export default class PointsView {
  /** @type {import("../parts/theme.js").Theme} */
  theme;
  /** @type {Points} */
  data;
  size = { width: 0, height: 0 };
  /** @type {Place | null} where the pointer was pressed */
  from = null;
  /** @type {Group[]} */
  groups = [];
  /** @type {View} everything */
  whole;
  /** @type {View | null} the part that is looked at, or null for everything */
  view = null;
  drawn = false;

  /**
   * @param {HTMLElement} root
   * @param {import("../parts/place.js").Send} send
   */
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.axes = new Axes();
    this.bands = svg("g", { class: "bands" });
    this.under = svg("svg", { class: "layer", "aria-hidden": "true" }, this.bands, this.axes.element);
    this.canvas = h("canvas", { class: "layer", "aria-hidden": "true" });
    this.marks = svg("g", { class: "symbols" });
    this.ring = svg("circle", { class: "ring", r: 11, visibility: "hidden" });
    this.near = svg("circle", { class: "near", r: 7, visibility: "hidden" });
    this.box = svg("rect", { class: "box", visibility: "hidden" });
    this.over = svg("svg", { class: "layer over", role: "img" }, this.marks, this.ring, this.near, this.box);
    this.plot = h("div", { class: "points" }, this.under, this.canvas, this.over);
    this.key = h("div", { class: "points-key" });
    this.projector = new Projector(root);
    // The points have the colours of the page.
    this.projector.scheme = null;
    this.tools = h(
      "div",
      { class: "tools" },
      iconButton("minus", "Zoom out", () => this.zoom(1.6)),
      iconButton("plus", "Zoom in", () => this.zoom(1 / 1.6)),
      iconButton("fit", "Show all", () => this.look(null)),
      exportMenu(this, () => this.picture(), () => ["points"]),
      this.projector.button,
    );
    root.append(h("div", { class: "points-head" }, this.key, this.tools), this.plot);
    this.tip = new Tooltip(root);
    this.listen();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.plot);
  }

  update(/** @type {Points} */ data) {
    const before = this.data;
    this.data = data;
    if (before?.id !== data.id) this.view = null;
    // The same part is looked at where the points are the same in other looks.
    if (before?.id !== data.id || !alike(before, data)) this.take(data);
    this.over.setAttribute("aria-label", data.label);
    this.plot.style.height = `${data.height}px`;
    this.plot.toggleAttribute("data-pickable", Boolean(data.pickable));
    this.tip.hide();
    this.drawKey();
    if (this.drawn) this.drawMarks();
    else this.draw();
  }

  /** Take in other points. */
  take(/** @type {Points} */ data) {
    this.groups = data.groups.map((group) => ({
      ...group,
      x: decoded(group.x, Float64Array),
      y: decoded(group.y, Float64Array),
      keys: group.keys ? decoded(group.keys, Int32Array) : null,
      levels: group.levels ? decoded(group.levels, Uint8Array) : null,
      px: new Float32Array(),
      py: new Float32Array(),
    }));
    this.whole = { x: this.reach("x"), y: this.reach("y") };
    this.drawn = false;
  }

  /** The ends of an axis that shows everything. */
  reach(/** @type {"x" | "y"} */ axis) {
    const { range, title, whole } = this.data[axis];
    let [low, high] = range ?? [Infinity, -Infinity];
    if (!range) {
      for (const group of this.groups) {
        for (const value of group[axis]) {
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    const free = range ? 0 : (high - low) * FREE || 1;
    return { title, whole, low: low - free, high: high + free };
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.plot;
    if (width < 40 || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.draw();
  }

  /** Look at a part, or with null at everything. */
  look(/** @type {View | null} */ view) {
    this.view = view;
    this.draw();
  }

  zoom(/** @type {number} */ factor) {
    const { x, y } = this.view ?? this.whole;
    const part = (/** @type {Axis} */ axis) => {
      const [middle, half] = [(axis.low + axis.high) / 2, ((axis.high - axis.low) / 2) * factor];
      return { ...axis, low: middle - half, high: middle + half };
    };
    this.look({ x: part(x), y: part(y) });
  }

  draw() {
    const { width, height } = this.size;
    if (!this.data || !width) return;
    const { x, y } = this.view ?? this.whole;
    for (const layer of [this.under, this.over]) layer.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.axes.draw(width, height, x, y);
    this.drawBands();
    this.place();
    this.drawPoints();
    this.drawMarks();
    this.near.setAttribute("visibility", "hidden");
    this.drawn = true;
  }

  drawBands() {
    const { left, right } = this.axes.frame;
    this.bands.replaceChildren(
      ...(this.data.bands ?? []).map(([low, high]) =>
        svg("rect", {
          x: left,
          width: right - left,
          y: this.axes.y(high),
          height: this.axes.y(low) - this.axes.y(high),
        })
      ),
    );
  }

  /** Work out where every point is on the screen; NaN beyond the frame. */
  place() {
    const { left, right, top, bottom } = this.axes.frame;
    for (const group of this.groups) {
      group.px = Float32Array.from(group.x, (value) => this.axes.x(value));
      group.py = Float32Array.from(group.y, (value) => this.axes.y(value));
      for (let k = 0; k < group.px.length; k += 1) {
        if (
          !(group.px[k] >= left - 1 && group.px[k] <= right + 1 && group.py[k] >= top - 1 &&
            group.py[k] <= bottom + 1)
        ) {
          group.px[k] = NaN;
        }
      }
    }
  }

  drawPoints() {
    const { width, height } = this.size;
    const scale = window.devicePixelRatio || 1;
    const letters = letterScale();
    Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    for (const group of this.groups) {
      const stamps = this.colours(group).map((colour) => stamp(group, colour, scale * letters));
      const half = stamps[0].width / 2;
      pen.globalAlpha = group.alpha;
      for (let k = 0; k < group.px.length; k += 1) {
        if (!Number.isNaN(group.px[k])) {
          pen.drawImage(
            stamps[group.levels ? group.levels[k] : 0],
            Math.round(group.px[k] * scale - half),
            Math.round(group.py[k] * scale - half),
          );
        }
      }
    }
  }

  /** The colours of a group: one, or one for each level. */
  colours(/** @type {Group} */ group) {
    return group.levels && this.data.levels ? this.data.levels.colours : [group.colour];
  }

  drawMarks() {
    const { marks, ring } = this.data;
    const inside = (/** @type {number} */ x, /** @type {number} */ y) => {
      const { left, right, top, bottom } = this.axes.frame;
      return x >= left && x <= right && y >= top && y <= bottom;
    };
    /** @type {(point: { x: number, y: number }) => Place} */
    const at = (point) => [this.axes.x(point.x), this.axes.y(point.y)];
    this.marks.replaceChildren(
      ...(marks ?? [])
        .filter((mark) => inside(...at(mark)))
        .map((mark) =>
          svg("path", {
            d: symbolPath(mark.symbol, ...at(mark), 6.5 * letterScale()),
            "data-name": mark.name,
            style: `fill:${mark.colour}`,
          })
        ),
    );
    const shown = ring && inside(...at(ring));
    this.ring.setAttribute("visibility", shown ? "visible" : "hidden");
    if (!shown) return;
    const [x, y] = at(ring);
    this.ring.setAttribute("cx", x.toFixed(1));
    this.ring.setAttribute("cy", y.toFixed(1));
  }

  drawKey() {
    const { marks, ring, levels } = this.data;
    const picture = (/** @type {string} */ symbol, /** @type {string} */ kind, style = "") =>
      svg(
        "svg",
        { class: `symbols ${kind}`, viewBox: "-10 -10 20 20", width: 16, height: 16, "aria-hidden": "true" },
        svg("path", { d: symbolPath(symbol, 0, 0, 6.5), style }),
      );
    const item = (/** @type {Element} */ image, /** @type {string} */ text) =>
      h("li", {}, image, h("span", { text }));
    const looks = (/** @type {Group} */ { symbol, colour }) =>
      isOpen(symbol) ? `fill:none;stroke:${colour};stroke-width:2` : `fill:${colour};stroke:none`;
    const items = [
      ...(levels
        ? []
        : this.groups.map((group) => item(picture(group.symbol, "", looks(group)), group.name))),
      ...(marks ?? []).map((mark) => item(picture(mark.symbol, "", `fill:${mark.colour}`), mark.name)),
      ...(ring ? [item(picture("circle", "ringed"), ring.name)] : []),
    ];
    const scale = levels &&
      h(
        "li",
        {},
        h("span", { text: "0" }),
        h("span", {
          class: "strip",
          style: `background:linear-gradient(to right, ${levels.colours.join(", ")})`,
        }),
        h("span", { text: count(levels.colours.length - 1, levels.noun) }),
      );
    this.key.replaceChildren(h("ul", { class: "legend" }, items, scale));
  }

  listen() {
    /** @type {(event: PointerEvent) => Place} */
    const place = (event) => {
      const frame = this.over.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    this.over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.from = place(event);
      if (event.pointerType !== "touch") this.over.setPointerCapture(event.pointerId);
    });
    this.over.addEventListener("pointermove", (event) => this.move(place(event), event));
    this.over.addEventListener("pointerup", (event) => this.release(place(event)));
    this.over.addEventListener("pointercancel", () => this.release(null));
    this.over.addEventListener("pointerleave", (event) => this.tell(null, event));
    this.over.addEventListener("dblclick", () => this.look(null));
  }

  move(/** @type {Place} */ to, /** @type {PointerEvent} */ event) {
    const { from } = this;
    const drag = from && event.pointerType !== "touch" && far(from, to);
    this.box.setAttribute("visibility", drag ? "visible" : "hidden");
    this.tell(drag ? null : this.nearest(...to), event);
    if (!drag) return;
    const [x, y] = [Math.min(from[0], to[0]), Math.min(from[1], to[1])];
    const [width, height] = [Math.abs(from[0] - to[0]), Math.abs(from[1] - to[1])];
    for (const [name, value] of Object.entries({ x, y, width, height })) setAttr(this.box, name, value);
  }

  release(/** @type {Place | null} */ to) {
    const { from } = this;
    this.from = null;
    this.box.setAttribute("visibility", "hidden");
    if (!from || !to) return;
    if (far(from, to)) {
      const [a, b] = [this.axes.valuesAt(...from), this.axes.valuesAt(...to)];
      const part = (/** @type {Axis} */ axis, /** @type {number} */ k) => ({
        ...axis,
        low: Math.min(a[k], b[k]),
        high: Math.max(a[k], b[k]),
      });
      const { x, y } = this.view ?? this.whole;
      const view = { x: part(x, 0), y: part(y, 1) };
      if (view.x.low < view.x.high && view.y.low < view.y.high) this.look(view);
      return;
    }
    const found = this.nearest(...from);
    if (!found || !this.data.pickable) return;
    this.send.trigger("pick", found.group.keys ? found.group.keys[found.k] : found.k);
  }

  /** The point next to a place, if one is near; of equal ones that on top. */
  /** @returns {Point | null} */
  nearest(/** @type {number} */ x, /** @type {number} */ y) {
    let best = NEAR ** 2;
    let found = null;
    for (const group of this.groups) {
      for (let k = 0; k < group.px.length; k += 1) {
        const distance = (group.px[k] - x) ** 2 + (group.py[k] - y) ** 2;
        if (distance <= best) [best, found] = [distance, { group, k }];
      }
    }
    return found;
  }

  /** Say what a point is. */
  tell(/** @type {Point | null} */ found, /** @type {PointerEvent} */ event) {
    this.near.setAttribute("visibility", found ? "visible" : "hidden");
    if (!found) {
      this.tip.hide();
      return;
    }
    const { group, k } = found;
    setAttr(this.near, "cx", group.px[k]);
    setAttr(this.near, "cy", group.py[k]);
    const { x, y, levels } = this.data;
    const value = (/** @type {AxisPayload} */ axis, /** @type {number} */ number) =>
      axis.whole
        ? `${axis.short} ${fixed(Math.round(number), 0)}`
        : `${axis.short} ${fixed(number, axis.digits)}`;
    const parts = [
      group.texts?.[k],
      value(y, group.y[k]),
      value(x, group.x[k]),
      group.levels && !y.whole && !x.whole ? count(group.levels[k], levels?.noun ?? "") : null,
    ];
    this.tip.show(event, parts.filter(Boolean).join(" · "));
  }

  /** The whole as one drawing: the points become paths. */
  picture() {
    const { width, height } = this.size;
    const cloud = svg("svg", {});
    for (const group of this.groups) {
      const colours = this.colours(group);
      const paths = colours.map(() => /** @type {string[]} */ ([]));
      for (let k = 0; k < group.px.length; k += 1) {
        if (!Number.isNaN(group.px[k])) {
          paths[group.levels ? group.levels[k] : 0].push(
            symbolPath(
              group.symbol,
              Number(group.px[k].toFixed(1)),
              Number(group.py[k].toFixed(1)),
              group.size / 2,
            ),
          );
        }
      }
      colours.forEach((colour, level) => {
        if (paths[level].length) {
          cloud.append(
            svg("path", {
              d: paths[level].join(""),
              "fill-opacity": group.alpha,
              ...painted(group.symbol, colour),
            }),
          );
        }
      });
    }
    const parts = [frozen(this.under), cloud, frozen(this.over)];
    return {
      page: compose(
        parts.map((node) => ({ node, x: 0, y: 0, width, height })),
        width,
        height,
        css(this.theme.paper),
      ),
      width,
      height,
    };
  }

  destroy() {
    this.projector.destroy();
    this.watcher.disconnect();
  }
}

/** Whether two payloads differ in nothing but what is marked. */
function alike(/** @type {Points} */ a, /** @type {Points} */ b) {
  const same = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
    one === other || JSON.stringify(one) === JSON.stringify(other);
  // Numbers are long texts, which compare fastest as they are.
  const groups = a.groups.length === b.groups.length && a.groups.every((group, k) => {
    const names = /** @type {(keyof typeof group)[]} */ (Object.keys(group));
    return names.every((name) => same(group[name], b.groups[k][name]));
  });
  const marked = { groups: null, marks: null, ring: null, label: null, stem: null };
  return groups && same({ ...a, ...marked }, { ...b, ...marked });
}

const far = (/** @type {Place} */ a, /** @type {Place} */ b) =>
  Math.hypot(a[0] - b[0], a[1] - b[1]) >= DRAGGED;

/** How a symbol is filled or outlined, as attributes. */
function painted(/** @type {string} */ symbol, /** @type {string} */ colour) {
  return isOpen(symbol) ? { fill: "none", stroke: colour, "stroke-width": 1.2 } : { fill: colour };
}

/** One point as a small picture that is copied for each. */
function stamp(
  /** @type {Group} */ { symbol, size },
  /** @type {string} */ colour,
  /** @type {number} */ scale,
) {
  const side = Math.ceil((size * 1.3 + 3) * scale);
  const canvas = h("canvas", { width: side, height: side });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.translate(side / 2, side / 2);
  pen.scale(scale, scale);
  const path = new Path2D(symbolPath(symbol, 0, 0, size / 2));
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = 1.2;
  if (isOpen(symbol)) pen.stroke(path);
  else pen.fill(path);
  return canvas;
}
