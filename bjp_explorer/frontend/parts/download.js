/** Save what is seen as SVG or PNG: styles and fonts go into the file. */

import { button, h, icon, svg } from "./dom.js";
import { Popover } from "./popover.js";

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
  "visibility",
  "display",
];

/** Copy an SVG with its computed styles; hidden parts are left out. */
export function frozen(original) {
  const copy = original.cloneNode(true);
  const sources = [original, ...original.querySelectorAll("*")];
  const targets = [copy, ...copy.querySelectorAll("*")];
  sources.forEach((source, k) => {
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

/** Put frozen drawings side by side: [{ node, x, y, width, height }] → one SVG document. */
export function compose(parts, width, height, paper) {
  const page = svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("rect", { width, height, fill: paper }),
  );
  for (const { node, x, y, width: w, height: h_ } of parts) {
    for (const [name, value] of Object.entries({ x, y, width: w, height: h_ })) {
      node.setAttribute(name, value);
    }
    page.append(node);
  }
  return page;
}

/** The @font-face of a family that the page uses, with the file inside; "" where there is none. */
async function inlineFont(family) {
  const first = family.split(",")[0].trim().replace(/["']/g, "");
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      return [];
    }
  });
  const face = /** @type {CSSFontFaceRule | undefined} */ (rules.find(
    (rule) =>
      rule instanceof CSSFontFaceRule &&
      rule.style.getPropertyValue("font-family").replace(/["']/g, "") === first &&
      !/italic/.test(rule.style.getPropertyValue("font-style")),
  ));
  const source = face && /url\(["']?([^"')]+)["']?\)/.exec(face.style.getPropertyValue("src"));
  if (!source) return "";
  const file = await fetch(new URL(source[1], face.parentStyleSheet?.href ?? document.baseURI));
  const data = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    file.blob().then((blob) => reader.readAsDataURL(blob));
  });
  return `@font-face{font-family:"${first}";font-weight:200 900;src:url(${data})}`;
}

async function document_(page, family) {
  const font = await inlineFont(family).catch(() => "");
  if (font) page.prepend(svg("style", { text: font }));
  return new Blob([new XMLSerializer().serializeToString(page)], { type: "image/svg+xml" });
}

async function picture(blob, width, height) {
  const url = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsDataURL(blob);
  });
  const image = new Image();
  image.src = url;
  await image.decode();
  const scale = Math.max(2, Math.min(4, 2400 / width));
  const canvas = h("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}

function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * A small menu "SVG / PNG".
 *
 * draw() -> { page, width, height }; name() -> file name without ending; family() -> CSS font-family.
 */
export function exportMenu(draw, name, family) {
  const run = async (kind) => {
    popover.toggle(false);
    const { page, width, height } = draw();
    const blob = await document_(page, family());
    save(kind === "svg" ? blob : await picture(blob, width, height), `${name()}.${kind}`);
  };
  const item = (kind, text) =>
    button({ class: "item", "data-export": kind, on: { click: () => run(kind) } }, text);
  const menu = h("div", { class: "menu" }, item("svg", "SVG"), item("png", "PNG"));
  const opener = button(
    { class: "tool", title: "Save this picture", "aria-label": "Save this picture" },
    icon("download"),
  );
  const popover = new Popover("export", opener, menu);
  return popover.element;
}

/** A picture's file name: the dataset's stem where the page gives one, then what it shows. */
export function pictureName(data, ...parts) {
  return [data.stem, ...parts].filter((part) => part !== undefined && part !== "").join("-");
}

/** What exportMenu needs for one SVG that fills its card. */
export function drawing(element, paper) {
  const { width, height } = element.getBoundingClientRect();
  const node = frozen(element);
  return { page: compose([{ node, x: 0, y: 0, width, height }], width, height, paper), width, height };
}
