/** The one network view: nodes, edges, the line of a pair, labels. Elements are kept and moved, never redrawn. */

import { edgeKey } from "../logic/history.js";
import { h, iconButton, setAttr, setText, signPath, svg, textWidth } from "./dom.js";
import { psi } from "../logic/format.js";
import { box, linesOf, overlap, placeLabels } from "../logic/placing.js";
import { attachHands } from "./hands.js";
import { projection, Scene } from "./layout.js";
import { letterScale } from "./projector.js";
/** @import { Box } from "../logic/placing.js" */
/** @import { Pair } from "../logic/history.js" */
/** @import { Edge as Drawn, Layout, Link as SentLink } from "../payloads.d.ts" */

const HOW = "Arrow keys move from node to node, Page Up and Page Down through all of them in turn.";
/** Up to this many nodes every name is written. */
const NAMED = 40;
const BADGES = 30;
const TEXT_EVERY = 100;
/** How far lines of a name are apart, in letters. */
const LEADING = 1.15;
/** No text is smaller, in pixels. */
const LEAST_TEXT = 12;
/** The radius of the sign on a pair's line, and where on the line it may stand: first where nothing is hidden. */
const SIGN = 9.5;
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73];

function textLines(/** @type {string[]} */ lines) {
  return lines.map((text, k) =>
    svg("tspan", {
      x: 0,
      dy: k ? `${LEADING}em` : `${(0.34 - ((lines.length - 1) * LEADING) / 2).toFixed(3)}em`,
      text,
    })
  );
}

/** @typedef {{ i: number, j: number, tone?: string, lines: SVGLineElement[], group: SVGGElement, title?: string }} Edge */
/**
 * @typedef {{ group: SVGGElement, reach: SVGCircleElement, ring: SVGCircleElement, badge: SVGTextElement, label: SVGTextElement,
 *   mark?: SVGGElement | null }} Node */
/** @typedef {Omit<SentLink, "straight"> & { straight?: boolean }} Link */
/** @typedef {{ x: number, y: number }} Point */
/**
 * @typedef {{ label: string, scene?: Scene, onNode?: (i: number) => void, onEdge?: (i: number, j: number) => void,
 *   onHover?: (node: number | null, edge: Pair | null) => void, onBackground?: () => void,
 *   compact?: boolean }} Options */

/**
 * A network drawn in SVG.
 * setGraph({ names, x, y, layout_id, clear_of }) once a layout; then setEdges, setRoles, setLink, setBadges.
 */
export class NetworkView {
  /** @type {string[]} */ names;
  /** @type {Point[]} where nodes stand, in pixels */ at;
  /** @type {number} */ radius;
  /** @type {number} */ fontSize;
  /** @type {number} how much larger letters are than usual */ letters = 1;
  /** @type {string} */ family;
  /** @type {Record<"toX" | "toY" | "fromX" | "fromY", (value: number) => number>} */ map;
  /** @type {[number, number, ...unknown[]][] | null} edges that labels keep clear of */ clearOf;
  /** @type {Box[]} where names are written, as far as they are */ written = [];
  constructor(/** @type {Options} */ options) {
    this.options = options;
    this.scene = options.scene ?? new Scene();
    this.scene.views.add(this);
    this.size = { width: 480, height: 380 };
    this.clickable = { nodes: Boolean(options.onNode), edges: Boolean(options.onEdge) };
    /** @type {Map<string, Edge>} */ this.edges = new Map();
    /** @type {Node[]} */ this.nodes = [];
    /** @type {Map<number, string>} */ this.roles = new Map();
    /** @type {Set<number> | null} */ this.near = null;
    /** @type {number | null} the node that is pointed at */ this.lit = null;
    /** @type {Link | null} */ this.link = null;
    /** @type {ArrayLike<number> | null} */ this.degree = null;
    const layers = ["edges", "link", "nodes", "labels"];
    this.layers = Object.fromEntries(layers.map((name) => [name, svg(`g.${name}`)]));
    const about = { role: "group", "aria-label": options.label, "aria-description": HOW };
    this.svg = svg("svg.network", about, Object.values(this.layers));
    this.setClickable({});
    this.restoreButton = iconButton("reset", "Put the moved nodes back", () => this.scene.restore());
    this.controls = h("div.zoom", { role: "group", "aria-label": "Zoom" }, [
      this.restoreButton,
      iconButton("minus", "Zoom out", () => this.scene.zoomBy(1 / 1.4)),
      iconButton("plus", "Zoom in", () => this.scene.zoomBy(1.4)),
      iconButton("fit", "Fit", () => this.scene.fit()),
    ]);
    this.element = h("div.net", this.svg, options.compact ? this.controls : null);
    attachHands(this);
    new ResizeObserver(() => this.measure()).observe(this.svg);
  }

