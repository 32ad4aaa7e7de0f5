/** The one network view: fixed layout, zoom, drag, hover; edges and nodes change in place. */

import { h, iconButton, setAttr } from "./dom.js";
import { NetworkDrawing } from "./drawing.js";
import { attachGestures } from "./gestures.js";
import { Scene } from "./layout.js";

const TOWARDS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const IN_TURN = { PageDown: 1, PageUp: -1 };

/** The nearest point in a direction, where what lies aside counts twice; the same where there is none. */
function nearest(points, from, [dx, dy]) {
  let [best, least] = [from, Infinity];
  points.forEach(({ x, y }, i) => {
    const [right, down] = [x - points[from].x, y - points[from].y];
    const ahead = right * dx + down * dy;
    const aside = Math.abs(right * dy) + Math.abs(down * dx);
    if (ahead > 0 && ahead + 2 * aside < least) [best, least] = [i, ahead + 2 * aside];
  });
  return best;
}

/**
 * A network drawn in SVG.
 *
 * options: { label, scene, onNode(i), onEdge(i, j), onHover(node | null, edge | null), compact }.
 * setGraph({ names, x, y, layout_id, clear_of }) once a layout; then setEdges, setRoles, setLink, setBadges.
 */
export class NetworkView extends NetworkDrawing {
  constructor(options) {
    super(options, options.scene ?? new Scene());
    this.scene.views.add(this);
    this.build();
    attachGestures(this.svg, this.actions());
    this.watcher = new ResizeObserver(() => this.measure());
    this.watcher.observe(this.svg);
  }

  build() {
    this.restoreButton = iconButton("reset", "Put the moved nodes back", () => this.scene.restore());
    this.controls = h(
      "div",
      { class: "zoom", role: "group", "aria-label": "Zoom" },
      this.restoreButton,
      iconButton("minus", "Zoom out", () => this.scene.zoomBy(1 / 1.4)),
      iconButton("plus", "Zoom in", () => this.scene.zoomBy(1.4)),
      iconButton("fit", "Fit", () => this.scene.fit()),
    );
    this.element = h("div", { class: "net" }, this.svg, this.options.compact ? this.controls : null);
    this.svg.addEventListener("pointerover", (event) => this.hover(event.target));
    this.svg.addEventListener("pointerleave", () => this.hover(null));
    // On the wrapper: an SVG element that listens to focus becomes a tab stop itself.
    this.element.addEventListener("focusin", (event) => this.hover(event.target));
    this.element.addEventListener("focusout", () => this.hover(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  actions() {
    return {
      size: () => this.size,
      nodeAt: (target) => this.nodeOf(target),
      dragTo: (node, px, py) => this.scene.move(node, this.map.fromX(px), this.map.fromY(py)),
      pan: (dx, dy) => this.scene.panBy(dx / this.size.width, dy / this.size.height),
      zoom: (factor, u, v) => this.scene.zoomBy(factor, u, v),
      click: (target) => {
        if (!this.act(target)) this.options.onBackground?.();
      },
    };
  }

  nodeOf(target) {
    const element = target?.closest?.("[data-node]");
    return element ? Number(element.dataset.node) : null;
  }

  edgeOf(target) {
    const element = target?.closest?.("[data-edge]");
    return element ? element.dataset.edge.split("-").map(Number) : null;
  }

  /** Names and positions; nodes are rebuilt only when the names changed. */
  setGraph({ names, x, y, layout_id: layoutId, clear_of: clearOf }) {
    this.scene.use(layoutId, x, y);
    this.clearOf = clearOf ?? null;
    if (
      !this.names ||
      this.names.length !== names.length ||
      names.some((name, k) => name !== this.names[k])
    ) {
      this.names = names;
      this.edges.forEach((edge) => edge.group.remove());
      this.edges.clear();
      this.buildNodes();
    }
    this.measure();
  }

  neighbours(node) {
    const found = new Set();
    for (const { i, j, tone } of this.edges.values()) {
      if (tone === "removed" || tone === "missing") continue;
      if (i === node) found.add(j);
      else if (j === node) found.add(i);
    }
    return found;
  }

  hover(target) {
    if (this.svg.hasAttribute("data-dragging")) return;
    const node = this.nodeOf(target);
    const edge = node === null ? this.edgeOf(target) : null;
    const name = `${node}/${edge}`;
    if (name === this.hovered) return;
    this.hovered = name;
    this.options.onHover?.(node, edge);
    for (const view of this.scene.views) view.light(node);
  }

  /** Bring out a node with its blanket; null ends it. */
  light(node) {
    if (this.near === null && node === null) return;
    this.near = node === null ? null : this.neighbours(node).add(node);
    this.svg.toggleAttribute("data-lit", node !== null);
    this.nodes.forEach((item, i) => {
      const near = this.near?.has(i) ?? false;
      item.group.toggleAttribute("data-near", near);
      item.label.toggleAttribute("data-near", near);
    });
    for (const edge of this.edges.values()) {
      edge.group.toggleAttribute("data-near", node !== null && (edge.i === node || edge.j === node));
    }
    if (this.many) this.placeText();
  }

  key(event) {
    if (event.key === "Escape") this.svg.removeAttribute("data-active");
    const stops = this.stops();
    const here = stops.findIndex(({ element }) => element === event.target);
    if (here < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    if (TOWARDS[event.key]) this.focusStop(stops, nearest(stops, here, TOWARDS[event.key]));
    else if (IN_TURN[event.key]) {
      this.focusStop(stops, (here + IN_TURN[event.key] + stops.length) % stops.length);
    } else if (!["Enter", " "].includes(event.key) || !this.act(event.target)) return;
    else event.stopPropagation();
    event.preventDefault();
  }

  /** What the arrows come to: all nodes, and the edges that can be clicked or tell something. */
  stops() {
    const edges = [...this.edges.values()].filter(({ group }) => group.hasAttribute("tabindex"));
    return [
      ...this.nodes.map(({ group }, i) => ({ element: group, ...this.at[i] })),
      ...edges.map(({ group, i, j }) => ({
        element: group,
        x: (this.at[i].x + this.at[j].x) / 2,
        y: (this.at[i].y + this.at[j].y) / 2,
      })),
    ];
  }

  /** Make one the stop that Tab comes to, and go there. */
  focusStop(stops, k) {
    stops.forEach(({ element }, i) => setAttr(element, "tabindex", i === k ? "0" : "-1"));
    stops[k].element.focus({ preventScroll: true });
  }

  /** Do what a click does; false where it does nothing. */
  act(target) {
    const node = this.nodeOf(target);
    const edge = node === null ? this.edgeOf(target) : null;
    if (node !== null && this.clickable.nodes) this.options.onNode(node);
    else if (edge && this.clickable.edges) this.options.onEdge(...edge);
    else return false;
    return true;
  }

  destroy() {
    this.watcher.disconnect();
    this.scene.views.delete(this);
    cancelAnimationFrame(this.waiting);
    clearTimeout(this.texting);
  }
}
