/** A Plotly chart over the whole screen, under the line above it: laid out smaller than the screen, then magnified. */

/** Streamlit's own button, which would fill the window and leave the letters small. */
const BUTTON = '.modebar-btn[data-title="Fullscreen"]';
const FRAME = '[data-testid="stFullScreenFrame"]';
const COLUMN = '[data-testid="stColumn"]';
const TEXTS = '[data-testid="stMarkdownContainer"], [data-testid="stCaptionContainer"]';
const LINE = `[data-testid="stElementContainer"]:has(${TEXTS})`;
/** Letters; longer texts are no line about one chart. */
const LONGEST = 300;
/** Pixels of a chart from top to bottom: a lower one has no larger letters, a taller one scrolls. */
const LEAST = 440;
const MOST = 640;

/** @type {HTMLElement | null} */
let place = null;
const header = document.createElement("div");
header.className = "chart-header";
header.inert = true;

/**
 * @param {MouseEvent} event
 */
function toggle(event) {
  const button = event.target instanceof Element && event.target.closest(BUTTON);
  if (!button || !document.fullscreenEnabled) return;
  event.stopPropagation();
  if (place) document.exitFullscreen();
  else button.closest(FRAME)?.parentElement?.requestFullscreen().catch(() => {});
}

/** The line above a chart, or above the columns in which it stands first. */
function lineAbove(/** @type {Element} */ chart) {
  /** @type {Element | null} */
  let at = chart;
  while (at && (at.matches(COLUMN) || !at.previousElementSibling)) at = at.parentElement;
  const line = at?.previousElementSibling;
  return line?.matches(LINE) && (line.textContent ?? "").length < LONGEST ? line : null;
}

/** Magnify the chart that fills the screen; one that fills it no more is as it was. */
function magnify() {
  place?.querySelector(FRAME)?.removeAttribute("style");
  place?.removeAttribute("data-blank");
  header.remove();
  const full = document.fullscreenElement;
  const frame = /** @type {HTMLElement | null | undefined} */ (full?.querySelector(`:scope > ${FRAME}`));
  place = frame ? /** @type {HTMLElement} */ (full) : null;
  if (!place || !frame) return;
  const line = lineAbove(place);
  header.replaceChildren(...line ? [line.cloneNode(true)] : []);
  header.style.zoom = String(innerHeight / MOST);
  place.prepend(header);
  const { paddingTop } = getComputedStyle(place);
  const width = innerWidth - 2 * parseFloat(paddingTop);
  const height = innerHeight - frame.offsetTop - parseFloat(paddingTop);
  const by = Math.min(Math.max(height / frame.offsetHeight, innerHeight / MOST), innerHeight / LEAST);
  Object.assign(frame.style, {
    width: `${width / by}px`,
    height: `${Math.max(frame.offsetHeight, height / by)}px`,
  });
  frame.style.setProperty("--magnified", String(by));
  place.tabIndex = -1;
  place.focus();
}

/**
 * A clicker's keys: two blank the screen, two scroll. No player of the page behind takes any.
 *
 * @param {KeyboardEvent} event
 */
function press(event) {
  if (!place) return;
  event.stopPropagation();
  if (event.key === "f") document.exitFullscreen();
  place.toggleAttribute("data-blank", [".", "b"].includes(event.key) && !place.hasAttribute("data-blank"));
}

/** Once for all charts of the app. */
export function fillScreenWithCharts() {
  addEventListener("click", toggle, true);
  addEventListener("keydown", press, true);
  document.addEventListener("fullscreenchange", magnify);
  addEventListener("resize", magnify);
}
