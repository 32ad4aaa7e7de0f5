/** What the frontend works out without a page: walks, climbs, timelines, numbers in words, picks, answers. */

import assert from "node:assert/strict";

import {
  cellProbability,
  count,
  fixed,
  listed,
  probability,
  psi,
  runningSums,
  short,
  signed,
} from "../../bjp_explorer/frontend/logic/format.js";
import {
  compare,
  degreeOrder,
  drawnEdges,
  edgeKey,
  History,
  ranks,
} from "../../bjp_explorer/frontend/logic/history.js";
import { recall, remember, sendKept } from "../../bjp_explorer/frontend/logic/memory.js";
import { answerOf, byKind, judge, readNumber } from "../../bjp_explorer/frontend/logic/practice.js";
import { linesOf, overlap, placeLabels } from "../../bjp_explorer/frontend/logic/placing.js";
import { canLog, SCALES, ticks, usualScale } from "../../bjp_explorer/frontend/logic/scales.js";
import { holds, keyOf, objectOf, toggled } from "../../bjp_explorer/frontend/logic/picks.js";
import {
  brief,
  flipNumber,
  isolated,
  sentence,
  stepOf,
  title,
} from "../../bjp_explorer/frontend/logic/story.js";
import { places, stateAt, union } from "../../bjp_explorer/frontend/logic/timeline.js";
import { spotlight, Walk } from "../../bjp_explorer/frontend/logic/walk.js";

const { test } = Deno;

// a – b, b – c; ψ: a and c with one neighbour each, then b. Values: ln of the posteriors.
const PATH = {
  id: "path",
  layout_id: "",
  kind: "assertions",
  method: "bjp",
  score_name: "ln BJP",
  names: ["a", "b", "c"],
  x: [0, 0, 0],
  y: [0, 0, 0],
  order: [0, 2, 1],
  degree: [1, 2, 1],
  edges: [[0, 1], [1, 2]],
  editable: true,
  initial_step: 0,
  terms: {
    x: [0, 0, 2, 2, 1, 1],
    y: [2, 1, 0, 1, 0, 2],
    dependent: [0, 1, 0, 1, 1, 1],
    computed: [1, 1, 0, 1, 0, 0],
    value: [Math.log(0.9), Math.log(0.4), 0, Math.log(0.8), 0, 0],
  },
};

const flip = (edge, added, more = {}) => ({
  edge,
  added,
  accepted: true,
  phase: "ascent",
  gain: 1,
  score: -1,
  tried: 1,
  tests: 4,
  ...more,
});

// Three flips of which the last undoes the first, and one that was refused.
const CLIMB = {
  names: ["a", "b", "c"],
  start: { edges: [[1, 2]], order: [0, 1, 2], degree: [0, 1, 1], score: -9 },
  steps: [
    flip([0, 1], true, { tests: 3 }),
    flip([0, 2], true, { tests: 7, tried: 2 }),
    flip([0, 1], false, { tests: 9 }),
  ],
  made: 3,
  rejected: flip([0, 1], true, { gain: -2, tests: 11 }),
};

test("numbers as people read them", () => {
  assert.equal(fixed(-1234.5, 2), "−1,234.50");
  assert.equal(fixed(-0.00001, 3), "0.000");
  assert.equal(fixed(null), "—");
  assert.equal(signed(0.5), "+0.50");
  assert.equal(signed(-0.5), "−0.50");
  assert.equal(count(1, "edge"), "1 edge");
  assert.equal(count(1200, "edge"), "1,200 edges");
  assert.equal(psi(12), "ψ₁₂");
});

test("a probability is 1 only where it is 1", () => {
  assert.equal(probability(0), "1");
  assert.equal(probability(Math.log(0.5)), "0.5000");
  assert.equal(probability(-1e-7), "1 − 1.00·10⁻⁷");
  assert.equal(probability(-1000), "5.08·10⁻⁴³⁵");
  assert.equal(probability(NaN), "—");
  assert.equal(cellProbability(Math.log(0.25)), "0.250");
  assert.equal(cellProbability(-30), "10⁻¹⁴");
});

