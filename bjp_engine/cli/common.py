"""What commands have in common: options, files that are read and written, and progress."""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import OptionError, clip, printable
from bjp_engine.io.options import ReadArguments
from bjp_engine.scores import PLUGINS as SCORE_PLUGINS
from bjp_engine.scores import SCORES, find_score
from bjp_engine.scores.base import plugin_names
from bjp_engine.search import PLUGINS as SEARCH_PLUGINS
from bjp_engine.search import find_search, searches_for

if TYPE_CHECKING:
    import networkx as nx

    from bjp_engine.dataset import Dataset

# Limits are set by the environment.
READING = [name for name in ReadArguments.__annotations__ if name != "limits"]
_OPTION = re.compile(rf"(?<![\w-])({'|'.join(READING)})=('[^']*'|\w*)")
IMPUTE, SUGGESTED = "impute", "suggested"
GRAPH_FORMATS = (".graphml", ".csv", ".json")
# Of the prior over graphs, which every score has.
_OF_GRAPHS = ("edge_probability", "expected_degree")

# --- Arguments ------------------------------------------------------------------------------------

# A built-in score goes before another package's of its name.
METHODS = (*dict.fromkeys((*SCORES, *plugin_names(SCORE_PLUGINS))),)
_SEARCHES = "; ".join(f"{method}: {', '.join(searches_for(method))}" for method in SCORES)
if _OTHERS := ", ".join(plugin_names(SEARCH_PLUGINS)):
    _SEARCHES += f"; of other packages: {_OTHERS}"

TABLE = {
    "file FILE": "CSV, TSV, Parquet, Excel, SPSS, Stata, SAS or ARFF",
    "--read NAME=VALUE": "how the file is read, such as skip_lines=2; may be repeated: "
    f"{', '.join(READING)}",
}
METHOD = {f"--method {'|'.join(METHODS)}": "default bjp"}
PREPARE = {
    "--missing error|drop|state": "what to do with missing cells",
    "--weights COLUMN": "a column that says how often each row was counted",
    f"--prepare [{SUGGESTED}]": "take the steps that `bjp health` suggests",
    "--roles FILE": 'a .json file of what columns are, such as {"age": "ordered", "id": "leave '
    'out"}: variable, ordered (or the states, from one end to the other), group, frequency, '
    "identifier or leave out; all else is prepared as suggested",
}
OF_SCORE = {
    "--prior float": "prior probability of independence, 0.5",
    "--gamma float": "prior weight of a contingency table's cell, 1",
    "--slices [all|observed]": "configurations K counts",
    "--prior-cells [equal|centred]": "prior of a table's cells under dependence: the same for all, "
    "or centred on independence, for variables of many states or skewed margins",
    "--ess float": "equivalent sample size of mpl, 1",
    "--edge-probability NUMBER|data": "prior probability of every edge; 'data' estimates it (learn "
    "and compare)",
    "--expected-degree float": "prior over graphs: expected neighbours per variable",
}
SCORE = TABLE | METHOD | PREPARE | OF_SCORE
LEARNER = {
    "--search str": f"{_SEARCHES}; the first is the default, ibmap-hc the paper's",
    "--known FILE": "a CSV of what is known of pairs, a line each: two variables, and required, "
    "forbidden or a probability",
}
SEARCH = LEARNER | {
    "--start str": "empty, mpl-and, mpl-or, mpl, chow-liu, or a graph file",
    "--seconds float": "time limit of the search",
    "--evaluations int": "how many flips the search may try",
    "--seed int": "seed of random numbers, default 0",
    "--option NAME=VALUE": "an option of the search or of the score, such as tenure=20 of tabu; "
    "may be repeated",
}
SCORE_OPTIONS = [usage.split()[0].strip("-").replace("-", "_") for usage in OF_SCORE]


def add_arguments(parser: argparse.ArgumentParser, *groups: Mapping[str, str]) -> None:
    """Add arguments, as one types them, with what each is for; a later group changes an earlier.

    Nothing stands after a switch; else a type, a default number, words of which the first is the
    default (in brackets: none is), or in capitals what is to be typed. `--out!` is required.
    """
    known = {
        usage.partition(" ")[0]: (usage, text) for one in groups for usage, text in one.items()
    }
    for usage, text in known.values():
        flag, _, typed = usage.partition(" ")
        needed: dict[str, Any] = {"required": True} if flag.endswith("!") else {}
        parser.add_argument(flag.rstrip("!"), help=text, **needed, **_reading(typed))


