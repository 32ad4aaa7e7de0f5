/** The legend of the matrix: what colours, hatch and signs mean, with the scale of probabilities. */

import { h, legend, sign } from "./dom.js";
import { cellColours } from "./theme.js";
import { WORDS } from "../logic/words.js";
/** @import { Theme } from "./theme.js" */

/** Natural logs of the probabilities shown on the scale, 1 to 10⁻³⁰⁰. */
const STOPS = [0, -0.1, -0.3, -Math.LN2, -2.3, -7, -23, -70, -230, -690];

/** @param {Theme} theme @param {boolean} dependent @param {Record<string, string>} words */
function strip(theme, dependent, words) {
  const colours = STOPS.map((log) => cellColours(theme, dependent, log).fill);
  const ticks = ["1", "½", "10⁻³", "10⁻³⁰⁰"].map((text) => h("span", text));
  return h("div.scale", [
    h("span.scale-name", sign(dependent), ` ${dependent ? words.dependence : words.independence}`),
    h("span.strip", { style: `background:linear-gradient(to right, ${colours.join(", ")})` }),
    h("span.strip-ticks", { "aria-hidden": "true" }, ticks),
  ]);
}

/** What the matrix's colours and shapes mean: with inferred cells, and with some whose skipped test disagrees. */
/** @param {Theme} theme @param {boolean} inferred @param {boolean} [disputed] */
export function scaleLegend(theme, inferred, disputed = false, words = WORDS, walked = true) {
  const shapes = [
    { mark: "cell-computed", text: words.computed },
    ...(inferred ? [{ mark: "cell-inferred", text: words.inferred }] : []),
    ...(walked ? ["todo", "current", "given"] : []).map((name) => ({
      mark: `cell-${name}`,
      text: words[name],
    })),
    { mark: "cell-doubt", text: words.doubt },
    ...(disputed ? [{ mark: "cell-bet", text: words.disputed }] : []),
  ];
  return h("div.scales", strip(theme, false, words), strip(theme, true, words), legend(shapes));
}
