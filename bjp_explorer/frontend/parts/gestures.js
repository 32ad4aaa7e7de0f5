/** Mouse, touch and wheel on a network: pan, zoom, drag a node, click. The page keeps its scroll. */

const SLOP = 4;

/** @typedef {{ x: number, y: number }} Point */

/**
 * Attach gestures to an SVG. The wheel zooms with ctrl or once the view was clicked.
 *
 * @param {SVGSVGElement} element
 * @param {object} actions
 * @param {(target: EventTarget | null) => number | null} actions.nodeAt
 * @param {() => { width: number, height: number }} actions.size
 * @param {(node: number, px: number, py: number) => void} actions.dragTo
 * @param {(dx: number, dy: number) => void} actions.pan
 * @param {(factor: number, u: number, v: number) => void} actions.zoom
 * @param {(target: EventTarget | null) => void} actions.click
 */
export function attachGestures(element, actions) {
  /** @type {Map<number, Point>} */ const pointers = new Map();
  /** @type {{ node: number | null, target: EventTarget | null, start: Point, moved: boolean, touch: boolean } | null} */
  let gesture = null;
  let pinching = false;
  let spread = 0;

  const local = (/** @type {MouseEvent} */ event) => {
    const rect = element.getBoundingClientRect();
    const { width, height } = actions.size();
    return {
      x: ((event.clientX - rect.left) / rect.width) * width,
      y: ((event.clientY - rect.top) / rect.height) * height,
    };
  };

  const activate = (/** @type {boolean} */ on) => element.toggleAttribute("data-active", on);

  function down(/** @type {PointerEvent} */ event) {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, local(event));
    pinching = pointers.size === 2;
    if (pinching) {
      gesture = null;
      spread = distance();
      return;
    }
    gesture = {
      node: actions.nodeAt(event.target),
      target: event.target,
      start: local(event),
      moved: false,
      touch: event.pointerType === "touch",
    };
  }

  function distance() {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  function pinch() {
    const { width, height } = actions.size();
    const [a, b] = [...pointers.values()];
    const now = distance();
    if (spread > 0) actions.zoom(now / spread, (a.x + b.x) / 2 / width, (a.y + b.y) / 2 / height);
    spread = now;
  }

  function move(/** @type {PointerEvent} */ event) {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = local(event);
    pointers.set(event.pointerId, now);
    if (pinching) pinch();
    if (!gesture) return;
    if (!gesture.moved && Math.hypot(now.x - gesture.start.x, now.y - gesture.start.y) < SLOP) return;
    if (!gesture.moved) element.setPointerCapture(event.pointerId);
    gesture.moved = true;
    element.toggleAttribute("data-dragging", true);
    if (gesture.node !== null) actions.dragTo(gesture.node, now.x, now.y);
    else if (!gesture.touch) actions.pan(now.x - before.x, now.y - before.y);
  }

  function up(/** @type {PointerEvent} */ event) {
    if (!pointers.delete(event.pointerId)) return;
    element.removeAttribute("data-dragging");
    const done = gesture;
    gesture = null;
    pinching = false;
    if (!done || done.moved || event.type !== "pointerup") return;
    activate(true);
    actions.click(done.target);
  }

  function wheel(/** @type {WheelEvent} */ event) {
    if (!event.ctrlKey && !element.hasAttribute("data-active")) return;
    event.preventDefault();
    const { width, height } = actions.size();
    const at = local(event);
    actions.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.008 : 0.0016)), at.x / width, at.y / height);
  }

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener("pointerleave", () => activate(false));
  element.addEventListener("wheel", wheel, { passive: false });
}
