"""Scores and searches that other packages register.

A package names them under the entry points ``bjp_engine.scores`` and ``bjp_engine.searches``; then
`learn` and the command line take them by their names. A built-in with the same name goes first.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from bjp_engine.errors import OptionError, clip


def find_plugin(group: str, name: str) -> Any | None:
    """What a package registered under a name, made where it is a class; None where none did."""
    for entry in entry_points(group=group, name=name):
        try:
            found = entry.load()
            found = found() if isinstance(found, type) else found
        except Exception as reason:
            raise OptionError(
                f"{clip(name)} can't be loaded from {clip(entry.value)} "
                f"({type(reason).__name__}: {clip(reason)}); update the package that registers it, "
                "or remove it."
            ) from reason
        if getattr(found, "name", None) != name:
            raise OptionError(
                f"{clip(entry.value)} is registered as {clip(name)}, but its name is "
                f"{clip(getattr(found, 'name', None))}; register it by its name."
            )
        return found
    return None


def plugin_names(group: str) -> tuple[str, ...]:
    """The names that packages registered."""
    return tuple(sorted(entry_points(group=group).names))
