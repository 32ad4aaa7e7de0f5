/** Predict, then see: what is asked before a result is shown, and how an answer compares with it. No DOM here. */

import { count, fixed, isBelowHalf, listed, probability, psi, scoreDigits, short, signed } from "./format.js";
import { edgeKey, History } from "./history.js";
import { flipNumber, pairName, stepOf } from "./story.js";
/** @import { ClimbPayload as Climb, Flip } from "../payloads.d.ts" */
/** @import { Walk } from "./walk.js" */

/**
 * A question about a result that `at` is the first step to show.
 *
 * options: [answer, text]; scale: answered by a probability; pick: answered by a pair of nodes, too;
 * term: the assertion that it is about.
 *
 * @typedef {{ key: string, at: number, ask: string, options: [any, string][], scale?: boolean, pick?: boolean,
 *   term?: number }} Question */

/** @typedef {{ right: boolean, text: string }} Verdict */

/** What is asked while a player rests at a step, one question after another. */
/** @typedef {{ questions(step: number): Question[], judge(question: Question, answer: any): Verdict }} Source */

/** So many pairs from the beginning of a blanket are always asked about. */
const FIRST = 2;
const MADE = 1;
const VALUE = 2;

/** A difference of probabilities smaller than this shows none of the scale's decimals. */
const CLOSE = 0.005;

/** Of a score: which assertions are computed, and what the data make of them. */
export class StepQuestions {
  constructor(/** @type {Walk} */ walk) {
    this.walk = walk;
    this.asked = askedOf(walk);
  }

  /** @returns {Question[]} */
  questions(/** @type {number} */ step) {
    const asked = this.asked[step] ?? 0;
    const about = { at: step + 1, term: step };
    const questions = [];
    if (asked & MADE) {
      questions.push({
        ...about,
        key: `${step}-made`,
        ask: `Next pair: ${this.pair(step)}. Is this assertion computed or inferred?`,
        options: /** @type {[any, string][]} */ ([[true, "computed"], [false, "inferred"]]),
      });
    }
    if (asked & VALUE) {
      questions.push({ ...about, key: `${step}-value`, ask: this.askValue(step), options: [], scale: true });
    }
    return questions;
  }

  askValue(/** @type {number} */ t) {
    const { walk } = this;
    const given = walk.given(t).map((i) => short(walk.names[i], 24));
    const relation = walk.terms.dependent[t] ? "dependent" : "independent";
    const where = given.length ? ` given ${listed(given, 3)}` : "";
    return `The graph asserts: ${this.pair(t)} are ${relation}${where}. How probable do the data make this?`;
  }

  /** @returns {Verdict} */
  judge(/** @type {Question} */ { key, term = 0 }, /** @type {any} */ answer) {
    return key.endsWith("made") ? this.judgeMade(term, answer) : this.judgeValue(term, answer);
  }

  judgeMade(/** @type {number} */ t, /** @type {boolean} */ answer) {
    const computed = this.walk.isComputed(t);
    const [x, y] = [this.ranked("x", t), this.ranked("y", t)];
    const here = `Computed: ${x} comes before ${y} in ψ, so the pair is tested here, from ${
      this.name("x", t)
    }.`;
    const test = computed ? "" : fixed(this.walk.computedBefore[this.walk.settledBy(t)], 0);
    const before = `Inferred: ${y} comes before ${x} in ψ, so test ${test} has already decided the pair`;
    return { right: answer === computed, text: computed ? here : `${before}, from ${this.name("y", t)}.` };
  }

  judgeValue(/** @type {number} */ t, /** @type {number} */ answer) {
    const log = this.walk.terms.value[t];
    const [value, below] = [Math.exp(log), isBelowHalf(log)];
    const off = Math.abs(value - answer);
    const apart = `${fixed(off, 2)} too ${answer > value ? "high" : "low"}`;
    const how = off < CLOSE ? "less than 0.01 apart" : apart;
    const right = answer < 0.5 === below;
    const side = below ? "below ½: the data contradict the graph" : "½ or more: the data support the graph";
    const both = `The test gives ${probability(log)}; you predicted ${fixed(answer, 2)}, ${how}.`;
    return { right, text: `${both} ${right ? "Both are" : "The test’s is"} ${side}.` };
  }

  pair(/** @type {number} */ t) {
    return `${this.name("x", t)} and ${this.name("y", t)}`;
  }

  name(/** @type {"x" | "y"} */ end, /** @type {number} */ t) {
    return short(this.walk.names[this.walk.terms[end][t]], 24);
  }

  ranked(/** @type {"x" | "y"} */ end, /** @type {number} */ t) {
    return `${this.name(end, t)} (${psi(this.walk.rank[this.walk.terms[end][t]])})`;
  }
}

/**
 * What to ask about each assertion. Computed or inferred: at the first pairs of each blanket, and where it changes.
 * Its probability: at the first computed test of each relation in a blanket.
 */
