"""A graph's edges as text for a URL: few of them readable, many of them compact.

0-1,2-5     pairs of columns, while they are few
~eJxj...    one bit for each pair of columns in lexicographic order, compressed (RFC 1950),
            in the URL-safe alphabet of RFC 4648 without padding
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable

import numpy as np

from bjp_engine.errors import OptionError

# What is longer is written compactly; a graph that needs more than the second is not written.
READABLE, MOST = 240, 2000
_COMPACT = "~"
_FORM = "must be pairs of columns such as 0-1,2-5"

Pairs = list[tuple[int, int]]


def write(pairs: Iterable[tuple[int, int]], n: int) -> str:
    """Edges as text. Empty where there are none, and where the text would be longer than `MOST`."""
    found = sorted({(min(pair), max(pair)) for pair in pairs})
    text = ",".join(f"{i}-{j}" for i, j in found)
    if len(text) > READABLE:
        text = _pack(found, n)
    return text if len(text) <= MOST else ""


def read(text: str, n: int) -> Pairs:
    """Edges from text. i < j, each pair once, in lexicographic order."""
    if len(text) > MOST:
        raise OptionError(f"must be at most {MOST:,} characters")
    if text.startswith(_COMPACT):
        return _unpack(text, n)
    return sorted({_pair(part, n) for part in text.split(",")}) if text else []


def _pair(part: str, n: int) -> tuple[int, int]:
    """One readable pair."""
    ends = part.split("-")
    if len(ends) != 2 or not all(e.isascii() and e.isdecimal() and len(e) < 7 for e in ends):
        raise OptionError(_FORM)
    i, j = sorted(map(int, ends))
    if i == j or j >= n:
        raise OptionError(f"must be pairs of two different columns from 0 to {n - 1}")
    return i, j


def _pack(pairs: Pairs, n: int) -> str:
    """The compact form."""
    present = np.zeros((n, n), dtype=bool)
    if pairs:
        present[tuple(np.array(pairs).T)] = True
    bits = np.packbits(present[np.triu_indices(n, 1)]).tobytes()
    return _COMPACT + base64.urlsafe_b64encode(zlib.compress(bits, 9)).decode().rstrip("=")


def _unpack(text: str, n: int) -> Pairs:
    """The pairs of the compact form; no more is decompressed than there can be."""
    rows, columns = np.triu_indices(n, 1)
    size = (len(rows) + 7) // 8
    refused = OptionError(f"{_FORM}, or what this app wrote for a graph on {n} columns")
    body = text.removeprefix(_COMPACT)
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        bits = zlib.decompressobj().decompress(packed, size + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise refused from error
    if len(bits) != size:
        raise refused
    there = np.unpackbits(np.frombuffer(bits, dtype=np.uint8))[: len(rows)].astype(bool)
    return list(zip(rows[there].tolist(), columns[there].tolist(), strict=True))