  get many() {
    return this.nodes.length > NAMED;
  }

  /** Nodes are rebuilt only when the names changed. */
  setGraph(/** @type {Layout & { clear_of?: [number, number, ...unknown[]][] }} */ { names, x, y, ...more }) {
    this.scene.use(more.layout_id, x, y);
    this.clearOf = more.clear_of ?? null;
    if (JSON.stringify(names) !== JSON.stringify(this.names)) {
      this.names = names;
      this.edges.forEach((edge) => edge.group.remove());
      this.edges.clear();
      // The pair of other nodes has no place among these.
      this.setLink(null);
      this.buildNodes();
    }
    this.measure();
  }

  buildNodes() {
    // Where others stood says nothing of these, which get their places once there is room for a drawing.
    this.at = /** @type {any} */ (null);
    this.nodes = this.names.map((name, i) => {
      const reach = svg("circle.reach");
      const ring = svg("circle.ring");
      const badge = svg("text.badge", { dy: "0.35em" });
      // One stop of Tab in a drawing; from there arrows lead on.
      const tabindex = i === 0 ? "0" : "-1";
      const role = this.clickable.nodes ? "button" : "img";
      const parts = [reach, ring, badge, svg("title", name)];
      const group = svg("g.node", { "data-node": i, role, tabindex }, parts);
      return { group, reach, ring, badge, label: svg("text.label", textLines(linesOf(name))) };
    });
    this.layers.nodes.replaceChildren(...this.nodes.map((node) => node.group));
    this.layers.labels.replaceChildren(...this.nodes.map((node) => node.label));
  }

  setEdges(/** @type {Drawn[]} */ edges) {
    const seen = new Set();
    for (const [i, j, tone, weight, title, size] of edges) {
      const key = edgeKey(i, j);
      seen.add(key);
      this.describeEdge(this.setEdge(key, i, j, tone), weight, title, size);
    }
    for (const [key, { group }] of this.edges) {
      if (seen.has(key)) continue;
      this.leaveEdge(group);
      group.remove();
      this.edges.delete(key);
    }
    // The pointer may rest on a node whose neighbours are others now.
    this.light(this.lit);
  }

  setEdge(/** @type {string} */ key, /** @type {number} */ i, /** @type {number} */ j, tone = "plain") {
    let edge = this.edges.get(key);
    if (!edge) {
      const lines = [svg("line.hit"), svg("line.ink")];
      edge = { i, j, lines, group: svg("g.edge", { "data-edge": key }, lines) };
      this.edges.set(key, edge);
      this.layers.edges.append(edge.group);
      if (this.at) this.placeEdge(edge);
    }
    if (edge.tone !== tone) {
      edge.tone = tone;
      edge.group.dataset.tone = tone;
    }
    return edge;
  }

  /**
   * How strong an edge is, 0 to 1, as width and opacity, and what is known of it; both may be missing.
   * With a size, 0 to 1, that is the width.
   */
  describeEdge(
    /** @type {Edge} */ edge,
    /** @type {number | undefined} */ weight,
    title = "",
    size = weight,
  ) {
    const { group } = edge;
    edge.title = title;
    setAttr(group, "data-weight", weight ?? null);
    if (typeof weight === "number") {
      group.style.setProperty("--weight", String(weight));
      group.style.setProperty("--size", String(size));
    }
    this.reachEdge(edge);
  }

  /** Arrows come to an edge that can be clicked or of which something is known. */
  reachEdge(/** @type {Edge} */ { group, i, j, title }) {
    const reached = Boolean(title) || this.clickable.edges;
    setAttr(group, "aria-label", reached ? title || `${this.names[i]} – ${this.names[j]}` : null);
    setAttr(group, "role", reached ? (this.clickable.edges ? "button" : "img") : null);
    if (!reached) this.leaveEdge(group);
    else if (!group.hasAttribute("tabindex")) group.setAttribute("tabindex", "-1");
  }

  /** Arrows no longer come to an edge; the one stop of Tab does not go with it. */
  leaveEdge(/** @type {SVGElement} */ group) {
    if (group.getAttribute("tabindex") === "0") this.nodes[0].group.setAttribute("tabindex", "0");
    group.removeAttribute("tabindex");
  }

  setClickable(/** @type {{ nodes?: boolean, edges?: boolean }} */ clickable) {
    this.clickable = { ...this.clickable, ...clickable };
    const kinds = Object.entries(this.clickable).filter(([, on]) => on).map(([kind]) => kind);
    setAttr(this.svg, "data-clickable", kinds.join(" ") || null);
    for (const { group } of this.nodes) setAttr(group, "role", this.clickable.nodes ? "button" : "img");
    for (const edge of this.edges.values()) this.reachEdge(edge);
  }

