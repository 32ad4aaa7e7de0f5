/** A walk through a score: which terms, what each is given, and why it is what it is. No DOM here. */

import { ranks } from "./history.js";
import { count, fixed, isBelowHalf, listed, probability, psi, runningSums } from "./format.js";
/** @import { Edge, StepPayload, Terms } from "../payloads.d.ts" */

/** From this many assertions on, labels are kept short. */
const MANY = 1000;

/** Local scores leave out what they have not. */
/** @typedef {Required<Omit<Terms, "skipped" | "way">> & Pick<Terms, "skipped" | "way">} FullTerms */

/** The terms of a score in walking order, with everything that can be read off them. */
export class Walk {
  constructor(/** @type {StepPayload & { terms: FullTerms }} */ data) {
    this.names = data.names;
    this.order = data.order;
    this.kind = data.kind;
    this.method = data.method;
    this.terms = data.terms;
    this.scoreName = data.score_name;
    this.degree = data.degree;
    this.n = data.names.length;
    this.size = data.terms.x.length;
    this.local = data.kind === "local";
    this.blankets = data.names.map(() => /** @type {Set<number>} */ (new Set()));
    for (const [i, j] of data.edges) {
      this.blankets[i].add(j);
      this.blankets[j].add(i);
    }
    this.rank = ranks(data.order);
    this.sums = runningSums(data.terms.value);
    this.computedBefore = new Int32Array(this.size + 1);
    // Assertions whose first variable comes first in ψ: those are the ones that BJP tests.
    this.firstEndsBefore = new Int32Array(this.size + 1);
    this.disputedBefore = new Int32Array(this.size + 1);
    /** @type {Map<number, number>} */ this.termOf = new Map();
    const { terms, size } = this;
    for (let t = 0; t < size; t += 1) {
      this.computedBefore[t + 1] = this.computedBefore[t] + (this.isComputed(t) ? 1 : 0);
      this.disputedBefore[t + 1] = this.disputedBefore[t] + (this.isDisputed(t) ? 1 : 0);
      const first = !this.local && this.rank[terms.x[t]] < this.rank[terms.y[t]];
      this.firstEndsBefore[t + 1] = this.firstEndsBefore[t] + (first ? 1 : 0);
      this.termOf.set(this.local ? terms.x[t] : terms.x[t] * this.n + terms.y[t], t);
    }
  }

  isComputed(/** @type {number} */ t) {
    return this.local || Boolean(this.terms.computed[t]);
  }

  /** Whether the skipped test contradicts an inferred assertion; not known of every score. */
  isDisputed(/** @type {number} */ t) {
    return isBelowHalf(this.terms.skipped?.[t]);
  }

  /** How many inferred assertions their skipped tests contradict, or null where that is not known. */
  get disputed() {
    return this.terms.skipped ? this.disputedBefore[this.size] : null;
  }

  get tests() {
    return this.computedBefore[this.size];
  }

  adjacent(/** @type {number} */ i, /** @type {number} */ j) {
    return this.blankets[i].has(j);
  }

  /** The conditioning set: the blanket of x, or the part of it through which y is reached, without y. */
  given(/** @type {number} */ t) {
    return this.others(t).filter((i) => !this.isLeftOut(t, i));
  }

  /** The neighbours of x but y through which y can't be reached. */
  leftOut(/** @type {number} */ t) {
    return this.others(t).filter((i) => this.isLeftOut(t, i));
  }

  /** A blanket in the order ψ. */
  blanket(/** @type {number} */ variable) {
    return [...this.blankets[variable]].sort((a, b) => this.rank[a] - this.rank[b]);
  }

  others(/** @type {number} */ t) {
    const y = this.local ? -1 : this.terms.y[t];
    return this.blanket(this.terms.x[t]).filter((i) => i !== y);
  }

  isLeftOut(/** @type {number} */ t, /** @type {number} */ i) {
    const { way } = this.terms;
    return way !== undefined && way[t] !== way[this.termNumber(this.terms.x[t] * this.n + i)];
  }

  /** The term of an ordered pair, or of a variable. */
  termAt(/** @type {number} */ x, /** @type {number | null} */ y) {
    return this.termOf.get(this.local ? x : x * this.n + (y ?? 0)) ?? null;
  }

  /** The terms of another graph's trace, on the same variables, that are not as they are here. */
  changedIn(/** @type {StepPayload & { terms: FullTerms }} */ { kind, method, names, terms }) {
    const alike = kind === this.kind && method === this.method && names.length === this.n;
    if (this.local || !alike || names.some((name, i) => name !== this.names[i])) return [];
    return [...terms.x.keys()].filter((t) => {
      const before = /** @type {number} */ (this.termAt(terms.x[t], terms.y[t]));
      const { computed, value } = this.terms;
      return computed[before] !== terms.computed[t] || value[before] !== terms.value[t];
    });
  }

