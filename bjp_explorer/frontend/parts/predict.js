/** Predict, then see: a player's next result is asked for before it is shown. → and Show show it all the same. */

import { button, checkbox, h, setAttr, setText } from "./dom.js";
import { fixed } from "../logic/format.js";
/** @import { Question, Source, Verdict } from "../logic/predict.js" */
/** @import { Player } from "./player.js" */

export const KEYS = [
  ["p", "predict each result before it is shown, on or off"],
  ["a", "to the answers; Tab moves, Enter chooses"],
];
const NONE = "No question at this step. Play goes on to the next one.";
const OVER = "No more questions.";

/** An answer: what was asked at which step, and at which one it is seen. */
/** @typedef {Verdict & { from: number, at: number, said: string, counted: boolean }} Answered */

export class Predict {
  on = false;
  /** @type {Source | null} */ source = null;
  /** @type {Question | null} what is asked at the present step */ question = null;
  /** @type {Answered | null} */ last = null;
  /** @type {Set<string>} keys of the questions that were answered */ answered = new Set();
  right = 0;
  made = 0;
  begun = false;
  toggle = checkbox("predict", (on) => this.set(on), {
    hidden: true,
    title: "Predict each result before it is shown (key p)",
  });
  verdict = h("p.outcome");
  ask = h("p.ask");
  answers = h("span.answers");
  count = h("span");
  tally = h("span.predicted", { hidden: true }, this.count, h("span", " right"));
  element = h("div.predict", { role: "group", "aria-label": "Predict", hidden: true }, [
    h("div.spoken", { "aria-live": "polite" }, this.verdict, this.ask),
    h("div.replies", this.answers, this.tally),
  ]);

  constructor(/** @type {Player} */ player) {
    this.player = player;
    /** @type {Record<string, () => boolean | void>} */
    this.bindings = { p: () => this.source ? this.set(!this.on) : false, a: () => this.focus() };
  }

  /**
   * Ask about another trace, or of a live one about more steps; the tally stays. on: as a link has it, which counts
   * only once.
   */
  use(/** @type {Source | null} */ source, /** @type {boolean} */ fresh, on = false) {
    this.source = source;
    this.toggle.label.hidden = !source;
    if (fresh) {
      this.answered.clear();
      this.last = null;
    }
    if (!this.begun) this.on = this.toggle.box.checked = on;
    this.begun = true;
  }

  set(/** @type {boolean} */ on) {
    this.on = this.toggle.box.checked = on;
    this.player.options.send.trigger("predict", on);
    this.redraw();
  }

  redraw() {
    const { options, step } = this.player;
    (options.onAsk ?? options.onStep)(step);
  }

  /** What is open while the player rests at a step. */
  open(/** @type {number} */ step) {
    if (!this.on || !this.source) return null;
    return this.source.questions(step).find(({ key }) => !this.answered.has(key)) ?? null;
  }

  /** Whether the playing pauses at a step: at each new question. */
  holds(/** @type {number} */ step) {
    const open = this.open(step);
    return open !== null && open.key !== this.question?.key;
  }

  /** Whether a step is kept from sight until one has come to it. */
  hides(/** @type {number} */ step) {
    return this.on && this.source !== null && step > this.player.step;
  }

  answer(/** @type {any} */ answer) {
    const { question, source, player } = this;
    if (!question || !source) return;
    const { step } = player;
    const said = question.options.find(([value]) => value === answer)?.[1] ?? "";
    this.answered.add(question.key);
    const stays = this.open(step)?.at === question.at;
    const at = stays ? step : question.at;
    this.last = { ...source.judge(question, answer), from: step, at, said, counted: false };
    const focused = this.hasFocus;
    if (stays) this.redraw();
    else if (at === step + 1) player.jump(at);
    else player.play();
    // A key press goes on where it was.
    if (focused) this.focus();
  }

  get hasFocus() {
    const { activeElement } = /** @type {ShadowRoot | Document} */ (this.element.getRootNode());
    return this.element.contains(activeElement);
  }

  focus() {
    if (!this.on) return false;
    const { options, root } = this.player;
    const there = this.question?.pick ? options.pickAt?.() : this.answers.querySelector("input, button");
    /** @type {HTMLElement} */ (there ?? root).focus({ preventScroll: true });
  }

  show(/** @type {number} */ step) {
    const { on, source } = this;
    const open = this.open(step);
    this.player.root.toggleAttribute("data-predicting", on && source !== null);
    this.element.hidden = !on || !source;
    if (open?.key !== this.question?.key) this.offer(open);
    this.question = open;
    if (this.element.hidden) return;
    this.compare(step);
    setText(this.ask, open?.ask ?? "");
    this.tally.hidden = !this.made;
    setText(this.count, `${fixed(this.right, 0)} of ${fixed(this.made, 0)}`);
  }

  /** What came of the last answer, at the step that shows it. */
  compare(/** @type {number} */ step) {
    const { last } = this;
    const seen = last?.at === step;
    if (last && seen && !last.counted) {
      last.counted = true;
      this.made += 1;
      if (last.right) this.right += 1;
    }
    setAttr(this.verdict, "data-right", last && seen ? String(last.right) : null);
    if (last && seen) setText(this.verdict, `${last.right ? "✓ Right." : "✗ Not so."} ${last.text}`);
    else if (last?.said && !this.question && last.from <= step && step < last.at) {
      setText(this.verdict, `You predicted: ${last.said}.`);
    } else {
      const { last: end, live } = this.player;
      setText(this.verdict, this.question || (live && step === end) ? "" : step === end ? OVER : NONE);
    }
  }

  offer(/** @type {Question | null} */ question) {
    this.answers.replaceChildren();
    if (!question) return;
    const show = () => this.player.jump(question.at);
    this.answers.append(
      ...(question.scale ? this.scale() : []),
      ...question.options.map(([value, text]) =>
        button("tool.wide.answer", { on: { click: () => this.answer(value) } }, text)
      ),
      button("link", { title: "Show it without a prediction", on: { click: show } }, "Show"),
    );
  }

  /** A probability: dragged, clicked or set by arrow keys, and handed in once it has been moved. */
  scale() {
    const value = h("output", "?");
    const click = () => this.answer(Number(slider.value));
    const done = button("tool.wide.answer", { disabled: true, on: { click } }, "Predict");
    const input = () => {
      done.disabled = false;
      slider.style.setProperty("--done", slider.value);
      setText(value, fixed(Number(slider.value), 2));
    };
    const keydown = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" || done.disabled) return;
      // Else the same press would answer the next question, which takes the focus.
      event.preventDefault();
      done.click();
    };
    const range = { type: "range", min: 0, max: 1, step: 0.01, value: 0.5 };
    const slider = h("input", { ...range, "aria-label": "Probability", on: { input, keydown } });
    return [h("span.unit", h("span", "0"), slider, h("span", "1")), value, done];
  }
}
