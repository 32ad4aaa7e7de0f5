"""Where the files that ship with the project are, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

__all__ = ["sample_data"]


def sample_data(*parts: str) -> Path:
    """The folder of sample datasets and benchmark networks, or something in it.

    Examples
    --------
    >>> from bjp_engine.resources import sample_data
    >>> sample_data("datasets", "coronary.csv").is_file()
    True
    """
    return app_files().joinpath("sample_data", *parts)


def app_files() -> Path:
    """The folder of the app and of what it shows."""
    package = Path(__file__).resolve().parent
    # A wheel carries its own copy; the folder beside an installed package is somebody else's.
    installed = package / "_app"
    return installed if installed.is_dir() else package.parent
