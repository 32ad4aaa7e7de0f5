"""The first way in: the sample datasets."""

from __future__ import annotations

import streamlit as st

from bjp_engine.dataset import MISSING_LABEL, Missing
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Sample
from bjp_explorer.shell.text import count

_NAME = "data-sample"
_LABELS = {"drop": "Drop incomplete rows", "state": "Keep as a state of their own"}


def follow(token: str) -> None:
    """Set the widgets to a sample's token."""
    name, _, missing = token.partition(":")
    st.session_state[_NAME] = name
    usual = sources.usual_missing(sources.sample_frame(name))
    st.session_state[_missing_key(name)] = missing or usual


def pick() -> str:
    """Choose a sample dataset."""
    samples = sources.samples()
    st.session_state.setdefault(_NAME, sources.DEFAULT)
    left, right = st.columns([2, 5], gap="large")
    with left:
        name = st.radio(
            "Dataset",
            list(samples),
            format_func=lambda key: samples[key].title,
            captions=[_short(sample) for sample in samples.values()],
            key=_NAME,
            persist_state="session",
        )
    with right:
        return _described(samples[name])


def _described(sample: Sample) -> str:
    """Everything the catalogue says, and what to do with missing cells."""
    st.markdown(f"**{sample.title}** · {_size(sample)}")
    st.markdown(sample.about)
    st.markdown(f"**What is known.** {sample.known}")
    st.caption(f"Source: {sample.source}. Licence: {sample.licence}.")
    if not sample.missing:
        return sources.sample_token(sample.name)
    frame = sources.sample_frame(sample.name)
    missing = _missing_choice(
        _missing_key(sample.name),
        sample.rows,
        sources.complete_rows(frame),
        sample.missing,
        sources.usual_missing(frame),
    )
    return sources.sample_token(sample.name, missing)


def _size(sample: Sample) -> str:
    """The size of a dataset in a few words."""
    missing = f"{sample.missing:,} cells" if sample.missing else "no cell"
    return f"{sample.rows:,} rows × {count(sample.columns, 'variable')}, {missing} missing"


def _short(sample: Sample) -> str:
    """The same in one line of a narrow column."""
    missing = f" · {sample.missing:,} missing" if sample.missing else ""
    return f"{sample.rows:,} × {sample.columns}{missing}"


def _missing_key(name: str) -> str:
    """The key of the choice about missing cells."""
    return f"data-missing-{name}"


def _missing_choice(key: str, rows: int, complete: int, cells: int, usual: Missing) -> Missing:
    """Ask what to do with missing cells, where there is a choice."""
    what = count(cells, "missing cell")
    if not complete:
        st.info(
            f"{what}, and no row is complete. Dropping rows would leave nothing, so missing "
            f"cells become a state of their own, “{MISSING_LABEL}”.",
            icon=":material/rule:",
        )
        return "state"
    st.session_state.setdefault(key, usual)
    return st.radio(
        f"What to do with the {what}",
        ["drop", "state"],
        format_func=_LABELS.__getitem__,
        captions=[
            f"{complete:,} of {rows:,} rows remain",
            f"all {rows:,} rows remain, with “{MISSING_LABEL}” as one more state",
        ],
        key=key,
        horizontal=True,
        persist_state="session",
    )
