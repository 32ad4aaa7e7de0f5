"""Traces as JSON: every field of every record, and every float to its last bit.

    dataclass -> object, sequence and array -> array, graph -> {"nodes": …, "edges": …}

Floats are written as their shortest exact form, so a total read back equals the trace's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import metadata
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError
from bjp_engine.io.graphs import graph_fields, inert_json
from bjp_engine.scores.known import freeze_known

if TYPE_CHECKING:
    import pandas as pd


def trace_json(
    trace: object,
    confidence: EdgeConfidence | None = None,
    *,
    effects: pd.DataFrame | None = None,
    preparation: Mapping[str, Any] | None = None,
    shown: Mapping[str, Any] | None = None,
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
    shown : mapping, optional
        The "nodes" and "edges" of a part of the graph, which `read_graph` reads first.
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
        "shown": shown,
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
