"""The tables in Markdown, each made of means, standings or duels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from benchmarks.accuracy.duels import Duel
from benchmarks.accuracy.groups import DISTRIBUTIONS, ROWS, Group
from benchmarks.accuracy.methods import ALL, KINDS, PAPER, SUBJECT, titles
from benchmarks.accuracy.standing import (
    EDGE,
    SAME,
    TENTH,
    Mean,
    Means,
    Standing,
    is_lowest,
    lowest,
    ratio,
)
from benchmarks.accuracy.store import Row

OURS = [method.name for method in ALL if method.ours]
TITLES = titles()
WORST = 12
JUDGED_BY = {
    "directed": "moral graph of the directed graph; skeleton",
    "neighbourhoods": "edges both ends claim (and); either end (or)",
    "undirected": "the graph itself",
}
assert JUDGED_BY.keys() == KINDS.keys()


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    rows = [list(head), ["---"] * len(head), *map(list, lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def part(some: int, of: int) -> str:
    """A count with its share: "9 of 12 (75 %)"."""
    return f"{some} of {of} ({100 * some / of:.0f} %)" if of else "–"


def signed(value: float) -> str:
    """A difference with its sign."""
    return f"{value:+.3f}".replace("-", "−")


def who(names: Iterable[str]) -> str:
    """Methods by their titles."""
    return ", ".join(TITLES.get(name, name) for name in names)


def judged_by(rows: Sequence[Row]) -> str:
    """Which graph of each method is compared with the truth, and what was run of it."""
    versions, seeds = defaultdict(set), defaultdict(set)
    for one in rows:
        if one.version:
            versions[one.method].add(one.version)
        seeds[one.method].add(one.seed)
    lines = [
        (
            one.title,
            f"`{one.name}`",
            ", ".join(sorted(versions[one.name])),
            JUDGED_BY[one.gives],
            ", ".join(map(str, sorted(seeds[one.name]))),
        )
        for one in ALL
        if seeds[one.name]
    ]
    return table(("method", "name", "version", "judged by", "seeds begun"), lines)


def standing_table(found: Iterable[Standing]) -> str:
    """A line for each method."""
    head = (
        "method",
        "lowest in",
        "within 10 %",
        "within one edge",
        "usual ratio",
        "worst ratio",
        "mean F1",
        "median seconds",
        "no mean in",
        "over time",
        "failed",
    )
    lines = [
        (
            who([one.method]),
            part(one.lowest, one.judged),
            part(one.tenth, one.judged),
            part(one.edge, one.judged),
            f"{one.usual:.2f}",
            f"{one.worst:.1f}",
            f"{one.f1:.3f}",
            f"{one.seconds:.3g}",
            str(one.tried - one.judged),
            str(one.over),
            str(one.failed),
        )
        for one in found
    ]
    return table(head, lines)


def duel_table(duels: Iterable[Duel]) -> str:
    """What one method is held against, a line each."""
    head = (
        f"{who([SUBJECT])}, against",
        "datasets",
        "groups won – equal – lost",
        "wrong edges per true edge",
        "difference (95 %)",
        "mean F1",
        "median seconds",
    )
    lines = [
        (
            who([one.other]),
            str(one.samples),
            f"{one.wins} – {one.ties} – {one.losses}",
            f"{one.own.share:.3f} against {one.theirs.share:.3f}",
            f"{signed(one.own.share - one.theirs.share)} ({signed(one.low)} to {signed(one.high)})",
            f"{one.own.f1:.3f} against {one.theirs.f1:.3f}",
            f"{one.own.seconds:.3g} against {one.theirs.seconds:.3g}",
        )
        for one in duels
    ]
    return table(head, lines)


def difference(one: Duel) -> str:
    """The mean difference of shares, with its interval."""
    mean = signed(one.own.share - one.theirs.share)
    return f"{mean} ({signed(one.low)} to {signed(one.high)})"


def slice_table(found: Means) -> str:
    """The method that is judged, in each distribution at each number of rows."""
    head = (
        "distribution",
        "N",
        "lowest in",
        "within 10 %",
        "within one edge",
        who([SUBJECT]),
        who([PAPER]),
        "best other package",
    )
    slices = [(kind, rows) for kind in DISTRIBUTIONS for rows in ROWS]
    lines = []
    for kind, rows in slices:
        cells = [c for g, c in found.items() if (g.distribution, g.rows) == (kind, rows)]
        cells = [those for those in cells if SUBJECT in those]
        if cells:
            lines.append((kind, str(rows), *slice_cells(cells)))
    return table(head, lines)


def slice_cells(cells: Sequence[dict[str, Mean]]) -> list[str]:
    """How often it is lowest, and the mean shares beside the best peer that all groups have."""
    own = [those[SUBJECT].hamming for those in cells]
    least = [lowest(those) for those in cells]
    everywhere = set.intersection(*(set(those) for those in cells))
    shares = {n: fmean(c[n].hamming / c[n].true for c in cells) for n in everywhere}
    peers = {name: value for name, value in shares.items() if name not in OURS}
    best = min(peers, key=lambda name: (peers[name], name), default=None)
    return [
        part(sum(is_lowest(those, SUBJECT) for those in cells), len(cells)),
        str(sum(a <= TENTH * b + SAME for a, b in zip(own, least, strict=True))),
        str(sum(a <= EDGE + b + SAME for a, b in zip(own, least, strict=True))),
        f"{shares[SUBJECT]:.3f}",
        f"{shares[PAPER]:.3f}" if PAPER in shares else "–",
        f"{peers[best]:.3f} ({who([best])})" if best else "–",
    ]


def loss_table(found: Means) -> str:
    """Where the method that is judged is farthest from the lowest."""
    lost = [(g, c) for g, c in found.items() if SUBJECT in c and not is_lowest(c, SUBJECT)]
    lost.sort(key=lambda pair: (-ratio(pair[1], SUBJECT), pair[0]))
    lines = [
        (*words(group), f"{cells[SUBJECT].hamming:.1f}", f"{lowest(cells):.1f}", some(best(cells)))
        for group, cells in lost[:WORST]
    ]
    return table(("network", "distribution", "N", who([SUBJECT]), "lowest", "of"), lines)


def best(cells: dict[str, Mean]) -> list[str]:
    """The methods whose mean is lowest in a group."""
    return [name for name in sorted(cells) if is_lowest(cells, name)]


def some(names: Sequence[str], many: int = 2) -> str:
    """The first of some methods, and how many there are besides."""
    more = f" and {len(names) - many} more" if len(names) > many else ""
    return who(names[:many]) + more


def words(group: Group) -> tuple[str, str, str]:
    """A group as cells of a table."""
    return group.network, group.distribution, str(group.rows)


def karate_table(rows: Sequence[Row], found: Means) -> str:
    """The strongly coupled case on which a single climb is stuck."""
    head = ("N", "seeds", who([SUBJECT]), "mean", who([PAPER]), "best other package")
    lines = []
    for many in ROWS:
        group = Group("karate", "clique-potentials", many)
        cells = found.get(group, {})
        if SUBJECT not in cells:
            continue
        own = sorted((r.seed, r.hamming) for r in rows if (r.group, r.method) == (group, SUBJECT))
        peers = {name: mean.hamming for name, mean in cells.items() if name not in OURS}
        first = min(peers, key=lambda name: (peers[name], name), default=None)
        lines.append(
            (
                str(many),
                ", ".join(str(seed) for seed, _ in own),
                ", ".join(str(distance) for _, distance in own),
                f"{cells[SUBJECT].hamming:.1f}",
                f"{cells[PAPER].hamming:.1f}" if PAPER in cells else "–",
                f"{peers[first]:.1f} ({who([first])})" if first else "–",
            )
        )
    return table(head, lines)


def distances(found: Means, distribution: str, columns: Sequence[str]) -> str:
    """Mean distances of one distribution; the lowest of all methods is bold."""
    lines = []
    for group, cells in found.items():
        if group.distribution != distribution:
            continue
        least = lowest(cells)
        shown = []
        for name in columns:
            mean = cells[name].hamming if name in cells else None
            text = "–" if mean is None else f"{mean:.1f}"
            shown.append(f"**{text}**" if mean is not None and mean <= least + SAME else text)
        lines.append((group.network, str(group.rows), f"{least:.1f}", *shown))
    head = ("network", "N", "lowest", *(who([name]) for name in columns))
    return table(head, lines)