def _reading(typed: str) -> dict[str, Any]:
    """How a value is read."""
    types = {"int": int, "float": float, "str": str}
    words = typed.strip("[]").split("|")
    how: dict[str, Any] = {"metavar": typed}
    if not typed:
        return {"action": "store_true"}
    if typed == "NAME=VALUE":
        return how | {"action": "append", "default": []}
    if typed == "NUMBER|data":
        return how | {"type": _number_or_word}
    if typed in types:
        how = {"type": types[typed]}
    elif not typed[0].isalpha() and typed[0] != "[":
        how = {"type": type(json.loads(typed)), "default": json.loads(typed)}
    elif words[0].islower():
        how = {"choices": words, "default": None if typed[0] == "[" else words[0]}
    elif typed[0] == "[":
        how = {"metavar": words[0], "nargs": "?"}
    elif typed[-1] == "+":
        how = {"metavar": typed[:-1], "nargs": "+"}
    return how


def _number_or_word(text: str) -> float | str:
    """A number where it is one; the engine knows the words."""
    try:
        return float(text)
    except ValueError:
        return text


def read_numbers(option: str, text: str | None) -> list[int] | None:
    """Whole numbers in a list."""
    try:
        return None if text is None else [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"{option} {clip(text)} must be whole numbers with commas, such as 1,2,3."
        ) from None


def split_names(text: str | None, names: Sequence[object] = ()) -> list[str] | None:
    """Names in a list; a comma may be part of one, in quotes or alone."""
    if text is None or text in map(str, names):
        return None if text is None else [text]
    return next(csv.reader([text], skipinitialspace=True), [])


def is_prepared(arguments: argparse.Namespace) -> bool:
    """Whether a table is prepared by steps."""
    return (arguments.prepare, arguments.roles) != (None, None)


# --- Options of the engine ------------------------------------------------------------------------


def given_of(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The arguments that were given."""
    return {name: one for name in names if (one := getattr(arguments, name)) is not None}


def score_options(arguments: argparse.Namespace, method: str | None = None) -> dict[str, Any]:
    """The options that were given; for another method those that it has."""
    given = given_of(arguments, *SCORE_OPTIONS)
    if method is None:
        return given
    has = {*_OF_GRAPHS, *(field.name for field in fields(find_score(method).options_type))}
    return {name: value for name, value in given.items() if name in has}


def read_known(arguments: argparse.Namespace, data: Dataset) -> dict[str, Any]:
    """What is known of pairs, if a file says it."""
    import bjp_engine as bjp

    if arguments.known is None:
        return {}
    return {"known": bjp.io.read_known(arguments.known, data.names)}


def search_options(
    arguments: argparse.Namespace, method: str | None = None, search: str | None = None
) -> dict[str, Any]:
    """Options of the score, start, budget, seed and what `--option` gives for the search named.

    For another method or search those that it has.
    """
    score = find_score(method or arguments.method)
    of_search = find_search(search or arguments.search, score).options_type
    both = *fields(score.options_type), *fields(of_search)
    kinds = {field.name: type(field.default) for field in both}
    found = score_options(arguments, method)
    found |= given_of(arguments, "start", "seconds", "evaluations", "seed")
    if Path(arguments.start or "").suffix.lower() in (*GRAPH_FORMATS, ".gml"):
        found["start"] = read_graph_file(arguments.start)
    # A seed may be for confidence or effects alone.
    other = any(getattr(arguments, name, None) for name in ("confidence", "effects"))
    if other and "seed" not in kinds:
        found.pop("seed", None)
    for text in arguments.option if search in (None, arguments.search) else ():
        key, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option {clip(text)} must read NAME=VALUE.")
        kind = kinds.get(key, str)
        try:
            found[key] = kind(value) if kind in (int, float) else value
        except ValueError:
            number = "a whole number" if kind is int else "a number"
            raise OptionError(f"--option {clip(text)}: the value must be {number}.") from None
    return found


# --- Files and progress ---------------------------------------------------------------------------

# What a shell has no easy way to write.
_WORDS = {"true": True, "false": False, "none": None, "tab": "\t", "space": " "}
# Seconds between two looks at the progress.
PACE = 0.1


class ProgressLine:
    """How far something is, on one line of a terminal that is written over and empty at the end.

    Elsewhere nothing is shown, or, of something `long`, a line for each tenth.
    """

    def __init__(self, unit: str, name: str = "", *, long: bool = False) -> None:
        self._unit, self._name, self._tenth = unit, name, -1 if long else 10
        self._last, self._began = 0.0, list[tuple[float, int]]()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the line empty."""
        if self._last:
            sys.stderr.write("\r\x1b[K")
            self._last = 0.0

    def show(self, done: int, total: int) -> None:
        """Say how many of all are done, and how long the others take at this pace."""
        self._began = self._began or [(time.monotonic(), done)]
        began, before = self._began[0]
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
            self._last = now


def reading_options(read: Sequence[str]) -> dict[str, Any]:
    """The options of a reader of tables that `--read` gives."""
    found: dict[str, Any] = {}
    for text in read:
        name, equals, value = text.partition("=")
        if not equals or name not in READING:
            known = ", ".join(READING)
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


def write_text(path: str, text: str | bytes) -> None:
    """Write a file, and say so."""
    Path(path).write_bytes(text if isinstance(text, bytes) else text.encode())
    print(f"written: {printable(path)}")
