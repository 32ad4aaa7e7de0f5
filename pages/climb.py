"""Watch the climb: a search's flips one by one, live or in replay."""

from __future__ import annotations

import networkx as nx
import streamlit as st

from bjp_engine import SearchTrace, StopReason, metrics
from bjp_engine.scores import SCORES
from bjp_explorer import (
    canvas,
    climb_compare,
    climb_options,
    climb_visit,
    climb_words,
    components,
    frame,
    layout,
    payloads,
    results,
    state,
)
from bjp_explorer.exports import downloads, file_stem
from bjp_explorer.flips import Flips
from bjp_explorer.jobs import Job
from bjp_explorer.text import count, shown

loaded = frame.heading(
    "Watch the climb", climb_words.about(climb_options.asked(state.current())[1])
)
data = loaded.data

outer = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
controls = outer.container(horizontal=True, gap="small", vertical_alignment="top", width="content")
method = controls.segmented_control(
    "Score",
    list(SCORES),
    format_func=lambda name: SCORES[name].title,
    required=True,
    key=climb_options.SCORE,
    persist_state="session",
)
choice = climb_options.choose(controls, outer, loaded, method)
search, options = choice.search, choice.options
identity = f"{data.digest[:16]} {choice.key}"
climb_visit.enter()


def flips_of(climb: SearchTrace | Job[SearchTrace]) -> Flips:
    """The flips so far."""
    if isinstance(climb, Job):
        return climb.flips
    return results.flips_of(climb, data, method, search, **options)


def payload_of(climb: SearchTrace | Job[SearchTrace]) -> payloads.Payload:
    """The climb so far, for the component."""
    ended = climb if isinstance(climb, SearchTrace) else None
    if isinstance(climb, SearchTrace):
        # A search without flips tells of no way to its result.
        start, score = (
            (climb.start, climb.start_score) if len(climb.steps) else (climb.graph, climb.score)
        )
    else:
        start, score = climb.start or (nx.empty_graph(data.names), 0.0)
    payload = payloads.climb_payload(
        data,
        points,
        flips_of(climb),
        ended,
        identity=identity,
        start=payloads.start_of(start, score, data),
        truth=loaded.truth,
    )
    uniform = ended.structure.uniform if ended else not climb_options.has_prior(options)
    payload |= {
        "method": method,
        "score_name": climb_words.score_name(method, uniform),
        "short_name": climb_words.score_name(method, True) if uniform else "score",
        "queue": climb_words.queue(search),
    }
    # Where one stands is kept for one's return; each report is a rerun, so not of a live run.
    payload["report"] = ended is not None
    payload["stem"] = file_stem(loaded.title)
    payload["initial_step"] = climb_visit.initial_step(identity)
    return payload


# Places that are always there, so that the component stays mounted when they fill.
above, bar = (
    st.container(),
    st.container(horizontal=True, vertical_alignment="center"),
)
with above:
    climb = results.outcome(data, method, search, **options)
    if climb is None:
        st.stop()
    by_bjp: SearchTrace | Job[SearchTrace] | None = climb
    if method != "bjp" or not choice.paper:
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


def compare(found: SearchTrace) -> None:
    """The difference to the paper's search, and the way to it."""
    paper = by_bjp if method == "bjp" else results.learned(data, method)
    if not isinstance(paper, SearchTrace) or paper.stop_reason is StopReason.CANCELLED:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(climb_compare.beside_paper(loaded, found, paper), width="stretch")
        st.button(
            "Watch the paper’s search",
            key="climb-paper",
            icon=":material/swap_horiz:",
            on_click=climb_options.use_paper,
            args=(loaded, method),
        )


if isinstance(climb, SearchTrace):
    with bar:
        line = climb_words.told(climb, flips_of(climb))
        if loaded.truth is not None:
            line += f" · Hamming distance {metrics.hamming(loaded.truth, climb.graph)}"
        st.markdown(line, width="stretch")
        if waits and loaded.truth is None and data.n > layout.CIRCLE:
            st.button(
                "Arrange the nodes",
                key="climb-arrange",
                icon=":material/scatter_plot:",
                help="Place the variables by the graph that was found, as on the other pages.",
                on_click=climb_visit.forget_live,
                args=(identity,),
            )
        downloads(loaded, climb.graph, climb, points, name=f"{method}-{search}", key="climb")
explorer()
if isinstance(climb, SearchTrace):
    if not choice.paper:
        compare(climb)
    if prior := climb_words.prior(climb, options.get("edge_probability") == "data"):
        st.caption(prior)
    st.caption(climb_words.ending(climb, flips_of(climb)))
    if "and" in climb.milestones:
        blankets(climb)
