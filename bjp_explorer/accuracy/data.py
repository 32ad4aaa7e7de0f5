"""The comparison with other packages, as `python -m benchmarks.accuracy export` left it here.

A group is a network, a distribution and a number of rows. What is kept of it is each method's mean
over the same samples; everything below is read off these means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd
import streamlit as st

FOLDER = Path(__file__).parent
GROUP = ["network", "distribution", "rows"]
# The method for people's own data, and the paper's search.
SUBJECT, PAPER = "bjp-auto", "bjp-paper"
# Means are kept to some six digits; what differs by less is equal.
SAME = 1e-3
TENTH, EDGE = 1.1, 1.0


@dataclass(frozen=True, eq=False)
class Measured:
    """The means of some groups, and the methods."""

    # A row for each group and method, with ``hamming``, ``f1``, ``seconds``, ``true``, ``share``
    # (wrong edges per true edge), and ``least``, the lowest mean distance of any method there.
    means: pd.DataFrame
    # By method: ``title``, ``side`` ("ours" or "peer"), ``search`` (two graphs of one directed
    # graph share it), ``version``, ``judged``.
    methods: pd.DataFrame

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.means.groupby(GROUP).ngroups)

    def title(self, method: str) -> str:
        """What a method is called."""
        return str(self.methods.loc[method, "title"])

    def ours(self, method: str) -> bool:
        """Whether a method is the engine's."""
        return bool(self.methods.loc[method, "side"] == "ours")

    def score(self, method: str) -> str:
        """The score that a method of the engine climbs; nothing for another package's."""
        return method.partition("-")[0] if self.ours(method) else ""

    @cached_property
    def usual(self) -> list[str]:
        """Of each search the graph that is nearest to the truth, where most groups have one."""
        shares = self.means.groupby("method")["share"].agg(["mean", "size"])
        shares = shares[2 * shares["size"] > self.groups].sort_values("mean", kind="stable")
        searches = self.methods.loc[shares.index, "search"]
        return list(shares.index[~searches.duplicated().to_numpy()])

    def common(self, methods: Sequence[str]) -> pd.DataFrame:
        """The means of some methods in the groups where each of them has one."""
        table = self.means[self.means["method"].isin(methods)]
        size = table.groupby(GROUP)["method"].transform("size")
        return table[size == len(methods)]

    def standings(self, methods: Sequence[str]) -> pd.DataFrame:
        """What each method comes to, the nearest to the truth first.

        By method: ``share`` (mean of the groups that all have), and of its own groups ``groups``,
        ``lowest``, ``tenth`` and ``edge`` (how many; see `EDGE`), the mean ``f1`` and the median
        ``seconds``.
        """
        own = self.means[self.means["method"].isin(methods)]
        above = own["hamming"] - own["least"]
        groups = own.assign(
            lowest=above <= SAME,
            tenth=own["hamming"] <= TENTH * own["least"] + SAME,
            edge=above <= EDGE + SAME,
        ).groupby("method")
        found = groups[["lowest", "tenth", "edge"]].sum()
        found["groups"] = groups.size()
        found["f1"], found["seconds"] = groups["f1"].mean(), groups["seconds"].median()
        found["share"] = self.common(methods).groupby("method")["share"].mean()
        return found.sort_values("share", kind="stable")

    def distances(self, methods: Sequence[str]) -> pd.DataFrame:
        """Mean distances, a row for each group and a column for each method."""
        own = self.means[self.means["method"].isin(methods)]
        table = own.pivot_table(index=GROUP, columns="method", values="hamming")
        return table.reindex(columns=list(methods))

    def against(self, other: str, method: str = SUBJECT) -> tuple[int, int, int]:
        """In how many groups a method's mean distance is lower than, equal to, above another's."""
        both = self.distances([method, other]).dropna()
        gain = both[other] - both[method]
        wins, losses = int((gain > SAME).sum()), int((gain < -SAME).sum())
        return wins, len(both) - wins - losses, losses


@st.cache_resource(show_spinner=False)
def read() -> Measured:
    """The means over all samples, read once a server; the slowest methods have the first alone."""
    means = pd.read_csv(FOLDER / "means.csv", dtype={"seeds": str})
    means = means[means["seeds"] == means["seeds"].iloc[0]]
    means["share"] = means["hamming"] / means["true"]
    means["least"] = means.groupby(GROUP)["hamming"].transform("min")
    methods = pd.read_csv(FOLDER / "methods.csv", index_col="method")
    return Measured(means, methods)
