/** A pointer that is seen from the back: a ring that follows the mouse and takes no clicks. */

import { h } from "./dom.js";

const ring = h("div", { class: "lecture-pointer", popover: "manual", "aria-hidden": "true" });

/** A popover lies above all else; what fills the screen later would cover it. */
function raise() {
  ring.hidePopover();
  ring.showPopover();
}

function move(/** @type {PointerEvent} */ { clientX, clientY }) {
  ring.style.translate = `${clientX}px ${clientY}px`;
}

const press = (/** @type {Event} */ { type }) => ring.toggleAttribute("data-pressed", type === "pointerdown");

/** @type {AbortController | null} while it is on */
let following = null;

/** On, or off again; at first it stands in the middle. */
export function togglePointer() {
  if (following) {
    following.abort();
    following = null;
    ring.remove();
    return;
  }
  following = new AbortController();
  const how = { capture: true, signal: following.signal };
  addEventListener("pointermove", move, how);
  for (const type of ["pointerdown", "pointerup", "pointercancel"]) addEventListener(type, press, how);
  document.addEventListener("fullscreenchange", raise, how);
  document.body.append(ring);
  ring.style.translate = `${innerWidth / 2}px ${innerHeight / 2}px`;
  ring.showPopover();
}
