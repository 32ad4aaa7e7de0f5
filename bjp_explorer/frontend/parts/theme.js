/** Colours that follow Streamlit's theme. Hues: Okabe & Ito, safe for colour-blind readers. */

/** @typedef {[number, number, number]} Rgb */
/** @typedef {{ dark: boolean, paper: Rgb, ink: Rgb, font: string }} Theme */

/** @type {Rgb} */ const BLUE = [0, 114, 178];
/** @type {Rgb} */ const VERMILION = [213, 94, 0];
const canvas = /** @type {CanvasRenderingContext2D} */ (
  document.createElement("canvas").getContext("2d", { willReadFrequently: true })
);

/** Any CSS colour as [r, g, b]. @returns {Rgb} */
function rgb(/** @type {string} */ color, /** @type {Rgb} */ fallback = [255, 255, 255]) {
  if (!color) return fallback;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = "#ffffff";
  canvas.fillStyle = color.trim();
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b];
}

/** Relative luminance (WCAG 2). */
function luminance(/** @type {Rgb} */ [r, g, b]) {
  const linear = (/** @type {number} */ v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
}

/** Black or white, whichever reads better on the colour: always 4.5:1 or more. */
const readable = (/** @type {Rgb} */ color) => luminance(color) > 0.179 ? "#000000" : "#ffffff";

export function mix(/** @type {Rgb} */ a, /** @type {Rgb} */ b, /** @type {number} */ share) {
  return /** @type {Rgb} */ (a.map((v, k) => Math.round(v * share + b[k] * (1 - share))));
}

export const css = (/** @type {Rgb} */ [r, g, b]) => `rgb(${r}, ${g}, ${b})`;

/** Read the theme of a mounted root and mark it light or dark. @returns {Theme} */
export function readTheme(/** @type {HTMLElement} */ root) {
  const style = getComputedStyle(root);
  const paper = rgb(style.getPropertyValue("--st-background-color"));
  const ink = rgb(style.getPropertyValue("--st-text-color"), [49, 51, 63]);
  const primary = rgb(style.getPropertyValue("--st-primary-color"), BLUE);
  const dark = luminance(paper) < 0.25;
  root.dataset.theme = dark ? "dark" : "light";
  root.style.setProperty("--on-primary", readable(primary));
  return { dark, paper, ink, font: style.getPropertyValue("--st-font").trim() || "sans-serif" };
}

/**
 * How full a computed cell is: even steps from ½ to 1, then decades of doubt down to 10⁻³⁰⁰.
 * Short of the pure hue, so that one text colour reads on the whole scale.
 */
function strength(/** @type {number} */ log) {
  const p = Math.exp(log);
  if (p >= 0.5) return 0.5 + 0.68 * (p - 0.5);
  return 0.5 - 0.36 * Math.min(1, Math.log10(-log / Math.LN2) / 3);
}

/** @param {Theme} theme @param {unknown} dependent @param {number} log */
export function cellColours(theme, dependent, log) {
  const colour = mix(dependent ? VERMILION : BLUE, theme.paper, strength(log));
  return { fill: css(colour), ink: readable(colour) };
}
