"""What can be chosen on *How good is it?*: the question, and whose probabilities are looked at."""

from __future__ import annotations

import pandas as pd

from bjp_explorer.accuracy.words import ALL_KINDS, ALL_SIZES, DISTRIBUTIONS, VIEWS
from bjp_explorer.shell.choices import Field, OneOf

VIEW = OneOf("view", "accuracy-view", "others", VIEWS)
KIND = OneOf(
    "kind",
    "accuracy-kind",
    "",
    {"": ALL_KINDS} | {kind: name for kind, (name, _) in DISTRIBUTIONS.items()},
)


def size(probabilities: pd.DataFrame) -> OneOf:
    """How many rows the data have whose probabilities are looked at."""
    sizes = sorted(set(probabilities["rows"]))
    labels = {0: ALL_SIZES} | {rows: f"{rows:,} rows" for rows in sizes}
    return OneOf("size", "accuracy-size", 0, labels)


def fields(probabilities: pd.DataFrame) -> tuple[Field, ...]:
    """All choices."""
    return VIEW, KIND, size(probabilities)
