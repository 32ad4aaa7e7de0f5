"""Experiments written in TOML: one key for each part of the description."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from bjp_engine.errors import OptionError, clip
from bjp_engine.experiments.description import KEYS, Experiment
from bjp_engine.experiments.named import TABLES

REQUIRED = ("name", "networks", "rows", "scores")


def read_experiment(path: str | Path) -> Experiment:
    """Read a description.

    Parameters
    ----------
    path : str or Path
        A TOML file with the keys of `Experiment`. `scores` is a table whose keys are scores
        and whose values are searches, or lists of searches.

    Returns
    -------
    Experiment

    Raises
    ------
    OptionError
        If it is no TOML, or a key is missing, unknown or holds what can't be used; the
        sentence names the file and the key.
    OSError
        If the file can't be read.
    """
    try:
        plain = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionError(f"{clip(Path(path).name)} can't be read as TOML: {error}.") from None
    try:
        return _experiment(plain)
    except OptionError as error:
        raise OptionError(f"{clip(Path(path).name)}: {error}") from None


def _experiment(plain: dict[str, Any]) -> Experiment:
    """The description that a file's keys make."""
    for key in plain:
        if key not in KEYS:
            raise OptionError(f"The key {clip(key)} is not known; choose from {', '.join(KEYS)}.")
    for key in REQUIRED:
        if key not in plain:
            raise OptionError(f"The key {key!r} is missing; add it.")
    scores = plain["scores"]
    if plain["name"] in TABLES:
        raise OptionError(f"name={plain['name']!r} is the paper's; choose another.")
    if not isinstance(scores, dict):
        raise OptionError("scores must be a table, such as [scores] with bjp = 'ibmap-hc'.")
    pairs = [(score, search) for score in scores for search in _listed(scores[score])]
    return Experiment(**plain | {"scores": pairs})


def _listed(value: Any) -> list[Any]:
    """One, or several."""
    return value if isinstance(value, list) else [value]
