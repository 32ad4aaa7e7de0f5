/** The words of a climb: headings, sentences and legends for a step. No DOM here. */

import { count, short, signed } from "./format.js";

/** "mental work – lipoprotein ratio" */
export function pairName(names, [i, j], most = 30) {
  return `${short(names[i], most)} – ${short(names[j], most)}`;
}

/** "Step 3 of 7"; the rejected proposal comes after the last step. */
export function title(data, step) {
  if (step === 0) return "Start";
  return step > data.steps.length ? "Rejected" : `Step ${step} of ${data.steps.length}`;
}

/** What the step did: "removes mental work – lipoprotein ratio, added at step 3" */
export function sentence(data, history, step, now) {
  const { edges } = data.start;
  if (!now) return edges.length ? `a graph of ${count(edges.length, "edge")}` : "the empty graph";
  const name = pairName(data.names, now.edge, 40);
  if (step > data.steps.length)
    return `${now.added ? "adding" : "removing"} ${name} would change the score by ${signed(now.gain)}`;
  const earlier = history.earlier(step);
  const before = earlier ? `, ${data.steps[earlier - 1].added ? "added" : "removed"} at step ${earlier}` : "";
  return `${now.added ? "adds" : "removes"} ${name}${before}`;
}

/** One line for the tooltip of the chart. */
export function brief(data, step, now) {
  if (!now) return "start";
  const where = step > data.steps.length ? "rejected" : `step ${step}`;
  return `${where}: ${now.added ? "+" : "−"} ${pairName(data.names, now.edge)}, ${signed(now.gain)}`;
}

/** "family history stays alone" */
export function isolated(names, edges) {
  const met = new Set([...edges.values()].flat());
  const alone = names.filter((_, i) => !met.has(i));
  if (alone.length === 0) return "no variable alone";
  return alone.length === 1 ? `${short(alone[0], 24)} stays alone` : `${alone.length} variables alone`;
}

/** The legend of the graph; counts against the truth where they are compared. */
export function legendItems(counts, rejected) {
  const kinds = counts
    ? [
        ["tp", `${counts.tp} true positive`],
        ["fp", `${counts.fp} false positive`],
        ["missing", `${counts.fn} missing`],
      ]
    : [
        ["plain", "edge"],
        ["added", "added in this step"],
      ];
  kinds.push(
    ["removed", "removed in this step"],
    ["proposed", rejected ? "rejected proposal" : "next proposal"],
  );
  return kinds.map(([tone, text]) => ({ mark: `line-${tone}`, text }));
}