  /** The step of the computed test of a pair, or of a variable's local score. */
  stepOf(/** @type {number} */ i, /** @type {number} */ j) {
    if (this.local) return this.termNumber(i) + 1;
    const [a, b] = [this.termNumber(i * this.n + j), this.termNumber(j * this.n + i)].sort((s, t) => s - t);
    return (this.isComputed(a) ? a : b) + 1;
  }

  /** The term filed under a key that is known to be there. */
  termNumber(/** @type {number} */ key) {
    return /** @type {number} */ (this.termOf.get(key));
  }

  /** The next step in a direction, over the inferred ones if asked. */
  next(/** @type {number} */ step, /** @type {number} */ direction, /** @type {boolean} */ skip) {
    let target = step + direction;
    if (!skip) return target;
    while (target > 0 && target < this.size && !this.isComputed(target - 1)) target += direction;
    return target;
  }

  /** "assertion 12 / 30 · test 9 / 15"; of very many tests the total is left to the key numbers. */
  label(/** @type {number} */ step) {
    const of = (/** @type {number} */ k, /** @type {number} */ all) => `${fixed(k, 0)} / ${fixed(all, 0)}`;
    if (this.local) return `variable ${of(step, this.size)}`;
    const where = `assertion ${of(step, this.size)}`;
    if (step === 0 || this.tests === this.size) return where;
    if (!this.isComputed(step - 1)) return `${where} · inferred`;
    const test = this.computedBefore[step];
    return `${where} · test ${this.size < MANY ? of(test, this.tests) : fixed(test, 0)}`;
  }

  get widestLabel() {
    const { size, tests } = this;
    if (this.local || size === tests) return this.label(size);
    const [most, least] = [fixed(size, 0), fixed(tests, 0)];
    const test = `test ${least}${size < MANY ? ` / ${least}` : ""}`;
    return `assertion ${most} / ${most} · ${test.length > "inferred".length ? test : "inferred"}`;
  }

  relation(/** @type {number} */ t) {
    return this.terms.dependent[t] ? "⊥̸" : "⊥";
  }

  /** One line for tooltips and screen readers. */
  describe(/** @type {number} */ t) {
    const { terms, names } = this;
    const given = this.given(t).map((i) => names[i]);
    const set = given.length ? listed(given) : "the empty set";
    if (this.local) {
      return `${names[terms.x[t]]} given ${set}: ${fixed(terms.value[t], 3)}`;
    }
    const what = `${names[terms.x[t]]} ${this.relation(t)} ${names[terms.y[t]]}`;
    if (!this.isComputed(t)) {
      const bet = this.isDisputed(t) ? `; the skipped test gives ${this.skippedText(t)}` : "";
      return `${what}: inferred as 1 (already tested: test ${this.computedBefore[this.settledBy(t)]})${bet}`;
    }
    return `${what} given ${set}: Pr = ${probability(terms.value[t])} (test ${this.computedBefore[t + 1]})`;
  }

  /** The step of the computed test that settles an inferred assertion. */
  settledBy(/** @type {number} */ t) {
    return this.termNumber(this.terms.y[t] * this.n + this.terms.x[t]) + 1;
  }

  about() {
    const { size, tests } = this;
    if (this.local) return `No tests: each of ${count(size, "variable")} is scored given its blanket.`;
    const all = count(size, "assertion");
    if (tests === size) return `Each pair is tested from both ends: ${all}, all to compute.`;
    const given = this.terms.way ? ", given only the neighbours that lead to the other variable" : "";
    const left = fixed(size - tests, 0);
    const some = `${all}, ${fixed(tests, 0)} to compute, ${left} to infer as 1.`;
    return `Each pair is tested once, from its lower-degree end${given}: ${some}`;
  }

  why(/** @type {number} */ t) {
    if (this.local) return this.whyLocal(t);
    return this.isComputed(t) ? this.whyComputed(t) : this.whyInferred(t);
  }

  whyLocal(/** @type {number} */ t) {
    const given = this.given(t).length;
    const why = given
      ? `This says how well its blanket (${count(given, "variable")}) predicts it`
      : "It has no neighbours, so its blanket is empty";
    return `${why}; the score is the sum of the ${this.n} local scores.`;
  }

  whyComputed(/** @type {number} */ t) {
    const [x, y] = [this.names[this.terms.x[t]], this.names[this.terms.y[t]]];
    const dependent = this.terms.dependent[t];
    const empty = this.given(t).length === 0;
    const reason = dependent
      ? "Dependence, because the edge is in the graph"
      : "Independence, because the edge is not in the graph";
    const left = this.leftOut(t);
    if (left.length) return `${reason}. ${this.whyNear(t, left)}.${this.doubt(t)}`;
    const given = empty
      ? `the conditioning set is empty: ${x} has no ${dependent ? "other neighbour" : "neighbours"}`
      : `given the blanket of ${x}${dependent ? ` without ${y}` : ""}`;
    return `${reason}; ${given}.${this.doubt(t)}`;
  }

