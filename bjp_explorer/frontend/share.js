/** A view in a page of its own: its colours follow the reader's, with a button to switch them; nothing is sent. */

import { iconButton } from "./parts/dom.js";
import { Place } from "./parts/place.js";
/** @import { Send, ViewClass } from "./parts/place.js" */

/** Mount a view in the page's <main>; send: what answers in place of Python, if anything does. */
/** @param {ViewClass} View @param {any} payload @param {Send} [send] */
export function mount(View, payload, send = { state: () => {}, trigger: () => {} }) {
  const place = new Place(payload.view, Promise.resolve({ default: View }));
  Object.assign(place.send, send);
  document.querySelector("main")?.append(place.root);
  schemes(place);
  place.update(payload);
  return place;
}

/** Light or dark as the reader's system is, until the button is pressed. */
function schemes(/** @type {Place} */ place) {
  const page = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = (/** @type {boolean} */ isDark) => {
    page.dataset.scheme = isDark ? "dark" : "light";
    place.update(place.data);
  };
  const follow = () => show(dark.matches);
  dark.addEventListener("change", follow);
  const button = iconButton("moon", "Dark or light", () => {
    dark.removeEventListener("change", follow);
    show(page.dataset.scheme !== "dark");
  });
  document.querySelector("header")?.append(button);
  follow();
}
