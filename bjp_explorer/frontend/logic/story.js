/** The words of a climb: headings, sentences and legends for a step. No DOM here. */

import { count, fixed, short, signed } from "./format.js";
/** @import { ClimbPayload, Flip } from "../payloads.d.ts" */
/** @import { History } from "./history.js" */

/** "mental work – lipoprotein ratio" */
export function pairName(/** @type {string[]} */ names, /** @type {[number, number]} */ [i, j], most = 30) {
  return `${short(names[i], most)} – ${short(names[j], most)}`;
}

/** Which of all flips a step shows: a long walk is shown in steps of several. */
export function flipNumber(/** @type {ClimbPayload} */ data, /** @type {number} */ step) {
  const k = Math.min(step, data.steps.length);
  return k === 0 ? 0 : (data.steps[k - 1].at ?? k);
}

/** The step that shows a flip, or the next one that does. */
export function stepOf(/** @type {Pick<ClimbPayload, "steps">} */ data, /** @type {number} */ flip) {
  const found = data.steps.findIndex((step, k) => (step.at ?? k + 1) >= flip);
  return flip === 0 ? 0 : found < 0 ? data.steps.length : found + 1;
}

/** "Step 3 of 7"; the rejected proposal comes after the last step. */
export function title(/** @type {ClimbPayload} */ data, /** @type {number} */ step) {
  if (step === 0) return "Start";
  if (step > data.steps.length) return "Rejected";
  return `Step ${fixed(flipNumber(data, step), 0)} of ${fixed(data.made, 0)}`;
}

/** What a search that does not only climb was doing. */
/** @type {Record<string, string>} */
const WAYS = { ascent: "ascent: ", restart: "restart: ", tabu: "tabu: " };

/** What the step did: "removes mental work – lipoprotein ratio, added at step 3" */
/** @param {ClimbPayload} data @param {History} history @param {number} step @param {Flip | null} now */
export function sentence(data, history, step, now) {
  const { edges } = data.start;
  if (!now) return edges.length ? `a graph of ${count(edges.length, "edge")}` : "the empty graph";
  const name = pairName(data.names, now.edge, 40);
  const tried = now.tried > 1 ? `, after ${count(now.tried, "flip")} tried` : "";
  if (step > data.steps.length) {
    const what = `${signed(now.gain)} by ${now.added ? "adding" : "removing"} ${name}`;
    return now.tried > 1 ? `${what}, the last of ${count(now.tried, "proposal")} that were refused` : what;
  }
  const way = data.walks ? (WAYS[now.phase] ?? "") : "";
  const what = `${way}${now.added ? "adds" : "removes"} ${name}`;
  if (now.others) return `${what}, and ${flipsBefore(data, step)}`;
  const earlier = history.earlier(step);
  const did = data.steps[earlier - 1]?.added ? "added" : "removed";
  return `${what}${earlier ? `, ${did} at step ${earlier}` : ""}${tried}`;
}

/** "15 flips before it": those of a long walk that have no step of their own. */
export function flipsBefore(/** @type {ClimbPayload} */ data, /** @type {number} */ step) {
  const more = flipNumber(data, step) - flipNumber(data, step - 1) - 1;
  return `${count(more, "flip")} before it`;
}

/** @param {ClimbPayload} data @param {number} step @param {Flip | null} now */
export function brief(data, step, now) {
  if (!now) return "start";
  const where = step > data.steps.length ? "rejected" : `step ${fixed(flipNumber(data, step), 0)}`;
  return `${where}: ${now.added ? "+" : "−"} ${pairName(data.names, now.edge)}, ${signed(now.gain)}`;
}

/** "family history has no edge" */
export function isolated(/** @type {string[]} */ names, /** @type {Map<string, [number, number]>} */ edges) {
  const met = new Set([...edges.values()].flat());
  const alone = names.filter((_, i) => !met.has(i));
  if (alone.length === 0) return "no variable without an edge";
  return alone.length === 1
    ? `${short(alone[0], 24)} has no edge`
    : `${alone.length} variables without an edge`;
}

/** The legend of the graph, tones and texts; counts against the truth where they are compared. */
export function legendItems(
  /** @type {{ tp: number, fp: number, fn: number } | null} */ counts,
  /** @type {boolean} */ rejected,
  /** @type {boolean} */ proposed,
) {
  const kinds = [["plain", "edge"], ["added", "added in this step"], ["removed", "removed in this step"]];
  if (counts) {
    const { tp, fp, fn } = counts;
    const against = [["tp", `${tp} true positive`], ["fp", `${fp} false positive`], [
      "missing",
      `${fn} missing`,
    ]];
    kinds.splice(0, 2, ...against);
  }
  if (proposed) kinds.push(["proposed", rejected ? "rejected proposal" : "next proposal"]);
  return kinds;
}
