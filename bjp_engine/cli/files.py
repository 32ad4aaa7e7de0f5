"""What the commands share: the table, files to be written, and text that a terminal may show."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bjp_engine.errors import OptionError


def single_line(text: object) -> str:
    """Text from a file as it may be shown: one line, no control characters."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def add_table_argument(parser: argparse.ArgumentParser) -> None:
    """The table."""
    parser.add_argument("file", metavar="FILE", help="CSV, TSV, Parquet, Excel or Libra .data")


def check_output(option: str, path: str | None, endings: Sequence[str] = ()) -> None:
    """Refuse before the work what could not be written after it."""
    if path is None:
        return
    if endings and Path(path).suffix.lower() not in endings:
        one_of = "one of " if len(endings) > 1 else ""
        raise OptionError(f"{option} must end in {one_of}{', '.join(endings)}.")
    if not Path(path).absolute().parent.is_dir():
        raise OptionError(f"{option}: the folder of {path} doesn't exist; make it first.")
