/** The tests made so far: by BJP, and by IB-score on the same walk. */

import { h, setText } from "./dom.js";
import { fixed } from "../logic/format.js";
/** @import { Walk } from "../logic/walk.js" */

function bar(/** @type {"bjp" | "ib"} */ name, /** @type {string} */ title) {
  const value = h("strong.value", { "data-count": name });
  const fill = h("span.fill");
  const who = h("span.who", name === "bjp" ? "BJP" : "IB-score");
  const track = h("span.track", { "aria-hidden": "true" }, fill);
  const element = h(`span.tally.by-${name}`, { title }, who, track, value);
  return { element, who, value, fill };
}

export class TestCounter {
  /** @type {Walk} */ walk;

  bjp = bar("bjp", "Tests that BJP makes up to this step");
  ib = bar("ib", "Tests that IB-score makes up to this step: one for every assertion");
  element = h("div.counter", { role: "group", "aria-label": "Tests made so far" }, [
    h("span.caption", "tests"),
    this.bjp.element,
    this.ib.element,
  ]);

  setWalk(/** @type {Walk} */ walk) {
    this.walk = walk;
    this.element.hidden = walk.local || walk.size === 0;
    // It makes as many tests as BJP, given less.
    const near = walk.terms.way !== undefined;
    setText(this.bjp.who, near ? "Near" : "BJP");
    this.bjp.element.title = `Tests that ${near ? "near blankets make" : "BJP makes"} up to this step`;
    this.bjp.element.setAttribute("data-score", near ? "near" : "bjp");
  }

  show(/** @type {number} */ step) {
    const { walk } = this;
    if (walk.local) return;
    for (
      const { bar: { value, fill }, made, all } of [
        { bar: this.bjp, made: walk.firstEndsBefore[step], all: walk.size / 2 },
        { bar: this.ib, made: step, all: walk.size },
      ]
    ) {
      setText(value, `${fixed(made, 0)} / ${fixed(all, 0)}`);
      // Both on one scale: a full track is all that IB-score makes.
      fill.style.transform = `scaleX(${walk.size ? made / walk.size : 0})`;
    }
  }
}
