"""The list of steps on the page: what each did, and everything that changes the list."""

from __future__ import annotations

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.preparation import Preparation
from bjp_explorer.data import plan as data_plan
from bjp_explorer.data import step_forms, visit, words
from bjp_explorer.data.reading import Reading
from bjp_explorer.downloads.button import file_stem, held
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, prose

# More steps are only counted; a file of steps may hold a thousand.
_MOST = 60
_COMES, _ROUND = "data-steps-file", "data-steps-round"


def show(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    """The current steps, one a line, with what each did."""
    st.markdown(words.STEPS)
    with st.container(border=True):
        if not plan.steps:
            st.markdown(words.NO_STEPS)
        for number in range(1, min(len(plan.steps), _MOST) + 1):
            _step(reading, plan, loaded, number)
        if len(plan.steps) > _MOST:
            st.caption(words.MORE_STEPS.format(steps=count(len(plan.steps) - _MOST, "step")))
        _below(reading, plan, loaded)
    step_forms.show(reading, plan, loaded)


def _step(reading: Reading, plan: Preparation, loaded: Loaded | None, number: int) -> None:
    """One step with its buttons."""
    step = plan.steps[number - 1]
    text = f"**{number}.** {prose(step.sentence)}"
    if loaded is not None:
        text += f"  \n:small[→ {prose(loaded.did[number - 1])}]"
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            st.markdown(text)
        if number > 1:
            st.button(
                words.EARLIER,
                key=f"data-step-up-{number}",
                icon=":material/arrow_upward:",
                type="tertiary",
                on_click=visit.change,
                args=(reading, data_plan.move_up(plan, number)),
                width="content",
            )
        st.button(
            words.REMOVE,
            key=f"data-step-out-{number}",
            icon=":material/close:",
            type="tertiary",
            on_click=visit.change,
            args=(reading, plan.without(number)),
            width="content",
        )


def _below(reading: Reading, plan: Preparation, loaded: Loaded | None) -> None:
    """What is done to the list as a whole."""
    with st.container(horizontal=True):
        st.button(
            words.UNDO,
            key="data-undo",
            icon=":material/undo:",
            help=words.UNDO_HELP,
            disabled=not visit.can_undo(reading),
            on_click=visit.undo,
            args=(reading,),
        )
        if data_plan.normal(plan) != data_plan.normal(reading.suggestion):
            st.button(
                words.SUGGESTED,
                key="data-suggested",
                icon=":material/auto_fix:",
                on_click=visit.change,
                args=(reading, reading.suggestion),
            )
        if plan.steps:
            st.button(
                words.REMOVE_ALL,
                key="data-no-steps",
                icon=":material/clear_all:",
                on_click=visit.change,
                args=(reading, Preparation()),
            )
        with st.popover(words.STEPS_FILE, icon=":material/data_object:"):
            _download(reading, loaded)
            _apply(reading)


def _download(reading: Reading, loaded: Loaded | None) -> None:
    """Download the steps, with what they found in this file."""
    made = loaded.preparation if loaded is not None else None
    if made is None:
        return
    name = f"{file_stem(reading.upload.name)}-steps.json"
    st.download_button(
        words.STEPS_DOWNLOAD,
        held(made.to_json, name, "application/json"),
        file_name=name,
        mime="application/json",
        key="data-steps-download",
        icon=":material/download:",
        on_click="ignore",
        help=words.STEPS_DOWNLOAD_HELP,
    )


def _apply(reading: Reading) -> None:
    """Take steps that were saved before."""
    rounds = st.session_state.setdefault(_ROUND, 0)
    file = st.file_uploader(words.STEPS_UPLOAD, key=f"{_COMES}-{rounds}")
    if file is None:
        return
    try:
        steps = Preparation.from_json(file.getvalue())
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
        return
    alike = data_plan.is_fitted(steps) and st.checkbox(
        words.STEPS_ALIKE,
        value=True,
        key=f"data-steps-alike-{rounds}",
        help=words.STEPS_ALIKE_HELP,
    )
    st.markdown("\n".join(f"{k}. {prose(text)}" for k, text in enumerate(steps.sentences[:9], 1)))
    if len(steps.steps) > 9:
        st.caption(words.MORE_STEPS.format(steps=count(len(steps.steps) - 9, "step")))
    st.button(
        words.STEPS_APPLY.format(steps=count(len(steps.steps), "step")),
        key="data-steps-apply",
        icon=":material/play_arrow:",
        on_click=_take,
        args=(reading, steps if alike else data_plan.normal(steps)),
    )


def _take(reading: Reading, steps: Preparation) -> None:
    """Take the current steps; the uploader is empty again."""
    visit.change(reading, steps)
    st.session_state[_ROUND] += 1
