"""The three ways to a dataset, and how they keep in step with the current dataset."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.data import files, networks, samples, words, work
from bjp_explorer.shell import visit
from bjp_explorer.shell.choices import Field, OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, names_list

_FOLLOWED = "data-followed"
_PICK = {"sample": samples.pick, "file": files.pick, "net": networks.pick}


def fields(loaded: Loaded) -> list[Field]:
    """The page's choice: where the data come from, by default the way of the current dataset."""
    return [_way(loaded)]


def follow(loaded: Loaded) -> None:
    """Set the widgets to the current dataset, where a link or another page chose it.

    Whoever comes back while a file is being read sees that file.
    """
    if visit.has_arrived() and work.is_reading():
        _way(loaded).put("file")
        return
    if st.session_state.get(_FOLLOWED) == loaded.token:
        return
    _way(loaded).put(loaded.kind)
    if loaded.kind == "sample":
        samples.follow(loaded.base)
    elif loaded.kind == "net":
        networks.follow(loaded.base)


def choose(loaded: Loaded) -> Loaded:
    """Show the ways in, and select what they say."""
    _offer_all(loaded)
    way = _way(loaded).buttons(st, words.WAY, label_visibility="collapsed", wrap=True)
    token = _PICK[way]()
    if token is None:
        st.caption(words.STILL_USING.format(title=markdown(loaded.title)))
    elif token != loaded.base:
        visit.choose(token)
    found = visit.current()
    st.session_state[_FOLLOWED] = found.token
    return found


def is_waiting(loaded: Loaded) -> bool:
    """Whether the page asks for a file, and none has become the current dataset."""
    return bool(_way(loaded).get() == "file" != loaded.kind)


def _way(loaded: Loaded) -> OneOf:
    """Where the data come from."""
    return OneOf("from", "data-way", loaded.kind, words.WAYS)


def _offer_all(loaded: Loaded) -> None:
    """Say that only some of the variables are selected, and offer all of them."""
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
