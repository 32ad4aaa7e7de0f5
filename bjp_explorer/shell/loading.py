"""What every page waits for once a server: the compiled kernels, and a dataset."""

from __future__ import annotations

import threading

import streamlit as st

from bjp_engine.kernels import compiled
from bjp_engine.warmup import warmup
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded

_WARMING = threading.Lock()
LOADING = "Loading the compiled numerical code: a second or two …"
COMPILING = (
    "Compiling the numerical code, once per installation: about 40 seconds on two free cores. "
    "Later starts take a second or two."
)


def warm_up() -> None:
    """Load the compiled kernels, or compile them; whoever comes second waits for the first."""
    with _WARMING:
        warmup()


@st.cache_resource(show_spinner=LOADING if compiled.is_complete() else COMPILING, show_time=True)
def ready() -> bool:
    """Load the compiled kernels once a server, so that no one's first search waits for them."""
    warm_up()
    return True


@st.cache_resource(max_entries=24, show_spinner="Loading the data …")
def loaded(token: str) -> Loaded:
    """A sample dataset, or one drawn from a benchmark network."""
    return sources.load(token)
