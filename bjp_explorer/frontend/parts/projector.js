/** A component over the whole screen, as a projector wants it: graph, matrix and player at one sight. */

import { iconButton } from "./dom.js";

export class Projector {
  /**
   * onChange(filling) is called whenever the view begins or ends to fill the screen.
   *
   * @param {HTMLElement} root
   * @param {(filling: boolean) => void} onChange
   */
  constructor(root, onChange) {
    this.root = root;
    this.button = iconButton("screen", "Fill the screen (f)", () => this.toggle());
    this.button.hidden = !document.fullscreenEnabled;
    this.button.dataset.action = "projector";
    this.change = () => {
      this.button.setAttribute("aria-pressed", String(this.filling));
      root.toggleAttribute("data-filling", this.filling);
      onChange(this.filling);
    };
    root.addEventListener("fullscreenchange", this.change);
  }

  get filling() {
    return /** @type {ShadowRoot} */ (this.root.getRootNode()).fullscreenElement === this.root;
  }

  toggle() {
    if (this.filling) document.exitFullscreen();
    else if (document.fullscreenEnabled) this.root.requestFullscreen().catch(() => {});
  }

  destroy() {
    if (this.filling) document.exitFullscreen();
    this.root.removeEventListener("fullscreenchange", this.change);
  }
}
