"""What the comparison with other packages comes to, in sentences made of its means."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from bjp_explorer.accuracy.data import PAPER, SAME, SUBJECT, Measured
from bjp_explorer.shell.text import count, number

# What each kind of data is called here, and what it is.
DISTRIBUTIONS = {
    "clique-log-weights": (
        "weak cliques",
        "every entry of a clique’s table is e to a random power",
    ),
    "clique-potentials": ("strong cliques", "every entry of a clique’s table is random"),
    "log-odds": ("attracting edges", "each edge makes equal states likelier, by the same amount"),
    "mixed-log-odds": ("mixed edges", "each edge makes equal states likelier or less likely"),
    "bayesian": ("Bayesian networks", "published networks; the truth is the moral graph"),
}


def share(some: int, of: int) -> str:
    """A count of groups with its percentage."""
    return f"{some:,} of {of:,} ({100 * some / of:.0f} %)"


def drawn(seeds: str) -> str:
    """How often each kind of data was drawn."""
    many = len(seeds.split())
    return {1: "once", 2: "twice"}.get(many, f"{many} times")


def introduction(found: Measured, seeds: str) -> str:
    """What was compared, on which data."""
    table = found.means
    sizes = _listed([f"{rows:,}" for rows in sorted(table["rows"].unique())], "or")
    return (
        f"The data come from {count(table['network'].nunique(), 'known network')}, with "
        f"{sizes} rows: {count(found.groups, 'group')} of data, each drawn "
        f"{drawn(seeds)}. Every method got the same rows and had to find the network. A **wrong "
        "edge** is a missed or a spurious edge (Hamming distance). 0 wrong edges per true edge is "
        "perfect; 1 is what an empty graph scores."
    )


def verdict(found: Measured, methods: Sequence[str]) -> str:
    """Who is nearest to the truth."""
    table = found.standings(methods)
    own = table.T[SUBJECT]
    sentence = (
        f"**{found.title(SUBJECT)}**, meant for your own data, is closest to the true network, "
        f"alone or tied, in {share(int(own['lowest']), int(own['groups']))} groups. It is within "
        f"10 % of the closest in {int(own['tenth']):,} and within one edge of it in "
        f"{int(own['edge']):,}. It makes "
        f"{number(own['share'], 2)} wrong edges per true edge"
    )
    others = {"the best other package": [m for m in methods if not found.ours(m)]}
    others["the search that the paper describes"] = [m for m in methods if m == PAPER]
    for what, names in others.items():
        if names:
            shares = table.loc[names, "share"]
            name = shares.idxmin()
            called = "" if name == PAPER else f" ({found.title(str(name))})"
            sentence += f"; {what}{called} makes {number(shares.min(), 2)}"
    return sentence + "."


def defeats(found: Measured) -> str:
    """Where the method that is judged is not the nearest."""
    table = found.means
    own = table[table["method"] == SUBJECT].set_index(["network", "distribution", "rows"])
    lost = own[own["hamming"] > own["least"] + SAME]
    if lost.empty:
        return f"No other method is closer than {found.title(SUBJECT)} in any of these groups."
    nearest = table[table["hamming"] <= table["least"] + SAME]
    nearest = nearest.set_index(["network", "distribution", "rows"])
    who = nearest.loc[nearest.index.isin(lost.index), "method"].value_counts()
    first = [f"{found.title(str(name))} ({many})" for name, many in who.head(3).items()]
    ratio = lost["hamming"].clip(lower=1) / lost["least"].clip(lower=1)
    worst = lost.reset_index().iloc[int(ratio.argmax())]
    kind, _ = DISTRIBUTIONS[worst["distribution"]]
    where = f"the network *{worst['network']}* ({kind}) with {worst['rows']:,} rows"
    return (
        f"**Where it loses:** in {count(len(lost), 'group')} another method is closer, most often "
        f"{_listed(first)}. Its worst result is on {where}: {number(worst['hamming'], 1)} wrong "
        f"edges against {number(worst['least'], 1)}."
    )


def strip_text(table: pd.DataFrame, found: Measured) -> str:
    """The strip chart as a sentence."""
    parts = [f"{found.title(str(name))} {row['share']:.2f}" for name, row in table.iterrows()]
    return f"Mean wrong edges per true edge, lowest first: {'; '.join(parts)}."


def times_text(table: pd.DataFrame, found: Measured) -> str:
    """The chart of seconds as a sentence."""
    parts = [f"{found.title(str(name))} {row['seconds']:.3g} s" for name, row in table.iterrows()]
    return f"Median seconds per search, closest to the true network first: {'; '.join(parts)}."


def _listed(parts: Sequence[str], last: str = "and") -> str:
    """Parts with commas and an "and"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
