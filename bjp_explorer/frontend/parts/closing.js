/** What stands after the last lesson: questions that are still open, and ways to the other pages. */

import { button, h } from "./dom.js";

export class Closing {
  /** options: { onGo(lesson), onOpen(page), onForget() }. */
  constructor(options) {
    this.options = options;
    this.open = h("ul", { class: "still-open" });
    this.doors = h("div", { class: "doors" });
    this.forget = button(
      { class: "tool wide", on: { click: () => options.onForget() } },
      "Forget my answers",
    );
    this.element = h(
      "div",
      { class: "closing", hidden: true },
      this.open,
      h("h4", { text: "Where to go on" }),
      this.doors,
      this.forget,
    );
  }

  /** closing: { open: [{ lesson, title }], doors: [{ page, title, text }] }, or null on a step. */
  show(closing, course) {
    this.element.hidden = !closing;
    if (!closing) return;
    this.open.hidden = !closing.open.length;
    this.open.replaceChildren(
      ...closing.open.map(({ lesson, title }) =>
        h(
          "li",
          {},
          button(
            { class: "link", on: { click: () => this.options.onGo(lesson) } },
            `Lesson ${lesson}: ${title}`,
          ),
        )
      ),
    );
    this.doors.replaceChildren(
      ...closing.doors.map(({ page, title, text }) =>
        button(
          { class: "door", "data-page": page, on: { click: () => this.options.onOpen(page) } },
          h("strong", { text: title }),
          h("span", { text }),
        )
      ),
    );
    this.forget.hidden = course.every(({ state }) => state === "new" || state === "begun");
  }
}
