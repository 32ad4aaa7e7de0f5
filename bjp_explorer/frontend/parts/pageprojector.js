/** Any page on a projector: nothing but its figures, in large letters, until one leaves it. frame.css has the style. */

import { enlarge, isProjecting, letterScale, PROJECTING } from "./projector.js";

const NAME = "projector";
/** Charts are magnified: their letters are counted in pixels. */
const CHART = ".js-plotly-plot";
/** What draws a table, the letters that it was given, and how large they usually are. */
const FONT = "--gdg-base-font-style";
const GRID = `[style*="${FONT}"]`;
const TABLE_LETTERS = 14;
const TABLE = ".stDataFrame";
/** Where a chart stands: each has a key. */
const PLACE = '[class*="st-key-"]';

const { documentElement: page } = document;

/** Put it into the parameters of an address, or take it out. */
export function noteProjecting(/** @type {URLSearchParams} */ params) {
  if (isProjecting()) params.set(NAME, "1");
  else params.delete(NAME);
}

/** A magnified chart takes more height than it knows of. */
const heights = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const place = /** @type {HTMLElement | null} */ (target.closest(PLACE));
    place?.style.setProperty("--tall", `${/** @type {HTMLElement} */ (target).offsetHeight}px`);
  }
});
let letters = 1;

/** A table keeps the letters with which it was drawn, so it is magnified by what they lack. */
function magnifyTables() {
  for (const grid of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(GRID))) {
    const table = /** @type {HTMLElement | null} */ (grid.closest(TABLE));
    const drawn = /([\d.]+)px/.exec(grid.style.getPropertyValue(FONT));
    const frame = table?.parentElement;
    if (!table || !frame || !drawn) continue;
    const by = letters * TABLE_LETTERS / Number(drawn[1]);
    const isUsual = Math.abs(by - 1) < 0.01;
    table.style.zoom = isUsual ? "" : String(by);
    // It takes the width that its frame has on the screen.
    frame.style.width = isUsual ? "" : `${100 / by}%`;
    // Its place is as tall as without the zoom; what stands below keeps clear of the rest.
    const more = isUsual ? "" : `${Math.ceil(frame.offsetHeight * (by - 1))}px`;
    frame.parentElement?.style.setProperty("margin-bottom", more);
  }
}

const comers = new MutationObserver(() => {
  for (const chart of document.querySelectorAll(CHART)) heights.observe(chart);
  magnifyTables();
});

/** Show the page for a projector, or as it was; all views are drawn anew. */
export function setProjecting(/** @type {boolean} */ on) {
  if (on === isProjecting()) return;
  page.toggleAttribute("data-projector", on);
  enlarge(page, on);
  letters = letterScale();
  page.style.setProperty("--letters", String(letters));
  magnifyTables();
  comers.disconnect();
  heights.disconnect();
  if (on) {
    for (const chart of document.querySelectorAll(CHART)) heights.observe(chart);
    comers.observe(document.body, { childList: true, subtree: true });
  }
  const url = new URL(location.href);
  noteProjecting(url.searchParams);
  if (url.search !== location.search) history.replaceState(history.state, "", url);
  document.dispatchEvent(new Event(PROJECTING));
}

export function onProjecting(/** @type {() => void} */ act, /** @type {AbortSignal} */ signal) {
  document.addEventListener(PROJECTING, act, { signal });
}

// A link may ask for it. A reload keeps it, and so does going from page to page.
setProjecting(new URLSearchParams(location.search).get(NAME) === "1");
