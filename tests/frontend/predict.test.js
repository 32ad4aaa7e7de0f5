/** What is asked before a result is shown, and how answers compare with it. */

import assert from "node:assert/strict";

import {
  candidates,
  ClimbQuestions,
  DuelQuestions,
  finalEdges,
  StepQuestions,
} from "../../bjp_explorer/frontend/logic/predict.js";
import { spotlight, Walk } from "../../bjp_explorer/frontend/logic/walk.js";

const { test } = Deno;

/** A score of a graph, walked in the order ψ; each assertion with its probability, computed or not. */
function walkOf({ edges, order, value, infers = true }) {
  const names = ["a", "b", "c", "d"].slice(0, order.length);
  const rank = (i) => order.indexOf(i);
  const pairs = order.flatMap((x) => order.filter((y) => y !== x).map((y) => [x, y]));
  const joined = (x, y) => edges.some(([i, j]) => (i === x && j === y) || (i === y && j === x));
  return new Walk({
    names,
    order,
    edges,
    kind: "assertions",
    method: infers ? "bjp" : "ib",
    terms: {
      x: pairs.map(([x]) => x),
      y: pairs.map(([, y]) => y),
      dependent: pairs.map(([x, y]) => Number(joined(x, y))),
      computed: pairs.map(([x, y]) => Number(!infers || rank(x) < rank(y))),
      value: pairs.map(([x, y]) => (infers && rank(x) > rank(y) ? 0 : Math.log(value(x, y)))),
    },
  });
}

// a – b alone; ψ: c, d, then a and b. Rows of the matrix: c: d a b | d: c a b | a: c d b | b: c d a.
const PAIR = { edges: [[0, 1]], order: [2, 3, 0, 1], value: (x) => (x === 0 ? 0.2 : 0.9) };
const kinds = (source, step) => source.questions(step).map(({ key }) => key.split("-")[1]).join("+");

test("a score is asked about where a blanket begins and where computed turns into inferred", () => {
  const source = new StepQuestions(walkOf(PAIR));
  // Worked out by hand. c: all are computed; d: one is inferred; a: two are; b: all are. Of each blanket the first
  // two pairs are asked about, and the first computed one. All tests of c and d are of independence, that of a is not.
  const expected = [
    ["made+value", "made", ""],
    ["made", "made+value", ""],
    ["made", "made", "made+value"],
    ["made", "made", ""],
  ];
  assert.deepEqual(Array.from({ length: 12 }, (_, t) => kinds(source, t)), expected.flat());
  assert.deepEqual(source.questions(12), []);
  assert.deepEqual(source.questions(3).map(({ at, term }) => [at, term]), [[4, 3]]);
});

test("a score that computes everything is asked about its probabilities only, one with no tests about nothing", () => {
  const all = new StepQuestions(walkOf({ ...PAIR, infers: false }));
  const asked = Array.from({ length: 12 }, (_, t) => kinds(all, t));
  // a and b have a test of either relation: a first c (⊥), then b (⊥̸); b the same with a.
  assert.deepEqual(asked, ["value", "", "", "value", "", "", "value", "", "value", "value", "", "value"]);
  const local = new Walk({
    names: ["a"],
    order: [0],
    edges: [],
    kind: "local",
    method: "mpl",
    terms: { x: [0], value: [-1] },
  });
  assert.deepEqual(new StepQuestions(local).questions(0), []);
});

test("computed or inferred is judged by the order ψ, in words", () => {
  const source = new StepQuestions(walkOf(PAIR));
  const [first] = source.questions(0);
  assert.equal(first.ask, "Next pair: c and d. Is this assertion computed or inferred?");
  assert.deepEqual(source.judge(first, true), {
    right: true,
    text: "Computed: c (ψ₀) comes before d (ψ₁) in ψ, so the pair is tested here, from c.",
  });
  const [inferred] = source.questions(3);
  assert.deepEqual(source.judge(inferred, true), {
    right: false,
    text: "Inferred: c (ψ₀) comes before d (ψ₁) in ψ, so test 1 has already decided the pair, from c.",
  });
  assert.equal(source.judge(inferred, false).right, true);
  // a – d: the second of d's two tests, after three of c's.
  assert.match(source.judge(source.questions(7)[0], false).text, /so test 4 has already decided/);
});

test("a probability is right on its side of ½, and the difference is told", () => {
  const source = new StepQuestions(walkOf(PAIR));
  const ask = (t) => source.questions(t).find(({ scale }) => scale);
  assert.equal(
    ask(0).ask,
    "The graph asserts: c and d are independent. How probable do the data make this?",
  );
  assert.equal(ask(8).ask, "The graph asserts: a and b are dependent. How probable do the data make this?");
  const judge = (t, answer) => source.judge(ask(t), answer);
  assert.deepEqual(judge(0, 0.5), {
    right: true,
    text:
      "The test gives 0.9000; you predicted 0.50, 0.40 too low. Both are ½ or more: the data support the graph.",
  });
  assert.deepEqual(judge(8, 0.95), {
    right: false,
    text: "The test gives 0.2000; you predicted 0.95, 0.75 too high. " +
      "The test’s is below ½: the data contradict the graph.",
  });
  assert.match(judge(8, 0.2).text, /less than 0\.01 apart\. Both are below ½/);
  // Given b's other neighbour a, where there is one.
  const path = new StepQuestions(walkOf({ edges: [[0, 1], [1, 2]], order: [0, 2, 1], value: () => 0.9 }));
  assert.match(path.questions(0)[1].ask, /a and c are independent given b\. How/);
});

