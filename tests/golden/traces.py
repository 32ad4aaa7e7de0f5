"""Digests of every search's trace: `python -m tests.golden.traces` names those that changed."""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import bjp_engine as bjp
from bjp_engine.io import trace_json
from bjp_engine.resources import sample_data
from bjp_engine.search import PUBLISHED, searches_for

HERE = Path(__file__).parent
DIGESTS, EXAMPLE = HERE / "traces.json", HERE / "trace.json"
# The evidence of auto is linear algebra; its graph and score are kept.
VARYING = ("seconds", "engine", "evidence")
# Flips tried by the searches that go on for minutes where there are a hundred variables.
MOST_FLIPS = 5_000
# Every graph on seven variables would take a minute.
MOST_EXHAUSTIVE = 6
# Rows and numbers of states: wide codes, unused states, a constant, single rows.
RANDOM = {
    "random_few_states": (300, (3, 4, 3, 2, 5, 3)),
    "random_many_states": (500, (12, 9, 3, 2, 17, 8, 4)),
    "random_wide": (900, (300, 2, 2, 40, 3)),
    "random_sparse": (40, (6, 1, 5, 9, 2, 3, 7, 4)),
    "random_large": (2_000, (2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3, 4)),
}


def random_data(name: str) -> bjp.Dataset:
    """A chain: each variable follows the one before it in half of the rows."""
    rows, sizes = RANDOM[name]
    rng = np.random.default_rng(list(RANDOM).index(name))
    codes = rng.integers(0, sizes, (rows, len(sizes)))
    for j in range(1, len(sizes)):
        follows = rng.random(rows) < 0.5
        codes[follows, j] = codes[follows, j - 1] % sizes[j]
    return bjp.Dataset.from_codes(codes, cardinalities=sizes)


def datasets() -> dict[str, Callable[[], bjp.Dataset]]:
    """Every dataset that ships with the project, and the random ones."""
    files = [path for path in sample_data("datasets").glob("*.csv") if "." not in path.stem]
    shipped = {path.stem: partial(bjp.read_table, path, missing="state") for path in files}
    return dict(sorted(shipped.items())) | {name: partial(random_data, name) for name in RANDOM}


def trace_of(data: bjp.Dataset, method: str, search: str) -> dict[str, object]:
    """A trace without what a clock, a release or the number of threads changes."""
    limit = {} if search in PUBLISHED.values() else {"evaluations": MOST_FLIPS}
    made = json.loads(trace_json(bjp.learn(data, method, search, **limit)))
    return {key: value for key, value in made.items() if key not in VARYING}


def digest(content: object) -> str:
    """Sixteen hexadecimal digits of some JSON."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def digests_of(name: str) -> Iterator[tuple[str, str]]:
    """Score and search, and the digest of their trace on a dataset."""
    data = datasets()[name]()
    for method in PUBLISHED:
        for search in searches_for(method):
            if search != "exhaustive" or data.n <= MOST_EXHAUSTIVE:
                yield f"{method} {search}", digest(trace_of(data, method, search))


def arithmetic() -> str:
    """A digest of this machine's logarithms, whose last bits may differ."""
    numbers = np.random.default_rng(0).random(40)
    values = [np.exp(numbers).tolist(), np.log(numbers).tolist()]
    logs = [[f(x) for x in numbers] for f in (math.lgamma, math.log, math.exp, math.log1p)]
    return digest([values, logs])


def main() -> None:
    """Compare with the digests that are kept, or write them."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.traces", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the digests as they are now")
    write = parser.parse_args().write
    kept = {} if write else json.loads(DIGESTS.read_text("utf-8"))
    found: dict[str, object] = {"arithmetic": arithmetic()}
    for name in datasets():
        found[name] = own = dict(digests_of(name))
        changed = [key for key, value in own.items() if value != kept.get(name, {}).get(key)]
        print(f"{name}: {len(own)} traces" + ("" if write else f", changed: {changed or 'none'}"))
    if write:
        DIGESTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        example = trace_of(datasets()["titanic"](), "bjp", "ibmap-hc")
        EXAMPLE.write_text(json.dumps(example, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
