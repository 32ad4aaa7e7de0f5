/** The numbers of a step: the formula with names and value, why, and the running score. */

import { ScoreChart } from "./chart.js";
import { button, h, setText, sign } from "./dom.js";
import { count, fixed, probability, scoreDigits } from "../logic/format.js";
import { kindOf } from "../logic/walk.js";
import { Metric } from "./tables.js";
/** @import { Walk } from "../logic/walk.js" */

const GIVEN_SHOWN = 8;
const HIGHEST = 240;
const PHONE = 480;
/** Touch screens have no keys to press. */
const noKeys = matchMedia("(hover: none) and (pointer: coarse)");
/** By so much a sign of dependence may lift its line. */
const SIGN = 3;

export class NumbersCard {
  plain = "";
  /** @type {Walk} */ walk;
  /** @type {number | undefined} */ step;
  /** @type {number | null} */ asked = null;
  expanded = false;
  width = 0;
  room = "";
  /** @type {number[]} */ wordiest = [];

  constructor(
    /** @type {(step: number) => void} */ onJump,
    /** @type {(step: number | null, event: PointerEvent) => void} */ onHover,
  ) {
    this.formula = h("p.formula.text");
    this.why = h("p.why.text");
    this.question = h("p.question.text", { hidden: true });
    this.metrics = {
      score: new Metric("score"),
      computed: new Metric("computed"),
      inferred: new Metric("inferred", "inferred = 1"),
      disputed: new Metric("disputed"),
      other: new Metric("other"),
    };
    this.chart = new ScoreChart({ label: "Running score by step", compact: true, onJump, onHover });
    // Above the pictures, where one looks first; the figures come below them.
    this.statement = h("section.card.statement", { "aria-label": "This step" }, [
      this.question,
      this.formula,
      this.why,
    ]);
    new ResizeObserver(() => {
      if (this.statement.clientWidth !== this.width) this.reserve();
    }).observe(this.statement);
    this.element = h("section.card.numbers", { "aria-label": "The numbers of this step" }, [
      h("div.metrics", Object.values(this.metrics).map((metric) => metric.element)),
      h("div.running", this.chart.element),
    ]);
  }

  /** plain: where it is set, each test is a question, and this the one that all of them answer. */
  setWalk(/** @type {Walk} */ walk, plain = "") {
    this.walk = walk;
    this.plain = plain;
    this.question.hidden = !plain;
    this.statement.toggleAttribute("data-plain", Boolean(plain));
    this.step = undefined;
    this.expanded = false;
    const values = [...walk.sums];
    this.chart.setData([{ values, at: [...values.keys()] }], [...values.keys()]);
    this.wordiest = this.findWordiest();
    this.reserve();
    this.metrics.inferred.element.hidden = walk.tests === walk.size;
    this.metrics.other.element.hidden = walk.local;
    this.metrics.disputed.element.hidden = walk.disputed === null;
    const pairs = walk.n * (walk.n - 1);
    const [tests, score] = walk.method === "ib" ? [pairs / 2, "BJP"] : [pairs, "IB-score"];
    this.metrics.other.set(fixed(tests, 0), `${tests === 1 ? "test" : "tests"} by ${score}`);
  }

  /** The terms with the longest formula and the longest reason. */
  findWordiest() {
    const { walk } = this;
    const { x, y } = walk.terms;
    const formula = (/** @type {number} */ t) => {
      const named = [x[t], ...(walk.local ? [] : [y[t]])];
      return [...walk.given(t).slice(0, GIVEN_SHOWN), ...named].map((i) => walk.names[i]).join("  ").length;
    };
    const most = (/** @type {(t: number) => number} */ size) => {
      let [best, longest] = [0, -1];
      for (let t = 0; t < walk.size; t += 1) {
        const length = size(t);
        if (length > longest) [best, longest] = [t, length];
      }
      return best;
    };
    return walk.size ? [most(formula), most((t) => this.reason(t).length)] : [];
  }

