"""How near counting comes to what the machine can read: bytes a second, beside a plain sum."""

from __future__ import annotations

import numpy as np
from numba import njit

import bjp_engine as bjp
from benchmarks import samples
from benchmarks.measure import rounds
from bjp_engine.kernels.table import count_pairs, pack

GB = 1e9


@njit(cache=True)
def total(words):
    """The sum of an array, as fast as compiled code reads it."""
    found = np.uint64(0)
    for word in words:
        found += word
    return found


def main() -> None:
    """Count all pairs of a thousand variables; sum an array from memory, and one from the cache."""
    data = samples.dependent_pairs(1000, 100_000)
    planes = pack(data.codes, data.cardinalities)
    many, words = planes.words.shape
    # Every pair reads two planes; the second comes from the nearest cache.
    looked_at = many * (many + 1) // 2 * words * 8
    far, near = np.ones(1 << 26, dtype=np.uint64), np.ones(1 << 16, dtype=np.uint64)
    works = {
        "sum of 512 MB": lambda: total(far),
        "sum of 512 KB, 1000 times": lambda: [total(near) for _ in range(1000)],
        "copy of 512 MB": far.copy,
        "packing": lambda: pack(data.codes, data.cardinalities),
        "pairs": lambda: count_pairs(planes.words, planes.pairs, 0, many),
        "learn": lambda: bjp.learn(data, search="ibmap-hc"),
    }
    taken = rounds(works, 3)
    sizes = {
        "sum of 512 MB": far.nbytes,
        "sum of 512 KB, 1000 times": near.nbytes * 1000,
        "copy of 512 MB": 2 * far.nbytes,
        "packing": data.codes.nbytes,
        "pairs": looked_at,
    }
    print(f"\nBytes a second, n = {data.n}, N = {data.rows:,}, one core\n")
    print("| work | bytes | seconds | GB/s |\n|---|---|---|---|")
    for name, size in sizes.items():
        rate = size / taken[name] / GB
        print(f"| {name} | {size / GB:.2f} GB | {taken[name]:.3f} | {rate:.1f} |")
