/** The legend of the matrix: what colours, hatch and signs mean, with the scale of probabilities. */

import { h, legend, sign } from "./dom.js";
import { cellColours } from "./theme.js";
/** @import { Theme } from "./theme.js" */

/** Natural logs of the probabilities shown on the scale, 1 to 10⁻³⁰⁰. */
const STOPS = [0, -0.1, -0.3, -Math.LN2, -2.3, -7, -23, -70, -230, -690];
const WALKED = [
  { mark: "cell-todo", text: "not yet reached" },
  { mark: "cell-current", text: "current" },
  { mark: "cell-given", text: "given" },
];

function strip(/** @type {Theme} */ theme, /** @type {boolean} */ dependent) {
  const colours = STOPS.map((log) => cellColours(theme, dependent, log).fill);
  const ticks = ["1", "½", "10⁻³", "10⁻³⁰⁰"].map((text) => h("span", text));
  return h("div.scale", [
    h("span.scale-name", sign(dependent), ` ${dependent ? "dependence" : "independence"}`),
    h("span.strip", { style: `background:linear-gradient(to right, ${colours.join(", ")})` }),
    h("span.strip-ticks", { "aria-hidden": "true" }, ticks),
  ]);
}

/** What the matrix's colours and shapes mean: with inferred cells, and with some whose skipped test disagrees. */
/** @param {Theme} theme @param {boolean} inferred @param {boolean} [disputed] */
export function scaleLegend(theme, inferred, disputed = false, walked = true) {
  const shapes = [
    { mark: "cell-computed", text: "computed" },
    ...(inferred ? [{ mark: "cell-inferred", text: "inferred = 1" }] : []),
    ...(walked ? WALKED : []),
    { mark: "cell-doubt", text: "below ½" },
    ...(disputed ? [{ mark: "cell-bet", text: "skipped test below ½" }] : []),
  ];
  return h("div.scales", strip(theme, false), strip(theme, true), legend(shapes));
}
