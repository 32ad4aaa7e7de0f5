/** The one component: it loads the view that the payload names. Reruns update a view, unmounting destroys it. */

import { h } from "./parts/dom.js";
import { fillScreenWithCharts } from "./parts/plotlyscreen.js";
import { readTheme } from "./parts/theme.js";

/**
 * Modules are loaded once, by whichever view needs them first.
 *
 * @type {Record<string, () => Promise<{ default: new (root: HTMLElement, send: Send) => View }>>}
 */
const VIEWS = {
  climb: () => import("./views/climb.js"),
  duel: () => import("./views/duel.js"),
  lesson: () => import("./views/lesson.js"),
  link: () => import("./views/link.js"),
  networks: () => import("./views/networks.js"),
  points: () => import("./views/points.js"),
  step: () => import("./views/step.js"),
};

/**
 * What a view tells Python by: a state stays, a trigger is an event of one run.
 *
 * @typedef {{ state: (name: string, value: any) => void, trigger: (name: string, value: any) => void }} Send
 */

/**
 * @typedef {{ update: (data: any) => void, theme?: import("./parts/theme.js").Theme,
 *   destroy: () => void }} View
 */

fillScreenWithCharts();

/** @type {WeakMap<Element | ShadowRoot, Place>} */
const places = new WeakMap();

/** Where a view is mounted; what is sent before its modules have come waits for them. */
class Place {
  /** @type {View | undefined} */
  view;
  /** @type {any} the payload of the view */
  data;
  gone = false;

  constructor(/** @type {string} */ name) {
    this.name = name;
    this.send = /** @type {Send} */ ({});
    // Unseen until the style sheet, which says otherwise, has come.
    this.root = h("div", {
      class: "bjp",
      "data-component": name,
      tabindex: "-1",
      style: "visibility:hidden;max-height:600px;overflow:hidden",
    });
    keepFocus(this.root);
    // A projector may have other colours than the page.
    this.root.addEventListener("restyle", () => this.update(this.data));
    VIEWS[name]().then(({ default: View }) => this.begin(View)).catch((error) => {
      this.apologise();
      throw error;
    });
  }

  begin(/** @type {new (root: HTMLElement, send: Send) => View} */ View) {
    if (this.gone) return;
    this.view = new View(this.root, this.send);
    this.update(this.data);
  }

  apologise() {
    this.root.removeAttribute("style");
    this.root.textContent = "This view could not be loaded. Reload the page to try again.";
  }

  update(/** @type {any} */ data) {
    this.data = data;
    if (!this.view) return;
    this.view.theme = readTheme(this.root);
    if (data) this.view.update(data);
  }

  destroy() {
    this.gone = true;
    this.view?.destroy();
    this.root.remove();
  }
}

/**
 * What Streamlit calls for each mounted component, at every rerun.
 *
 * @param {{ data: any, parentElement: Element | ShadowRoot, setStateValue: Send["state"],
 *   setTriggerValue: Send["trigger"] }} call
 */
export default function component({ data, parentElement, setStateValue, setTriggerValue }) {
  const host = parentElement instanceof ShadowRoot ? parentElement.host : parentElement;
  const before = places.get(parentElement);
  const same = before?.name === data.view;
  const place = before && same ? before : new Place(data.view);
  if (!same) {
    before?.destroy();
    places.set(parentElement, place);
    parentElement.append(place.root);
  }
  Object.assign(place.send, { state: setStateValue, trigger: setTriggerValue });
  place.update(data);
  // Streamlit also cleans up a call that a newer one overtook, while the view lives on.
  return () =>
    setTimeout(() => {
      if (host.isConnected) return;
      place.destroy();
      places.delete(parentElement);
    }, 0);
}

/** A click anywhere in the component takes the focus off other widgets, which own the arrow keys. */
function keepFocus(/** @type {HTMLElement} */ root) {
  root.addEventListener("mousedown", (event) => {
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || target.closest("input, select, textarea, summary, a, .text")) return;
    event.preventDefault();
    root.focus({ preventScroll: true });
  });
  // A box ticked with the mouse gives the keys back; one ticked with a key keeps the focus.
  root.addEventListener("click", (event) => {
    const target = event.composedPath()[0];
    if (event.detail > 0 && target instanceof Element && target.closest("label.check")) {
      setTimeout(() => root.focus({ preventScroll: true }), 0);
    }
  });
}
