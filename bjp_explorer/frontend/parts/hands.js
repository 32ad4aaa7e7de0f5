/** Pointer, touch, wheel and keys on a network: hover, click, pan, zoom, drag a node; arrows from node to node. */

import { setAttr } from "./dom.js";
/** @import { NetworkView } from "./network.js" */
/** @typedef {{ x: number, y: number }} Point */

/** A press that moves less is a click. */
const SLOP = 4;
/** @type {Record<string, [number, number]>} */
const TOWARDS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
/** @type {Record<string, number>} */ const IN_TURN = { PageDown: 1, PageUp: -1 };

/** The nearest point in a direction, where what lies aside counts twice; the same where there is none. */
function nearest(
  /** @type {Point[]} */ points,
  /** @type {number} */ from,
  /** @type {[number, number]} */ [dx, dy],
) {
  let [best, least] = [from, Infinity];
  points.forEach(({ x, y }, i) => {
    const [right, down] = [x - points[from].x, y - points[from].y];
    const ahead = right * dx + down * dy;
    const aside = Math.abs(right * dy) + Math.abs(down * dx);
    if (ahead > 0 && ahead + 2 * aside < least) [best, least] = [i, ahead + 2 * aside];
  });
  return best;
}

/** The numbers of the node or the edge under the pointer or with the focus; none elsewhere. */
function numbersOf(/** @type {EventTarget | null} */ target, /** @type {"data-node" | "data-edge"} */ name) {
  const element = target instanceof Element ? target.closest(`[${name}]`) : null;
  return element?.getAttribute(name)?.split("-").map(Number) ?? [];
}

/** @type {(target: EventTarget | null) => number | null} */
const nodeOf = (target) => numbersOf(target, "data-node")[0] ?? null;

/** @type {(target: EventTarget | null) => [number, number] | null} */
const edgeOf = (target) => {
  const [i, j] = numbersOf(target, "data-edge");
  return i === undefined ? null : [i, j];
};

