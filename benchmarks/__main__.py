"""`python -m benchmarks [NAME …]`: run some or all of them."""

from __future__ import annotations

import sys

from benchmarks import learning, published, shards, tests

ALL = {
    "tests": tests.main,
    "learning": learning.main,
    "shards": shards.main,
    "published": published.main,
}


def run(names: list[str]) -> int:
    """Run benchmarks by name; all of them where none is named."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; choose from {', '.join(ALL)}.")
        return 2
    for name in names or ALL:
        ALL[name]()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
