"""The little of Thrift's compact protocol that tells what a Parquet file says of its pages.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from collections.abc import Iterator

_DEPTH = 16
_BOOLEANS = (1, 2)
_BYTE, _INTEGERS, _DOUBLE, _BINARY = 3, (4, 5, 6), 7, 8
_LISTS, _MAP, STRUCT = (9, 10), 11, 12


class ThriftError(ValueError):
    """What isn't Thrift, or ends too early."""


class Cursor:
    """A place within bytes."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def integers(self) -> dict[int, int]:
        """The whole numbers of a struct by their field; everything else is passed over."""
        found: dict[int, int] = {}
        for field, kind in self.fields():
            if kind in _INTEGERS:
                found[field] = self._signed()
            else:
                self.skip(kind)
        return found

    def fields(self) -> Iterator[tuple[int, int]]:
        """The fields of a struct, each with its type.

        Whoever asks for the next has read this one's value, or passed over it.
        """
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._signed()
            yield field, head & 15

    def begin_list(self, kind: int) -> tuple[int, int]:
        """How many elements of which type follow."""
        if kind not in _LISTS:
            raise ThriftError("no list")
        head = self._byte()
        return (head >> 4 if head >> 4 < 15 else self._varint()), head & 15

    def skip_elements(self, size: int, kind: int, depth: int = 0) -> None:
        """Pass over the elements of a list or set."""
        for _ in range(size):
            # Truth values take a byte each here, and none as fields.
            self._skip(_BYTE if kind in _BOOLEANS else kind, depth + 1)

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        self._skip(kind, 0)

    def _skip(self, kind: int, depth: int) -> None:
        """Pass over a value."""
        if depth > _DEPTH:
            raise ThriftError("too deep")
        if kind in _INTEGERS:
            self._varint()
        elif kind == _BYTE:
            self._forward(1)
        elif kind == _DOUBLE:
            self._forward(8)
        elif kind == _BINARY:
            self._forward(self._varint())
        elif kind == STRUCT:
            self._skip_struct(depth)
        elif kind in _LISTS:
            self.skip_elements(*self.begin_list(kind), depth)
        elif kind == _MAP:
            raise ThriftError("a map")  # no page header has one
        elif kind not in _BOOLEANS:
            raise ThriftError("unknown type")

    def _skip_struct(self, depth: int) -> None:
        """Pass over the fields of a struct."""
        while head := self._byte():
            if not head >> 4:
                self._varint()
            self._skip(head & 15, depth + 1)

    def _byte(self) -> int:
        """The next byte."""
        if self.at >= len(self.data):
            raise ThriftError("no more bytes")
        self.at += 1
        return self.data[self.at - 1]

    def _forward(self, size: int) -> None:
        """Leave out some bytes."""
        self.at += size
        if self.at > len(self.data):
            raise ThriftError("no more bytes")

    def _varint(self) -> int:
        """A number of one to ten bytes."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ThriftError("a number without an end")

    def _signed(self) -> int:
        """A number, which may be negative."""
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