test("names are cut in the middle, and lists at the end", () => {
  assert.equal(short("lipoprotein", 22), "lipoprotein");
  assert.equal([...short("a".repeat(30) + "z", 10)].length, 10);
  assert.ok(short("abcdefghijklmnopqrstuvwxyz", 10).startsWith("abcdef…"));
  assert.equal(listed(["a", "b", "c"], 3), "a, b, c");
  assert.equal(listed(["a", "b", "c", "d"], 3), "a, b and 2 more");
});

test("running sums lose nothing", () => {
  const sums = runningSums([1e16, 1, -1e16]);
  assert.equal(sums[3], 1);
  assert.equal(sums.length, 4);
});

test("of near blankets a walk gives only the neighbours through which the other is reached", () => {
  // A chain a – b – c with a leaf d on b, walked by a score that leaves some neighbours out.
  const walk = new Walk({
    names: ["a", "b", "c", "d"],
    order: [0, 2, 3, 1],
    edges: [[0, 1], [1, 2], [1, 3]],
    kind: "assertions",
    method: "near",
    terms: {
      x: [0, 0, 0, 2, 2, 2, 3, 3, 3, 1, 1, 1],
      y: [2, 3, 1, 0, 3, 1, 0, 2, 1, 0, 2, 3],
      dependent: [0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1],
      computed: [1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0],
      value: Array(12).fill(0),
      way: [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 3],
    },
  });
  assert.deepEqual(walk.given(0), [1]);
  assert.deepEqual(walk.leftOut(0), []);
  assert.match(walk.why(0), /given the blanket of a\.$/);
  assert.deepEqual(walk.given(9), []);
  assert.deepEqual(walk.leftOut(9), [2, 3]);
  assert.match(
    walk.whyComputed(9),
    /The conditioning set is empty: a can’t be reached through any other neighbour of b\.$/,
  );
  // With c – d, both are on the way from b to c, and a is not.
  walk.terms.way = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 2];
  assert.deepEqual(walk.given(10), [3]);
  assert.match(
    walk.whyComputed(10),
    /The test leaves out the neighbour a of b: c can’t be reached through it\.$/,
  );
});

test("a walk knows what is given, computed and settled", () => {
  const walk = new Walk(PATH);
  assert.equal(walk.size, 6);
  assert.equal(walk.tests, 3);
  assert.deepEqual(walk.given(1), []);
  assert.deepEqual(walk.given(0), [1]);
  assert.deepEqual([...walk.computedBefore], [0, 1, 2, 2, 3, 3, 3]);
  // c – a is settled by a – c, the first; b – c by c – b, the fourth.
  assert.equal(walk.settledBy(2), 1);
  assert.equal(walk.settledBy(5), 4);
  assert.equal(walk.stepOf(1, 0), 2);
  assert.equal(walk.stepOf(2, 1), 4);
  assert.match(walk.why(1), /Below ½/);
  assert.match(walk.why(2), /Why 1\? Already tested from a, .* \(test 1\)\. Given that, it is certain\.$/);
  assert.match(walk.describe(5), /already tested: test 3/);
  assert.ok(Math.abs(walk.sums[6] - Math.log(0.9 * 0.4 * 0.8)) < 1e-12);
});

test("a walk knows which skipped tests contradict the graph", () => {
  assert.equal(new Walk(PATH).disputed, null);
  const skipped = [null, null, Math.log(0.4), null, Math.log(0.6), Math.log(0.5)];
  const walk = new Walk({ ...PATH, terms: { ...PATH.terms, skipped } });
  assert.equal(walk.disputed, 1);
  assert.deepEqual([...walk.disputedBefore], [0, 0, 0, 1, 1, 1, 1]);
  assert.deepEqual(skipped.map((_, t) => walk.isDisputed(t)), [false, false, true, false, false, false]);
  assert.match(walk.why(2), /^Why 1\?.* A bet, and its price: the skipped test gives only 0\.4000, /);
  assert.match(walk.why(4), /The bet: .* would agree \(0\.6000\)\.$/);
  assert.match(walk.describe(2), /the skipped test gives 0\.4000$/);
});

test("a walk asks and answers in words", () => {
  const walk = new Walk(PATH);
  assert.equal(walk.question(0), "Given b: does a depend on c?");
  assert.equal(walk.question(1), "Does a depend on b?");
  assert.equal(walk.answer(0), "The graph answers no. The data give this answer probability 0.9000.");
  assert.match(walk.answer(1), /^The graph answers yes\. .* 0\.4000: they contradict it\.$/);
  assert.match(walk.answer(2), /^The graph answers no\. Not tested again: test 1 asked it/);
});

