/** Exercises without a page: answers as texts, judged by what the engine worked out. */

import { count } from "./format.js";
/** @import { ExercisePayload as Exercise } from "../payloads.d.ts" */
/** @typedef {string[] | number} Answer nodes by name, options by their letter */
/** @typedef {{ correct: boolean, sentence: string }} Verdict */

const SETS = ["nodes", "pair", "several"];
export const LETTERS = "abcdefgh";
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What an answer is made of: letters of options or names of nodes. @returns {string[]} */
export const partsOf = (/** @type {Exercise} */ { options, graphs }) =>
  options.length ? options.map((_, k) => LETTERS[k]) : graphs[0]?.names ?? [];

/** An answer from what was picked, as places among the parts; null while it isn't whole. */
/** @returns {string[] | null} */
export function answerOf(/** @type {Exercise} */ exercise, /** @type {number[]} */ picks) {
  const parts = partsOf(exercise);
  const wanted = { order: parts.length, pair: 2, one: 1 }[/** @type {string} */ (exercise.form)];
  if (!picks.length || (wanted !== undefined && picks.length !== wanted)) return null;
  const places = SETS.includes(exercise.form) ? [...picks].sort((a, b) => a - b) : picks;
  return places.map((place) => parts[place]);
}

/** A number or a fraction as people write it; null for what is none. */
export function readNumber(/** @type {string} */ text) {
  const parts = text.replaceAll(",", ".").replaceAll("−", "-").split("/");
  const [top, bottom = "1", ...rest] = parts.map((part) => part.trim());
  const value = !rest.length && NUMBER.test(top) && NUMBER.test(bottom) ? Number(top) / Number(bottom) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** @returns {Verdict} */
export function judge(/** @type {Exercise} */ exercise, /** @type {Answer} */ answer) {
  const same = (/** @type {Answer} */ other) =>
    typeof answer === "number" && typeof other === "number"
      ? Math.abs(answer - other) <= exercise.tolerance + 1e-9
      : String(answer) === String(other);
  if (exercise.accepted.some(same)) return { correct: true, sentence: "" };
  const mistake = exercise.mistakes.find((one) => same(one.answer));
  return { correct: false, sentence: mistake?.reason ?? hint(exercise, answer) };
}

/** How far a wrong answer is from a right one, without giving it away; as `judge` of the engine says it. */
function hint(/** @type {Exercise} */ { form, answer: right, accepted }, /** @type {Answer} */ answer) {
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

/** How a run went, kind by kind as they came. What was not answered isn't tried, even with its solution open. */
/** @param {Exercise[]} exercises @param {{ right: boolean, tries: number }[]} works */
export function byKind(exercises, works) {
  const kinds = [...new Set(exercises.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const of = works.filter((_, k) => exercises[k].kind === kind);
    const right = of.filter((work) => work.right).length;
    return { kind, right, tried: of.filter(({ tries }) => tries > 0).length, of: of.length };
  });
}
