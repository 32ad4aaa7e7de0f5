/** A box that opens beside its button; Escape, a press anywhere else or a focus that leaves close it. */

import { h, setText } from "./dom.js";

export class Popover {
  /** @param {string} kind @param {HTMLButtonElement} opener @param {HTMLElement} box */
  constructor(kind, opener, box) {
    this.opener = opener;
    this.box = box;
    box.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    opener.addEventListener("click", () => this.toggle());
    this.element = h("div", { class: kind }, opener, box);
    this.element.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
      const next = /** @type {Node | null} */ (event.relatedTarget);
      if (next && !this.element.contains(next)) this.toggle(false);
    });
  }

  toggle(open = this.box.hidden) {
    this.box.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    this.listening?.abort();
    if (open) this.listen();
  }

  /** On the document, because a key may come from wherever the focus is. */
  listen() {
    this.listening = new AbortController();
    const { signal } = this.listening;
    const press = (/** @type {PointerEvent} */ event) => {
      if (!event.composedPath().includes(this.element)) this.toggle(false);
    };
    const key = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      const inside = event.composedPath().includes(this.element);
      this.toggle(false);
      if (inside) this.opener.focus();
    };
    document.addEventListener("pointerdown", press, { capture: true, signal });
    document.addEventListener("keydown", key, { capture: true, signal });
  }
}

/** One small box that follows the pointer inside a root; plain text only. */
export class Tooltip {
  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    this.element = h("div.tooltip", { role: "tooltip", hidden: true });
    root.append(this.element);
  }

  show(/** @type {{ clientX: number, clientY: number }} */ event, /** @type {string} */ text) {
    setText(this.element, text);
    this.element.hidden = false;
    const frame = this.root.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const x = Math.min(Math.max(event.clientX - frame.left - width / 2, 0), Math.max(0, frame.width - width));
    const above = event.clientY - height - 14;
    const y = (above > 4 ? above : event.clientY + 20) - frame.top;
    this.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }

  hide() {
    this.element.hidden = true;
  }
}
