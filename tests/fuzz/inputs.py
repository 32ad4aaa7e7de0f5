"""The inputs of the fuzzer: the n-th of a seed is always the same file, name and options."""

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Any

from tests.awkward import CASES
from tests.fuzz.mutate import mutated

_LARGEST = 40_000
# Of the corpus, what takes long to make.
_LARGE = re.compile(r"[0-9]+ (000|MB|GB)|columns$|more than may|cells than")
# Of a hundred inputs, how many begin as which file.
_SHARES = {"text": 44, "packed": 14, "parquet": 16, "xlsx": 12, "labelled": 14}
_KINDS = {".parquet": "parquet", ".xlsx": "xlsx"}
_KINDS |= dict.fromkeys((".gz", ".tgz", ".zip"), "packed")
_KINDS |= dict.fromkeys((".sav", ".dta", ".xpt", ".por"), "labelled")
_OPTIONS = (
    *({"header_rows": 0}, {"decimal": "."}, {"quote": None}),
    *({"delimiter": ";"}, {"delimiter": "whitespace"}, {"delimiter": "x"}, {"quote": "'"}),
    *({"skip_lines": 2}, {"decimal": ","}, {"sheet": 1}),
    *({"encoding": "utf-16"}, {"encoding": "latin-1"}, {"encoding": "utf-16-le"}, {"columns": [0]}),
    *({"encoding": "utf-7"}, {"encoding": "shift_jis"}, {"missing_values": ["x"]}),
    *({"format": "csv"}, {"format": "excel"}, {"format": "parquet"}),
    *({"header_rows": 2}, {"header_rows": 3}, {"format": "spss"}, {"format": "stata"}),
)


@dataclass(frozen=True)
class Input:
    """One file to be read."""

    kind: str
    data: bytes
    name: str
    options: dict[str, Any]


@cache
def seeds():
    """The small files of the corpus by kind; those that are read three times as often."""
    found = {kind: [] for kind in _SHARES}
    for case in CASES:
        if not _LARGE.search(case.name) and len(data := case.data) <= _LARGEST:
            kind = _KINDS.get(PurePath(case.file).suffix, "text")
            found[kind] += [(data, case.file)] * (1 if case.refused else 3)
    return {kind: tuple(files) for kind, files in found.items()}


def make_input(seed, number):
    """The input with some number."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choices(list(_SHARES), list(_SHARES.values()))[0]
    data, name = rng.choice(seeds()[kind])
    other, other_name = rng.choice(seeds()[rng.choice(list(_SHARES))])
    changed = mutated(rng, data, other)
    if rng.random() < 0.05:
        name = rng.choice((other_name, "", "t.csv", "t.tsv", "t.data"))
    options = dict(rng.choice(_OPTIONS)) if rng.random() < 0.25 else {}
    return Input(kind, changed, name, options)
