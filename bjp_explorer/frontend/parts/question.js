/** One exercise: its question, its picture, in which it is answered, and what the answer is worth. */

import { button, h, setAttr, setText } from "./dom.js";
import { answerOf, answerText, partsOf, readNumber } from "../logic/practice.js";
import { toggled } from "../logic/picks.js";
import { paragraphs, rich } from "./rich.js";
import { Stage } from "./stage.js";
import { WORDS } from "../logic/words.js";

/** @typedef {import("../payloads.d.ts").ExercisePayload} Exercise */
/** @typedef {import("../logic/practice.js").Answer} Answer */
/** @typedef {import("../logic/practice.js").Verdict} Verdict */
/**
 * What was done with a question: places of parts, the text of a number, how often it was tried and whether with success, the
 * answer that was checked last, and whether the solution is open.
 *
 * @typedef {{ picks: number[], text: string, tries: number, right: boolean, checked: Answer | null,
 *   done: boolean }} Work
 */

const HOW = {
  nodes: "Choose the nodes in the picture, in any order.",
  order: "Choose all nodes in the picture, the first one first.",
  pair: "Choose two nodes in the picture.",
  several: "Choose all that apply.",
  one: "Choose one.",
  number: "Write a number or a fraction.",
};
/** What picking is about, for the forms that Stage knows. */
const PICKING = { nodes: "nodes", order: "order", pair: "pair", several: "cards", one: "card", number: "" };

/** @returns {Work} */
export const newWork = () => ({ picks: [], text: "", tries: 0, right: false, checked: null, done: false });

/**
 * @param {Exercise} exercise
 * @param {Work} work
 */
export const answerNow = (exercise, { text, picks }) =>
  exercise.form === "number" ? readNumber(text) : answerOf(exercise, picks);

export class Question {
  /** @type {Exercise} */
  exercise;
  /** @type {Work} */
  work;
  /** @type {import("./theme.js").Theme} */
  theme;
  id = "";
  number = h("p", { class: "sub where-in" });
  title = h("h3", { tabindex: "-1" });
  ask = h("p", { class: "ask" });
  how = h("p", { class: "hint" });
  described = h("p", { class: "sr" });
  field = h("input", {
    class: "number-field",
    inputmode: "decimal",
    autocomplete: "off",
    maxlength: 40,
    "aria-label": "Your answer, a number",
    on: {
      input: () => this.type(),
      keydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.options.onEnter(),
    },
  });
  choices = h("div", { class: "choices-list" });
  given = h("p", { class: "given-answer", "aria-live": "polite" });
  grids = h("div", { class: "grids" });
  notes = h("div", { class: "picture-notes" });
  judged = h("div", { class: "judged text", role: "status" });
  check = button({ class: "control primary", on: { click: () => this.options.onCheck() } }, "Check");
  solve = button({ class: "tool wide", on: { click: () => this.options.onSolve() } }, "Show the solution");
  actions = h("div", { class: "actions" }, this.check, this.solve);

  /**
   * @param {{ onChange: () => void, onCheck: () => void, onSolve: () => void, onEnter: () => void }} options
   */
  constructor(options) {
    this.options = options;
    this.stage = new Stage({
      onPick: (_, pick) => this.pick(pick),
      onEdge: (i, j) => this.setPair(i, j),
      onSay: () => {},
      words: { ...WORDS, network: "Network", network_size: "{name}: {variables} nodes, {edges} edges" },
    });
    this.stage.element.append(this.grids, this.notes);
    this.element = h(
      "div",
      { class: "lesson" },
      h("div", { class: "speech" }, this.number, this.title, this.ask, this.how, this.described),
      this.stage.element,
      h("div", { class: "reply" }, this.choices, this.field, this.given, this.actions, this.judged),
    );
  }

  /** Whether the graphs themselves are what is chosen from. */
  get choosesGraph() {
    const { options, picture } = this.exercise;
    return options.length > 0 && String(options) === String(picture.graphs.map(({ title }) => title));
  }

  /** What is answered now; null while it isn't whole. */
  get answer() {
    return answerNow(this.exercise, this.work);
  }

