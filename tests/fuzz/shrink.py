"""Smaller inputs that fail in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS = 20


def smallest(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Bytes from which nothing can be taken, as far as the time allows.

    Parameters
    ----------
    data : bytes
    fails : callable(bytes) -> bool

    Returns
    -------
    bytes
    """
    end = time.monotonic() + SECONDS
    size = max(1, len(data) // 2)
    while size and time.monotonic() < end:
        at, shorter = 0, False
        while at < len(data) and time.monotonic() < end:
            trial = data[:at] + data[at + size :]
            if fails(trial):
                data, shorter = trial, True
            else:
                at += size
        size = size if shorter else size // 2
    return data
