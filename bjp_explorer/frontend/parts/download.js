/** Save what is seen as SVG or PNG: styles and fonts go into the file. */

import { button, h, icon, setAttrs, svg } from "./dom.js";
import { Popover } from "./popover.js";
import { css } from "./theme.js";
/** @import { Box } from "./marks.js" */
/** @import { Theme } from "./theme.js" */
/** @typedef {{ page: SVGSVGElement, width: number, height: number }} Picture */

const STYLES = ("fill fill-opacity stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin " +
  "stroke-opacity opacity font-family font-size font-weight text-anchor paint-order visibility display")
  .split(" ");

/** Copy an SVG with its computed styles; hidden parts are left out. */
export function frozen(/** @type {SVGSVGElement} */ original) {
  const copy = /** @type {SVGSVGElement} */ (original.cloneNode(true));
  /** @param {SVGElement} root */
  const all = (root) => /** @type {SVGElement[]} */ ([root, ...root.querySelectorAll("*")]);
  const targets = all(copy);
  all(original).forEach((source, k) => {
    const style = getComputedStyle(source);
    const bare = source.classList.contains("hit") ||
      (source.classList.contains("reach") && style.stroke === "none");
    if (style.display === "none" || bare) {
      targets[k].remove();
      return;
    }
    for (const name of STYLES) targets[k].style.setProperty(name, style.getPropertyValue(name));
    for (const name of ["tabindex", "role", "aria-label", "class"]) targets[k].removeAttribute(name);
  });
  return copy;
}

/** Frozen drawings side by side in one SVG document. @returns {Picture} */
export function compose(
  /** @type {(Box & { node: Element })[]} */ parts,
  /** @type {number} */ width,
  /** @type {number} */ height,
  /** @type {string} */ paper,
) {
  const xmlns = "http://www.w3.org/2000/svg";
  const page = svg("svg", { xmlns, width, height, viewBox: `0 0 ${width} ${height}` }, [
    svg("rect", { width, height, fill: paper }),
  ]);
  for (const { node, ...box } of parts) {
    setAttrs(node, box);
    page.append(node);
  }
  return { page, width, height };
}

/** The @font-face of a family that the page uses, with the file inside; "" where there is none. */
async function inlineFont(/** @type {string} */ family) {
  const first = family.split(",")[0].trim().replace(/["']/g, "");
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      return [];
    }
  });
  const bare = (/** @type {string} */ name) => name.replace(/["']/g, "");
  const faces = rules.filter((rule) => rule instanceof CSSFontFaceRule);
  const face = faces.find(({ style }) =>
    bare(style.getPropertyValue("font-family")) === first &&
    !/italic/.test(style.getPropertyValue("font-style"))
  );
  const source = face && /url\(["']?([^"')]+)["']?\)/.exec(face.style.getPropertyValue("src"));
  if (!source) return "";
  const file = await fetch(new URL(source[1], face.parentStyleSheet?.href ?? document.baseURI));
  const data = await dataUrl(await file.blob());
  return `@font-face{font-family:"${first}";font-weight:200 900;src:url(${data})}`;
}

/** @returns {Promise<string>} */
function dataUrl(/** @type {Blob} */ blob) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(blob);
  });
}

async function document_(/** @type {SVGSVGElement} */ page, /** @type {string} */ family) {
  const font = await inlineFont(family).catch(() => "");
  if (font) page.prepend(svg("style", font));
  return new Blob([new XMLSerializer().serializeToString(page)], { type: "image/svg+xml" });
}

/** @returns {Promise<Blob | null>} */
async function picture(/** @type {Blob} */ blob, /** @type {number} */ width, /** @type {number} */ height) {
  const image = new Image();
  image.src = await dataUrl(blob);
  await image.decode();
  const scale = Math.max(2, Math.min(4, 2400 / width));
  const canvas = h("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}

function save(/** @type {Blob | null} */ blob, /** @type {string} */ name) {
  if (!blob) return;
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * A small menu "SVG / PNG".
 *
 * @param {{ theme: Theme, data: { stem?: string } }} owner
 * @param {SVGSVGElement | (() => Picture)} what an SVG that fills its card, or what draws the picture
 * @param {() => (string | number)[]} parts of the file's name, after the stem of the dataset where the page gives one
 */
export function exportMenu(owner, what, parts) {
  const run = async (/** @type {"svg" | "png"} */ kind) => {
    popover.toggle(false);
    const { page, width, height } = what instanceof SVGSVGElement
      ? drawing(what, css(owner.theme.paper))
      : what();
    const blob = await document_(page, owner.theme.font);
    const name = [owner.data.stem, ...parts()].filter(Boolean).join("-").replace(/[^\w-]+/g, "-");
    save(kind === "svg" ? blob : await picture(blob, width, height), `${name}.${kind}`);
  };
  const item = (/** @type {"svg" | "png"} */ kind, /** @type {string} */ text) =>
    button("item", { "data-export": kind, on: { click: () => run(kind) } }, text);
  const menu = h("div.menu", item("svg", "SVG"), item("png", "PNG"));
  const opener = button("tool", { title: "Save this picture", "aria-label": "Save this picture" }, [
    icon("download"),
  ]);
  const popover = new Popover("export", opener, menu);
  return popover.element;
}

function drawing(/** @type {SVGSVGElement} */ element, /** @type {string} */ paper) {
  const { width, height } = element.getBoundingClientRect();
  const node = frozen(element);
  return compose([{ node, x: 0, y: 0, width, height }], width, height, paper);
}