  /**
   * @param {Exercise} exercise
   * @param {Work} work
   * @param {{ id: string, where: string, title: string, verdict: Verdict | null }} about
   * @param {import("./theme.js").Theme} theme
   */
  show(exercise, work, { id, where, title, verdict }, theme) {
    const fresh = id !== this.id;
    Object.assign(this, { exercise, work, theme, id });
    setText(this.number, where);
    setText(this.title, title);
    if (fresh) this.write();
    this.draw();
    this.judge(verdict);
    this.solve.disabled = work.done;
  }

  /** What stays while one answers. */
  write() {
    const { exercise } = this;
    const { picture, form } = exercise;
    this.ask.replaceChildren(...rich(exercise.ask));
    setText(this.how, this.choosesGraph ? "Choose a graph." : HOW[form]);
    setText(
      this.described,
      picture.graphs.map(({ title, names, edges }) => {
        const pairs = edges.map(([u, v]) => `${u} – ${v}`).join(", ");
        return `${title || "The graph"} has the nodes ${names.join(", ")} and the edges ${pairs || "none"}.`;
      }).join(" "),
    );
    this.field.hidden = form !== "number";
    this.field.value = this.work.text;
    this.choices.hidden = !exercise.options.length || this.choosesGraph;
    this.choices.replaceChildren(
      ...(this.choosesGraph ? [] : exercise.options).map((text, k) =>
        button(
          { class: "choice", on: { click: () => this.pick(k) } },
          h("span", { class: "letter" }),
          h("span", {}, rich(text)),
        )
      ),
    );
    this.grids.replaceChildren(...picture.grids.map((grid) => this.grid(grid)));
    this.notes.replaceChildren(...paragraphs(picture.notes));
  }

  /** A table of the picture; where its cells are pairs of nodes, they answer, too. */
  grid(/** @type {import("../payloads.d.ts").GridPicturePayload} */ { title, corner, columns, rows, cells }) {
    const names = this.exercise.form === "pair" ? partsOf(this.exercise) : [];
    const cell = (/** @type {string} */ text, /** @type {number} */ r, /** @type {number} */ c) => {
      const [i, j] = [names.indexOf(rows[r]), names.indexOf(columns[c])];
      if (!text || i < 0 || j < 0) return h("td", { text });
      const label = `${rows[r]} – ${columns[c]}: ${text}`;
      return h(
        "td",
        {},
        button({
          class: "cell",
          "data-pair": [i, j].sort(),
          "aria-label": label,
          on: { click: () => this.setPair(i, j) },
        }, text),
      );
    };
    return h(
      "table",
      { class: "grid-picture" },
      title ? h("caption", {}, rich(title)) : null,
      h("thead", {}, h("tr", {}, [corner, ...columns].map((text) => h("th", { scope: "col" }, rich(text))))),
      h(
        "tbody",
        {},
        cells.map((row, r) =>
          h("tr", {}, h("th", { scope: "row" }, rich(rows[r])), row.map((text, c) => cell(text, r, c)))
        ),
      ),
    );
  }

  /** What is chosen, in the picture and beside it. */
  draw() {
    const { exercise, work, id } = this;
    const { form, picture } = exercise;
    const open = !work.done;
    const picks = work.done ? this.places(exercise.answer) : work.picks;
    const kind = PICKING[form];
    const networks = picture.graphs.map((graph, k) => networkOf(graph, `${id}/${k}`));
    const about = this.choosesGraph ? "cards" : kind.startsWith("card") || !kind ? "" : "nodes";
    this.stage.show({ networks: /** @type {any} */ (networks) }, this.theme, {
      about,
      picks,
      culprit: null,
      order: form === "order",
      pair: form === "pair" && open,
      paired: form === "pair",
      asks: true,
      open,
    });
    [...this.choices.children].forEach((choice, k) => {
      const chosen = work.picks.includes(k);
      const right = work.done && picks.includes(k);
      setAttr(choice, "aria-pressed", String(chosen));
      setAttr(choice, "data-right", right ? "" : null);
      setText(/** @type {Element} */ (choice.firstChild), right ? "✓" : partsOf(exercise)[k]);
      /** @type {HTMLButtonElement} */ (choice).disabled = work.done;
    });
    for (const each of /** @type {NodeListOf<HTMLButtonElement>} */ (this.grids.querySelectorAll(".cell"))) {
      const pair = form === "pair" && each.dataset.pair === String([...picks].sort());
      setAttr(each, "aria-pressed", String(pair));
      each.disabled = work.done;
    }
    this.field.readOnly = work.done;
    this.how.hidden = work.done;
    const shown = form !== "number" && !this.choosesGraph && this.choices.hidden && work.picks.length > 0;
    const unread = form === "number" && open && work.text.trim() !== "" && this.answer === null;
    this.given.hidden = !shown && !unread;
    if (unread) setText(this.given, "Write a number like 0.48 or a fraction like 12/23.");
    if (shown) setText(this.given, `Your answer: ${work.picks.map((k) => partsOf(exercise)[k]).join(", ")}`);
    this.check.disabled = work.done || this.answer === null;
  }