export function attachHands(/** @type {NetworkView} */ view) {
  const { svg, scene, options } = view;
  let hovered = "";

  function hover(/** @type {EventTarget | null} */ target) {
    if (svg.hasAttribute("data-dragging")) return;
    const node = nodeOf(target);
    const edge = node === null ? edgeOf(target) : null;
    const name = `${node}/${edge}`;
    if (name === hovered) return;
    hovered = name;
    options.onHover?.(node, edge);
    for (const each of scene.views) each.light(node);
  }

  /** Do what a click does; false where it does nothing. */
  function act(/** @type {EventTarget | null} */ target) {
    const node = nodeOf(target);
    const edge = node === null ? edgeOf(target) : null;
    if (node !== null && view.clickable.nodes) options.onNode?.(node);
    else if (edge && view.clickable.edges) options.onEdge?.(...edge);
    else return false;
    return true;
  }

  /** What the arrows come to: all nodes, and the edges that can be clicked or tell something. */
  function stops() {
    const nodes = view.nodes.map(({ group }, i) => ({ element: group, ...view.at[i] }));
    const edges = [...view.edges.values()].filter(({ group }) => group.hasAttribute("tabindex"));
    const middles = edges.map(({ group, i, j }) => {
      const [a, b] = [view.at[i], view.at[j]];
      return { element: group, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    });
    return [...nodes, ...middles];
  }

  /** Make one the stop that Tab comes to, and go there. */
  function focus(/** @type {{ element: SVGElement }[]} */ all, /** @type {number} */ k) {
    all.forEach(({ element }, i) => setAttr(element, "tabindex", i === k ? "0" : "-1"));
    all[k].element.focus({ preventScroll: true });
  }

  function key(/** @type {KeyboardEvent} */ event) {
    if (event.key === "Escape") svg.removeAttribute("data-active");
    const all = stops();
    const here = all.findIndex(({ element }) => element === event.target);
    if (here < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    if (TOWARDS[event.key]) focus(all, nearest(all, here, TOWARDS[event.key]));
    else if (IN_TURN[event.key]) focus(all, (here + IN_TURN[event.key] + all.length) % all.length);
    else if (!["Enter", " "].includes(event.key) || !act(event.target)) return;
    else event.stopPropagation();
    event.preventDefault();
  }

  svg.addEventListener("pointerover", (event) => hover(event.target));
  svg.addEventListener("pointerleave", () => hover(null));
  // On the wrapper: an SVG element that listens to focus becomes a tab stop itself.
  view.element.addEventListener("focusin", (event) => hover(event.target));
  view.element.addEventListener("focusout", () => hover(null));
  svg.addEventListener("keydown", key);
  attachGestures(view, nodeOf, (target) => {
    if (!act(target)) options.onBackground?.();
  });
}

/** The page keeps its scroll: the wheel zooms with ctrl, or once the view was clicked. */
function attachGestures(
  /** @type {NetworkView} */ view,
  /** @type {(target: EventTarget | null) => number | null} */ nodeAt,
  /** @type {(target: EventTarget | null) => void} */ click,
) {
  const { svg, scene } = view;
  /** @type {Map<number, Point>} */ const pointers = new Map();
  /** @type {{ node: number | null, target: EventTarget | null, start: Point, moved: boolean, touch: boolean } | null} */
  let gesture = null;
  let pinching = false;
  let spread = 0;

  /** Where an event is in the view's own pixels. */
  const local = (/** @type {MouseEvent} */ event) => {
    const rect = svg.getBoundingClientRect();
    const { width, height } = view.size;
    return {
      x: ((event.clientX - rect.left) / rect.width) * width,
      y: ((event.clientY - rect.top) / rect.height) * height,
    };
  };

  const zoomAt = (/** @type {number} */ factor, /** @type {Point} */ { x, y }) =>
    scene.zoomBy(factor, x / view.size.width, y / view.size.height);

  function distance() {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  function pinch() {
    const [a, b] = [...pointers.values()];
    const now = distance();
    if (spread > 0) zoomAt(now / spread, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
    spread = now;
  }

  function down(/** @type {PointerEvent} */ event) {
    if (event.button !== 0) return;
    const start = local(event);
    pointers.set(event.pointerId, start);
    pinching = pointers.size === 2;
    const touch = event.pointerType === "touch";
    gesture = pinching
      ? null
      : { node: nodeAt(event.target), target: event.target, start, moved: false, touch };
    if (pinching) spread = distance();
  }

  function move(/** @type {PointerEvent} */ event) {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = local(event);
    pointers.set(event.pointerId, now);
    if (pinching) pinch();
    if (!gesture) return;
    if (!gesture.moved && Math.hypot(now.x - gesture.start.x, now.y - gesture.start.y) < SLOP) return;
    if (!gesture.moved) svg.setPointerCapture(event.pointerId);
    gesture.moved = true;
    svg.toggleAttribute("data-dragging", true);
    if (gesture.node !== null) scene.move(gesture.node, view.map.fromX(now.x), view.map.fromY(now.y));
    else if (!gesture.touch) {
      scene.panBy((now.x - before.x) / view.size.width, (now.y - before.y) / view.size.height);
    }
  }

  function up(/** @type {PointerEvent} */ event) {
    if (!pointers.delete(event.pointerId)) return;
    svg.removeAttribute("data-dragging");
    const done = gesture;
    gesture = null;
    pinching = false;
    if (!done || done.moved || event.type !== "pointerup") return;
    svg.toggleAttribute("data-active", true);
    click(done.target);
  }

  function wheel(/** @type {WheelEvent} */ event) {
    if (!event.ctrlKey && !svg.hasAttribute("data-active")) return;
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY * (event.ctrlKey ? 0.008 : 0.0016)), local(event));
  }

  svg.addEventListener("pointerdown", down);
  svg.addEventListener("pointermove", move);
  svg.addEventListener("pointerup", up);
  svg.addEventListener("pointercancel", up);
  svg.addEventListener("pointerleave", () => svg.removeAttribute("data-active"));
  svg.addEventListener("wheel", wheel, { passive: false });
}
