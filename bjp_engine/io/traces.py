"""Traces as JSON: every field of every record, and every float to its last bit.

    dataclass -> object, sequence and array -> array, graph -> {"nodes": …, "edges": …}

Floats are written as their shortest exact form, so a total read back equals the trace's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import singledispatch
from importlib import metadata
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError
from bjp_engine.io.plain import graph_fields, inert

_DISTRIBUTION = "bjp-explorer"


def trace_json(
    trace: object,
    confidence: EdgeConfidence | None = None,
    *,
    preparation: Mapping[str, Any] | None = None,
) -> str:
    """A trace as one JSON object.

    Parameters
    ----------
    trace : TestTrace, ScoreTrace or SearchTrace
        Or any dataclass made of the same parts.
    confidence : EdgeConfidence, optional
        How sure it is of each edge, added as "confidence".
    preparation : mapping, optional
        How the table was prepared, as `Preparation.to_dict` gives it, added as "preparation".

    Returns
    -------
    str
        ASCII JSON: "type" (the record's name) and "engine" (the version) first, then the
        fields in their order, then the properties that are plain numbers or text.

    Raises
    ------
    DataError
        If a number isn't finite.
    TypeError
        If it is no dataclass, or holds something that JSON can't.

    Examples
    --------
    >>> from bjp_engine.independence import TestOptions
    >>> json.loads(trace_json(TestOptions()))["gamma"]
    1.0
    """
    if not is_dataclass(trace) or isinstance(trace, type):
        raise TypeError(f"An object of type {type(trace).__name__} is no trace.")
    content = {"type": type(trace).__name__, "engine": _version(), **_encode(trace)}
    if confidence is not None:
        content["confidence"] = _encode(confidence)
    if preparation is not None:
        content["preparation"] = _encode(preparation)
    return inert(json.dumps(content, allow_nan=False))


def _version() -> str:
    """The version of the engine that runs."""
    try:
        return metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "uninstalled"


@singledispatch
def _encode(value: object) -> Any:
    """A value as JSON's types; what isn't registered below must be a dataclass."""
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"A trace can't hold an object of type {type(value).__name__} in JSON.")
    names = [field.name for field in fields(value) if not field.name.startswith("_")]
    content = {name: _encode(getattr(value, name)) for name in names}
    for name in _properties(type(value)):
        found = getattr(value, name)
        if name not in content and isinstance(found, (str, int, float)):
            content[name] = _encode(found)
    return content


def _properties(kind: type) -> list[str]:
    """The public properties of a class, base classes first."""
    return [
        name
        for base in reversed(kind.__mro__)
        for name, member in vars(base).items()
        if isinstance(member, property) and not name.startswith("_")
    ]


@_encode.register(type(None))
@_encode.register(str)
@_encode.register(int)
def _same(value: Any) -> Any:
    return value


@_encode.register(np.integer)
@_encode.register(np.bool_)
def _item(value: np.integer[Any] | np.bool_) -> Any:
    return value.item()


@_encode.register(float)
@_encode.register(np.floating)
def _number(value: float | np.floating[Any]) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise DataError(f"The trace holds {number}, and JSON only finite numbers.")
    return number


@_encode.register
def _enum(value: Enum) -> Any:
    return _encode(value.value)


@_encode.register(np.ndarray)
def _array(value: NDArray[Any]) -> Any:
    return _encode(value.tolist())


@_encode.register(Sequence)
def _sequence(value: Sequence[Any]) -> list[Any]:
    return [_encode(item) for item in value]


@_encode.register(Set)
def _set(value: Set[Any]) -> list[Any]:
    return [_encode(item) for item in sorted(value, key=repr)]


@_encode.register(Mapping)
def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): _encode(item) for key, item in value.items()}


@_encode.register(nx.Graph)
def _graph(value: nx.Graph[Any]) -> dict[str, Any]:
    return _encode(graph_fields(value))


@_encode.register
def _dataset(value: Dataset) -> dict[str, Any]:
    """A table by its digest: the trace tells on which data, not the data."""
    return {"digest": value.digest, "rows": value.rows, "names": list(value.names)}
