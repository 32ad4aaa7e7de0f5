/** Numbers and names as people read them. Log values stay logs until the last moment. */

const SUB = "₀₁₂₃₄₅₆₇₈₉";
/** @type {Record<string, string>} */
const SUP = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
/** @type {Record<number, Intl.NumberFormat>} */ const FORMATS = {};

/** ψ₁₂ */
export function psi(/** @type {number} */ rank) {
  return `ψ${[...String(rank)].map((digit) => SUB[Number(digit)]).join("")}`;
}

/** 10⁻¹² from -12 */
export function power(/** @type {number} */ exponent) {
  return `10${[...String(exponent)].map((c) => SUP[c]).join("")}`;
}

/** What writes so many decimals; to make one takes longer than to write a hundred numbers. */
function decimals(/** @type {number} */ digits) {
  const all = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return FORMATS[digits] ??= new Intl.NumberFormat("en-US", all);
}

/** Fixed decimals with a true minus sign, thousands apart; "—" where there is no number. */
export function fixed(/** @type {number | null | undefined} */ value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "—";
  const text = decimals(digits).format(Math.abs(value));
  // What is written as zero has no sign.
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** Fixed decimals with the sign always shown. */
export function signed(/** @type {number | null | undefined} */ value, digits = 2) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "—";
  const text = fixed(value, digits);
  return value > 0 ? `+${text}` : text;
}

/** Decimals that a log score of this size deserves. */
export function scoreDigits(/** @type {number | null | undefined} */ value) {
  const size = Math.abs(value ?? 0);
  return size >= 1000 ? 2 : size >= 10 ? 3 : 4;
}

function scientific(/** @type {number} */ log) {
  let exponent = Math.floor(log / Math.LN10);
  let mantissa = Math.exp(log - exponent * Math.LN10).toFixed(2);
  if (mantissa === "10.00") [mantissa, exponent] = ["1.00", exponent + 1];
  return `${mantissa}·${power(exponent)}`;
}

/** A probability from its natural log: 0.9989, 3.14·10⁻¹², 1 − 2.04·10⁻⁷, and 1 only where it is 1. */
export function probability(/** @type {number} */ log) {
  if (!Number.isFinite(log)) return "—";
  if (log === 0) return "1";
  const value = Math.exp(log);
  if (value < 1e-3) return scientific(log);
  return value < 0.99995 ? value.toFixed(4) : `1 − ${scientific(Math.log(-Math.expm1(log)))}`;
}

/** The same in the width of a cell. */
export function cellProbability(/** @type {number} */ log, digits = 3) {
  const p = Math.exp(log);
  if (p >= 0.5 * 10 ** -digits) return p.toFixed(digits);
  return power(Math.floor(log / Math.LN10));
}

/** Whether a log probability is below ½; what is not known is not. */
export function isBelowHalf(/** @type {number | null | undefined} */ log) {
  return log !== null && log !== undefined && log < -Math.LN2;
}

/** A long name cut in the middle: both ends tell names apart. */
export function short(/** @type {string | number} */ name, most = 22) {
  const letters = [...String(name)];
  if (letters.length <= most) return String(name);
  const head = Math.ceil((most - 1) * 0.65);
  return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (most - 1 - head)).join("")}`;
}

/** "a, b, c and 9 more" */
export function listed(/** @type {string[]} */ names, most = 6) {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most - 1).join(", ")} and ${names.length - most + 1} more`;
}

/** "1 edge", "5 edges" */
export function count(/** @type {number} */ number, /** @type {string} */ noun) {
  return `${fixed(number, 0)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Running sums of log values, compensated (Neumaier), so that they end where math.fsum does. */
export function runningSums(/** @type {number[]} */ values) {
  const sums = new Float64Array(values.length + 1);
  let total = 0;
  let lost = 0;
  values.forEach((value, k) => {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
    sums[k + 1] = total + lost;
  });
  return sums;
}
