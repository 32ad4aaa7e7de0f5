/** One exercise: its question, its picture, in which it is answered, and what the answer is worth. */

import { button, h, setAttr, setText } from "./dom.js";
import { answerOf, LETTERS, partsOf, readNumber } from "../logic/practice.js";
import { toggled } from "../logic/picks.js";
import { paragraphs, rich } from "./rich.js";
import { Stage } from "./stage.js";
/** @import { Answer, Verdict } from "../logic/practice.js" */
/** @import { ExercisePayload as Exercise, GraphPicturePayload, GridPicturePayload } from "../payloads.d.ts" */
/** @import { Theme } from "./theme.js" */

/**
 * What was done with a question; `checked` is the answer that was judged last, `done` whether the solution is open.
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

export const answerNow = (/** @type {Exercise} */ exercise, /** @type {Work} */ { text, picks }) =>
  exercise.form === "number" ? readNumber(text) : answerOf(exercise, picks);

export class Question {
  /** @type {Exercise} */ exercise;
  /** @type {Work} */ work;
  /** @type {Theme} */ theme;
  id = "";
  number = h("p.sub.where-in");
  title = h("h3", { tabindex: "-1" });
  ask = h("p.ask");
  how = h("p.hint");
  described = h("p.sr");
  field = h("input.number-field", {
    inputmode: "decimal",
    autocomplete: "off",
    maxlength: 40,
    "aria-label": "Your answer, a number",
  });
  choices = h("div.choices-list");
  given = h("p.given-answer", { "aria-live": "polite" });
  grids = h("div.grids");
  notes = h("div.picture-notes");
  judged = h("div.judged.text", { role: "status" });
  check = button("control.primary", { on: { click: () => this.options.onCheck() } }, "Check");
  solve = button("tool.wide", { on: { click: () => this.options.onSolve() } }, "Show the solution");
  actions = h("div.actions", this.check, this.solve);

  constructor(
    /** @type {{ onChange: () => void, onCheck: () => void, onSolve: () => void, onEnter: () => void }} */ options,
  ) {
    this.options = options;
    this.field.addEventListener("input", () => {
      this.work.text = this.field.value;
      options.onChange();
    });
    this.field.addEventListener("keydown", ({ key }) => key === "Enter" && options.onEnter());
    this.stage = new Stage({
      onPick: (_, pick) => this.pick(pick),
      onEdge: (i, j) => this.setPair(i, j),
      onSay: () => {},
      node: "node",
    });
    this.stage.element.append(this.grids, this.notes);
    this.element = h("div.lesson", [
      h("div.speech", this.number, this.title, this.ask, this.how, this.described),
      this.stage.element,
      h("div.reply", this.choices, this.field, this.given, this.actions, this.judged),
    ]);
  }

  /** Whether the graphs themselves are what is chosen from. */
  get choosesGraph() {
    const { options, graphs } = this.exercise;
    return options.length > 0 && String(options) === String(graphs.map(({ title }) => title));
  }

  /** Null while it isn't whole. */
  get answer() {
    return answerNow(this.exercise, this.work);
  }

  show(
    /** @type {Exercise} */ exercise,
    /** @type {Work} */ work,
    /** @type {{ id: string, where: string, title: string, verdict: Verdict | null }} */ { id, ...about },
    /** @type {Theme} */ theme,
  ) {
    const fresh = id !== this.id;
    Object.assign(this, { exercise, work, theme, id });
    setText(this.number, about.where);
    setText(this.title, about.title);
    if (fresh) this.write();
    this.draw();
    this.judge(about.verdict);
    this.solve.disabled = work.done;
  }

  /** What stays while one answers. */
  write() {
    const { exercise } = this;
    const { form, graphs, grids, notes } = exercise;
    this.ask.replaceChildren(...rich(exercise.ask));
    setText(this.how, this.choosesGraph ? "Choose a graph." : HOW[form]);
    const described = graphs.map(({ title, names, edges }) => {
      const pairs = edges.map(([u, v]) => `${u} – ${v}`).join(", ");
      return `${title || "The graph"} has the nodes ${names.join(", ")} and the edges ${pairs || "none"}.`;
    });
    setText(this.described, described.join(" "));
    this.field.hidden = form !== "number";
    this.field.value = this.work.text;
    this.choices.hidden = !exercise.options.length || this.choosesGraph;
    const choices = (this.choosesGraph ? [] : exercise.options).map((text, k) =>
      button("choice", { on: { click: () => this.pick(k) } }, h("span.letter"), h("span", rich(text)))
    );
    this.choices.replaceChildren(...choices);
    this.grids.replaceChildren(...grids.map((grid) => this.grid(grid)));
    this.notes.replaceChildren(...paragraphs(notes));
  }

