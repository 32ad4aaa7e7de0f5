/** Sums over the joint table of a network's variables: what evidence makes of every variable's states. */

/**
 * The probability of each state of each variable, given what is known of some of them.
 *
 * @param {number[]} sizes how many states each variable has
 * @param {ArrayLike<number>} cells the joint probabilities; the state of the last variable changes fastest
 * @param {(number[] | null)[]} weights for each variable, of its states: 1 for the one known and 0 for the others; null
 *   where nothing is known
 * @returns {{ total: number, margins: number[][] }} the sum of all cells by their weights, and the probabilities
 */
export function marginsOf(sizes, cells, weights) {
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