  /** A curved line for a pair that is spoken of, edge or not; with a sign, or a question mark. */
  setLink(/** @type {Link | null} */ link) {
    this.link = link;
    this.layers.link.replaceChildren();
    if (!link) return;
    this.linkPath = svg("path.arc", { "data-tone": link.tone });
    this.linkSign = svg("g.verdict", { "data-tone": link.tone }, [
      svg("circle", { r: SIGN }),
      link.question
        ? svg("text", { dy: "0.35em", text: "?" })
        : svg("path", { d: signPath(link.dependent, 0, 0, 4.6) }),
    ]);
    this.layers.link.append(this.linkPath, this.linkSign);
    if (this.at) this.placeLink();
  }

  /** The role of each node: Map of index → "x" | "y" | "given" | "pick", with data-kind for the pair. */
  setRoles(/** @type {Map<number, string>} */ roles, kind = "") {
    this.roles = roles;
    setAttr(this.svg, "data-kind", kind || null);
    this.nodes.forEach((node, i) => setAttr(node.group, "data-role", roles.get(i) ?? null));
    this.keepNames();
    if (this.many) this.placeTextSoon();
  }

  neighbours(/** @type {number} */ node) {
    const there = [...this.edges.values()].filter(({ tone = "" }) =>
      !["removed", "missing", "forbidden"].includes(tone)
    );
    return new Set(there.flatMap(({ i, j }) => i === node ? [j] : j === node ? [i] : []));
  }

  /** Bring out a node with its blanket; null ends it. */
  light(/** @type {number | null} */ node) {
    if (this.lit === null && node === null) return;
    this.lit = node;
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

  /** At once, but ten times a second at most: finding room for many names takes a while. */
  placeTextSoon() {
    if (this.texting) return;
    const wait = TEXT_EVERY - (performance.now() - (this.texted ?? -TEXT_EVERY));
    if (wait <= 0) this.placeText();
    else {
      this.texting = setTimeout(() => {
        this.texting = 0;
        this.placeText();
      }, wait);
    }
  }

  /** The node chosen first while edges are edited; null ends it. */
  setPicked(/** @type {number | null} */ picked) {
    this.nodes.forEach((node, i) => setAttr(node.group, "data-picked", i === picked ? "" : null));
    this.keepNames();
  }

  /** Names of nodes that have a role or are chosen don't fade while another node is pointed at. */
  keepNames() {
    for (const { group, label } of this.nodes) {
      label.toggleAttribute("data-kept", group.matches("[data-role], [data-picked]"));
    }
  }

  /** ψ ranks inside the nodes (n ≤ 30) and what screen readers say. */
  setBadges(/** @type {ArrayLike<number> | null} */ rank, /** @type {ArrayLike<number> | null} */ degree) {
    this.nodes.forEach((node, i) => {
      if (this.nodes.length <= BADGES) setText(node.badge, rank ? psi(rank[i]) : "");
      const said = [this.names[i], rank && `ψ ${rank[i]}`, degree && `degree ${degree[i]}`];
      setAttr(node.group, "aria-label", said.filter(Boolean).join(", "));
    });
    this.degree = degree;
  }

  measure() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (width < 20 || height < 20) return;
    this.size = { width, height };
    this.family = getComputedStyle(this.svg).fontFamily;
    this.place();
  }

