"""What is known of pairs on *Your network*: entered, listed, and read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError, OptionError
from bjp_engine.io import known_csv, parse_known
from bjp_engine.scores import KnownEdges
from bjp_engine.scores.known import FORBIDDEN, REQUIRED, What
from bjp_explorer.downloads.button import file_stem
from bjp_explorer.network.known_choice import Entry, Kind, Known, choice_of, decimals, listed
from bjp_explorer.shell import components
from bjp_explorer.shell.choices import tell_apart
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, plain, prose
from bjp_explorer.views.edges import pair_name

TITLE = "What is known"
ABOUT = (
    "Both searches then learn only graphs that have the required edges and no forbidden ones. A "
    "probability is the pair’s chance of being an edge before the data are seen. A click on two "
    "variables in the drawing chooses a pair, too."
)
ONE, TWO, KNOWN, PROBABILITY, ADD = "Variable", "Other variable", "Known", "Probability", "Add"
WHAT = {REQUIRED: "Must be an edge", FORBIDDEN: "Can’t be an edge", "likely": "Probability"}
GROUP, GROUP_HELP = "Group that may not touch", "No two of these variables get an edge."
ADD_GROUP, NO_GROUP = "Add group", "Two or more variables"
FILE, FILE_HELP = (
    "Read a CSV",
    "A line each: two variables, and required, forbidden or a probability. It replaces the list.",
)
SAVE, CLEAR, REMOVE = "Save as CSV", "Remove all", "Remove"
TOO_LONG = "This list is too long for a link; save it as CSV."
PICKED_ONE = "Click a second variable to enter what is known of the pair."
# Entries listed one by one.
MOST_LISTED = 30
_PICKED, _SAID = "network-known-picked", "network-known-said"

# --- Entering -------------------------------------------------------------------------------------


def show(loaded: Loaded, place: Any) -> KnownEdges:
    """The button that unfolds to what is known, and what that is."""
    choice, data = choice_of(loaded), loaded.data
    key = "network-known"
    part = place.popover(TITLE, icon=":material/rule:", key=key, on_change="rerun")
    if not part.open:
        return choice.get()
    with part:
        st.caption(ABOUT)
        said = st.session_state.pop(_SAID, None)
        if said:
            st.error(prose(said), icon=":material/error:")
        _pair_form(choice, data)
        _group_form(choice, data)
        _list(choice)
        _files(choice, loaded)
    return choice.get()


def _labels(data: Dataset) -> dict[Name, str]:
    """What each variable is called in a menu."""
    return tell_apart({name: plain(name, 28) for name in data.names})


def _pair_form(choice: Known, data: Dataset) -> None:
    """Two variables, and what is known of them."""
    labels = _labels(data)
    menu: dict[str, Any] = {
        "options": list(labels),
        "format_func": labels.__getitem__,
        "index": None,
        "width": 190,
    }
    with st.container(horizontal=True):
        x = st.selectbox(ONE, **menu, placeholder=ONE, key="network-known-x")
        y = st.selectbox(TWO, **menu, placeholder=TWO, key="network-known-y")
    _what_form(choice, x, y, "network-known")


def _what_form(choice: Known, x: Name | None, y: Name | None, key: str) -> None:
    """What is known of a pair."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.segmented_control(
            KNOWN,
            list(WHAT),
            default=REQUIRED,
            format_func=WHAT.__getitem__,
            required=True,
            key=f"{key}-what",
            label_visibility="collapsed",
            wrap=True,
        )
        if what == "likely":
            st.number_input(
                PROBABILITY,
                0.001,
                0.999,
                0.5,
                step=0.05,
                format="%.3f",
                key=f"{key}-probability",
                label_visibility="collapsed",
                width=130,
            )
        st.button(
            ADD,
            key=f"{key}-add",
            icon=":material/add:",
            disabled=x is None or y is None or x == y,
            on_click=_enter_shown,
            args=(choice, x, y, key),
        )


def _group_form(choice: Known, data: Dataset) -> None:
    """Variables of which no two may be neighbours."""
    labels = _labels(data)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = st.multiselect(
            GROUP,
            list(labels),
            format_func=labels.__getitem__,
            placeholder=NO_GROUP,
            help=GROUP_HELP,
            key="network-known-group",
            width=270,
        )
        st.button(
            ADD_GROUP,
            key="network-known-add-group",
            icon=":material/add:",
            disabled=len(group) < 2,
            on_click=_enter_group,
            args=(choice,),
        )


def _list(choice: Known) -> None:
    """What was entered, each with a button that removes it."""
    found = list(listed(choice.get()))
    for k, (kind, of) in enumerate(found[:MOST_LISTED]):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                REMOVE,
                key=f"network-known-remove-{k}",
                icon=":material/close:",
                type="tertiary",
                on_click=_remove,
                args=(choice, (kind, of)),
            )
            st.markdown(describe_line(kind, of))
    if len(found) > MOST_LISTED:
        st.caption(f"… and {len(found) - MOST_LISTED:,} more")
    if found and not choice.write(choice.get()):
        st.caption(TOO_LONG)


