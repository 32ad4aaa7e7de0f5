"""What a reader of files takes on at most, and the clock that ends what takes too long.

Every limit has a name, a value and an environment variable of its own; a refusal names the
cause, the limit and what to do.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields

from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.validate import whole_number

MEGABYTE = 1024**2


def variable(name: str) -> str:
    """The environment variable of a limit."""
    return f"BJP_MAX_{name.upper()}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper limits on what is read.

    Parameters
    ----------
    file_mb : int
        Megabytes of a file that is held in memory, and of what an archive or a workbook unpacks to;
        a Parquet file given by its path isn't held.
    columns, cells : int
        Of a table.
    distinct : int
        Different texts in the cells of all columns together; each is held once.
    seconds : int
        From opening a file to its table; between batches of a Parquet file.
    memory_mb : int
        Megabytes of the process that reads an archive, a workbook, or a file of Parquet, SPSS,
        Stata or SAS.
    """

    file_mb: int = 1024
    columns: int = 20_000
    cells: int = 200_000_000
    distinct: int = 10_000_000
    seconds: int = 300
    memory_mb: int = 4096

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        for field in fields(self):
            whole_number(getattr(self, field.name), f"The limit {field.name}", 1)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Limits:
        """The limits, with those that environment variables set, `BJP_MAX_FILE_MB` and so on.

        Examples
        --------
        >>> from bjp_engine.io import Limits
        >>> Limits.from_environment({"BJP_MAX_COLUMNS": "100"}).columns
        100
        """
        given = os.environ if environment is None else environment
        found = {}
        for field in fields(cls):
            text = given.get(variable(field.name), "").strip()
            if text:
                if not (text.isascii() and text.isdecimal() and len(text) < 16 and int(text)):
                    raise OptionError(
                        f"{variable(field.name)}={clip(text)} must be a whole number from 1; "
                        "correct or unset the variable."
                    )
                found[field.name] = int(text)
        return cls(**found)


# What a refusal says that a file does.
_REFUSALS = {
    "file_mb": "unpacks to more than {} MB",
    "columns": "has more columns than {}",
    "cells": "has more cells than {}",
    "distinct": "has more different cells than {}",
    "seconds": "takes longer to read than {} s",
    "memory_mb": "needs more memory to read than {} MB",
}


class Guard:
    """The limits while one file is read, which sentences call by its title."""

    def __init__(
        self, limits: Limits, title: str = "The file", progress: Progress = UNWATCHED
    ) -> None:
        self.limits = limits
        self.title = title
        # How many there will be to read, once that is known.
        self.lines = 0
        self.progress = progress
        self._end = time.monotonic() + limits.seconds

    def refusal(self, name: str) -> DataError:
        """The sentence for a file that exceeds a limit."""
        does = _REFUSALS[name].format(f"{getattr(self.limits, name):,}")
        return DataError(
            f"{self.title} {does} (the limit {variable(name)}); leave identifiers, other columns "
            "or rows out."
        )

    def check(self, name: str, amount: float) -> None:
        """Refuse what exceeds a limit; called while a file is unpacked and read."""
        if amount > getattr(self.limits, name):
            raise self.refusal(name)

    def tick(self, done: int = 0) -> None:
        """End what takes too long."""
        self.progress.tick(min(done, self.lines), self.lines if done else 0)
        if time.monotonic() > self._end:
            raise self.refusal("seconds")