  /** Redraw before the next frame; many calls cost one. */
  invalidate() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.place();
    });
  }

  place() {
    if (!this.nodes.length) return;
    const { width, height } = this.size;
    const n = this.nodes.length;
    const { compact } = this.options;
    const letters = letterScale();
    const least = n <= BADGES && !compact ? 13 * letters : 4;
    const room = 0.13 * (compact ? 0.85 : 1) * Math.sqrt((width * height) / n);
    const base = Math.min(23 * letters, Math.max(least, room));
    this.radius = Math.min(26 * letters, base * this.scene.zoom ** 0.35);
    this.fontSize = letters * (this.many || compact ? LEAST_TEXT : 13);
    this.letters = letters;
    setAttr(this.svg, "data-many", this.many ? "" : null);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.setProperty("--label", `${this.fontSize}px`);
    const labels = this.nodes.map(({ label }) => label);
    const margin = {
      x: base +
        (this.many
          ? Math.min(width * 0.08, 14)
          : Math.min(width * 0.15, Math.max(...labels.map((label) => this.widthOf(label))) / 2 + 8)),
      y: base + (this.many ? 12 * letters : Math.max(...labels.map((label) => this.heightOf(label))) + 8),
      lift: this.many ? 2 : 6,
    };
    this.map = projection(this.scene, width, height, margin);
    const { x, y } = this.scene.points;
    this.at = this.nodes.map((_, i) => ({ x: this.map.toX(x[i]), y: this.map.toY(y[i]) }));
    this.nodes.forEach((node, i) => this.placeNode(node, this.at[i]));
    this.edges.forEach((edge) => this.placeEdge(edge));
    this.placeText();
    this.restoreButton.hidden = !this.scene.moved;
  }

  heightOf(/** @type {Element} */ label) {
    return this.fontSize * LEADING * label.childElementCount;
  }

  widthOf(/** @type {Element} */ label) {
    const font = `${this.fontSize}px ${this.family}`;
    return Math.max(...[...label.children].map((line) => textWidth(line.textContent ?? "", font)));
  }

  placeNode(/** @type {Node} */ { group, reach, ring, badge }, /** @type {Point} */ { x, y }) {
    group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    if (Number(ring.getAttribute("r")) === this.radius) return;
    setAttr(reach, "r", this.many ? this.radius + 1.5 : Math.max(this.radius + 4, 11));
    setAttr(ring, "r", this.radius);
    badge.style.fontSize = `${Math.max(LEAST_TEXT, this.radius * 0.68).toFixed(1)}px`;
  }

  placeEdge(/** @type {Edge} */ { i, j, lines }) {
    const [a, b] = [this.at[i], this.at[j]];
    for (const [name, value] of Object.entries({ x1: a.x, y1: a.y, x2: b.x, y2: b.y })) {
      for (const line of lines) line.setAttribute(name, value.toFixed(1));
    }
  }

  placeLink() {
    if (!this.link || !this.at) return;
    const [a, b] = [this.at[this.link.i], this.at[this.link.j]];
    // An edge is straight; a pair without one bends, so that it cannot pass for an edge.
    const bend = this.link.straight ? 0 : 0.14;
    const mid = { x: (a.x + b.x) / 2 - (b.y - a.y) * bend, y: (a.y + b.y) / 2 + (b.x - a.x) * bend };
    this.linkPath?.setAttribute("d", `M${a.x} ${a.y}Q${mid.x} ${mid.y} ${b.x} ${b.y}`);
    const { x, y } = this.signPlace(a, mid, b);
    const at = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
    this.linkSign?.setAttribute("transform", `${at} scale(${this.letters})`);
  }

  /** Where on the line of a pair its sign hides no name and no node, or least of them. */
  signPlace(/** @type {Point} */ a, /** @type {Point} */ mid, /** @type {Point} */ b) {
    const side = 2 * SIGN * this.letters + 3;
    const discs = this.at.map(({ x, y }) => box(x, y, 2 * this.radius, 2 * this.radius));
    let best = { x: mid.x, y: mid.y, hidden: Infinity };
    for (const t of ALONG) {
      const [x, y] = /** @type {("x" | "y")[]} */ (["x", "y"]).map((axis) =>
        (1 - t) ** 2 * a[axis] + 2 * t * (1 - t) * mid[axis] + t ** 2 * b[axis]
      );
      const place = box(x, y, side, side);
      const hidden = [...discs, ...this.written].reduce((sum, other) => sum + overlap(place, other), 0);
      if (hidden < best.hidden) best = { x, y, hidden };
      if (!hidden) break;
    }
    return best;
  }

  placeText() {
    if (!this.at) return;
    this.texted = performance.now();
    const { width, height } = this.size;
    const items = this.nodes.map(({ label }, i) => ({
      x: this.at[i].x,
      y: this.at[i].y,
      r: this.radius + 2,
      h: this.heightOf(label),
      w: this.widthOf(label) + 4,
      priority: this.degree?.[i] ?? 0,
      must: Number(!this.many || this.near?.has(i) || ["x", "y", "pick"].includes(this.roles.get(i) ?? "")),
    }));
    const pairs = this.clearOf ?? [...this.edges.values()].map(({ i, j }) => [i, j]);
    const segments = pairs.map(([i, j]) => [this.at[i], this.at[j]]);
    const places = placeLabels(items, segments, width, height);
    places.forEach(({ cx, cy, shown }, i) => {
      const { label } = this.nodes[i];
      label.setAttribute("transform", `translate(${cx.toFixed(1)} ${cy.toFixed(1)})`);
      label.style.display = shown ? "" : "none";
    });
    this.written = places.filter(({ shown }) => shown);
    this.placeLink();
  }

  destroy() {
    this.scene.views.delete(this);
  }
}
