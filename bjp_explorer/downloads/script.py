"""How to come to a result again: a Python script that stops where rows or numbers differ.

Whatever comes from a file or a person is a literal in ASCII, as `ascii` writes it; comments hold no
text from outside but its literals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pprint import pformat
from typing import Any

import numpy as np

import bjp_engine
from bjp_engine.dataset import MISSING_LABEL
from bjp_engine.io import ReadOptions
from bjp_engine.parameters.effects import PER_STEP
from bjp_engine.scores import KnownEdges, ScoreTrace
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import PART, Loaded, network_sample, sample_frame, usual_missing
from bjp_explorer.shell.templates import render
from bjp_explorer.shell.text import plain
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.words import DRAWN

_USUAL = ReadOptions()


def script(result: Result) -> bytes:
    """A Python script. ASCII. It learns again, compares digest and score, and writes edges.csv."""
    given: dict[str, Any] = {"result": result, "search": result.learned, "drawn": DRAWN}
    given |= {"version": bjp_engine.__version__, "options": _arguments(result.options)}
    given["cells"] = _arguments(caches.test_options(result.cells))
    if not result.repeatable:
        given["edges"] = [(i, j) for i, j in edge_indices(result.graph, result.data)]
        scored = result.trace
        if not isinstance(scored, ScoreTrace):
            scored = caches.score_graph(result.data, result.graph, result.method, result.cells)
        given["total"] = scored.total
    effects, sizes = result.of_edges(), result.data.cardinalities
    given["largest"] = max((abs(one.effect) for one in effects.values()), default=None)
    signed = [pair for pair in effects if effects[pair].kind == PER_STEP]
    ordered = sorted({i for pair in signed for i in pair if sizes[i] > 2})
    given["ordered"] = f"ordered=[data.names[i] for i in {ordered}]" if ordered else ""
    return render("downloads/repeat.py.jinja", **given, **_of_rows(result.loaded)).encode("ascii")


def _of_rows(loaded: Loaded) -> dict[str, Any]:
    policy, file, steps = missing_of(loaded), file_name(loaded), ""
    if loaded.kind == "sample":
        file = f"{loaded.base.partition(':')[0]}.csv"
    if loaded.preparation is not None:
        # Outside of quotation marks `pformat` writes nothing but ASCII.
        steps = pformat(loaded.preparation.to_dict(), width=96, sort_dicts=False)
    return {
        "loaded": loaded,
        "sample": network_sample(loaded.base) if loaded.kind == "net" else None,
        "file": file,
        "reading": reading_of(loaded),
        "missing": "" if policy is None else f", missing={policy!r}",
        "steps": steps.encode("ascii", "backslashreplace").decode(),
    }


def reading_of(loaded: Loaded) -> dict[str, object]:
    """How a file was read where that isn't as usual, as arguments of `bjp_engine.io.read_frame`."""
    if loaded.reading is None:
        return {}
    given = {one.name: getattr(loaded.reading, one.name) for one in fields(ReadOptions)}
    # Limits are the machine's, and say nothing of the file.
    del given["limits"]
    return {name: value for name, value in given.items() if value != getattr(_USUAL, name)}


def file_name(loaded: Loaded) -> str:
    """What an uploaded file was called, without any folder."""
    title = re.sub(r": \d+ of \d+$", "", loaded.title) if PART in loaded.token else loaded.title
    return re.split(r"[\\/]", plain(title, 200))[-1].strip(". ") or "data.csv"


def missing_of(loaded: Loaded) -> str | None:
    """What was done with the missing cells of a sample, or of a file without a preparation."""
    if loaded.kind == "sample":
        name, _, policy = loaded.base.partition(":")
        frame = sample_frame(name)
        if loaded.preparation is not None:
            return None
        return (policy or usual_missing(frame)) if frame.isna().to_numpy().any() else None
    if not loaded.missing:
        return None
    return "state" if any(MISSING_LABEL in labels for labels in loaded.data.labels) else "drop"


def _arguments(options: Mapping[str, Any]) -> str:
    plain_ones = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in options.items()
    }
    return "".join(
        f", {name}={'KNOWN' if isinstance(value, KnownEdges) else ascii(value)}"
        for name, value in plain_ones.items()
    )