test("a walk skips what is inferred, and numbers tests and assertions", () => {
  const walk = new Walk(PATH);
  assert.equal(walk.next(2, 1, false), 3);
  assert.equal(walk.next(2, 1, true), 4);
  assert.equal(walk.next(4, -1, true), 2);
  assert.equal(walk.next(4, 1, true), 6);
  assert.equal(walk.label(0), "assertion 0 / 6");
  assert.equal(walk.label(3), "assertion 3 / 6 · inferred");
  assert.equal(walk.label(4), "assertion 4 / 6 · test 3 / 3");
  for (let step = 0; step <= 6; step += 1) assert.ok(walk.label(step).length <= walk.widestLabel.length);
});

test("a walk tells which terms of another graph are not as here", () => {
  const walk = new Walk(PATH);
  assert.deepEqual(walk.changedIn(PATH), []);
  const value = [...PATH.terms.value];
  value[3] = -2;
  assert.deepEqual(walk.changedIn({ ...PATH, terms: { ...PATH.terms, value } }), [3]);
  assert.deepEqual(walk.changedIn({ ...PATH, method: "ib" }), []);
});

test("local scores are a walk without pairs", () => {
  const terms = { x: [0, 1, 2], value: [-1, -2, -3] };
  const walk = new Walk({ ...PATH, kind: "local", method: "mpl", terms });
  assert.equal(walk.tests, 3);
  assert.deepEqual(walk.given(1), [0, 2]);
  assert.equal(walk.stepOf(2), 3);
  assert.equal(walk.label(2), "variable 2 / 3");
});

test("a term brings out its pair, its blanket and its line", () => {
  const walk = new Walk(PATH);
  const never = () => false;
  const lit = spotlight(walk, PATH.edges, 0, never);
  assert.deepEqual([...lit.roles], [[1, "given"], [0, "x"], [2, "y"]]);
  assert.deepEqual(lit.edges.map(([, , tone]) => tone), ["given", "plain"]);
  assert.equal(lit.kind, "independent");
  assert.equal(lit.link.straight, false);
  assert.equal(spotlight(walk, PATH.edges, 2, never).kind, "inferred");
  assert.equal(spotlight(walk, PATH.edges, null, never).link, null);
  assert.equal(spotlight(walk, PATH.edges, 0, () => true).edges[0][2], "pending");
});

test("a climb is walked forwards and backwards", () => {
  const history = new History(CLIMB.start);
  history.extend(CLIMB.steps);
  const edges = (k) => [...history.go(k).keys()].sort();
  const forwards = [0, 1, 2, 3, 4].map(edges);
  assert.deepEqual(forwards, [["1-2"], ["0-1", "1-2"], ["0-1", "0-2", "1-2"], ["0-2", "1-2"], [
    "0-2",
    "1-2",
  ]]);
  assert.deepEqual([4, 3, 2, 1, 0].map(edges), forwards.toReversed());
  assert.equal(history.earlier(3), 1);
  // Names keep clear of an edge that is there for some steps only.
  assert.deepEqual(history.inTheWay, [[1, 2], [0, 1], [0, 2]]);
  assert.equal(history.earlier(2), 0);
});

test("a step of several flips is undone whole", () => {
  const history = new History(CLIMB.start);
  history.extend([flip([0, 1], true, { at: 3, others: [[1, 2], [0, 2]] })]);
  assert.deepEqual([...history.go(1).keys()].sort(), ["0-1", "0-2"]);
  assert.deepEqual([...history.go(0).keys()], ["1-2"]);
});

