"""What all records share: a `repr` on one line, and parts that stay locked in every copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields
from typing import Any, TypeVar, overload

import numpy as np

Kind = TypeVar("Kind")
Key = TypeVar("Key")
Value_co = TypeVar("Value_co", covariant=True)

# Characters of a record's line, of one value in it, and how many items of a sequence are listed.
WIDTH, VALUE_WIDTH, MOST_ITEMS = 160, 60, 4


def record(kind: type[Kind]) -> type[Kind]:
    """Decorate a dataclass (above `@dataclass`): a short `repr`, arrays locked in copies too.

    The fields are written in their order for as long as the line has room; large ones by their
    size. Pickle and deepcopy make arrays anew, and numpy makes them writeable.
    """
    restore = getattr(kind, "__setstate__", None)

    def restore_and_lock(self: Any, state: Any) -> None:
        if restore is not None:
            restore(self, state)
            lock_arrays(getattr(self, field.name, None) for field in fields(self))
        else:
            restore_locked(self, state)

    kind.__repr__ = one_line  # type: ignore[method-assign]
    kind.__setstate__ = restore_and_lock  # type: ignore[attr-defined]
    return kind


def keep(one: object, **values: object) -> None:
    """Put checked values in place of those that a frozen record was made with."""
    for name, value in values.items():
        object.__setattr__(one, name, value)


def restore_locked(one: Any, state: dict[str, Any]) -> None:
    """As `__setstate__` of any class that holds arrays: a copy's are read-only too."""
    vars(one).update(state)
    lock_arrays(state.values())


def lock_arrays(values: Iterable[object]) -> None:
    """Make arrays read-only, those in tuples too."""
    for value in values:
        for array in value if isinstance(value, tuple) else (value,):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)


class RecordSequence(Sequence[Kind]):
    """Records that are built from columns one by one, when they are looked at."""

    __setstate__ = restore_locked

    def build(self, k: int) -> Kind:
        """The record at a position, from 0."""
        raise NotImplementedError

    @overload
    def __getitem__(self, k: int) -> Kind: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Kind, ...]: ...
    def __getitem__(self, k: int | slice) -> Kind | tuple[Kind, ...]:
        if isinstance(k, slice):
            return tuple(self.build(i) for i in range(*k.indices(len(self))))
        return self.build(range(len(self))[k])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"


def one_line(one: Any) -> str:
    """A record's name and its first fields on one line."""
    text = f"{type(one).__name__}("
    for place, field in enumerate(field for field in fields(one) if field.repr):
        piece = f"{', ' if place else ''}{field.name}={short(getattr(one, field.name))}"
        if len(text) + len(piece) > WIDTH:
            return f"{text}{', ' if place else ''}…)"
        text += piece
    return f"{text})"


def short(value: Any) -> str:
    """A value on one line: itself where that is short, else its type and size."""
    name = type(value).__name__
    if hasattr(type(value), "number_of_nodes"):
        return f"<{value.number_of_nodes()} nodes, {value.number_of_edges()} edges>"
    if isinstance(value, np.ndarray):
        return f"<{' × '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, (Sequence, Set, Mapping)) and not isinstance(value, str):
        shown = isinstance(value, (tuple, list, dict, Set)) and len(value) <= MOST_ITEMS
        items = [*value, *(value.values() if isinstance(value, Mapping) else ())] if shown else []
        plain = all(isinstance(item, (str, int, float, tuple, type(None))) for item in items)
        text = repr(value) if shown and plain else ""
        return text if 0 < len(text) <= VALUE_WIDTH else f"<{name} of {len(value)}>"
    text = repr(value)
    if len(text) <= VALUE_WIDTH and "\n" not in text:
        return text
    return f"{text[: VALUE_WIDTH - 1]}…" if isinstance(value, str) else f"<{name}>"


class FrozenMapping(Mapping[Key, Value_co]):
    """A mapping that can't be changed, and, unlike a mappingproxy, can be pickled and copied."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Value_co]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Value_co:
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"FrozenMapping({self._items})"