function askedOf(/** @type {Walk} */ walk) {
  const asked = new Uint8Array(walk.size);
  if (walk.local) return asked;
  const { x, dependent } = walk.terms;
  const infers = walk.tests < walk.size;
  let first = 0;
  const seen = new Set();
  for (let t = 0; t < walk.size; t += 1) {
    if (x[t] !== x[first]) {
      first = t;
      seen.clear();
    }
    const changes = t > first && walk.isComputed(t) !== walk.isComputed(t - 1);
    if (infers && (t - first < FIRST || changes)) asked[t] |= MADE;
    if (!walk.isComputed(t) || seen.has(dependent[t])) continue;
    seen.add(dependent[t]);
    asked[t] |= VALUE;
  }
  return asked;
}

/** Of a climb: which pair is flipped next. */
export class ClimbQuestions {
  constructor(/** @type {Climb} */ data) {
    this.data = data;
  }

  /** The flip that the next step shows, or the refused proposal; null where it shows several flips or none. */
  next(/** @type {number} */ step) {
    const { steps, rejected } = this.data;
    const next = steps[step] ?? (step === steps.length ? rejected : null);
    return next && !next.others?.length ? next : null;
  }

  /** @returns {Question[]} */
  questions(/** @type {number} */ step) {
    if (!this.next(step)) return [];
    const ask = step < this.data.steps.length
      ? "Which pair does the search flip next?"
      : "The last proposal is rejected. Which pair is it?";
    return [{ key: `${step}-flip`, at: step + 1, ask, options: [], pick: true }];
  }

  /** @returns {Verdict} */
  judge(/** @type {Question} */ { at }, /** @type {[number, number]} */ answer) {
    const { data } = this;
    const next = /** @type {Flip} */ (this.next(at - 1));
    const right = edgeKey(...answer) === edgeKey(...next.edge);
    const ends = at > data.steps.length;
    const verb = ends ? (next.added ? "would add" : "would remove") : next.added ? "adds" : "removes";
    const gain = `${data.score_name} ${signed(next.gain)}`;
    const what = `The search ${verb} ${pairName(data.names, next.edge)} (${gain}).`;
    return { right, text: right ? what : `${what} ${this.about(answer, at)}`.trim() };
  }

  /** Where the pair of a wrong answer stands: its place in the queue, and the step that flips it. */
  about(/** @type {[number, number]} */ pair, /** @type {number} */ at) {
    const { data } = this;
    const key = edgeKey(...pair);
    const said = [];
    let name = `Your pair ${pairName(data.names, pair)}`;
    const lowest = this.next(at - 1)?.lowest ?? [];
    if (lowest.length) {
      const place = lowest.findIndex(([i, j]) => edgeKey(i, j) === key);
      const value = lowest[place]?.[3];
      const there = `number ${place + 1} in the queue, ln Pr ${fixed(value, scoreDigits(value))}`;
      said.push(`${name} is ${place < 0 ? `not among the first ${lowest.length} of the queue` : there}.`);
      name = "It";
    }
    const later = data.steps.findIndex((step, k) => k >= at && edgeKey(...step.edge) === key);
    if (later >= 0) {
      const number = fixed(flipNumber(data, later + 1), 0);
      const gain = `${data.score_name} ${signed(data.steps[later].gain)}`;
      said.push(`${name} is flipped at step ${number} (${gain}).`);
    }
    return said.join(" ");
  }
}

/** The queue without its order and its values, from which a prediction can be made. */
export function candidates(/** @type {NonNullable<Flip["lowest"]>} */ lowest) {
  return lowest
    .map(([i, j, adjacent]) => /** @type {[number, number, boolean, number]} */ ([i, j, adjacent, NaN]))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** Of two climbs: which graph will have more edges. Asked until the end, which shows it. */
export class DuelQuestions {
  constructor(/** @type {Climb[]} */ climbs, /** @type {number} the last step of their player */ last) {
    this.climbs = climbs;
    this.last = last;
  }

  /** @returns {Question[]} */
  questions(/** @type {number} */ step) {
    if (step >= this.last || this.climbs.some((climb) => climb.running)) return [];
    const titles = this.climbs.map(({ title }) => title);
    return [{
      key: "more",
      at: this.last,
      ask: "Which climb will find more edges?",
      options: [[0, titles[0] ?? "the first"], [1, titles[1] ?? "the second"], [null, "as many"]],
    }];
  }

  /** @returns {Verdict} */
  judge(/** @type {Question} */ { options }, /** @type {0 | 1 | null} */ answer) {
    const [first, second] = this.climbs.map(finalEdges);
    const more = first === second ? null : Number(first < second);
    const found = (/** @type {0 | 1} */ k) => `${options[k][1]}: ${count([first, second][k], "edge")}`;
    const text = more === null
      ? `Both find ${count(first, "edge")}.`
      : `${found(0)}. ${found(1)}, ${fixed(Math.abs(first - second), 0)} ${
        second > first ? "more" : "fewer"
      }.`;
    return { right: answer === more, text };
  }
}

/** How many edges the graph has with which a climb ends: that of its best step. */
export function finalEdges(/** @type {Climb} */ data) {
  const history = new History(data.start);
  history.extend(data.steps);
  return history.go(stepOf(data, data.best ?? data.made)).size;
}
