"""Where the files that ship with the project are, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path


def sample_data() -> Path:
    """The folder of sample datasets and benchmark networks."""
    package = Path(__file__).resolve().parent
    # A wheel carries its own copy; the folder beside an installed package is somebody else's.
    installed = package / "_app" / "sample_data"
    return installed if installed.is_dir() else package.parent / "sample_data"
