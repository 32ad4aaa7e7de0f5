/** Marks of points by name, as paths: told apart by shape, not by colour alone. */

import { diamond } from "./cells.js";

/** @type {Record<string, (x: number, y: number, r: number) => string>} */
const PATHS = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  square: (x, y, r) => `M${x - r * 0.88} ${y - r * 0.88}h${r * 1.76}v${r * 1.76}h${-r * 1.76}z`,
  diamond: (x, y, r) => diamond(x, y, r * 1.25),
  "triangle-up": (x, y, r) =>
    `M${x} ${y - r * 1.2}L${x + r * 1.15} ${y + r * 0.85}L${x - r * 1.15} ${y + r * 0.85}z`,
  "triangle-down": (x, y, r) =>
    `M${x} ${y + r * 1.2}L${x + r * 1.15} ${y - r * 0.85}L${x - r * 1.15} ${y - r * 0.85}z`,
  star: (x, y, r) => {
    const corner = (/** @type {number} */ k) => {
      const [angle, far] = [(k * Math.PI) / 5 - Math.PI / 2, (k % 2 ? 0.55 : 1.4) * r];
      return `${(x + far * Math.cos(angle)).toFixed(2)} ${(y + far * Math.sin(angle)).toFixed(2)}`;
    };
    return `M${Array.from({ length: 10 }, (_, k) => corner(k)).join("L")}z`;
  },
};

/**
 * The outline of a symbol around a point; "-open" behind its name doesn't change it.
 *
 * @param {string} name
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function symbolPath(name, x, y, r) {
  return (PATHS[name.replace("-open", "")] ?? PATHS.circle)(x, y, r);
}

/** Whether a symbol is an outline alone. */
export const isOpen = (/** @type {string} */ name) => name.endsWith("-open");
