/** What stands after the last lesson: questions that are still open, and ways to the other pages. */

import { button, h } from "./dom.js";

export class Closing {
  /** @param {{ onGo: (lesson: number) => void, onOpen: (page: string) => void, onForget: () => void }} options */
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

  /**
   * What stands after the last lesson; null on a step.
   *
   * @param {import("../payloads.d.ts").ClosingPayload | null} closing
   * @param {import("../payloads.d.ts").CourseLesson[]} course
   */
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