def describe_line(kind: Kind, of: Sequence[Any]) -> str:
    """A line of the list. Markdown."""
    names = [markdown(plain(name, 28)) for name in (of[:2] if kind == "likely" else of)]
    if kind == "apart":
        return f"{', '.join(names)}: may not touch"
    what = f"probability {decimals(of[2])}" if kind == "likely" else WHAT[kind].lower()
    return f"{' – '.join(names)}: {what}"


def _files(choice: Known, loaded: Loaded) -> None:
    """From a file, and into one."""
    key, known = "network-known-file", choice.get()
    st.file_uploader(
        FILE,
        type="csv",
        help=FILE_HELP,
        key=key,
        on_change=_read_file,
        args=(choice, key),
        max_upload_size=16,
    )
    if known.empty:
        return
    with st.container(horizontal=True):
        st.download_button(
            SAVE,
            known_csv(known),
            file_name=f"{file_stem(loaded.title)}.known.csv",
            mime="text/csv",
            key="network-known-save",
            icon=":material/download:",
            on_click="ignore",
        )
        st.button(CLEAR, key="network-known-clear", on_click=choice.put, args=(KnownEdges(),))


# --- Changes --------------------------------------------------------------------------------------


def _enter_shown(choice: Known, x: Name, y: Name, key: str) -> None:
    """Note of a pair what the widgets say now, which may be newer than the page."""
    what = st.session_state[f"{key}-what"]
    _enter(choice, x, y, st.session_state[f"{key}-probability"] if what == "likely" else what)


def _enter(choice: Known, x: Name, y: Name, what: What) -> None:
    """Note what is known of a pair, in place of what was entered of it before."""
    known, pair = choice.get(), {x, y}
    made: dict[str, list[Any]] = {"required": [], "forbidden": [], "likely": []}
    for kind, of in listed(known):
        if kind != "apart" and set(of[:2]) != pair:
            made[kind].append(of)
    if isinstance(what, str):
        made[what].append((x, y))
    else:
        made["likely"].append((x, y, what))
    _put(choice, made, known.apart)
    st.session_state.pop(_PICKED, None)


def _enter_group(choice: Known) -> None:
    """Note that no two of the chosen variables may be neighbours."""
    known, group = choice.get(), tuple(st.session_state["network-known-group"])
    made = {kind: [*getattr(known, kind)] for kind in ("required", "forbidden", "likely")}
    if _put(choice, made, [*known.apart, (group, group)]):
        st.session_state["network-known-group"] = []


def _remove(choice: Known, entry: Entry) -> None:
    """Forget an entry."""
    left: dict[str, list[Any]] = {"required": [], "forbidden": [], "likely": [], "apart": []}
    for kind, of in listed(choice.get()):
        if (kind, of) != entry:
            left[kind].append((of, of) if kind == "apart" else of)
    choice.put(KnownEdges(**left))


def _put(choice: Known, made: Mapping[str, Any], apart: Sequence[Any]) -> bool:
    """Keep what is known, or say why it can't be."""
    try:
        choice.put(KnownEdges(**made, apart=apart))
    except OptionError as error:
        st.session_state[_SAID] = str(error)
        return False
    return True


def _read_file(choice: Known, key: str) -> None:
    """Take over what a file says."""
    file = st.session_state.get(key)
    if file is None:
        return
    try:
        choice.put(parse_known(file.getvalue(), choice.names, file.name))
    except BJPError as error:
        st.session_state[_SAID] = str(error)


# --- In the drawing -------------------------------------------------------------------------------


def picked(loaded: Loaded) -> list[int]:
    """The variables that were clicked, two at most."""
    token, *nodes = st.session_state.get(_PICKED, [""])
    return nodes if token == loaded.token else []


def pick(loaded: Loaded, view: str) -> None:
    """Note a click on a variable; another one on it takes it back."""
    found = components.numbers_in([st.session_state[view].node], loaded.data.n)
    if found is None:
        return
    (node,), before = found, picked(loaded)
    if node in before:
        before.remove(node)
    else:
        before = [*before, node] if len(before) < 2 else [node]
    st.session_state[_PICKED] = [loaded.token, *before]


def show_picked(loaded: Loaded) -> None:
    """What can be entered of the variables that were clicked."""
    nodes, data = picked(loaded), loaded.data
    if not nodes:
        return
    if len(nodes) == 1:
        st.caption(PICKED_ONE)
        return
    st.markdown(markdown(pair_name(sorted(nodes), data)))
    x, y = (data.names[k] for k in sorted(nodes))
    _what_form(choice_of(loaded), x, y, "network-known-picked")
