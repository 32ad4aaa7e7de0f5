"""A comparison of groups as a file: a table of pairs of variables, or JSON with every number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bjp_engine.confidence.many_groups import as_comparisons
from bjp_engine.io.graphs import disarm_cell, inert_json
from bjp_engine.io.traces import trace_json, version

if TYPE_CHECKING:
    from bjp_engine.confidence import GroupComparison, GroupComparisons

# Of the table of pairs of groups, what is adjusted for all of them.
_ADJUSTED = ("p_adjusted", "p_strength_adjusted", "p_edges_adjusted")


def comparison_csv(found: GroupComparison | GroupComparisons, *, safe: bool = True) -> str:
    r"""Write the pairs of variables of each comparison as CSV.

    Columns: group_a and group_b (a and b of a `GroupComparison`), then those of
    `GroupComparison.edges`. `safe` is that of `edge_csv`.

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
    whole = pd.concat(tables)
    if safe:
        for column in ("group_a", "group_b", "x", "y"):
            whole[column] = [
                disarm_cell(name) if isinstance(name, str) else name for name in whole[column]
            ]
    return whole.to_csv(index=False, lineterminator="\r\n")


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