test("a step that is only asked about shows neither whether it is computed nor what it asserts", () => {
  const walk = walkOf(PAIR);
  const look = (t) => {
    const { kind, link } = spotlight(walk, PAIR.edges, t, () => false, true);
    return [kind, link.tone, link.question];
  };
  // A computed ⊥, an inferred ⊥ and a computed ⊥̸.
  for (const t of [0, 3, 8]) assert.deepEqual(look(t), ["local", "proposed", true]);
});

const flip = (edge, added, gain, more = {}) => ({
  edge,
  added,
  gain,
  accepted: true,
  phase: "ascent",
  score: -1,
  tried: 1,
  tests: 4,
  ...more,
});
const CLIMB = {
  names: ["a", "b", "c", "d"],
  score_name: "ln BJP",
  start: { edges: [[2, 3]], order: [], degree: [], score: -9 },
  steps: [
    flip([0, 1], true, 12.345, { lowest: [[0, 1, false, -12], [1, 2, false, -3.25], [0, 2, false, -0.5]] }),
    flip([1, 2], true, 3, { lowest: [[1, 2, false, -3], [2, 3, true, -2], [0, 2, false, -0.5]] }),
    flip([2, 3], false, 0.75),
  ],
  made: 3,
  best: 3,
  rejected: { ...flip([0, 2], true, -0.5), accepted: false },
};

test("a flip is predicted as a pair, and a wrong pair's place in the queue is told", () => {
  const source = new ClimbQuestions(CLIMB);
  const judge = (step, pair) => source.judge(source.questions(step)[0], pair);
  assert.deepEqual(judge(0, [1, 0]), { right: true, text: "The search adds a – b (ln BJP +12.35)." });
  assert.deepEqual(judge(0, [1, 2]), {
    right: false,
    text: "The search adds a – b (ln BJP +12.35). " +
      "Your pair b – c is number 2 in the queue, ln Pr −3.2500. It is flipped at step 2 (ln BJP +3.00).",
  });
  assert.match(judge(0, [1, 3]).text, /Your pair b – d is not among the first 3 of the queue\.$/);
  // What was flipped before is not to come; without a queue nothing else is known of a pair.
  assert.match(judge(1, [0, 1]).text, /of the queue\.$/);
  assert.equal(judge(2, [0, 1]).text, "The search removes c – d (ln BJP +0.75).");
});

test("the refused proposal is asked for as what it is, and the end for nothing", () => {
  const source = new ClimbQuestions(CLIMB);
  assert.equal(source.questions(2)[0].ask, "Which pair does the search flip next?");
  const [question] = source.questions(3);
  assert.equal(question.ask, "The last proposal is rejected. Which pair is it?");
  assert.deepEqual(source.judge(question, [0, 2]), {
    right: true,
    text: "The search would add a – c (ln BJP −0.50).",
  });
  assert.deepEqual(source.questions(4), []);
  assert.deepEqual(new ClimbQuestions({ ...CLIMB, rejected: null }).questions(3), []);
});

test("a step of several flips is not asked for", () => {
  const steps = [
    flip([0, 1], true, 1, { at: 1, others: [] }),
    flip([1, 2], true, 1, { at: 4, others: [[0, 2]] }),
  ];
  const source = new ClimbQuestions({ ...CLIMB, steps, made: 4, rejected: null });
  assert.deepEqual([0, 1, 2].map((step) => source.questions(step).length), [1, 0, 0]);
  // The step that shows it has another number than its place.
  const later = [
    ...steps.slice(0, 1),
    flip([1, 3], true, 2, { at: 2, others: [] }),
    flip([2, 3], false, 2, {
      at: 5,
      others: [[0, 2]],
    }),
  ];
  const far = new ClimbQuestions({ ...CLIMB, steps: later, made: 5, rejected: null });
  assert.equal(
    far.judge(far.questions(0)[0], [2, 3]).text,
    "The search adds a – b (ln BJP +1.00). Your pair c – d is flipped at step 5 (ln BJP +2.00).",
  );
});

test("candidates have neither the order nor the values of the queue", () => {
  const lowest = [[1, 2, true, -3], [0, 3, false, -2], [0, 1, false, -1]];
  assert.deepEqual(candidates(lowest), [[0, 1, false, NaN], [0, 3, false, NaN], [1, 2, true, NaN]]);
  assert.equal(lowest[0][3], -3);
});

test("of two climbs the edges at their best steps are compared, before the end and once both have ended", () => {
  const one = { ...CLIMB, title: "BJP" };
  // c – d to begin with; a – b and b – c come, c – d goes.
  assert.equal(finalEdges(one), 2);
  assert.equal(finalEdges({ ...one, best: 2 }), 3);
  assert.equal(finalEdges({ ...one, best: null }), 2);
  const other = { ...CLIMB, title: "MPL", best: 2 };
  const source = new DuelQuestions([one, other], 4);
  const [question] = source.questions(0);
  assert.deepEqual(question.options.map(([, text]) => text), ["BJP", "MPL", "as many"]);
  assert.equal(question.at, 4);
  assert.deepEqual(source.judge(question, 1), { right: true, text: "BJP: 2 edges. MPL: 3 edges, 1 more." });
  assert.equal(source.judge(question, 0).right, false);
  assert.equal(source.judge(question, null).right, false);
  assert.match(new DuelQuestions([other, one], 4).judge(question, 0).text, /2 edges, 1 fewer\.$/);
  const same = new DuelQuestions([one, one], 4).judge(question, null);
  assert.deepEqual(same, { right: true, text: "Both find 2 edges." });
  assert.deepEqual(source.questions(4), []);
  assert.deepEqual(new DuelQuestions([one, { ...other, running: true }], 4).questions(0), []);
});
