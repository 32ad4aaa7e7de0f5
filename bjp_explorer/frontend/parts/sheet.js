/** The two ends of a sheet: who solves it, and what is handed in. */

import { button, h, setText } from "./dom.js";
import { save } from "./download.js";

/** Who begins; a file with questions for each student looks theirs up. */
export class SheetStart {
  name = h("input", { class: "name-field", id: "practice-name", maxlength: 100, autocomplete: "name" });
  why = h("p", { class: "why-not", role: "alert" });

  /** @param {(name: string) => string} onBegin what is wrong with the name, or nothing */
  constructor(onBegin) {
    this.element = h(
      "form",
      {
        class: "sheet-start",
        on: {
          submit: (/** @type {Event} */ event) => {
            event.preventDefault();
            setText(this.why, onBegin(this.name.value));
          },
        },
      },
      h("label", { for: "practice-name", text: "Your name or number, as your lecturer knows it" }),
      h("div", { class: "actions" }, this.name, h("button", { class: "control primary", text: "Begin" })),
      this.why,
      h("p", { class: "sub", text: "Everything stays in this browser until you hand it in yourself." }),
    );
  }
}

/** The text to hand in. */
export class HandInCard {
  text = h("textarea", { readonly: true, rows: 8, spellcheck: "false", "aria-label": "The text to hand in" });
  told = h("span", { class: "sub", role: "status" });
  element = h(
    "section",
    { class: "hand-in" },
    h("h3", { text: "Hand in" }),
    h("p", {
      text: "Send your lecturer this text, or the file. It holds your name, your answers and your points.",
    }),
    this.text,
    h(
      "div",
      { class: "actions" },
      button({ class: "control primary", on: { click: () => this.save() } }, "Save as a file"),
      button({ class: "tool wide", on: { click: () => this.copy() } }, "Copy the text"),
      this.told,
    ),
  );

  show(/** @type {string} */ text, /** @type {string} */ student) {
    this.text.value = text;
    this.stem = student.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").replace(
      /[^\p{L}\p{N}]+/gu,
      "-",
    ).replace(/^-+|-+$/g, "");
  }

  save() {
    save(new Blob([this.text.value], { type: "text/plain" }), `hand-in-${this.stem || "sheet"}.txt`);
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.text.value);
      setText(this.told, "Copied.");
    } catch {
      this.text.focus();
      this.text.select();
      setText(this.told, "The text is selected; copy it with Ctrl+C.");
    }
  }
}
