"""Every pair of variables as a table, of one network or of a comparison of groups."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from bjp_engine.confidence.edges import ABSENT, PRESENT, EdgeConfidence
from bjp_engine.confidence.many_groups import as_comparisons
from bjp_engine.errors import GraphError
from bjp_engine.io.graphs import disarm_cell, inert_json
from bjp_engine.io.traces import trace_json, version
from bjp_engine.validate import instance

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from bjp_engine.confidence import GroupComparison, GroupComparisons

# What is called otherwise in a table of edges.
_NAMES = {
    "error": "probability_error",
    "low": "effect_low",
    "high": "effect_high",
    "kind": "effect_kind",
}

# Of the table of pairs of groups, what is adjusted for all of them.
_ADJUSTED = ("p_adjusted", "p_strength_adjusted", "p_edges_adjusted")


def pair_csv(
    confidence: EdgeConfidence,
    graph: nx.Graph[Any],
    *,
    present: float = PRESENT,
    absent: float = ABSENT,
    effects: pd.DataFrame | None = None,
) -> str:
    r"""Write every pair with its probability and verdict, and whether it is an edge of a graph.

    It is CSV, the most probable pair first, in which no name is a formula to a spreadsheet program.
    Columns: x, y; edge, "yes" or "no"; probability, and probability_error where there is one; of
    calibrated probabilities verdict; effect, effect_low, effect_high and effect_kind of edges, and
    effect_doubt, what may be doubtful of the effect; probability_kind. What the arguments are says
    `annotate_graph`.

    Examples
    --------
    >>> from bjp_engine.confidence import EdgeConfidence
    >>> from bjp_engine.io import pair_csv
    >>> import networkx as nx, numpy as np
    >>> sure = EdgeConfidence("exact", ("a", "b"), np.array([[0, 0.7], [0.7, 0]]), None, "bjp")
    >>> pair_csv(sure, nx.Graph([("a", "b")]))
    'x,y,edge,probability,probability_kind\r\na,b,yes,0.7,exact\r\n'
    """
    instance(confidence, "confidence", EdgeConfidence, "a record of `bjp_engine.confidence`")
    if {*graph.nodes} != {*confidence.names}:
        raise GraphError(
            "graph and confidence have other variables; give what was made of the same data."
        )
    table = confidence.to_frame(effects=effects).rename(columns=_NAMES)
    ends = [*zip(table["x"], table["y"], strict=True)]
    table.insert(2, "edge", ["yes" if graph.has_edge(*pair) else "no" for pair in ends])
    if confidence.judged is not None:
        # Both tables are in one order.
        table.insert(4, "verdict", confidence.verdicts(present, absent)["verdict"])
    if effects is not None:
        from bjp_engine.parameters.effects import effect_rows

        doubts = {frozenset((row["x"], row["y"])): row["doubt"] for row in effect_rows(effects)}
        table["effect_doubt"] = [doubts.get(frozenset(pair), "") for pair in ends]
    table["probability_kind"] = str(confidence.kind)
    return inert_csv(table)


def inert_csv(table: pd.DataFrame) -> str:
    """A table as CSV in which no text is a formula to a spreadsheet program."""
    safe = table.map(lambda cell: disarm_cell(cell) if isinstance(cell, str) else cell)
    # Where these part columns, what follows them would begin a cell.
    texts = [cell for cell in safe.to_numpy().flat if isinstance(cell, str)]
    if any(sign in text for text in texts for sign in ";\t"):
        return safe.to_csv(index=False, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    return safe.to_csv(index=False, lineterminator="\r\n")


def encode_csv(text: str) -> bytes:
    """Encode CSV so that spreadsheet programs don't read it in the machine's own 8-bit code."""
    return text.encode("ascii" if text.isascii() else "utf-8-sig")


def comparison_csv(found: GroupComparison | GroupComparisons) -> str:
    r"""Write the pairs of variables of each comparison as CSV.

    Columns: group_a and group_b (a and b of a `GroupComparison`), then those of
    `GroupComparison.edges`.

    Examples
    --------
    >>> from bjp_engine.io import comparison_csv
    >>> from bjp_engine.confidence import compare_all_groups
    >>> rows = [[0, 0], [1, 1]] * 40 + [[0, 1], [1, 0]]
    >>> found = compare_all_groups({"f": rows, "m": rows}, permutations=9)
    >>> comparison_csv(found).splitlines()[0]
    'group_a,group_b,x,y,in_a,in_b,effect_a,effect_b,difference,p,p_adjusted,kind,doubt'
    """
    import pandas as pd

    tables = []
    for (a, b), one in as_comparisons(found).pairs.items():
        table = one.edges
        table.insert(0, "group_b", [b] * len(table))
        table.insert(0, "group_a", [a] * len(table))
        tables.append(table)
    return inert_csv(pd.concat(tables))


def comparison_json(found: GroupComparison | GroupComparisons) -> str:
    """Write comparisons as one object of ASCII JSON.

    It holds "type", "engine" (the version), and "pairs", a list with an object for each pair of
    groups: their names, the fields of `GroupComparison`, the p-values adjusted for all pairs of
    groups, and "edges", a list with an object for each pair of variables.

    Examples
    --------
    >>> import json
    >>> from bjp_engine.io import comparison_json
    >>> from bjp_engine.confidence import compare_all_groups
    >>> rows = [[0, 0], [1, 1]] * 40 + [[0, 1], [1, 0]]
    >>> found = compare_all_groups({"f": rows, "m": rows}, permutations=9)
    >>> [(pair["a"], pair["b"], pair["p"]) for pair in json.loads(comparison_json(found))["pairs"]]
    [('f', 'm', 1.0)]
    """
    pairs, found = [], as_comparisons(found)
    adjusted = found.table[[*_ADJUSTED]].to_dict("records")
    for ((a, b), one), more in zip(found.pairs.items(), adjusted, strict=True):
        content = json.loads(trace_json(one))
        for name in ("type", "engine"):
            content.pop(name)
        edges = one.edges.astype(object)
        # Where no row shows an effect.
        known = edges.where(edges.notna(), None).to_dict("records")
        pairs.append({"a": a, "b": b, **content, **more, "edges": known})
    return inert_json({"type": type(found).__name__, "engine": version(), "pairs": pairs})