  /** Room for the longest statement of the walk, so that stepping moves nothing below it. */
  reserve() {
    const { style } = this.statement;
    const width = this.statement.clientWidth;
    if (!width || !this.walk) return;
    this.width = width;
    style.minHeight = "";
    let height = this.statement.offsetHeight;
    for (const t of this.wordiest) {
      this.state(t);
      height = Math.max(height, this.statement.offsetHeight);
    }
    this.room = `${Math.min(height + SIGN, HIGHEST)}px`;
    style.minHeight = this.room;
    if (this.step !== undefined) this.show(this.step, this.asked);
  }

  /** The assertion of a step, or the one that is asked about, which figures show. */
  show(/** @type {number} */ step, /** @type {number | null} */ asked = null) {
    const { walk, metrics } = this;
    Object.assign(this, { step, asked });
    // On a phone the invitation leaves the room to the figures.
    this.statement.style.minHeight = step === 0 && this.width < PHONE ? "" : this.room;
    if (asked !== null) this.state(asked, false);
    else if (step === 0) this.invite();
    else this.state(step - 1);
    const sum = walk.sums[step];
    const name = step === walk.size ? walk.scoreName : `${walk.scoreName} so far`;
    metrics.score.set(fixed(sum, scoreDigits(walk.sums[walk.size])), name);
    const all = count(walk.tests, walk.local ? "score" : "test");
    metrics.computed.set(fixed(walk.computedBefore[step], 0), `of ${all}`);
    const inferred = step - walk.computedBefore[step];
    metrics.inferred.set(fixed(inferred, 0));
    metrics.disputed.element.style.visibility = inferred ? "" : "hidden";
    const disputed = `${fixed(walk.disputedBefore[step], 0)} of ${fixed(inferred, 0)}`;
    metrics.disputed.set(disputed, "skipped tests would contradict the graph");
    this.chart.setStep(step);
  }

  invite() {
    const { walk } = this;
    const next = h("kbd", noKeys.matches ? "›" : "→");
    const what = walk.local ? " for the first local score" : " to make the first test";
    this.formula.replaceChildren(noKeys.matches ? "Tap " : "Press ", next, what);
    setText(this.question, this.plain);
    setText(this.why, this.plain ? "" : walk.about());
  }

  state(/** @type {number} */ t, known = true) {
    const { walk } = this;
    const { terms, names } = walk;
    const name = (/** @type {number} */ i) => h("span.var", names[i]);
    const tone = known ? kindOf(walk, t) : "unknown";
    const value = !known ? "?" : walk.local ? fixed(terms.value[t], 4) : probability(terms.value[t]);
    const result = h(`strong.result.${tone}`, { "data-value": known ? terms.value[t] : null }, value);
    const left = walk.local
      ? ["ln P( ", name(terms.x[t])]
      : ["Pr( ", name(terms.x[t]), " ", sign(terms.dependent[t]), " ", name(terms.y[t])];
    const end = walk.local ? " )" : "D )";
    this.formula.replaceChildren(...left, " | ", ...this.givenParts(t), end, " = ", result);
    this.formula.toggleAttribute("data-long", (this.formula.textContent ?? "").length > 130);
    setText(this.why, known ? this.reason(t) : "");
    if (this.plain) setText(this.question, walk.question(t));
  }

  reason(/** @type {number} */ t) {
    const { walk } = this;
    if (!this.plain) return walk.why(t);
    if (t + 1 < walk.size) return walk.answer(t);
    const score = `ln BJP = ${fixed(walk.sums[walk.size], 3)}`;
    const total = `The logarithms of all answers add up to the score: ${score}.`;
    return `${walk.answer(t)} ${total} The lessons explain each step.`;
  }

  /** The conditioning set; a long one is cut until asked for. */
  givenParts(/** @type {number} */ t) {
    const { walk } = this;
    const given = walk.given(t).map((i) => walk.names[i]);
    if (!given.length) return walk.local ? ["∅"] : [];
    const shown = this.expanded ? given : given.slice(0, GIVEN_SHOWN);
    const expand = () => {
      this.expanded = true;
      this.show(/** @type {number} */ (this.step), this.asked);
    };
    const more = button("link", { on: { click: expand } }, `${given.length - shown.length} more`);
    return [
      h("span.given", shown.join(", ")),
      ...(given.length > shown.length ? [", ", more] : []),
      ...(walk.local ? [] : [", "]),
    ];
  }
}
