"""Where the app keeps the rows of its runs: one results file for each description."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from bjp_engine.experiments import Experiment
from bjp_engine.kernels import compiled

# A file of the largest table holds a megabyte.
MOST = 24
HOME = "BJP_RESULTS_DIR"


def results_file(experiment: Experiment) -> Path:
    """The file of an experiment, new or begun.

    Named by everything that its rows depend on: the description, and the engine's version and
    kernels, so that no rows of another engine are gone on with.
    """
    plain = json.dumps(experiment.as_plain(), sort_keys=True)
    engine = f"{metadata.version('bjp-explorer')} {compiled.FOLDER and compiled.FOLDER.name}"
    digest = hashlib.sha256(f"{engine} {plain}".encode()).hexdigest()[:16]
    return folder() / f"{experiment.name}-{digest}.db"


def folder() -> Path:
    """The folder of the results files; made if need be.

    What the environment variable BJP_RESULTS_DIR names, else the user's cache; a temporary folder
    where neither can be written.
    """
    return _folder(os.environ.get(HOME), os.environ.get("XDG_CACHE_HOME"))


def tidy(keep: Path) -> None:
    """Remove the files that were not used for longest, beyond so many."""
    files = sorted(keep.parent.glob("*.db"), key=_used, reverse=True)
    for path in [path for path in files if path != keep][MOST - 1 :]:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                path.with_name(path.name + ending).unlink()


@cache
def _folder(asked: str | None, caches: str | None) -> Path:
    """The first folder that can be written."""
    places = [asked] if asked else []
    for place in (*places, f"{caches or '~/.cache'}/bjp-explorer/experiments"):
        # Somebody without a home has no cache either.
        with suppress(OSError, RuntimeError):
            found = Path(place).expanduser()
            found.mkdir(parents=True, exist_ok=True)
            if os.access(found, os.W_OK):
                return found
    return Path(tempfile.mkdtemp(prefix="bjp-experiments-"))


def _used(path: Path) -> float:
    """When a file, or the log beside it, was written last."""
    times = [0.0]
    for each in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            times.append(each.stat().st_mtime)
    return max(times)
