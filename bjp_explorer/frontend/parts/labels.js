/** How wide a text is drawn. */

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

const widths = new Map();
document.fonts?.addEventListener("loadingdone", () => widths.clear());

/** Width of a text in pixels, remembered. */
export function textWidth(/** @type {string} */ text, /** @type {string} */ font) {
  const key = `${font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 5000) widths.clear();
    pen.font = font;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}
