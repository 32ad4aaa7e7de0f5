/** Sums over the joint table of a network's variables: what evidence makes of every variable's states. */

/**
 * The probability of each state of each variable, and the sum of all cells by their weights. The state of the last
 * variable changes fastest; weights are of each variable's states, or null where nothing is known of it.
 */
export function marginsOf(
  /** @type {number[]} how many states each variable has */ sizes,
  /** @type {ArrayLike<number>} the joint probabilities */ cells,
  /** @type {(number[] | null)[]} */ weights,
) {
  const sums = sizes.map((size) => new Array(size).fill(0));
  const states = sizes.map(() => 0);
  let total = 0;
  for (let k = 0; k < cells.length; k++) {
    const weight = weights.reduce((product, of, i) => product * (of ? of[states[i]] : 1), cells[k]);
    total += weight;
    for (let i = 0; i < sizes.length; i++) sums[i][states[i]] += weight;
    for (let i = sizes.length - 1; i >= 0; i--) {
      if (++states[i] < sizes[i]) break;
      states[i] = 0;
    }
  }
  return { total, margins: sums.map((of) => of.map((sum) => sum / total)) };
}
