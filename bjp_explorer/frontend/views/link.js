/** The address bar and the button that copies it. The address is replaced, so that Back leaves the page. */

import { button, h, icon, setIcon, setText } from "../parts/dom.js";
import { store, stored } from "../logic/memory.js";
import { noteProjecting } from "../parts/pageprojector.js";
/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { LinkPayload as Link } from "../payloads.d.ts" */

/** What embeds the app in another page belongs to Streamlit. */
const KEPT = ["embed", "embed_options"];
const TOLD = 2000;

/** The search part of a URL; ":" "," "~" and ";" read better as they are, and mean nothing there. */
const search = (/** @type {URLSearchParams} */ params) =>
  params.toString().replace(/%(3A|2C|7E|3B)/g, decodeURIComponent);

/** Put the parameters of the page into the address bar, unless one is on another page by now. */
function replaceAddress(/** @type {Link} */ { query = {}, page, others }) {
  const url = new URL(window.location.href);
  if (url.pathname.split("/").pop() !== page) return;
  const params = new URLSearchParams(others ? url.search : "");
  if (!others) {
    for (const name of KEPT) for (const value of url.searchParams.getAll(name)) params.append(name, value);
  }
  for (const [name, value] of Object.entries(query)) params.set(name, value);
  noteProjecting(params);
  const address = `${url.pathname}?${search(params)}${url.hash}`;
  if (address !== url.pathname + url.search + url.hash) {
    window.history.replaceState(window.history.state, "", address);
  }
}

/** Streamlit keeps dark or light under the path where the visit began; a reload on another page asks there. */
const BEGAN = location.pathname;
addEventListener("pagehide", () => {
  const place = (/** @type {string} */ path) => `stActiveTheme-${path}-v2`;
  const chosen = stored(place(BEGAN));
  if (chosen) store(place(location.pathname), chosen);
});

export default class LinkView {
  said = "";
  /** @type {Theme | undefined} */ theme;
  /** @type {boolean | undefined} */ dark;
  text = h("span.sr", "Copy link");
  icon = icon("link");
  status = h("span.sr", { role: "status" });
  /** Where the clipboard can't be written: the link itself, ready to be copied. */
  shown = h("input.address", {
    readonly: true,
    hidden: true,
    "aria-label": "The link; copy it with Ctrl+C",
    on: {
      blur: () => this.hide(),
      keydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && this.hide(),
    },
  });

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.send = send;
  }

  update(/** @type {Link} */ data) {
    if (data.button && !this.root.childElementCount) {
      const copy = { title: "Copy a link to this view", on: { click: () => this.copy() } };
      this.root.append(button("tool.wide.copy", copy, this.icon, this.text), this.shown, this.status);
    }
    const dark = this.theme?.dark;
    // What Python draws has the colours of a theme, and only a run draws it again.
    if (data.button && this.dark !== undefined && dark !== this.dark) this.send.trigger("theme", dark);
    this.dark = dark;
    // Drawn again, it has nothing new to say; one that is about to go may say what is old by now.
    const said = data.query && JSON.stringify(data);
    if (!said || said === this.said) return;
    this.said = said;
    replaceAddress(data);
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.tell("Copied", "check", "The link was copied.");
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.tell("Copy link", "link", ""), TOLD);
    } catch {
      this.shown.hidden = false;
      this.shown.value = location.href;
      this.shown.focus();
      this.shown.select();
      setText(this.status, "The link is shown and selected; copy it with Ctrl+C.");
    }
  }

  tell(/** @type {string} */ text, /** @type {"check" | "link"} */ sign, /** @type {string} */ status) {
    setText(this.text, text);
    setIcon(this.icon, sign);
    setText(this.status, status);
  }

  hide() {
    this.shown.hidden = true;
  }
}
