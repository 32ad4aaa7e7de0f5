"""The three ways to a dataset, and how they keep in step with the current dataset."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.data import files, networks, samples
from bjp_explorer.shell import visit
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, names_list

_WAY = OneOf(
    "",
    "data-way",
    "sample",
    {
        "sample": ":material/dataset: Sample datasets",
        "file": ":material/upload_file: Your own file",
        "net": ":material/hub: Benchmark network",
    },
)
_FOLLOWED = "data-followed"


def choose(loaded: Loaded) -> Loaded:
    """Show the ways in and take in hand what they say."""
    _follow(loaded)
    _part(loaded)
    way = _WAY.buttons(st, "Where the data come from", label_visibility="collapsed", wrap=True)
    token = {"sample": samples, "file": files, "net": networks}[way].pick()
    if token is None:
        st.caption(f"Still using {markdown(loaded.title)}, until you upload a file.")
    elif token != loaded.base:
        visit.choose(token)
    found = visit.current()
    st.session_state[_FOLLOWED] = found.token
    return found


def _follow(loaded: Loaded) -> None:
    """Set the widgets to the current dataset, where a link or another page chose it."""
    if st.session_state.get(_FOLLOWED) == loaded.token:
        return
    _WAY.put(loaded.kind)
    if loaded.kind == "sample":
        samples.follow(loaded.base)
    elif loaded.kind == "net":
        networks.follow(loaded.base)


def _part(loaded: Loaded) -> None:
    """Say that only some of the variables are in hand, with a way to all of them."""
    if loaded.base == loaded.token:
        return
    whole = visit.find(loaded.base).data.n
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**Only {loaded.data.n} of {whole} variables are selected:** "
            f"{markdown(names_list(loaded.data.names))}."
        )
        st.button(
            f"Use all {whole}",
            key="data-all",
            icon=":material/select_all:",
            on_click=visit.choose,
            args=(loaded.base,),
            width="content",
        )
