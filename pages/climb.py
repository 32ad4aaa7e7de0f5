"""Watch the climb: a search's proposals one by one, live or in replay."""

from __future__ import annotations

from typing import Any

import networkx as nx
import streamlit as st

from bjp_engine import SearchTrace, StopReason, metrics
from bjp_engine.scores import SCORES
from bjp_engine.search import searches_for
from bjp_explorer import canvas, climb_visit, components, frame, layout, payloads, results
from bjp_explorer.exports import downloads, file_stem
from bjp_explorer.jobs import Job
from bjp_explorer.text import count, duration, markdown, number, shown

ABOUT = {
    "bjp": "IBMAP-HC flips the pair with the lowest local contribution, and stops at the first "
    "flip that does not raise the score.",
    "mpl": "First every variable chooses its own blanket; then, from the edges that both ends "
    "chose, the best flips among those that only one end chose.",
}
STARTS = {
    "empty": "the empty graph",
    "mpl-and": "MPL: edges that both ends chose",
    "mpl-or": "MPL: edges that either end chose",
    "mpl": "MPL's result",
    "chow-liu": "the Chow-Liu tree",
}

asked = st.session_state.setdefault("climb-score", "bjp")
loaded = frame.heading("Watch the climb", ABOUT["mpl" if asked == "mpl" else "bjp"])
data = loaded.data

controls = st.container(horizontal=True, gap="medium", vertical_alignment="top")
method = controls.segmented_control(
    "Score",
    list(SCORES),
    format_func=lambda name: SCORES[name].title,
    required=True,
    key="climb-score",
    persist_state="session",
)
search = searches_for(method)[0]
options: dict[str, Any] = {}
if method != "mpl":
    start = controls.selectbox(
        "Start",
        list(STARTS),
        format_func=STARTS.__getitem__,
        key="climb-start",
        persist_state="session",
        width=320,
    )
    # The empty graph is what every page starts from, so its result is shared with them.
    options = {} if start == "empty" else {"start": start}
identity = f"{data.digest[:16]} {method} {options.get('start', '')}"
climb_visit.enter()


def payload_of(climb: SearchTrace | Job[SearchTrace]) -> payloads.Payload:
    """The climb so far, for the component."""
    if isinstance(climb, SearchTrace):
        start, score = climb.start, climb.start_score
    else:
        start, score = climb.start or (nx.empty_graph(data.names), 0.0)
    payload = payloads.climb_payload(
        data,
        points,
        climb if isinstance(climb, SearchTrace) else list(climb.steps),
        identity=identity,
        method=method,
        start=payloads.start_of(start, score, data),
        truth=loaded.truth,
    )
    # Where one stands is kept for one's return; each report is a rerun, so not of a live run.
    payload["report"] = isinstance(climb, SearchTrace)
    payload["stem"] = file_stem(loaded.title)
    payload["initial_step"] = climb_visit.initial_step(identity)
    return payload


def told(trace: SearchTrace) -> str:
    """How the climb went, in a line or two."""
    flips = [step for step in trace.steps if step.phase != "blanket"]
    line = (
        f"**ln {SCORES[method].title} = {number(trace.score)}** · "
        f"{count(trace.graph.number_of_edges(), 'edge')} after {count(len(flips), 'flip')} · "
        f"{count(trace.tests, 'local score' if method == 'mpl' else 'test')} in "
        f"{duration(trace.seconds)}"
    )
    if loaded.truth is not None:
        line += f" · Hamming distance {metrics.hamming(loaded.truth, trace.graph)}"
    return line


def ending(trace: SearchTrace) -> str:
    """Why the climb ended, in words."""
    step = trace.rejected
    if trace.stop_reason is StopReason.CANCELLED:
        return "The climb was cancelled; this is how far it came."
    if step is None:
        return f"The climb ended because {trace.stop_reason}."
    pair = " – ".join(shown(name) for name in step.edge)
    return (
        f"The last proposal, {'adding' if step.added else 'removing'} {markdown(pair)}, would "
        f"change the score by {number(step.gain, 4)}; it was refused, and the climb ended there: "
        f"{trace.stop_reason}."
    )


# Places that are always there, so that the component stays mounted when they fill.
above, bar = (
    st.container(),
    st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"),
)
with above:
    climb = results.outcome(data, method, search, **options)
    if climb is None:
        st.stop()
    by_bjp: SearchTrace | Job[SearchTrace] | None = climb
    if method != "bjp" or options:
        # The map of the variables comes from BJP's graph; a live climb doesn't wait for it.
        live = isinstance(climb, Job)
        by_bjp = results.outcome(data, "bjp") if live else results.learned(data, "bjp")
        if by_bjp is None:
            st.stop()
if isinstance(climb, Job):
    climb_visit.watch_live(identity)
# While a climb is followed, and after, no node moves: the map that it will have is not known yet.
waits = climb_visit.was_live(identity) or not isinstance(by_bjp, SearchTrace)
points = canvas.points(loaded, None if waits else by_bjp.graph)


@st.fragment(run_every=0.25 if isinstance(climb, Job) else None)
def explorer() -> None:
    """The component: fed while the search runs, whole once it has ended."""
    progress = st.container()
    if isinstance(climb, Job):
        with progress:
            results.show_progress(climb, "climb-cancel")
        if climb.start is None:
            return
    climb_visit.settle(components.climb_view(payload_of(climb), key="climb-view").settled)


def blankets(trace: SearchTrace) -> None:
    """MPL's first phase: how each variable chose its blanket."""
    chosen = [step for step in trace.steps if step.phase == "blanket"]
    with st.expander(
        f"Phase one: {count(len(chosen), 'change')} of blankets", key="climb-blankets"
    ):
        st.caption(
            "Each variable by itself takes in the neighbour that raises its local score most, and "
            "gives up again what no longer helps. The climb above starts from the edges that both "
            "ends chose."
        )
        st.dataframe(
            [
                {
                    "variable": shown(step.edge[0]),
                    "change": "takes in" if step.added else "gives up",
                    "neighbour": shown(step.edge[1]),
                    "gain": step.gain,
                    "local score": step.score,
                }
                for step in chosen
            ],
            hide_index=True,
            key="climb-blanket-steps",
            column_config={
                name: st.column_config.NumberColumn(format="%.4f")
                for name in ("gain", "local score")
            },
        )


if isinstance(climb, SearchTrace):
    with bar:
        st.markdown(told(climb), width="content")
        if waits and loaded.truth is None and data.n > layout.CIRCLE:
            st.button(
                "Arrange the nodes",
                key="climb-arrange",
                icon=":material/scatter_plot:",
                help="Place the variables by the graph that was found, as on the other pages.",
                on_click=climb_visit.forget_live,
                args=(identity,),
            )
        downloads(loaded, climb.graph, climb, points, name=f"{method}-climb", key="climb")
explorer()
if isinstance(climb, SearchTrace):
    st.caption(ending(climb))
    if method == "mpl":
        blankets(climb)
