/** The one network view: fixed layout, zoom, drag, hover; edges and nodes change in place. */

import { h, iconButton } from "./dom.js";
import { NetworkDrawing } from "./drawing.js";
import { attachGestures } from "./gestures.js";
import { Scene } from "./layout.js";

const TOWARDS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/** The nearest point in a direction: what lies aside counts twice. */
function nearest(points, from, [dx, dy]) {
  let [best, least] = [null, Infinity];
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
        const node = this.nodeOf(target);
        const edge = this.edgeOf(target);
        if (node !== null) this.options.onNode?.(node);
        else if (edge) this.options.onEdge?.(...edge);
        else this.options.onBackground?.();
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
    const node = this.nodeOf(event.target);
    if (node !== null && this.many && TOWARDS[event.key]) {
      event.preventDefault();
      this.focusNode(nearest(this.at, node, TOWARDS[event.key]) ?? node);
      return;
    }
    if (node === null || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    this.options.onNode?.(node);
  }

  /** Make a node the one that Tab comes to, and go there. */
  focusNode(node) {
    this.nodes.forEach(({ group }, i) => group.setAttribute("tabindex", i === node ? "0" : "-1"));
    this.nodes[node].group.focus({ preventScroll: true });
  }

  destroy() {
    this.watcher.disconnect();
    this.scene.views.delete(this);
    cancelAnimationFrame(this.waiting);
    clearTimeout(this.texting);
  }
}
