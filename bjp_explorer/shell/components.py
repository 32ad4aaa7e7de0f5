"""The browser components: a score step by step, climbs, networks, lessons, and the link.

The browser side is plain ES modules in ``frontend/``, served as packaged assets: the browser loads
them once and a rerun sends data only. Payloads are JSON, described in ``frontend/payloads.d.ts``;
positions are in [0, 1]², x to the right, y down; variables are indices into ``names``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import streamlit as st

_component = st.components.v2.component("bjp-explorer.views", js="main.js", css="style.css")
# What each view reports.
#
# settled: where the player came to rest, ``{"id", "step", …}``, or None before it first moved;
#     compare ``id`` before using an older answer. Of a climb only where the payload has ``report``
#     set, because each report is a rerun.
# Of this run only, else None: toggle, ``[i, j, step]`` of an edge that was added or removed by
#     hand; predict, whether results are predicted first, when that was switched; open, the key of
#     the panel whose "Open" was pressed; edge, the ``[i, j]`` that was clicked; event, what was
#     done in a lesson or in practice, or what the browser keeps of lessons; theme, whether the page
#     has become dark.
_EVENTS = {
    "step": ("settled", "toggle", "predict", "event"),
    "climb": ("settled", "predict"),
    "duel": ("settled", "predict"),
    "networks": ("open", "edge"),
    "lesson": ("event",),
    "practice": ("event",),
    "link": ("theme",),
}


def show(
    view: str,
    payload: Mapping[str, Any],
    key: str,
    width: Literal["stretch", "content"] = "stretch",
    **called: Callable[[], None],
) -> Any:
    """Mount the one component with one of its views, and return what it reports.

    An event may have a function of its name that is called before the next run.
    """
    events = _EVENTS.get(view, ())
    # An event is delivered only where a callback is registered.
    more: dict[str, Any] = {f"on_{e}_change": called.get(e, lambda: None) for e in events}
    if "settled" in events:
        more["default"] = {"settled": None}
    return _component(data={**payload, "view": view}, key=key, width=width, **more)


def numbers_in(value: object, *limits: int) -> list[int] | None:
    """Whole numbers that a component reports, each below its limit; None for anything else."""
    if not isinstance(value, (list, tuple)) or len(value) != len(limits):
        return None
    fits = (type(k) is int and 0 <= k < limit for k, limit in zip(value, limits, strict=True))
    return list(value) if all(fits) else None
