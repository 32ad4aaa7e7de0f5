"""What the token of an uploaded file says: how it is read, and by which steps it is prepared.

    file:0123456789ab               read as usual, the suggested steps
    file:0123456789ab:s1:h0         the second sheet, no header line (see `options`)
    file:0123456789ab:a0            none of the suggested steps
    file:0123456789ab:a1.3          the first and the third of them
    file:0123456789ab:a:c0.2        all of them, but first only the columns 0 and 2 are kept
    file:0123456789ab:o4:drop       column 4 left out, then rows with a missing cell dropped
    file:0123456789ab:p0123456789ab any other steps, by a digest of their JSON

The parts after the file's digest stand for steps in their order; those that can't be written so are
kept with the visit, and a file of steps brings them back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.preparation import (
    DropVariables,
    KeepVariables,
    MissingCells,
    Preparation,
    Step,
)
from bjp_explorer.data.options import parts_of
from bjp_explorer.data.plan import is_fitted, normal
from bjp_explorer.data.reading import Reading
from bjp_explorer.shell.subsets import read_places

_MISSING = {"drop": "drop", "state": "state", "fill": "most_frequent", "impute": "impute"}
_DIGEST = re.compile(r"p[0-9a-f]{12}")
# A token with longer lists of columns names its steps by their digest.
_LONGEST = 240


def token_of(reading: Reading, plan: Preparation) -> str:
    """The token of what steps make of a file: its digest, and what isn't as usual.

    The same file used in the same way has the same token in every visit.
    """
    parts = parts_of(reading.upload, reading.way)
    return ":".join([reading.upload.token, *parts, *_parts_for(reading, plan)])


def digest_of(plan: Preparation) -> str:
    """What names steps in a token.

    "p" and twelve hexadecimal digits of the SHA-256 of their JSON; what the steps found in a table
    counts only where they bring it along from another one.
    """
    text = (plan if is_fitted(plan) else normal(plan)).to_json()
    return f"p{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def asked_steps(token: str) -> str | None:
    """The digest of the steps that a token names, where it names them so."""
    return next((part for part in token.split(":")[2:] if _DIGEST.fullmatch(part)), None)


def steps_of(
    reading: Reading, parts: Sequence[str], known: Mapping[str, Preparation]
) -> Preparation:
    """The steps that the parts of a token name."""
    if not parts:
        return reading.suggestion
    if _DIGEST.fullmatch(parts[0]) and len(parts) == 1:
        if parts[0] not in known:
            raise OptionError("The link needs steps that are not known here; upload their file.")
        return known[parts[0]]
    return Preparation(tuple(step for part in parts for step in _read(part, reading)))


def _parts_for(reading: Reading, plan: Preparation) -> list[str]:
    """The parts for the steps; none where they are as suggested."""
    if is_fitted(plan) or plan.unseen != "own":
        return [digest_of(plan)]
    steps, usual = normal(plan).steps, normal(reading.suggestion).steps
    if steps == usual:
        return []
    if not steps:
        return ["a0"]
    parts, rest = [], steps
    if usual and steps[: len(usual)] == usual:
        parts, rest = ["a"], steps[len(usual) :]
    places = {name: i for i, name in enumerate(reading.names)}
    for step in rest:
        part = _letter(step, places)
        if part is None and step in usual:
            part = f"a{usual.index(step) + 1}"
        if part is None:
            return [digest_of(plan)]
        parts.append(part)
    joined = _join(parts)
    return joined if len(":".join(joined)) <= _LONGEST else [digest_of(plan)]


def _join(parts: Sequence[str]) -> list[str]:
    """Suggested steps that follow each other in one part."""
    joined: list[str] = []
    for part in parts:
        before = joined[-1] if joined else ""
        if part[0] == before[:1] == "a" and before != "a":
            joined[-1] = f"{before}.{part[1:]}"
        else:
            joined.append(part)
    return joined


def _letter(step: Step, places: Mapping[Name, int]) -> str | None:
    """A step in a few characters, where that can be done."""
    if isinstance(step, MissingCells):
        return next((word for word, how in _MISSING.items() if step == MissingCells(how)), None)
    if isinstance(step, (KeepVariables, DropVariables)) and set(step.columns) <= set(places):
        letter = "c" if isinstance(step, KeepVariables) else "o"
        return letter + ".".join(str(places[name]) for name in step.columns)
    return None


def _read(part: str, reading: Reading) -> tuple[Step, ...]:
    """The steps of one part."""
    if part in _MISSING:
        return (MissingCells(_MISSING[part]),)
    usual = reading.suggestion.steps
    if part == "a":
        return usual
    if part == "a0":
        return ()
    letter, places = part[:1], read_places(part[1:])
    if letter == "a" and places and max(places) <= len(usual) and min(places) > 0:
        return tuple(usual[k - 1] for k in places)
    if letter not in ("c", "o") or not places:
        raise OptionError(f"The link holds {clip(part)}, which says nothing about a file.")
    names = reading.names
    if max(places) >= len(names) or len(set(places)) < len(places):
        raise OptionError(
            f"{clip(part[1:])} are not columns of this file; it has {len(names)} columns, counted "
            "from 0."
        )
    chosen = tuple(names[i] for i in places)
    return (KeepVariables(chosen) if letter == "c" else DropVariables(chosen),)