  /** Where the parts of an answer are. */
  places(/** @type {Answer} */ answer) {
    const parts = partsOf(this.exercise);
    return typeof answer === "number" ? [] : answer.map((part) => parts.indexOf(part));
  }

  /** What the answer that was checked is worth; once the question is done, with its solution. */
  judge(/** @type {Verdict | null} */ verdict) {
    const { exercise, work } = this;
    const said = verdict ? `${verdict.correct} ${verdict.sentence} ${work.done} ${this.id}` : "";
    this.judged.hidden = !said;
    if (said === this.judged.dataset.said) return;
    this.judged.dataset.said = said;
    if (!verdict) return this.judged.replaceChildren();
    const { correct, sentence } = verdict;
    this.judged.dataset.correct = String(correct);
    const several = exercise.accepted.length > 1 ? "A right answer: " : "The answer: ";
    this.judged.replaceChildren(
      h("strong", { text: correct ? "Right" : work.checked === null ? "Not answered" : "Not right" }),
      ...(sentence ? paragraphs([sentence]) : []),
      ...(work.done
        ? [
          h(
            "p",
            {},
            several,
            h("strong", { class: "answer", text: shownAnswer(exercise, this.choosesGraph) }),
          ),
          ...paragraphs(exercise.solution),
        ]
        : []),
    );
  }

  pick(/** @type {number} */ k) {
    if (this.work.done) return;
    this.work.picks = toggled(this.work.picks, k, PICKING[this.exercise.form]);
    this.options.onChange();
  }

  setPair(/** @type {number} */ i, /** @type {number} */ j) {
    if (this.work.done || this.exercise.form !== "pair") return;
    this.work.picks = [i, j];
    this.options.onChange();
  }

  type() {
    this.work.text = this.field.value;
    this.options.onChange();
  }

  destroy() {
    this.stage.destroy();
  }
}

/**
 * The right answer for the eye: options as they are written, numbers with no more digits than they need.
 *
 * @param {Exercise} exercise
 * @param {boolean} unlettered whether the options are pictures
 */
function shownAnswer({ form, answer, options }, unlettered) {
  if (typeof answer === "number") return answerText(Number(answer.toPrecision(4))).replace("-", "−");
  if (form === "several" || form === "one") {
    const [first] = answer.map((letter) => options["abcdefgh".indexOf(letter)]);
    return unlettered ? first : answer.join(", ") + (form === "one" ? `: ${first}` : "");
  }
  return answer.join(form === "pair" ? " – " : ", ");
}

/** A graph as the stage draws it. */
function networkOf(
  /** @type {import("../payloads.d.ts").GraphPicturePayload} */ graph,
  /** @type {string} */ id,
) {
  const { names } = graph;
  return {
    layout_id: id,
    names,
    x: graph.positions.map(([x]) => x),
    y: graph.positions.map(([, y]) => y),
    title: graph.title,
    kind: "",
    link: null,
    badges: null,
    edges: graph.edges.map((pair) => pair.map((name) => names.indexOf(name))),
    roles: graph.marked.map((name) => [names.indexOf(name), "pick"]),
    rank: null,
    degree: null,
  };
}
