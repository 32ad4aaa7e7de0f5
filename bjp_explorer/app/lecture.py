"""In a lecture: views that a list opens, and the QR code of an address.

The list and the projector view are the browser's (``frontend/views/lecture.js``). A view of the
list is opened by the same visit, which so keeps its uploads: first a run without any page, so that
no player or widget keeps its place, then the page as its link has it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import segno
import streamlit as st

from bjp_explorer.app import words
from bjp_explorer.shell import components, visit
from bjp_explorer.views.payloads import Payload

KEY = "lecture-view"
_GOING, _ARRIVING, _COUNT, _CODE = "lecture-go", "lecture-arrive", "lecture-count", "lecture-code"
TITLES = {name: title for section in words.PAGES.values() for name, title in section.items()}
# A link's longest parameters have some two thousand characters (`step/edge_text.py`).
_MOST_PARAMETERS, _LONGEST = 60, 8_000


def show(page: str) -> bool:
    """Stand ready on a page; whether it has to wait, because another view is on its way."""
    if (arriving := st.session_state.pop(_ARRIVING, None)) is not None:
        name, query = arriving
        visit.leave()
        st.switch_page(f"pages/{name}.py", query_params=query)
    payload: Payload = {
        "page": page or next(iter(TITLES)),
        "titles": TITLES,
        "leaving": st.session_state.get(_COUNT, 0),
        "code": st.session_state.get(_CODE),
    }
    with st.container(key="lecture"):
        components.lecture_view(payload, key=KEY, on_event=_take_event)
    return _GOING in st.session_state


def _take_event() -> None:
    event = st.session_state[KEY].get("event")
    if isinstance(event, dict):
        take_up(event)


def take_up(event: Mapping[str, Any]) -> None:
    """One event of the component; what can't be understood is passed over."""
    what = event.get("what")
    if what == "go":
        page, query = event.get("page"), _texts(event.get("query"))
        if isinstance(page, str) and page in TITLES and query is not None:
            st.session_state[_GOING] = page, query
            st.session_state[_COUNT] = st.session_state.get(_COUNT, 0) + 1
    elif what == "left" and _GOING in st.session_state:
        st.session_state[_ARRIVING] = st.session_state.pop(_GOING)
    elif what == "code" and isinstance(address := event.get("address"), str):
        st.session_state[_CODE] = code(address[:_LONGEST])


def _texts(query: object) -> dict[str, str] | None:
    """Parameters of a page; None for anything else."""
    if not isinstance(query, dict) or len(query) > _MOST_PARAMETERS:
        return None
    texts = list(itertools.chain.from_iterable(query.items()))
    fits = all(isinstance(text, str) for text in texts) and sum(map(len, texts)) <= _LONGEST
    return query if fits else None


def code(address: str) -> Payload:
    """The QR code of an address, without the white around it."""
    try:
        made = segno.make_qr(address, error="l")
    except segno.DataOverflowError:
        told = words.TOO_LONG.format(characters=f"{len(address):,}")
        return {"address": address, "rows": [], "told": told}
    rows = ["".join("01"[dot] for dot in row) for row in made.matrix]
    return {"address": address, "rows": rows, "told": ""}
