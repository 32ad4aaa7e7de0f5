/** Edit edges by clicking: two nodes join, an edge goes. Python changes the graph; this only asks. */

import { edgeKey } from "../logic/history.js";
import { button, h, icon, setText } from "./dom.js";
/** @import { NetworkView } from "./network.js" */

const ANSWER = 5000;

export class EdgeEditor {
  editing = false;
  /** @type {number | null} */ picked = null;
  /** @type {string | null} */ pending = null;

  /** @param {NetworkView} network @param {(pair: [number, number]) => void} ask */
  constructor(network, ask, how = "Click two nodes to connect them, or an edge to remove it.") {
    this.network = network;
    this.ask = ask;
    this.how = how;
    network.setClickable({ nodes: false });
    this.word = h("span", "Edit edges");
    const on = { click: () => this.setEditing(!this.editing) };
    const states = { hidden: true, "aria-pressed": "false", "data-action": "edit", on };
    this.button = button("tool.wide", states, icon("edit"), this.word);
    this.hint = h("p.hint", { hidden: true, "aria-live": "polite" });
  }

  /** Called with every new graph: an edge asked for has been answered. */
  setEditable(/** @type {boolean} */ editable) {
    this.button.hidden = !editable;
    this.pending = null;
    if (!editable) this.setEditing(false);
    else this.say();
  }

  setEditing(/** @type {boolean} */ editing) {
    this.editing = editing;
    this.picked = null;
    this.button.setAttribute("aria-pressed", String(editing));
    setText(this.word, editing ? "Done" : "Edit edges");
    this.hint.hidden = !editing;
    this.network.element.toggleAttribute("data-editing", editing);
    this.network.svg.toggleAttribute("data-editing", editing);
    this.network.setClickable({ nodes: editing });
    this.say();
  }

  say() {
    const hint = this.picked === null
      ? this.how
      : `${this.network.names[this.picked]} is selected: click another node to add or remove their edge.`;
    setText(this.hint, hint);
    this.network.setPicked(this.editing ? this.picked : null);
  }

  node(/** @type {number} */ i) {
    if (!this.editing) return;
    if (this.picked !== null && this.picked !== i) this.edge(this.picked, i);
    else {
      this.picked = this.picked === null ? i : null;
      this.say();
    }
  }

  edge(/** @type {number} */ i, /** @type {number} */ j) {
    this.picked = null;
    this.request(i, j);
    this.say();
  }

  cancel() {
    if (!this.editing || this.picked === null) return;
    this.picked = null;
    this.say();
  }

  /** Show the change as asked for until the new graph comes. */
  request(/** @type {number} */ i, /** @type {number} */ j) {
    const key = edgeKey(i, j);
    this.pending = key;
    this.network.setEdge(key, Math.min(i, j), Math.max(i, j), "pending");
    this.ask([Math.min(i, j), Math.max(i, j)]);
    setTimeout(() => {
      if (this.pending === key) this.pending = null;
    }, ANSWER);
  }
}
