"""What the results come to: sentences and tables, each under the name it has in the docs."""

from __future__ import annotations

from collections import Counter

from benchmarks.accuracy import figure, goals, tables
from benchmarks.accuracy.compared import Results, without
from benchmarks.accuracy.groups import BAYESIAN, DISTRIBUTIONS
from benchmarks.accuracy.methods import SUBJECT
from benchmarks.accuracy.standing import standings
from benchmarks.accuracy.tables import OURS, part, who


def summary(results: Results) -> str:
    """What there is to say first."""
    mine = results.mine(results.means)
    if mine is None:
        return f"{who([SUBJECT])} was not run yet."
    others = [name for name in OURS if name != SUBJECT]
    packages = results.mine(without(results.means, others))
    assert packages is not None
    judged = [cells for cells in results.means.values() if SUBJECT in cells]
    lost = Counter(
        name
        for cells in judged
        if not tables.is_lowest(cells, SUBJECT)
        for name in tables.best(cells)
    )
    seeds, whose = ", ".join(map(str, results.seeds)), lost.most_common(5)
    return (
        f"The comparison uses seeds {seeds}. {who([SUBJECT])} has a mean in {mine.judged} of "
        f"{len(results.means)} groups. Its mean distance is the lowest of all methods, the "
        f"engine's others included, in {part(mine.lowest, mine.judged)}; without the engine's "
        f"others, in {part(packages.lowest, packages.judged)}. Methods that tie all count as "
        f"lowest. It is within 10 % of the lowest in {part(mine.tenth, mine.judged)}, and within "
        f"one edge of it in {part(mine.edge, mine.judged)}. Its distance is usually "
        f"{mine.usual:.2f} times the lowest, at worst {mine.worst:.1f} times (distances below one "
        "edge count as one).\n\n"
        "Where another method is better, the lowest is "
        + ", ".join(f"{who([name])} ({many})" for name, many in whose)
        + ("." if len(whose) == len(lost) else ", and others.")
    )


def sections(results: Results) -> dict[str, str]:
    """What stands in the docs, by its name there."""
    first = standings(results.rows, [0])
    return {
        "methods": tables.judged_by(results.rows),
        "summary": summary(results),
        "goals": goals.table(results),
        "standings": tables.standing_table(results.standings),
        "against": tables.duel_table(results.duels),
        "slices": tables.slice_table(results.means),
        "losses": tables.loss_table(results.means),
        "karate": tables.karate_table(results.judged, results.means),
        "first-seed": tables.standing_table(first),
    }


def groups(results: Results) -> dict[str, str]:
    """The mean distance of every group, a table a distribution."""
    return {
        f"mean Hamming distance, {'published networks' if kind == BAYESIAN else kind}": (
            tables.distances(results.means, kind, results.columns)
        )
        for kind in DISTRIBUTIONS
    }


def picture(results: Results) -> str:
    """The figure."""
    return figure.draw(results.means, results.columns)
