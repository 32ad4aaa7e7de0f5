"""The little of Thrift's compact protocol that tells how large a page of a Parquet file is.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

_DEPTH = 16
_BOOLEANS = (1, 2)
_BYTE, _INTEGERS, _DOUBLE, _BINARY = 3, (4, 5, 6), 7, 8
_LISTS, _MAP, _STRUCT = (9, 10), 11, 12


class ThriftError(ValueError):
    """What isn't Thrift, or ends too early."""


class Cursor:
    """A place within bytes.

    Parameters
    ----------
    data : bytes
    at : int
    """

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def integers(self) -> dict[int, int]:
        """The whole numbers of a struct by their field; everything else is passed over.

        Returns
        -------
        dict of int to int

        Raises
        ------
        ThriftError
        """
        found: dict[int, int] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._signed()
            if head & 15 in _INTEGERS:
                found[field] = self._signed()
            else:
                self._skip(head & 15, 0)
        return found

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
        elif kind == _STRUCT:
            self._skip_struct(depth)
        elif kind in _LISTS:
            self._skip_list(depth)
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

    def _skip_list(self, depth: int) -> None:
        """Pass over a list or set."""
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        kind = head & 15
        for _ in range(size):
            # Truth values take a byte each here, and none as fields.
            self._skip(_BYTE if kind in _BOOLEANS else kind, depth + 1)

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
