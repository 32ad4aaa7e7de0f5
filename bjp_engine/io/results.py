"""Results as files: traces as JSON, pairs of variables as tables; and what is known of pairs.

In JSON every field of every record is there, and every float to its last bit, so a total read back
equals the trace's: dataclass -> object, sequence and array -> array, graph -> {"nodes", "edges"}.

What is known is read from a text of three columns, whose header may be left out. Groups that may
not touch are written pair by pair.

    x,y,known
    smoking,systolic_pressure,required
    smoking,family_anamnesis,forbidden
    mental_work,physical_work,0.9
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.confidence.edges import ABSENT, PRESENT, EdgeConfidence
from bjp_engine.confidence.groups import as_comparisons
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError, GraphError, OptionError, clip, plural
from bjp_engine.io.graphs import disarm_cell, graph_fields, inert_json, restore_cell
from bjp_engine.io.sources import read_source
from bjp_engine.scores.known import KnownEdges, What, freeze_known, read_what
from bjp_engine.validate import Name, VariableIndex, instance

if TYPE_CHECKING:
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

# A larger file is something else.
_MOST_BYTES = 1 << 24
_HEADER = ("x", "y", "known")


def trace_json(
    trace: object,
    confidence: EdgeConfidence | None = None,
    *,
    effects: pd.DataFrame | None = None,
    preparation: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
) -> str:
    """Write a trace, or any dataclass made of the same parts, as one object of ASCII JSON.

    "type" (the record's name) and "engine" (the version) stand first, then the fields in their
    order, then the properties that are plain numbers or text. What else is given follows under its
    name.

    Parameters
    ----------
    effects : DataFrame, optional
        As `FittedNetwork.effects` gives it; a list with an object for each edge.
    preparation : mapping, optional
        How the table was prepared, as `Preparation.to_dict` gives it.
    warnings : sequence of str
        What a reader has to know, see `bjp_engine.confidence.list_warnings`.

    Examples
    --------
    >>> from bjp_engine.io import trace_json
    >>> import json
    >>> from bjp_engine.independence import IndependenceOptions
    >>> json.loads(trace_json(IndependenceOptions()))["gamma"]
    1.0
    """
    if not is_dataclass(trace) or isinstance(trace, type):
        raise TypeError(f"An object of type {type(trace).__name__} is not a trace.")
    rows = None
    if effects is not None:
        from bjp_engine.parameters.effects import NUMBERS, UNKNOWN, effect_rows

        rows = [
            row | (dict.fromkeys(NUMBERS) if row["doubt"] == UNKNOWN else {})
            for row in effect_rows(effects)
        ]
    more = {
        "confidence": confidence,
        "effects": rows,
        "preparation": preparation,
        "warnings": [*warnings] or None,
    }
    content = {
        "type": type(trace).__name__,
        "engine": version(),
        **_record(trace),
        **{name: value for name, value in more.items() if value is not None},
    }
    try:
        return inert_json(content, default=_encode)
    except ValueError:
        raise DataError(
            "The trace holds a number that is not finite, and JSON holds only finite ones."
        ) from None


def version() -> str:
    """The version of the engine that runs."""
    try:
        return metadata.version("bjp-explorer")
    except metadata.PackageNotFoundError:
        return "uninstalled"


def _encode(value: Any) -> Any:
    """What JSON has no type for, as what it has one for."""
    for kind, encode in _ENCODERS.items():
        if isinstance(value, kind):
            return encode(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    raise TypeError(f"A trace can't hold an object of type {type(value).__name__} in JSON.")


def _record(one: Any) -> dict[str, Any]:
    """The public fields of a record, then its properties that are plain."""
    names = [field.name for field in fields(one) if not field.name.startswith("_")]
    content = {name: getattr(one, name) for name in names}
    if isinstance(content.get("options"), Mapping):
        # What is known may stand there as a mapping of pairs or as a table.
        content["options"] = freeze_known(content["options"])
    for base in reversed(type(one).__mro__):
        for name, member in vars(base).items():
            if isinstance(member, property) and name not in content and name[0] != "_":
                found = getattr(one, name)
                if isinstance(found, (str, int, float)):
                    content[name] = found
    return content


_ENCODERS: dict[type, Callable[[Any], Any]] = {
    Enum: lambda value: value.value,
    np.generic: lambda value: value.item(),
    np.ndarray: lambda value: value.tolist(),
    nx.Graph: graph_fields,
    # By its digest: the trace names its data, and doesn't hold them.
    Dataset: lambda data: {"digest": data.digest, "rows": data.rows, "names": list(data.names)},
    Mapping: lambda value: {str(key): item for key, item in value.items()},
    Set: lambda value: sorted(value, key=repr),
    Sequence: list,
}


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
    Columns: x, y; edge, "yes" or "no"; probability; of calibrated probabilities verdict;
    probability_error where there is one; effect, effect_low, effect_high and effect_kind of edges,
    effect_among, the rows that show the effect, and effect_doubt, what may be doubtful of it;
    probability_kind. What the arguments are says `annotate_graph`.

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

        rows = {frozenset((row["x"], row["y"])): row for row in effect_rows(effects)}
        for name in ("among", "doubt"):
            of_pairs = [rows.get(frozenset(pair), {}).get(name, "") for pair in ends]
            table[f"effect_{name}"] = of_pairs
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
    pairs, found = list[dict[Any, Any]](), as_comparisons(found)
    adjusted = found.table[[*_ADJUSTED]].to_dict("records")
    for ((a, b), one), more in zip(found.pairs.items(), adjusted, strict=True):
        edges = one.edges.astype(object)
        # Where no row shows an effect.
        known = edges.where(edges.notna(), None).to_dict("records")
        pairs.append({"a": a, "b": b, **_record(one), **more, "edges": known})
    return inert_json(
        {"type": type(found).__name__, "engine": version(), "pairs": pairs}, default=_encode
    )


def read_known(path: str | Path, names: Sequence[Name] | None = None) -> KnownEdges:
    """Read what is known of pairs from a CSV file of three columns.

    Each line has two variables and "required", "forbidden" or a probability. A first line
    x,y,known, or one that names no variable, is the header. Each line is compared with `names`, the
    variables, if these are given.
    """
    content = read_source(path, limit=_MOST_BYTES)
    return parse_known(content.data, names, content.name)


def parse_known(
    content: bytes, names: Sequence[Name] | None = None, title: str = "known"
) -> KnownEdges:
    r"""Read what is known of pairs from the UTF-8 text of a file, see `read_known`.

    Examples
    --------
    >>> from bjp_engine.io import parse_known
    >>> parse_known(b"x,y,known\na,b,required\na,c,0.9\n").rows()
    (('a', 'b', 'required'), ('a', 'c', 0.9))
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"The file {clip(title)} is not UTF-8; save it as UTF-8 text.") from None
    index = None if names is None else VariableIndex(names)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, known = list[tuple[Name, Name, What]](), dict[frozenset[Name], What]()
    line, begun = 1, False
    try:
        for line_cells in reader:
            cells = [restore_cell(cell.strip()) for cell in line_cells]
            if any(cells) and (begun or not _is_header(cells, index)):
                x, y, what = _row(cells, index, names)
                if known.setdefault(frozenset((x, y)), what) != what:
                    raise DataError(
                        f"an earlier line says something else of {clip(x)} and {clip(y)}."
                    )
                rows.append((x, y, what))
            begun, line = begun or any(cells), reader.line_num + 1
    except (OptionError, DataError, csv.Error) as error:
        raise DataError(f"Line {line} of {clip(title)}: {error}") from None
    return KnownEdges.from_rows(rows)


def _is_header(cells: list[str], index: VariableIndex | None) -> bool:
    """Whether a first line says what the columns are: x, y, known, or nothing of any variable."""
    if len(cells) != len(_HEADER) or tuple(map(str.lower, cells)) == _HEADER:
        return len(cells) == len(_HEADER)
    try:
        read_what(cells[2], "it")
    except OptionError:
        return index is not None and index.find(cells[0]) is index.find(cells[1]) is None
    return False


def _row(
    cells: list[str], index: VariableIndex | None, names: Sequence[Name] | None
) -> tuple[Name, Name, What]:
    if len(cells) != 3:
        raise DataError(
            f"it has {plural(len(cells), 'cell')}; write two variables and 'required', "
            "'forbidden' or a probability."
        )
    pair: list[Name] = [*cells[:2]]
    if index is not None and names is not None:
        pair = [names[index.place(cell)] for cell in pair]
    x, y = pair
    if x == y:
        raise DataError(f"it pairs {clip(x)} with itself; name two variables.")
    return x, y, read_what(cells[2], "it")
