/** Exercises without a page: answers as texts, judged by what the engine worked out; hand-ins with their checksum. */

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
 * How far a wrong answer is from a right one, without giving it away; as `judge` of the engine says it.
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
 * A name as a hand-in has it: composed letters, single spaces, nothing invisible; as `tidy_student` of the engine.
 *
 * @param {string} text
 */
export const tidy = (/** @type {string} */ text) =>
  text.normalize("NFC").replace(/\p{Cf}/gu, "").replace(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim();

/**
 * CRC-32 of a text in UTF-8, eight hexadecimal digits.
 *
 * @param {string} text
 */
export function crc32(text) {
  let crc = -1;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let k = 0; k < 8; k += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ -1) >>> 0).toString(16).padStart(8, "0");
}

/** The name under which a file with several students' questions keeps those of one, without naming anybody. */
export const studentKey = (/** @type {string} */ student) => crc32(tidy(student).toLowerCase());

/**
 * The text to hand in; bjp marks reads it.
 *
 * @param {string} sheet its code
 * @param {string} student
 * @param {(Answer | null)[]} answers
 * @param {number} points
 */
export function handIn(sheet, student, answers, points) {
  const lines = [
    "bjp-hand-in 1",
    `sheet: ${sheet}`,
    `student: ${tidy(student)}`.trim(),
    ...answers.map((answer, k) => `${k + 1}: ${answerText(answer)}`),
    `points: ${points}`,
  ];
  return [...lines, `check: ${crc32(lines.join("\n"))}`, ""].join("\n");
}

/**
 * How a run of exercises went, kind by kind, in the order in which they came. What was not answered isn't tried,
 * whether or not its solution was opened.
 *
 * @param {Exercise[]} exercises
 * @param {{ right: boolean, first: Answer | null }[]} works right: at once
 * @returns {{ kind: string, right: number, tried: number, of: number }[]}
 */
export function byKind(exercises, works) {
  /** @type {Map<string, { kind: string, right: number, tried: number, of: number }>} */
  const found = new Map();
  exercises.forEach(({ kind }, k) => {
    const one = found.get(kind) ?? { kind, right: 0, tried: 0, of: 0 };
    const { right, first } = works[k];
    const tried = one.tried + Number(first !== null);
    found.set(kind, { kind, right: one.right + Number(right), tried, of: one.of + 1 });
  });
  return [...found.values()];
}
