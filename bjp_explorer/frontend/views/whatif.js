/** What if: press a state, and see what that makes of every other variable. */

import { button, card, h, setText } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { NetworkView } from "../parts/network.js";
import { Projector } from "../parts/projector.js";
import { marginsOf } from "../logic/joint.js";
import { count, fixed } from "../logic/format.js";
/** @import { Theme } from "../parts/theme.js" */
/** @import { WhatIfPayload as WhatIf } from "../payloads.d.ts" */
/** @typedef {{ button: HTMLButtonElement, bar: HTMLElement, before: HTMLElement, value: HTMLElement }} Row */

export default class WhatIfView {
  /** @type {Theme} */ theme;
  /** @type {WhatIf} */ data;
  /** @type {Map<number, number>} the state that is known, by variable */ known = new Map();
  /** @type {Row[][]} by variable and state */ rows = [];
  /** @type {number[][]} the probabilities without evidence */ before = [];
  /** @type {HTMLElement[]} by variable */ groups = [];
  list = h("div.whatif");
  line = h("p.sub.evidence", { "aria-live": "polite" });
  note = h("p.sub");
  clear = button("tool.wide", { on: { click: () => this.forget() } }, "Forget the evidence");

  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    this.network = new NetworkView({
      label: "The network",
      compact: true,
      onNode: (i) => this.rows[i][this.known.get(i) ?? 0].button.focus(),
      onHover: (node) => this.groups.forEach((group, i) => group.toggleAttribute("data-lit", i === node)),
    });
    this.projector = new Projector(root);
    const save = exportMenu(this, this.network.svg, () => ["network"]);
    const graph = card("graph", "The network", [save], this.network.element);
    const tools = [this.clear, this.projector.buttons];
    const states = card("states", "Probabilities", tools, this.line, this.list);
    root.append(h("div.stage", h("div.pair-grid", graph.element, states.element), this.note));
  }

  update(/** @type {WhatIf} */ data) {
    if (data !== this.data) {
      this.data = data;
      this.known = new Map(data.evidence);
      this.before = this.margins(new Map()).margins;
      this.network.setGraph({ ...data, clear_of: data.edges });
      this.network.setEdges(data.edges);
      this.network.setBadges(null, null);
      setText(this.note, data.note);
      this.build();
    }
    this.show();
  }

  margins(/** @type {Map<number, number>} */ known) {
    const { states, joint } = this.data;
    const weights = states.map((labels, i) => {
      const state = known.get(i);
      return state === undefined ? null : labels.map((_, k) => Number(k === state));
    });
    return marginsOf(states.map((labels) => labels.length), joint, weights);
  }

  build() {
    const { names, states } = this.data;
    this.rows = states.map((labels, i) => labels.map((label, k) => this.row(i, k, label)));
    this.groups = names.map((name, i) =>
      h("section", { role: "group", "aria-label": name, "data-variable": i }, [
        h("h3", { dir: "auto", text: name }),
        this.rows[i].map((row) => row.button),
      ])
    );
    this.list.replaceChildren(...this.groups);
  }

  /** @returns {Row} */
  row(/** @type {number} */ i, /** @type {number} */ k, /** @type {string} */ label) {
    const bar = h("span.fill");
    const before = h("span.before", { title: "without evidence" });
    const value = h("span.value");
    return {
      bar,
      before,
      value,
      button: button("state", { "data-state": k, on: { click: () => this.press(i, k) } }, [
        h("span.name", { dir: "auto", text: label }),
        h("span.bar", bar, before),
        value,
      ]),
    };
  }

  /** A state becomes known, or, pressed again, is no longer. */
  press(/** @type {number} */ i, /** @type {number} */ k) {
    if (this.known.get(i) === k) this.known.delete(i);
    else this.known.set(i, k);
    this.show();
  }

  forget() {
    this.known.clear();
    this.show();
  }

  show() {
    const { total, margins } = this.margins(this.known);
    margins.forEach((states, i) =>
      states.forEach((probability, k) => {
        const { button, bar, before, value } = this.rows[i][k];
        button.setAttribute("aria-pressed", String(this.known.get(i) === k));
        bar.style.width = `${100 * probability}%`;
        before.style.left = `${100 * this.before[i][k]}%`;
        before.hidden = !this.known.size;
        setText(value, fixed(probability, 3));
      })
    );
    this.network.setRoles(new Map([...this.known.keys()].map((i) => [i, "given"])), "local");
    this.clear.disabled = !this.known.size;
    setText(this.line, this.sentence(total));
    this.root.dataset.known = [...this.known].map((pair) => pair.join(":")).join();
  }

  sentence(/** @type {number} */ total) {
    if (!this.known.size) return "Press a state to make it known. The bars are the network’s probabilities.";
    const known = `${count(this.known.size, "known state")}, probability ${fixed(total, 4)}`;
    return `${known}. The line in each bar is the probability without evidence.`;
  }

  destroy() {
    this.projector.destroy();
  }
}
