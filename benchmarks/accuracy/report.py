"""The tables, as Markdown: who stands where, and the mean distance in every group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.accuracy import figure
from benchmarks.accuracy.groups import BAYESIAN, DISTRIBUTIONS
from benchmarks.accuracy.methods import ALL, KINDS, titles
from benchmarks.accuracy.standing import SAME, Means, Standing, lowest, means, standings
from benchmarks.accuracy.store import Row, Store


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    rows = [list(head), ["---"] * len(head), *map(list, lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def judged_by() -> str:
    """Which graph of each method is compared with the truth."""
    said = {
        "directed": "moral graph of the directed graph; skeleton",
        "neighbourhoods": "edges both ends claim (and); either end (or)",
        "undirected": "the graph itself",
    }
    assert said.keys() == KINDS.keys()
    lines = [(one.title, f"`{one.name}`", said[one.gives]) for one in ALL]
    return table(("method", "name", "judged by"), lines)


def standing_table(found: Iterable[Standing]) -> str:
    """A line for each method."""
    known = titles()
    head = (
        "method",
        "lowest in",
        "usual ratio",
        "worst ratio",
        "mean F1",
        "median seconds",
        "over time",
        "failed",
    )
    lines = [
        (
            known.get(one.method, one.method),
            f"{one.lowest} of {one.tried} ({100 * one.lowest / one.tried:.0f} %)",
            f"{one.usual:.2f}",
            f"{one.worst:.1f}",
            f"{one.f1:.3f}",
            f"{one.seconds:.3g}",
            str(one.over),
            str(one.failed),
        )
        for one in found
    ]
    return table(head, lines)


def better_kinds(found: Sequence[Standing]) -> list[Standing]:
    """Of each method the kind of graph that is usually nearer to the lowest."""
    belongs = {name: method.name for method in ALL for name in method.rows.values()}
    best: dict[str, Standing] = {}
    for one in found:
        best.setdefault(belongs.get(one.method, one.method), one)
    return list(best.values())


def distances(table_of: Means, distribution: str, columns: Sequence[str]) -> str:
    """Mean distances of one distribution; the lowest of all methods is bold."""
    known = titles()
    lines = []
    for group, cells in table_of.items():
        if group.distribution != distribution:
            continue
        least = lowest(cells)
        shown = []
        for name in columns:
            mean = cells[name].hamming if name in cells else None
            text = "–" if mean is None else f"{mean:.1f}"
            shown.append(f"**{text}**" if mean is not None and mean <= least + SAME else text)
        lines.append((group.network, str(group.rows), f"{least:.1f}", *shown))
    head = ("network", "N", "lowest", *(known.get(name, name) for name in columns))
    return table(head, lines)


def section(title: str, rows: Sequence[Row], seeds: Sequence[int], *, whole: bool) -> list[str]:
    """Everything there is to say on some seeds."""
    found = standings(rows, seeds)
    if not found:
        return []
    parts = [f"## {title}", standing_table(found)]
    if whole:
        table_of, columns = means(rows, seeds), [one.method for one in better_kinds(found)]
        for kind in DISTRIBUTIONS:
            what = "moral graph of a Bayesian network" if kind == BAYESIAN else kind
            parts += [f"### Mean Hamming distance: {what}", distances(table_of, kind, columns)]
    return parts


def main(seeds: Sequence[int]) -> None:
    """Print the tables and draw the figure."""
    rows = Store().read()
    called = ", ".join(map(str, seeds))
    parts = ["## What is judged", judged_by()]
    parts += section(f"Methods run on seeds {called}", rows, seeds, whole=True)
    if len(seeds) > 1:
        parts += section(f"All methods, seed {seeds[0]}", rows, seeds[:1], whole=False)
    print("\n\n".join(parts))
    chosen = [one.method for one in better_kinds(standings(rows, seeds))]
    if chosen:
        figure.IMAGE.write_text(figure.draw(means(rows, seeds), chosen), encoding="utf-8")
        print(f"\ndocs/images/{figure.IMAGE.name}")