  doubt(/** @type {number} */ t) {
    return isBelowHalf(this.terms.value[t]) ? " Below ½: here the data contradict the graph." : "";
  }

  whyNear(/** @type {number} */ t, /** @type {number[]} */ left) {
    const [x, y] = [this.names[this.terms.x[t]], this.names[this.terms.y[t]]];
    if (!this.given(t).length) {
      const any = this.terms.dependent[t] ? "any other neighbour" : "any neighbour";
      return `The conditioning set is empty: ${y} can’t be reached through ${any} of ${x}`;
    }
    const names = listed(left.map((i) => this.names[i]), 4);
    const [what, them] = left.length === 1 ? ["neighbour", "it"] : ["neighbours", "them"];
    return `The test leaves out the ${what} ${names} of ${x}: ${y} can’t be reached through ${them}`;
  }

  whyInferred(/** @type {number} */ t) {
    const [x, y] = [this.terms.x[t], this.terms.y[t]];
    const test = fixed(this.computedBefore[this.settledBy(t)], 0);
    const first = this.degree[y] < this.degree[x] ? "whose blanket is smaller" : "which comes first in ψ";
    const why = `Why 1? Already tested from ${this.names[y]}, ${first} (test ${test}).`;
    if (this.terms.skipped === undefined) return `${why} Given that, it is certain.`;
    const gives = this.skippedText(t);
    return this.isDisputed(t)
      ? `${why} A bet, and its price: the skipped test gives only ${gives}, which the score never sees.`
      : `${why} The bet: no second opinion. The skipped test would agree (${gives}).`;
  }

  /** What the test of an assertion asks, without a sign. */
  question(/** @type {number} */ t) {
    const given = this.given(t).map((i) => this.names[i]);
    const [x, y] = [this.names[this.terms.x[t]], this.names[this.terms.y[t]]];
    return given.length ? `Given ${listed(given)}: does ${x} depend on ${y}?` : `Does ${x} depend on ${y}?`;
  }

  /** What the graph answers, and what the data make of it. */
  answer(/** @type {number} */ t) {
    const graph = `The graph answers ${this.terms.dependent[t] ? "yes" : "no"}.`;
    if (!this.isComputed(t)) {
      const test = fixed(this.computedBefore[this.settledBy(t)], 0);
      return `${graph} Not tested again: test ${test} asked it from its other end.`;
    }
    const value = this.terms.value[t];
    const doubt = isBelowHalf(value) ? ": they contradict it" : "";
    return `${graph} The data give this answer probability ${probability(value)}${doubt}.`;
  }

  skippedText(/** @type {number} */ t) {
    return probability(/** @type {number} */ (this.terms.skipped?.[t]));
  }

  /** "B^ψ₂ = {smoking, mental work}" as the parts of a heading. */
  blanketText(/** @type {number} */ variable) {
    const members = this.blanket(variable).map((i) => this.names[i]);
    return { rank: psi(this.rank[variable]), text: members.length ? `{${listed(members, 5)}}` : "∅" };
  }
}

/** "independent", "dependent" or "inferred"; "local" for a local score or none at all. */
export function kindOf(/** @type {Walk} */ walk, /** @type {number | null} */ t) {
  if (t === null || walk.local) return "local";
  if (!walk.isComputed(t)) return "inferred";
  return walk.terms.dependent[t] ? "dependent" : "independent";
}

/**
 * Roles of nodes, tones of edges and the line of the pair for term t (null: none).
 * pending(i, j) tells whether a change of that pair has been asked for; with `hidden` the term is only asked about.
 */
export function spotlight(
  /** @type {Walk} */ walk,
  /** @type {[number, number][]} */ edges,
  /** @type {number | null} */ t,
  /** @type {(i: number, j: number) => boolean} */ pending,
  hidden = false,
) {
  const kind = hidden ? "local" : kindOf(walk, t);
  const given = new Set(t === null ? [] : walk.given(t));
  const x = t === null ? -1 : walk.terms.x[t];
  const y = t === null || walk.local ? -1 : walk.terms.y[t];
  const roles = new Map([...given].map((i) => [i, "given"]));
  if (x >= 0) roles.set(x, "x");
  if (y >= 0) roles.set(y, "y");
  const tone = (/** @type {number} */ i, /** @type {number} */ j) => {
    if (pending(i, j)) return "pending";
    if ((i === x && j === y) || (i === y && j === x)) return kind === "inferred" ? "plain" : "tested";
    return (i === x && given.has(j)) || (j === x && given.has(i)) ? "given" : "plain";
  };
  const link = {
    i: x,
    j: y,
    tone: hidden ? "proposed" : kind,
    question: hidden,
    dependent: t !== null && y >= 0 && Boolean(walk.terms.dependent[t]),
    straight: y >= 0 && walk.adjacent(x, y),
  };
  const drawn = edges.map(([i, j]) => /** @type {Edge} */ ([i, j, tone(i, j)]));
  return { kind, x, roles, edges: drawn, link: y >= 0 ? link : null };
}
