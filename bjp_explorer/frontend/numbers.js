/** The numbers of a step: the formula with names and value, why, and the running score. */

import { ScoreChart } from "./chart.js";
import { h, setText, sign } from "./dom.js";
import { fixed, probability, scoreDigits } from "./format.js";
import { kindOf } from "./spotlight.js";
import { Metric } from "./tables.js";

const GIVEN_SHOWN = 8;

export class NumbersCard {
  constructor(onJump, onHover) {
    this.formula = h("p", { class: "formula text" });
    this.why = h("p", { class: "why text" });
    this.note = h("p", { class: "note" });
    this.metrics = {
      score: new Metric("score"),
      computed: new Metric("computed"),
      inferred: new Metric("inferred", "inferred = 1"),
      other: new Metric("other"),
    };
    this.chart = new ScoreChart({ label: "Running score by step", compact: true, onJump, onHover });
    this.element = h(
      "section",
      { class: "card numbers", "aria-label": "The numbers of this step" },
      h("div", { class: "statement" }, this.formula, this.why, this.note),
      h(
        "div",
        { class: "figures" },
        h(
          "div",
          { class: "metrics" },
          Object.values(this.metrics).map((metric) => metric.element),
        ),
        h("div", { class: "running" }, this.chart.element),
      ),
    );
  }

  setWalk(walk) {
    this.walk = walk;
    this.expanded = false;
    this.chart.setData([...walk.sums]);
    this.metrics.inferred.element.hidden = walk.tests === walk.size;
    this.metrics.other.element.hidden = walk.local;
    const pairs = walk.n * (walk.n - 1);
    if (walk.method === "ib") this.metrics.other.set(String(pairs / 2), "BJP would compute");
    else this.metrics.other.set(String(pairs), "IB-score would compute");
  }

  setNote(text) {
    setText(this.note, text);
    this.note.hidden = !text;
  }

  show(step) {
    const { walk, metrics } = this;
    this.step = step;
    if (step === 0) this.invite();
    else this.state(step - 1);
    const sum = walk.sums[step];
    metrics.score.set(
      fixed(sum, scoreDigits(walk.sums[walk.size])),
      step === walk.size ? walk.scoreName : `${walk.scoreName} so far`,
    );
    metrics.computed.set(
      String(walk.computedBefore[step]),
      walk.local ? `of ${walk.size} scores` : `of ${walk.tests} tests`,
    );
    metrics.inferred.set(String(step - walk.computedBefore[step]));
    this.chart.setStep(step);
  }

  invite() {
    const { walk } = this;
    this.formula.replaceChildren(
      "Press ",
      h("kbd", { text: "→" }),
      walk.local ? " for the first local score" : " to make the first test",
    );
    setText(
      this.why,
      walk.local
        ? `${walk.size} variables, each scored given its blanket.`
        : walk.tests < walk.size
          ? `${walk.size} assertions: ${walk.tests} to compute, ${walk.size - walk.tests} to infer from them.`
          : `${walk.size} assertions, all to compute.`,
    );
  }

  state(t) {
    const { walk } = this;
    const { terms, names } = walk;
    const name = (i) => h("span", { class: "var", text: names[i] });
    const tone = kindOf(walk, t);
    const value = walk.local ? fixed(terms.value[t], 4) : probability(terms.value[t]);
    const left = walk.local
      ? ["ln P( ", name(terms.x[t])]
      : ["Pr( ", name(terms.x[t]), " ", sign(terms.dependent[t]), " ", name(terms.y[t])];
    this.formula.replaceChildren(
      ...left,
      " | ",
      ...this.givenParts(t),
      walk.local ? " )" : "D )",
      " = ",
      h("strong", { class: `result ${tone}`, "data-value": terms.value[t], text: value }),
    );
    this.formula.toggleAttribute("data-long", this.formula.textContent.length > 130);
    setText(this.why, walk.why(t));
  }

  /** The conditioning set; a long one is cut until asked for. */
  givenParts(t) {
    const { walk } = this;
    const given = walk.given(t).map((i) => walk.names[i]);
    if (!given.length) return walk.local ? ["∅"] : [];
    const shown = this.expanded ? given : given.slice(0, GIVEN_SHOWN);
    const parts = [h("span", { class: "given", text: shown.join(", ") })];
    if (given.length > shown.length)
      parts.push(
        ", ",
        h("button", {
          type: "button",
          class: "link",
          text: `${given.length - shown.length} more`,
          on: {
            click: () => {
              this.expanded = true;
              this.show(this.step);
            },
          },
        }),
      );
    return walk.local ? parts : [...parts, ", "];
  }

  destroy() {
    this.chart.destroy();
  }
}
