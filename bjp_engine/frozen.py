"""A mapping that can't be changed, and, unlike a mappingproxy, can be pickled and copied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

Key = TypeVar("Key")
Value_co = TypeVar("Value_co", covariant=True)


class FrozenMapping(Mapping[Key, Value_co]):
    """An immutable mapping.

    Parameters
    ----------
    items : mapping
        Copied.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Value_co]) -> None:
        """Take a copy."""
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Value_co:
        """The value of a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        """The keys, in their order."""
        return iter(self._items)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._items)

    def __repr__(self) -> str:
        """As a dict reads."""
        return f"FrozenMapping({self._items})"
