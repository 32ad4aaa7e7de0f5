/** Builders for HTML and SVG. Text always goes through textContent: names come from strangers' files. */

/** @typedef {Record<string, any>} Props attributes; "text" is the content, and "on" holds listeners by event */
/** The name of an element before its classes. @template {string} S @typedef {S extends `${infer Tag}.${string}` ? Tag : S} Tag */
/** @template {string} S @typedef {HTMLElementTagNameMap[Tag<S> & keyof HTMLElementTagNameMap]} Html */
/** @template {string} S @typedef {SVGElementTagNameMap[Tag<S> & keyof SVGElementTagNameMap]} Svg */

const SVG_NS = "http://www.w3.org/2000/svg";

function fill(/** @type {Element} */ element, /** @type {string[]} */ classes, /** @type {any[]} */ content) {
  const [first, ...rest] = content;
  const hasProps = first && Object.getPrototypeOf(first) === Object.prototype;
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(hasProps ? first : {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") element.textContent = value;
    else if (key === "on") {
      for (const [type, fn] of Object.entries(value)) element.addEventListener(type, fn);
    } else element.setAttribute(key, value === true ? "" : String(value));
  }
  const children = (hasProps ? rest : content).flat(Infinity);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * An HTML element: h("button.tool.wide", { title: "Fit", on: { click } }, ...children), without properties where
 * there are none.
 *
 * @template {string} S
 * @param {S} name
 * @param {...any} content
 */
export function h(name, ...content) {
  const [tag, ...classes] = name.split(".");
  return /** @type {Html<S>} */ (fill(document.createElement(tag), classes, content));
}

/**
 * The same for SVG.
 *
 * @template {string} S
 * @param {S} name
 * @param {...any} content
 */
export function svg(name, ...content) {
  const [tag, ...classes] = name.split(".");
  return /** @type {Svg<S>} */ (/** @type {unknown} */ (fill(
    document.createElementNS(SVG_NS, tag),
    classes,
    content,
  )));
}

/** Set the text only where it changed, so that playing touches nothing it need not. */
export function setText(/** @type {Element} */ element, /** @type {string} */ text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttr(
  /** @type {Element} */ element,
  /** @type {string} */ name,
  /** @type {string | number | boolean | null | undefined} */ value,
) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

export function setAttrs(/** @type {Element} */ element, /** @type {Record<string, any>} */ values) {
  for (const [name, value] of Object.entries(values)) setAttr(element, name, value);
}

const ICONS = {
  first: "M5 5v14M19 5L9 12l10 7z",
  previous: "M15 5l-7 7 7 7",
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  next: "M9 5l7 7-7 7",
  last: "M19 5v14M5 5l10 7-10 7z",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  reset: "M5 12a7 7 0 1 0 2.2-5.1M5 4.5V9h4.5",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  edit: "M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19z",
  screen: "M4 5h16v11H4zM9 20h6M12 16v4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  close: "M6 6l12 12M18 6L6 18",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.6l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.6 5.6l1-1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  loop: "M17 3l3 3-3 3M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 0 1-3 3H4",
};
const SOLID = new Set(["first", "play", "pause", "last"]);

export function icon(/** @type {keyof typeof ICONS} */ name) {
  const look = SOLID.has(name) ? "svg.icon.solid" : "svg.icon";
  return svg(look, { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

export function setIcon(/** @type {any} */ element, /** @type {keyof typeof ICONS} */ name) {
  element.firstChild.setAttribute("d", ICONS[name]);
}

/** ⊥ or ⊥̸ as a path: fonts draw the struck sign badly or not at all. */
export function signPath(/** @type {unknown} */ dependent, cx = 0, cy = 0, s = 1) {
  const at = (/** @type {number} */ dx, /** @type {number} */ dy) =>
    `${(cx + dx * s).toFixed(2)} ${(cy + dy * s).toFixed(2)}`;
  const tack = `M${at(-0.9, 0.8)}L${at(0.9, 0.8)}M${at(0, 0.8)}L${at(0, -0.85)}`;
  return dependent ? `${tack}M${at(-0.62, 1.15)}L${at(0.62, -1.15)}` : tack;
}

/** The sign inside a line of HTML text; screen readers get words. */
export function sign(/** @type {unknown} */ dependent) {
  return h("span.sign", [
    svg("svg", { viewBox: "-1.3 -1.5 2.6 3", "aria-hidden": "true" }, [
      svg("path", { d: signPath(dependent) }),
    ]),
    h("span.sr", dependent ? " ⊥̸ " : " ⊥ "),
  ]);
}

/** A button of these classes, "tool.wide", that submits nothing; what it holds is as for h. */
export function button(/** @type {string} */ classes, /** @type {any[]} */ ...content) {
  const made = h(`button.${classes}`, ...content);
  made.type = "button";
  return made;
}

/** Let a button do nothing, or something again; a focus that it had goes to another, lest it fall to the page. */
/** @param {HTMLButtonElement} element @param {boolean} disabled @param {HTMLElement} other */
export function setDisabled(element, disabled, other) {
  if (disabled && element.matches(":focus")) other.focus({ preventScroll: true });
  element.disabled = disabled;
}

/** A button that is an icon, with its name for the pointer and for screen readers. */
/** @param {keyof typeof ICONS} name @param {string} label @param {() => void} click */
export function iconButton(name, label, click, kind = "tool") {
  return button(kind, { title: label, "aria-label": label, on: { click } }, icon(name));
}

/** @param {string} text @param {(ticked: boolean) => void} change @param {Props} [props] */
export function checkbox(text, change, props = {}) {
  const box = h("input", { type: "checkbox", on: { change: () => change(box.checked) } });
  return { box, label: h("label.check", { ...props }, box, text) };
}

/** As many items as asked for, of which those that are there stay: one with the focus keeps it. */
/** @param {Element} list @param {number} size @param {(k: number) => Element} make */
export function fillList(list, size, make) {
  while (list.childElementCount > size) list.lastElementChild?.remove();
  while (list.childElementCount < size) list.append(make(list.childElementCount));
  return /** @type {HTMLElement[]} */ ([...list.children]);
}

/** The mark of edges of a tone in a legend: such an edge, or a CSS class of .swatch. */
export function toneMark(/** @type {string} */ tone) {
  if (tone === "proposed" || tone === "width") return `line-${tone}`;
  const ends = { x1: 1, x2: 25, y1: 6, y2: 6 };
  return svg("g.edge", { "data-tone": tone }, svg("line.hit", ends), svg("line.ink", ends));
}

/** A legend, where a mark is a CSS class of .swatch, or what is drawn in a box of 26 by 12. */
export function legend(/** @type {{ mark: string | SVGElement, text: string }[]} */ items) {
  const hidden = { "aria-hidden": "true" };
  const swatch = (/** @type {string | SVGElement} */ mark) =>
    typeof mark === "string"
      ? h("span", { class: `swatch ${mark}`, ...hidden })
      : svg("svg.swatch", { viewBox: "0 0 26 12", ...hidden }, mark);
  return h("ul.legend", items.map(({ mark, text }) => h("li", swatch(mark), h("span", text))));
}

/** A card: header (title, subtitle, tools), body. */
/** @param {string} name @param {string} title @param {any[]} tools @param {...any} body */
export function card(name, title, tools, ...body) {
  const heading = h("h3", title);
  const sub = h("span.sub");
  const element = h("section", { class: `card ${name}`, "aria-label": title }, [
    h("header", h("div.heading", heading, sub), h("div.tools", tools)),
    body,
  ]);
  return { element, heading, sub };
}

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
