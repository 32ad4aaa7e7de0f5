"""What the commands share: the table, and files to be written."""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import OptionError, clip, printable
from bjp_engine.io.options import ReadArguments

if TYPE_CHECKING:
    import networkx as nx

    from bjp_engine.confidence import EdgeConfidence

# Limits are set by the environment.
_NAMES = [name for name in ReadArguments.__annotations__ if name != "limits"]
_OPTION = re.compile(rf"(?<![\w-])({'|'.join(_NAMES)})=('[^']*'|\w*)")
# What a shell has no easy way to write.
_WORDS = {"true": True, "false": False, "none": None, "tab": "\t", "space": " "}
# Seconds between two looks at the progress.
PACE = 0.1


class ProgressLine:
    """How far something is, on one line of a terminal that is written over.

    Elsewhere nothing is shown, or, of something `long`, a line for each tenth.
    """

    def __init__(self, unit: str, name: str = "", *, long: bool = False) -> None:
        self._unit, self._name, self._tenth = unit, name, -1 if long else 10
        self._last, self._open = 0.0, False
        self._began: tuple[float, int] | None = None

    def show(self, done: int, total: int) -> None:
        """Say how many of all are done, and how long the others take at this pace."""
        began, before = self._began = self._began or (time.monotonic(), done)
        text = f"{self._name}{done:,} of {total:,} {self._unit}"
        if before < done < total:
            left = (time.monotonic() - began) * (total - done) / (done - before)
            text += f", {timedelta(seconds=round(left))} left"
        tenth = 10 * done // max(total, 1)
        if tenth > self._tenth and not sys.stderr.isatty():
            self._tenth = tenth
            print(text, file=sys.stderr, flush=True)
        self.write(text)

    def write(self, text: str) -> None:
        """Say something else, unless something was said just before."""
        now = time.monotonic()
        if sys.stderr.isatty() and now - self._last >= PACE:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self._last, self._open = now, True

    def end(self) -> None:
        """Leave the line empty."""
        if self._open:
            sys.stderr.write("\r\x1b[K")
            self._open = False


def read_numbers(option: str, text: str) -> list[int]:
    """Whole numbers in a list."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"{option} {clip(text)} must be whole numbers with commas, such as 100,250,500."
        ) from None


def split_names(text: str, names: Sequence[object]) -> list[str]:
    """Names in a list; a comma may be part of one, in quotes or alone."""
    if text in map(str, names):
        return [text]
    return next(csv.reader([text], skipinitialspace=True), [])


def add_table_argument(parser: argparse.ArgumentParser) -> None:
    """The table, and how it is read."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="CSV, TSV, Parquet, Excel, SPSS, Stata, SAS or ARFF",
    )
    parser.add_argument(
        "--read",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"how the file is read, such as skip_lines=2; may be repeated: {', '.join(_NAMES)}",
    )


def reading_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of a reader of tables that were given by `--read`."""
    found: dict[str, Any] = {}
    for text in arguments.read:
        name, equals, value = text.partition("=")
        if not equals or name not in _NAMES:
            known = ", ".join(_NAMES)
            raise OptionError(f"--read {clip(text)} must read NAME=VALUE with one of {known}.")
        if name in ("columns", "missing_values"):
            found[name] = value.split(",")
        elif name in ("skip_lines", "sheet", "header_rows") and value.isdecimal():
            found[name] = int(value)
        else:
            found[name] = _WORDS.get(value.lower(), value)
    return found


def name_flags(sentence: str) -> str:
    """A sentence in which the options of a reader are the flags that a terminal has."""
    sentence = re.sub(r"(?<![\w-])(missing|paired)='([^']+)'", r"--\1 \2", sentence)
    sentence = sentence.replace("bjp_engine.parameters.impute", "bjp learn --missing impute")
    return _OPTION.sub(
        lambda found: f"--read {found[1]}={found[2].strip(chr(39)) or '…'}", sentence
    )


def read_graph_file(path: str) -> nx.Graph[Any]:
    """A graph, with what is to be known of its file on standard error."""
    from bjp_engine.io import read_graph

    graph = read_graph(path)
    print_notes(graph.graph.get("notes", ()))
    return graph


def print_notes(notes: Sequence[str]) -> None:
    """What a reader guessed or noticed, a line each on standard error."""
    for note in notes:
        print(f"reading: {printable(name_flags(note))}", file=sys.stderr)


def compile_first() -> None:
    """Compile the kernels where they are not, and say so, before anything is timed."""
    from bjp_engine.kernels import compiled
    from bjp_engine.warmup import warmup

    # What cannot be kept is compiled by each process that needs it.
    if compiled.FOLDER is not None and not compiled.is_complete():
        warmup(lambda sentence: print(sentence, file=sys.stderr, flush=True))


def check_output(option: str, path: str | None, endings: Sequence[str] = ()) -> None:
    """Refuse before the work what could not be written after it."""
    if path is None:
        return
    if endings and Path(path).suffix.lower() not in endings:
        one_of = "one of " if len(endings) > 1 else ""
        raise OptionError(f"{option} must end in {one_of}{', '.join(endings)}.")
    if not Path(path).absolute().parent.is_dir():
        raise OptionError(f"{option}: the folder of {path} doesn't exist; make it first.")


def write_pairs(
    path: str | None, confidence: EdgeConfidence | None, graph: nx.Graph[Any], **more: Any
) -> None:
    """Write the table of all pairs, if it was asked for."""
    from bjp_engine.io.graphs import encode_csv
    from bjp_engine.io.results import pair_csv

    if path is None or confidence is None:
        return
    Path(path).write_bytes(encode_csv(pair_csv(confidence, graph, **more)))
    print(f"written: {printable(path)}")