test("graphs are compared with the truth and with one another", () => {
  const graph = (...pairs) => new Map(pairs.map(([i, j]) => [edgeKey(i, j), [i, j]]));
  const [found, truth] = [graph([0, 1], [1, 2]), graph([1, 2], [0, 2])];
  assert.deepEqual(compare(found, truth), { tp: 1, fp: 1, fn: 1, hamming: 2 });
  const tones = (drawn) => Object.fromEntries(drawn.map(([i, j, tone]) => [edgeKey(i, j), tone]));
  assert.deepEqual(tones(drawnEdges(found, [0, 1], truth)), {
    "0-1": "fp added",
    "1-2": "tp",
    "0-2": "missing",
  });
  assert.deepEqual(tones(drawnEdges(found, [0, 2], null)), {
    "0-1": "plain",
    "1-2": "plain",
    "0-2": "removed",
  });
  assert.deepEqual(tones(drawnEdges(found, [0, 2], truth, ["both", "only"])), {
    "0-1": "only",
    "1-2": "both",
    "0-2": "removed",
  });
  const { degree, order } = degreeOrder(found, 3);
  assert.deepEqual([degree, order, ranks(order)], [[1, 2, 1], [0, 2, 1], [0, 2, 1]]);
  assert.equal(edgeKey(7, 2), edgeKey(2, 7));
});

test("a climb in words", () => {
  const history = new History(CLIMB.start);
  history.extend(CLIMB.steps);
  const now = (step) => (step === 0 ? null : (CLIMB.steps[step - 1] ?? CLIMB.rejected));
  const told = [0, 1, 2, 3, 4].map((step) => sentence(CLIMB, history, step, now(step)));
  assert.deepEqual(told, [
    "a graph of 1 edge",
    "adds a – b",
    "adds a – c, after 2 flips tried",
    "removes a – b, added at step 1",
    "−2.00 by adding a – b",
  ]);
  assert.deepEqual([title(CLIMB, 0), title(CLIMB, 3), title(CLIMB, 4)], ["Start", "Step 3 of 3", "Rejected"]);
  assert.equal(brief(CLIMB, 4, now(4)), "rejected: + a – b, −2.00");
  assert.equal(isolated(["a", "b", "c"], new Map([["0-1", [0, 1]]])), "c has no edge");
});

test("flips of a long walk are found in its steps", () => {
  const long = { ...CLIMB, steps: [flip([0, 1], true, { at: 4 }), flip([0, 2], true, { at: 8 })], made: 8 };
  assert.equal(flipNumber(long, 2), 8);
  assert.deepEqual([0, 1, 4, 5, 9].map((at) => stepOf(long, at)), [0, 1, 1, 2, 2]);
});

test("two climbs share a timeline", () => {
  assert.deepEqual(places(CLIMB, "flips"), [0, 1, 2, 3, 4]);
  assert.deepEqual(places(CLIMB, "tests"), [0, 3, 7, 9, 11]);
  assert.deepEqual([0, 2, 3, 8, 99].map((at) => stateAt([0, 3, 7, 9, 11], at)), [0, 0, 1, 2, 4]);
  assert.deepEqual(union([0, 3, 7], [0, 1, 7]), [0, 1, 3, 7]);
});

test("axes are marked at round values within their range", () => {
  for (const [low, high, most] of [[0, 1, 4], [-3, 17, 5], [1e-6, 3e-6, 3], [-450, -2, 4]]) {
    const found = ticks(low, high, most);
    assert.ok(found.length >= 2 && found.length <= 2 * most + 1, String(found));
    assert.ok(found.every((value) => value >= low - 1e-12 && value <= high + 1e-12));
  }
});

test("a log scale is chosen where a jump flattens the rest, and keeps every score true", () => {
  const flattened = [-400, -40, -27, -14, -10, -7.5, -3, -2.37];
  assert.equal(usualScale(flattened), "log");
  assert.equal(usualScale([-400, -350, -300, -250, -200, -100, -20]), "linear");
  // Of positive scores, or of few that are close, there is none.
  assert.equal(canLog([-400, -2, 1]), false);
  assert.equal(usualScale([-400, -2, 1, 2, 3]), "linear");
  assert.equal(usualScale([-5000, -4000, -3990, -3985, -3980]), "linear");
  for (const scale of Object.values(SCALES)) {
    const heights = flattened.map(scale.to);
    assert.deepEqual([...heights].sort((a, b) => a - b), heights);
  }
  // Ten times nearer to zero is one step up, wherever it begins.
  assert.ok(Math.abs(SCALES.log.to(-4) - SCALES.log.to(-40) - 1) < 1e-12);
  assert.deepEqual(SCALES.log.ticks(-120, -2, 6), [-100, -50, -20, -10, -5, -2]);
  assert.deepEqual(SCALES.log.ticks(-50000, -0.5, 6), [-10000, -1000, -100, -10, -1]);
});

