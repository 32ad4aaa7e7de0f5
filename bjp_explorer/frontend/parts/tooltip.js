/** One small box that follows the pointer inside a root; plain text only. */

import { h, setText } from "./dom.js";

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
