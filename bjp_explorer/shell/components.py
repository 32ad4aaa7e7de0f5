"""The browser components: a score step by step, climbs, networks, lessons, and the link.

Each function mounts one component and returns what people did in it. The browser side is plain
ES modules in ``frontend/``, served as packaged assets: the browser loads them once and a rerun
sends data only. Payloads are JSON, described in ``frontend/payloads.d.ts``; positions are in
[0, 1]², x to the right, y down; variables are indices into ``names``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import streamlit as st

Payload = Mapping[str, Any]
Callback = Callable[[], None]

_component = st.components.v2.component("bjp-explorer.views", js="main.js", css="style.css")


def _view(name: str, payload: Payload, key: str, **more: Any) -> Any:
    """Mount the one component with one of its views."""
    return _component(data={**payload, "view": name}, key=key, **more)


def numbers_in(value: object, *limits: int) -> list[int] | None:
    """Whole numbers that a component reports, each below its limit; None for anything else."""
    if not isinstance(value, (list, tuple)) or len(value) != len(limits):
        return None
    fits = (type(k) is int and 0 <= k < limit for k, limit in zip(value, limits, strict=True))
    return list(value) if all(fits) else None


def _nothing() -> None:
    """Stand in for a callback: an event is delivered only where one is registered."""


def step_view(
    payload: Payload,
    key: str,
    *,
    on_settled: Callback | None = None,
    on_toggle: Callback | None = None,
) -> Any:
    """Show one score of one graph, a test at a time.

    ``settled`` of the result is ``{"id", "step", "x", "y"}`` of the step where the player came to
    rest, or ``None`` before it first moved; ``x`` and ``y`` are ``None`` where there is no such
    variable. ``toggle`` is ``[i, j, step]`` when an edge was added or removed by hand in this run,
    else ``None``; ``predict`` is whether steps are predicted first when that was switched in this
    run, else ``None``. Step k shows the first k terms. The step is kept over reruns while ``id``
    stays, so compare ``settled["id"]`` before using an older answer; dragged nodes stay while
    ``layout_id`` does.
    """
    return _view(
        "step",
        payload,
        key,
        default={"settled": None},
        on_settled_change=on_settled or _nothing,
        on_toggle_change=on_toggle or _nothing,
        on_predict_change=_nothing,
    )


def climb_view(payload: Payload, key: str, *, on_settled: Callback | None = None) -> Any:
    """Play a hill climb, flip by flip, also while it still runs.

    ``settled`` is ``{"id", "step"}`` of the step where the player came to rest, or ``None``: only
    where the payload has ``report`` set, because each report is a rerun. ``predict`` is as in
    `step_view`. While ``series`` stays,
    steps are only added at the end.
    """
    return _view(
        "climb",
        payload,
        key,
        default={"settled": None},
        on_settled_change=on_settled or _nothing,
        on_predict_change=_nothing,
    )


def networks_view(
    payload: Payload,
    key: str,
    *,
    on_open: Callback | None = None,
    on_node: Callback | None = None,
    on_edge: Callback | None = None,
) -> Any:
    """Draw several networks on one layout, with zoom, drag and highlight in step.

    ``open`` is the key of the panel whose "Open" was pressed in this run, ``node`` the index of
    the node that was clicked, ``edge`` the ``[i, j]`` of the edge; else ``None``.
    """
    return _view(
        "networks",
        # A click is a rerun: only where somebody listens.
        {**payload, "pickable": on_node is not None, "edge_clicks": on_edge is not None},
        key,
        on_open_change=on_open or _nothing,
        on_node_change=on_node or _nothing,
        on_edge_change=on_edge or _nothing,
    )


def duel_view(payload: Payload, key: str, *, on_settled: Callback | None = None) -> Any:
    """Play two climbs on the same data side by side, also while they still run.

    ``settled`` is ``{"id", "step", "by"}`` of the place on the common timeline where the player
    came to rest, or ``None``; ``predict`` is as in `step_view`.
    """
    return _view(
        "duel",
        payload,
        key,
        default={"settled": None},
        on_settled_change=on_settled or _nothing,
        on_predict_change=_nothing,
    )


def link_view(payload: Payload, key: str, width: Literal["stretch", "content"] = "stretch") -> Any:
    """Write the address bar, or show the button that copies it."""
    return _view("link", payload, key, width=width)


def practice_view(payload: Payload, key: str, *, on_event: Callback | None = None) -> Any:
    """Ask one question after another; ``event`` is a wish for ten more, or ``None``."""
    return _view("practice", payload, key, on_event_change=on_event or _nothing)


def lesson_view(payload: Payload, key: str, *, on_event: Callback | None = None) -> Any:
    """Show one step of a lesson; ``event`` is what was done in this run, or ``None``."""
    return _view("lesson", payload, key, on_event_change=on_event or _nothing)


def projector_view(payload: Payload, key: str) -> Any:
    """Stand ready to show the page on a projector."""
    return _view("projector", payload, key)