test("a name has two lines where it is long, and is shortened only where it must be", () => {
  assert.deepEqual(linesOf("smoking"), ["smoking"]);
  assert.deepEqual(linesOf("lipoprotein ratio"), ["lipoprotein", "ratio"]);
  assert.deepEqual(linesOf("aid to nicaraguan contras"), ["aid to nicaraguan", "contras"]);
  assert.deepEqual(linesOf("superfundrighttosue"), ["superfundrig…tosue"]);
  assert.deepEqual(linesOf("a b"), ["a b"]);
  // An underscore belongs to the name, and a line may end after it.
  assert.deepEqual(linesOf("Q1_1"), ["Q1_1"]);
  assert.deepEqual(linesOf("adoption_of_the_budget"), ["adoption_of_", "the_budget"]);
});

test("names keep clear of edges, of nodes and of each other", () => {
  const names = Array.from({ length: 12 }, (_, k) => {
    const angle = (2 * Math.PI * k) / 12;
    const [x, y] = [300 + 180 * Math.sin(angle), 240 - 180 * Math.cos(angle)];
    return { x, y, r: 14, w: 70, h: 30, priority: 2, must: 1 };
  });
  const edges = names.map((a, k) => [a, names[(k + 1) % 12]]);
  edges.push([names[0], names[6]], [names[3], names[9]]);
  const places = placeLabels(names, edges, 600, 480);
  places.forEach((place, k) => {
    assert.ok(place.shown && place.left >= 0 && place.right <= 600 && place.top >= 0 && place.bottom <= 480);
    for (const other of places.slice(k + 1)) assert.equal(overlap(place, other), 0);
    for (const { x, y, r } of names) {
      const disc = { left: x - r, right: x + r, top: y - r, bottom: y + r };
      assert.equal(overlap(place, disc), 0);
    }
    for (const [a, b] of edges) {
      for (let t = 0; t <= 1; t += 0.005) {
        const [x, y] = [a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)];
        assert.ok(x <= place.left || x >= place.right || y <= place.top || y >= place.bottom);
      }
    }
  });
});

test("picks replace, add and are taken back", () => {
  assert.deepEqual(toggled([1], 2, "node"), [2]);
  assert.deepEqual(toggled([1], 2, "nodes"), [1, 2]);
  assert.deepEqual(toggled([1, 2], 1, "nodes"), [2]);
  assert.deepEqual(toggled([1, 2], 3, "pair"), [3]);
  assert.deepEqual(toggled([[0, 1]], [0, 1], "cells"), []);
  assert.equal(keyOf([3, 1, 10], "nodes"), "1,3,10");
  assert.equal(keyOf([3, 1], "order"), "3,1");
  assert.equal(keyOf([[3, 1], [1, 10], [1, 2]], "cells"), "1,2,1,10,3,1");
  assert.ok(holds([[1, 2]], [1, 2]));
  assert.equal(objectOf("cells"), "cells");
  assert.equal(objectOf("frame"), "");
});

test("answers are kept, told to Python and forgotten", async () => {
  // A storage whose entries are its own keys, as a browser's are.
  const storage = Object.create({
    getItem(key) {
      return this[key] ?? null;
    },
    setItem(key, value) {
      this[key] = value;
    },
    removeItem(key) {
      delete this[key];
    },
  });
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  storage.setItem("bjp-explorer.other", "1");
  assert.deepEqual(recall(), {});
  remember("4.4", { picks: [3, 1], state: "solved" });
  remember("1.4", { picks: [2], state: "shown" });
  const sent = await new Promise((trigger) => sendKept({ trigger: (_, event) => trigger(event) }));
  assert.deepEqual(sent.answers, [
    { lesson: 4, step: 4, picks: [3, 1], state: "solved" },
    { lesson: 1, step: 4, picks: [2], state: "shown" },
  ]);
  remember("4.4", null);
  assert.deepEqual(Object.keys(recall()), ["1.4"]);
  // What somebody else has written there is nothing.
  const [key] = Object.keys(storage).filter((name) => name.endsWith("1.4"));
  for (const text of ["{", "7", "null", ""]) {
    storage.setItem(key, text);
    assert.deepEqual(recall(), {});
  }
});

