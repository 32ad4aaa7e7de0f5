/** One live view per mounted component: reruns update it, unmounting destroys it. */

import { h } from "./dom.js";
import { readTheme } from "./theme.js";

const views = new WeakMap();

/** Turn a view class (constructor(root, send), update(data), destroy()) into a component function. */
export function mount(name, View) {
  return function component({ data, parentElement, setStateValue, setTriggerValue }) {
    const host = parentElement.host ?? parentElement;
    let view = views.get(parentElement);
    if (!view) {
      // Unseen until the style sheet, which says otherwise, has come.
      const root = h("div", {
        class: "bjp",
        "data-component": name,
        tabindex: "-1",
        style: "visibility:hidden;max-height:600px;overflow:hidden",
      });
      parentElement.append(root);
      view = new View(root, {});
      view.root = root;
      views.set(parentElement, view);
      keepFocus(root);
    }
    Object.assign(view.send, { state: setStateValue, trigger: setTriggerValue });
    view.theme = readTheme(view.root);
    if (data) view.update(data);
    // Streamlit also cleans up a call that a newer one overtook, while the view lives on.
    return () =>
      setTimeout(() => {
        if (host.isConnected) return;
        view.destroy();
        view.root.remove();
        views.delete(parentElement);
      }, 0);
  };
}

/** A click anywhere in the component takes the focus off other widgets, which own the arrow keys. */
function keepFocus(root) {
  root.addEventListener("mousedown", (event) => {
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || target.closest("input, select, textarea, summary, a, .text")) return;
    event.preventDefault();
    root.focus({ preventScroll: true });
  });
  // A box ticked with the mouse gives the keys back; one ticked with a key keeps the focus.
  root.addEventListener("click", (event) => {
    const target = event.composedPath()[0];
    if (event.detail > 0 && target instanceof Element && target.closest("label.check"))
      setTimeout(() => root.focus({ preventScroll: true }), 0);
  });
}
