/** The one component: it loads the view that the payload names. Reruns update a view, unmounting destroys it. */

import { Place } from "./parts/place.js";
/** @import { Send, ViewClass } from "./parts/place.js" */

/** Modules are loaded once, by whichever view needs them first. @returns {Promise<{ default: ViewClass }>} */
function load(/** @type {string} */ name) {
  // The view of two climbs is next to be asked for: its modules are fetched while nothing else is done.
  if (name === "climb") setTimeout(() => load("duel").catch(() => null), 1000);
  return import(`./views/${name}.js`);
}

/** @type {WeakMap<Element | ShadowRoot, Place>} */ const places = new WeakMap();

/** What Streamlit calls for each mounted component, at every rerun. */
export default function component(
  /** @type {{ data: any, parentElement: Element | ShadowRoot, setStateValue: Send["state"], setTriggerValue: Send["trigger"] }} */ call,
) {
  const { data, parentElement } = call;
  const host = parentElement instanceof ShadowRoot ? parentElement.host : parentElement;
  const before = places.get(parentElement);
  const same = before?.name === data.view;
  const place = before && same ? before : new Place(data.view, load(data.view));
  if (!same) {
    before?.destroy();
    places.set(parentElement, place);
    parentElement.append(place.root);
  }
  Object.assign(place.send, { state: call.setStateValue, trigger: call.setTriggerValue });
  place.update(data);
  // Streamlit also cleans up a call that a newer one overtook, while the view lives on.
  return () =>
    setTimeout(() => {
      if (host.isConnected) return;
      place.destroy();
      places.delete(parentElement);
    }, 0);
}