/** @type {any} a question by hand: which nodes separate A from D in A – B – D, A – C – D? */
const SEPARATE = {
  form: "nodes",
  options: [],
  graphs: [{ names: ["A", "B", "C", "D"] }],
  accepted: [["B", "C"]],
  mistakes: [{ answer: ["B"], reason: "A – C – D is open." }],
  tolerance: 0,
};
/** @type {any} */
const HALF = {
  form: "number",
  answer: 0.5,
  accepted: [0.5],
  mistakes: [{ answer: 2, reason: "Odds." }],
  tolerance: 0.01,
};

Deno.test("picks are answers: sets in the order of nodes, orders as they were picked, halves none", () => {
  assert.deepEqual(answerOf(SEPARATE, [2, 1]), ["B", "C"]);
  assert.deepEqual(answerOf({ ...SEPARATE, form: "order" }, [2, 1, 0, 3]), ["C", "B", "A", "D"]);
  assert.equal(answerOf({ ...SEPARATE, form: "order" }, [2, 1]), null);
  assert.equal(answerOf({ ...SEPARATE, form: "pair" }, [3]), null);
  assert.equal(answerOf(SEPARATE, []), null);
  assert.deepEqual(answerOf({ ...SEPARATE, form: "several", options: ["x", "y", "z"] }, [2, 0]), ["a", "c"]);
});

Deno.test("an answer is looked up: right, a typical mistake, or neither", () => {
  assert.deepEqual(judge(SEPARATE, ["B", "C"]), { correct: true, sentence: "" });
  assert.equal(judge(SEPARATE, ["B"]).sentence, "A – C – D is open.");
  assert.deepEqual(judge(SEPARATE, ["C"]), { correct: false, sentence: "1 node is missing." });
  assert.deepEqual([0.49, 0.51, 0.5].map((x) => judge(HALF, x).correct), [true, true, true]);
  assert.deepEqual([0.489, 0.511].map((x) => judge(HALF, x).correct), [false, false]);
  assert.equal(judge(HALF, 2).sentence, "Odds.");
  assert.deepEqual([0.4, 0.6].map((x) => judge(HALF, x).sentence), ["This is too low.", "This is too high."]);
  // The nearest of several right sets counts, as in tests/engine/exercises/test_exercises.py.
  const several = { ...SEPARATE, accepted: [["B", "C"], ["D"]], mistakes: [] };
  assert.equal(judge(several, ["A", "B"]).sentence, "1 node is missing, 1 node is too many.");
  assert.equal(judge(several, ["A", "B", "C", "D"]).sentence, "2 nodes are too many.");
  const order = { ...several, form: "order", answer: ["B", "A", "C"], accepted: [["B", "A", "C"]] };
  assert.equal(judge(order, ["B", "C", "A"]).sentence, "The order is right up to B.");
  assert.equal(judge(order, ["A", "B", "C"]).sentence, "Another node is first.");
});

Deno.test("numbers as people write them; what Python would not read is none", () => {
  assert.deepEqual([" 0,37", "−2", ".5", "1e-3", "7."].map(readNumber), [0.37, -2, 0.5, 0.001, 7]);
  assert.deepEqual(
    ["", "0x10", "1_0", "1.2.3", "Infinity", "1e999", "a", "0,2x", "1/0", "1/", "/2", "1/2/3"].map(
      readNumber,
    ),
    Array(12).fill(null),
  );
  assert.deepEqual(["12/23", " −1 / 4 ", "0,5/2"].map(readNumber), [12 / 23, -0.25, 0.25]);
});

Deno.test("a run by kind, in the order in which kinds came", () => {
  /** @type {any} */
  const asked = ["order", "flip", "order", "order"].map((kind) => ({ kind }));
  const works = [
    { right: true, tries: 2 },
    { right: false, tries: 0 },
    // Its solution was opened without an answer: neither right nor wrong.
    { right: false, tries: 0, done: true },
    { right: false, tries: 1 },
  ];
  assert.deepEqual(byKind(asked, works), [
    { kind: "order", right: 1, tried: 2, of: 3 },
    { kind: "flip", right: 0, tried: 0, of: 1 },
  ]);
});
