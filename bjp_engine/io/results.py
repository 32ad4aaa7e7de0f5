"""Results as files: traces as JSON, groups as CSV; and what is known of pairs, as it is read.

In JSON every field of every record is there, and every float to its last bit, so a total read back
equals the trace's: dataclass -> object, sequence and array -> array, graph -> {"nodes", "edges"}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import metadata
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.confidence.comparison import as_comparisons
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError, OptionError, plural
from bjp_engine.io.graphs import (
    graph_fields,
    inert_csv,
    inert_json,
    known_effects,
    list_records,
    restore_cell,
)
from bjp_engine.io.sources import Source, decode, read_source
from bjp_engine.scores.prior import KnownEdges, freeze_known
from bjp_engine.validate import Name, VariableIndex

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.confidence import GroupComparison, GroupComparisons


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
    more = {
        "confidence": confidence,
        "effects": None if effects is None else known_effects(effects),
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

    tables = {pair: one.edges for pair, one in as_comparisons(found).pairs.items()}
    groups = ["group_a", "group_b"]
    return inert_csv(pd.concat(tables, names=groups).reset_index(groups))


def read_known(source: Source, names: Sequence[Name] | None = None) -> KnownEdges:
    r"""Read what is known of pairs from CSV in UTF-8, a line each of three cells.

    Each has two variables and "required", "forbidden" or a probability; a first line x,y,known is
    the header. Lines are compared with `names`, the variables, if these are given. Groups that may
    not touch are written pair by pair.

    Examples
    --------
    >>> from bjp_engine.io import read_known
    >>> read_known(b"x,y,known\na,b,required\na,c,0.9\n").rows()
    (('a', 'b', 'required'), ('a', 'c', 0.9))
    """
    content = read_source(source)
    index = None if names is None else VariableIndex(names)
    records = list_records(decode(content, "utf-8", [])[0].decode())
    rows = list[tuple[Any, Any, Any]]()
    for number, record in records:
        cells: list[Any] = [restore_cell(cell.strip()) for cell in record]
        if number == records[0][0] and [*map(str.lower, cells)] == ["x", "y", "known"]:
            continue
        try:
            if len(cells) != 3:
                raise DataError(
                    f"it has {plural(len(cells), 'cell')}; write two variables and 'required', "
                    "'forbidden' or a probability."
                )
            if names is not None and index is not None:
                cells[:2] = [names[index.place(cell)] for cell in cells[:2]]
            rows.append((*cells,))
            KnownEdges(likely=rows[-1:])
        except (OptionError, DataError) as error:
            raise DataError(f"{content.title}, line {number}: {error}") from None
    return KnownEdges(likely=rows)
