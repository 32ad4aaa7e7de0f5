/** Exercises without a page: answers as texts, judged by what the engine worked out. */

import { count } from "./format.js";

/** @typedef {import("../payloads.d.ts").ExercisePayload} Exercise */
/** @typedef {string[] | number} Answer nodes by name, options by their letter */
/** @typedef {{ correct: boolean, sentence: string }} Verdict */

const SETS = ["nodes", "pair", "several"];
const LETTERS = "abcdefgh";
/** How an answer that was not given is written. */
const NOTHING = "-";
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * What an answer is made of: letters of options or names of nodes.
 *
 * @param {Exercise} exercise
 * @returns {string[]}
 */
export const partsOf = ({ options, picture }) =>
  options.length ? options.map((_, k) => LETTERS[k]) : picture.graphs[0]?.names ?? [];

/**
 * An answer from what was picked, as places among the parts; null while it isn't whole.
 *
 * @param {Exercise} exercise
 * @param {number[]} picks
 * @returns {string[] | null}
 */
export function answerOf(exercise, picks) {
  const parts = partsOf(exercise);
  const wanted = { order: parts.length, pair: 2, one: 1 }[/** @type {string} */ (exercise.form)];
  if (!picks.length || (wanted !== undefined && picks.length !== wanted)) return null;
  const places = SETS.includes(exercise.form) ? [...picks].sort((a, b) => a - b) : picks;
  return places.map((place) => parts[place]);
}

/**
 * A number or a fraction as people write it; null for what is none.
 *
 * @param {string} text
 */
export function readNumber(text) {
  const [top, bottom = "1", ...rest] = text.replaceAll(",", ".").replaceAll("−", "-").split("/").map((part) =>
    part.trim()
  );
  const value = !rest.length && NUMBER.test(top) && NUMBER.test(bottom) ? Number(top) / Number(bottom) : NaN;
  return Number.isFinite(value) ? value : null;
}

/**
 * An answer on one line, as the engine reads it.
 *
 * @param {Answer | null} answer
 */
export function answerText(answer) {
  if (answer === null) return NOTHING;
  return typeof answer === "number" ? String(Number(answer.toPrecision(10))) : answer.join(" ");
}

/**
 * @param {Exercise} exercise
 * @param {Answer} answer
 * @returns {Verdict}
 */
export function judge(exercise, answer) {
  const same = (/** @type {Answer} */ other) =>
    typeof answer === "number" && typeof other === "number"
      ? Math.abs(answer - other) <= exercise.tolerance + 1e-9
      : String(answer) === String(other);
  if (exercise.accepted.some(same)) return { correct: true, sentence: "" };
  const mistake = exercise.mistakes.find((one) => same(one.answer));
  return { correct: false, sentence: mistake?.reason ?? hint(exercise, answer) };
}

/**
 * How far a wrong answer is from a right one, without giving it away.
 *
 * @param {Exercise} exercise
 * @param {Answer} answer
 */
function hint({ form, answer: right, accepted }, answer) {
  if (typeof answer === "number" || typeof right === "number") {
    return answer > right ? "This is too high." : "This is too low.";
  }
  if (form === "order") {
    const same = answer.findIndex((one, k) => one !== right[k]);
    return same ? `The order is right up to ${answer[same - 1]}.` : "Another node is first.";
  }
  if (form !== "nodes" && form !== "several") return "This is not the answer.";
  const noun = form === "nodes" ? "node" : "option";
  const [nearest] = accepted.map((one) => {
    const set = /** @type {string[]} */ (one);
    return [
      set.filter((part) => !answer.includes(part)).length,
      answer.filter((part) => !set.includes(part)).length,
    ];
  }).sort(([a, b], [c, d]) => a + b - c - d);
  const parts = nearest.map((k, place) =>
    k && `${count(k, noun)} ${k === 1 ? "is" : "are"} ${["missing", "too many"][place]}`
  );
  return `${parts.filter(Boolean).join(", ")}.`;
}

/**
 * How a run of exercises went, kind by kind, in the order in which they came. What was not answered isn't tried,
 * whether or not its solution was opened.
 *
 * @param {Exercise[]} exercises
 * @param {{ right: boolean, tries: number }[]} works
 * @returns {{ kind: string, right: number, tried: number, of: number }[]}
 */
export function byKind(exercises, works) {
  /** @type {Map<string, { kind: string, right: number, tried: number, of: number }>} */
  const found = new Map();
  exercises.forEach(({ kind }, k) => {
    const one = found.get(kind) ?? { kind, right: 0, tried: 0, of: 0 };
    const { right, tries } = works[k];
    const tried = one.tried + Number(tries > 0);
    found.set(kind, { kind, right: one.right + Number(right), tried, of: one.of + 1 });
  });
  return [...found.values()];
}
