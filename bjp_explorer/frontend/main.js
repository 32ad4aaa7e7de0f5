/** The one component: it loads the view that the payload names. Reruns update a view, unmounting destroys it. */

import { Place } from "./parts/place.js";

/** Modules are loaded once, by whichever view needs them first. */
/** @type {Record<string, () => Promise<{ default: import("./parts/place.js").ViewClass }>>} */
const VIEWS = {
  climb: () => {
    // The view of two climbs is next to be asked for: its modules are fetched while nothing else is done.
    setTimeout(() => import("./views/duel.js").catch(() => null), 1000);
    return import("./views/climb.js");
  },
  duel: () => import("./views/duel.js"),
  lesson: () => import("./views/lesson.js"),
  link: () => import("./views/link.js"),
  networks: () => import("./views/networks.js"),
  practice: () => import("./views/practice.js"),
  projector: () => import("./views/projector.js"),
  step: () => import("./views/step.js"),
};

/** @type {WeakMap<Element | ShadowRoot, Place>} */ const places = new WeakMap();

/** What Streamlit calls for each mounted component, at every rerun. */
export default function component(
  /** @type {{ data: any, parentElement: Element | ShadowRoot, setStateValue: import("./parts/place.js").Send["state"], setTriggerValue: import("./parts/place.js").Send["trigger"] }} */ {
    data,
    parentElement,
    setStateValue,
    setTriggerValue,
  },
) {
  const host = parentElement instanceof ShadowRoot ? parentElement.host : parentElement;
  const before = places.get(parentElement);
  const same = before?.name === data.view;
  const place = before && same ? before : new Place(data.view, VIEWS[data.view]());
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