  /** A table of the picture; where its cells are pairs of nodes, they answer, too. */
  grid(/** @type {GridPicturePayload} */ { title, columns, rows, cells }) {
    const names = this.exercise.form === "pair" ? partsOf(this.exercise) : [];
    const cell = (/** @type {string} */ text, /** @type {number} */ r, /** @type {number} */ c) => {
      const [i, j] = [names.indexOf(rows[r]), names.indexOf(columns[c])];
      if (!text || i < 0 || j < 0) return h("td", text);
      const label = `${rows[r]} – ${columns[c]}: ${text}`;
      const on = { click: () => this.setPair(i, j) };
      return h("td", button("cell", { "data-pair": [i, j].sort(), "aria-label": label, on }, text));
    };
    const head = ["", ...columns].map((text) => h("th", { scope: "col" }, rich(text)));
    const body = cells.map((row, r) =>
      h("tr", h("th", { scope: "row" }, rich(rows[r])), row.map((text, c) => cell(text, r, c)))
    );
    const caption = title ? h("caption", rich(title)) : null;
    return h("table.grid-picture", caption, h("thead", h("tr", head)), h("tbody", body));
  }

  draw() {
    const { exercise, work, id } = this;
    const { form, graphs } = exercise;
    const open = !work.done;
    const parts = partsOf(exercise);
    const right = typeof exercise.answer === "number"
      ? []
      : exercise.answer.map((part) => parts.indexOf(part));
    const picks = work.done ? right : work.picks;
    const kind = PICKING[form];
    const networks = graphs.map((graph, k) => networkOf(graph, `${id}/${k}`));
    const about = this.choosesGraph ? "cards" : ["nodes", "order", "pair"].includes(kind) ? "nodes" : "";
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
      const isRight = work.done && picks.includes(k);
      setAttr(choice, "aria-pressed", String(work.picks.includes(k)));
      setAttr(choice, "data-right", isRight ? "" : null);
      setText(/** @type {Element} */ (choice.firstChild), isRight ? "✓" : parts[k]);
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
    if (shown) setText(this.given, `Your answer: ${work.picks.map((k) => parts[k]).join(", ")}`);
    this.check.disabled = work.done || this.answer === null;
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
    const answer = h("p", several, h("strong.answer", shownAnswer(exercise, this.choosesGraph)));
    this.judged.replaceChildren(
      h("strong", correct ? "Right" : work.checked === null ? "Not answered" : "Not right"),
      ...paragraphs(sentence ? [sentence] : []),
      ...(work.done ? [answer, ...paragraphs(exercise.solution)] : []),
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
}

/** The right answer for the eye: options as they are written, numbers with no more digits than they need. */
function shownAnswer(/** @type {Exercise} */ { form, answer, options }, /** @type {boolean} */ isPicture) {
  if (typeof answer === "number") return String(Number(answer.toPrecision(4))).replace("-", "−");
  if (form === "several" || form === "one") {
    const first = options[LETTERS.indexOf(answer[0])];
    return isPicture ? first : answer.join(", ") + (form === "one" ? `: ${first}` : "");
  }
  return answer.join(form === "pair" ? " – " : ", ");
}

function networkOf(/** @type {GraphPicturePayload} */ graph, /** @type {string} */ id) {
  const { names } = graph;
  const x = graph.positions.map(([x]) => x);
  const y = graph.positions.map(([, y]) => y);
  const edges = graph.edges.map((pair) => pair.map((name) => names.indexOf(name)));
  const roles = graph.marked.map((name) => [names.indexOf(name), "pick"]);
  const none = { kind: "", link: null, badges: null, rank: null, degree: null };
  return { layout_id: id, names, x, y, title: graph.title, edges, roles, ...none };
}
