/** Where an axis is marked. */

/** Round values that cover a range: 1, 2 or 5 times a power of ten. */
export function ticks(/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ most) {
  const raw = (high - low) / Math.max(1, most);
  const size = 10 ** Math.floor(Math.log10(raw || 1));
  const sizes = [1, 2, 5, 10].map((m) => m * size);
  const inside = (/** @type {number} */ s) => Math.floor(high / s + 1e-9) - Math.ceil(low / s - 1e-9) + 1;
  // As coarse as possible, but one mark alone gives no scale.
  const step = sizes.find((s) => s >= raw && inside(s) > 1) ?? sizes.findLast((s) => inside(s) > 1) ??
    sizes[0];
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) {
    found.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  }
  return found;
}
