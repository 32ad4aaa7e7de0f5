/** The tests made so far: by BJP, and by IB-score on the same walk. */

import { h, setText } from "./dom.js";
import { fixed } from "../logic/format.js";

function bar(name, title) {
  const value = h("strong", { class: "value", "data-count": name });
  const fill = h("span", { class: "fill" });
  const element = h(
    "span",
    { class: `tally by-${name}`, title },
    h("span", { class: "who", text: name === "bjp" ? "BJP" : "IB-score" }),
    h("span", { class: "track", "aria-hidden": "true" }, fill),
    value,
  );
  return { element, value, fill };
}

export class TestCounter {
  constructor() {
    this.bjp = bar("bjp", "Tests that BJP makes up to this step");
    this.ib = bar("ib", "Tests that IB-score makes up to this step: one for every assertion");
    this.element = h(
      "div",
      { class: "counter", role: "group", "aria-label": "Tests made so far" },
      h("span", { class: "caption", text: "tests" }),
      this.bjp.element,
      this.ib.element,
    );
  }

  setWalk(walk) {
    this.walk = walk;
    this.element.hidden = walk.local || walk.size === 0;
  }

  show(step) {
    const { walk } = this;
    if (walk.local) return;
    for (
      const [{ value, fill }, made, all] of [
        [this.bjp, walk.firstEndsBefore[step], walk.size / 2],
        [this.ib, step, walk.size],
      ]
    ) {
      setText(value, `${fixed(made, 0)} / ${fixed(all, 0)}`);
      // Both on one scale: a full track is all that IB-score makes.
      fill.style.transform = `scaleX(${walk.size ? made / walk.size : 0})`;
    }
  }
}
