/** Keyboard for players: → ← space Home End, for the one player that is looked at, never while typing. */

const OWNERS =
  "input, textarea, select, [contenteditable], [role=slider], [role=listbox], [role=option], [role=menu], " +
  "[role=menuitem], [role=tab], [role=tablist], [role=radio], [role=radiogroup], [role=combobox], [role=spinbutton], " +
  "[role=grid], [role=gridcell], [role=tree], [role=textbox]";

/** The matrix takes the keys that move in it; letters are left to the player. */
const PASSING = "svg.body[role=grid]";
const DIALOG = "[role=dialog][aria-modal=true]";
const LETTER = /^[a-z1-9?.]$/;

/** @type {Set<{ root: HTMLElement }>} */ const players = new Set();

function taken(/** @type {KeyboardEvent} */ event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return true;
  // A question mark is typed with shift on most keyboards.
  if (event.shiftKey && event.key !== "?") return true;
  const path = event.composedPath().filter((node) => node instanceof Element);
  const owns = (/** @type {Element} */ node) =>
    node.matches(OWNERS) || (node instanceof HTMLElement && node.isContentEditable);
  if (path.some((node) => owns(node) && !(LETTER.test(event.key) && node.matches(PASSING)))) return true;
  return event.key === " " && Boolean(path[0]?.closest("button, summary, [role=button]"));
}

/** A control that was clicked is done with: it gives the keys back, unless one types or tabs in it. */
const CLICKED =
  "[role=radio], [role=option], [role=switch], input[type=checkbox], input[type=radio], label, button";
const TYPED = "input:not([type=checkbox], [type=radio], [role=combobox]), textarea, [contenteditable]";

function giveBack(/** @type {MouseEvent} */ event) {
  // A click made by a key has no detail.
  const target = event.composedPath()[0];
  if (event.detail === 0 || !(target instanceof Element) || !target.closest(CLICKED)) return;
  setTimeout(() => {
    const holder = /** @type {HTMLElement | null} */ (document.activeElement);
    const open = holder?.getAttribute("aria-expanded") === "true";
    if (holder && holder !== document.body && !open && !holder.matches(TYPED) && !holder.shadowRoot) {
      holder.blur();
    }
  }, 0);
}
document.addEventListener("click", giveBack, true);

function visibleArea(/** @type {HTMLElement} */ root) {
  if (root.checkVisibility && !root.checkVisibility()) return 0;
  const { top, bottom, left, right } = root.getBoundingClientRect();
  const height = Math.min(bottom, innerHeight) - Math.max(top, 0);
  const width = Math.min(right, innerWidth) - Math.max(left, 0);
  return height > 0 && width > 0 ? height * width : 0;
}

const treeOf = (/** @type {HTMLElement} */ root) => /** @type {ShadowRoot | Document} */ (root.getRootNode());

const hasFocus = (/** @type {HTMLElement} */ root) => root.contains(treeOf(root).activeElement);

/** The player that answers: the one with the focus, else the one that fills most of the window. */
function answering() {
  const seen = [...players]
    .map((player) => ({ player, area: visibleArea(player.root) }))
    .filter(({ area }) => area > 0);
  const largest = seen.sort((a, b) => b.area - a.area)[0];
  return (seen.find(({ player }) => hasFocus(player.root)) ?? largest)?.player ?? null;
}

function behindDialog(/** @type {HTMLElement} */ root) {
  const dialog = document.querySelector(DIALOG);
  const tree = treeOf(root);
  return dialog !== null && !dialog.contains(tree instanceof ShadowRoot ? tree.host : root);
}

/**
 * Listen for a player; bindings: { key: action }. An action that returns false leaves the key to the page.
 * Returns a function that stops listening for this player alone.
 */
export function listen(
  /** @type {{ root: HTMLElement }} */ player,
  /** @type {Record<string, () => unknown>} */ bindings,
) {
  const listening = new AbortController();
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const action = bindings[event.key];
    if (!action || taken(event) || answering() !== player || behindDialog(player.root)) return;
    if (action() !== false) event.preventDefault();
  };
  players.add(player);
  document.addEventListener("keydown", onKey, { signal: listening.signal });
  return () => {
    players.delete(player);
    listening.abort();
  };
}

/**
 * Listen for the page itself, whichever player answers; bindings as above, and a player's own key comes first.
 */
export function listenForPage(/** @type {Record<string, () => unknown>} */ bindings) {
  addEventListener("keydown", (event) => {
    const action = Object.hasOwn(bindings, event.key) ? bindings[event.key] : null;
    if (!action || taken(event) || document.querySelector(DIALOG)) return;
    if (action() !== false) event.preventDefault();
  });
}
