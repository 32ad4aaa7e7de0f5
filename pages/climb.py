"""Watch the climb: a search's flips one by one, live or in replay, alone or beside another."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from bjp_engine.search import SearchTrace
from bjp_explorer.app import frame
from bjp_explorer.climb import choices, run
from bjp_explorer.climb.run import Climb
from bjp_explorer.downloads.button import downloads, file_stem
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import results
from bjp_explorer.share.page import page
from bjp_explorer.share.records import without_python
from bjp_explorer.shell import components, links, origins, prediction, visit
from bjp_explorer.shell.text import count, markdown, plain
from bjp_explorer.shell.visit import end_page
from bjp_explorer.views import layout, payloads
from bjp_explorer.views.payloads import Payload
from bjp_explorer.views.words import first_completed, prior_of

links.read(choices.page_fields(visit.current()))
search = choices.Side(visit.current(), choices.SCORE.get()).search.get()
# Figures first: title, result and files stand in one line, what can be chosen in another.
head = st.container(horizontal=True, vertical_alignment="center", key="climb-head")
about = f"{choices.about(choices.SCORE.get(), search)} {prediction.ABOUT}"
loaded = frame.heading(about, head)
data = loaded.data
# Places that are always there, so that the component stays mounted when they fill.
line = head.container(width="stretch")
tools = head.container(horizontal=True, width="content")

controls = st.container(horizontal=True, vertical_alignment="center", key="climb-controls")
method = choices.SCORE.buttons(controls, "Score", label_visibility="collapsed")
watched = choices.Side(loaded, method)
choice = watched.choose(controls)
kind = choices.BESIDE.menu(controls, "Compare with", width=265, label_visibility="collapsed")
beside, above = st.container(), st.container()
with beside:
    other = choices.choose_second(kind, loaded, choice)
chosen = [choice] if other is None else [choice, other]
live = run.enter()

with above:
    if origins.usual_search(loaded) == "auto":
        st.caption(
            "*Your network* is by auto, which compares all pairs at once and makes no flips. "
            "Here is the paper’s search."
        )
    begun = [results.outcome(data, c.method, c.search, **c.options) for c in chosen]
    both = zip(chosen, begun, strict=True)
    climbs = [Climb(loaded, one, found) for one, found in both if found is not None]
    if len(climbs) < len(chosen):
        end_page()
    climb = climbs[0]
    running = any(one.job for one in climbs)
    by_bjp: run.Outcome | None = climb.found
    if method != "bjp" or not choice.is_paper:
        # The map of the variables comes from BJP's graph; a live climb doesn't wait for it.
        by_bjp = results.outcome(data, "bjp") if running else results.learned(data, "bjp")
        if by_bjp is None:
            end_page()
identity = " | ".join(one.identity for one in climbs)
if other is not None:
    identity += f" | {choices.TIMELINE.get()}"
if running:
    live.add(identity)
    # Whoever leaves before it has ended finds it at its end.
    run.places()[identity] = run.END
# While a climb is followed, and after, no node moves: the map that it will have is not known yet.
learned = origins.learned_graph(by_bjp)
waits = identity in live or learned is None
points = layout.points(loaded, None if waits else learned)
predicting = choices.PREDICT.get() and identity not in run.seen()


def payload_of() -> Payload:
    """The climb so far, or the two of them, for the component."""
    first = climb.payload(points)
    payload: Payload = first
    if other is not None:
        titles = [one.choice.title for one in climbs]
        both = [first, climbs[1].payload(points)]
        by = choices.TIMELINE.get()
        payload = payloads.duel_payload(both, titles, by=by, identity=identity)
    # Where one stands is kept for one's return; each report is a rerun, so not of a live run.
    payload["report"] = not running
    payload["stem"] = file_stem(loaded.title)
    payload["asked"] = None if running else run.go(identity)
    payload["initial_step"] = run.step_in(run.places(), identity)
    payload["predict"] = choices.PREDICT.get()
    return payload


@st.fragment(run_every=0.25 if running else None)
def explorer() -> None:
    """The component: fed while the search runs, whole once it has ended."""
    progress = st.container()
    with progress:
        for k, one in enumerate(climbs):
            if one.job is not None:
                results.show_progress(one.job, f"climb-cancel-{k}" if k else "climb-cancel")
    if not all(one.has_begun for one in climbs):
        return
    kind = "climb" if other is None else "duel"
    seen = components.show(kind, payload_of(), key="climb-view" if other is None else "climb-duel")
    run.settle(seen.settled)
    if predicting and identity in run.seen():
        st.rerun()
    if seen.predict is not None:
        choices.PREDICT.put(bool(seen.predict))
        if not running:
            st.rerun()  # what stands around the component has answers
    links.keep(choices.page_fields(loaded, run.step_in(run.places(), identity) or 0))


def page_of_climb(about: str) -> Callable[[], str]:
    """The climb, or both, at the step where one is, as a page of its own."""
    view, payload = "climb" if other is None else "duel", without_python(payload_of())
    # The file is made when the script has ended.
    places = run.places()
    below = about if other is None else " · ".join(one.choice.title for one in climbs)

    def made() -> str:
        at = {"initial_step": run.step_in(places, identity)}
        note = first_completed(loaded.imputed)
        return page(view, payload | at, title=loaded.title, about=below, note=note)

    return made


def result_line(one: Climb, trace: SearchTrace) -> str:
    """How a climb went, in a line."""
    line = run.result_line(trace, one.flips, loaded.truth)
    return line if other is None else f"{one.choice.title}: {line}"


ended: list[tuple[Climb, SearchTrace]] = [
    (one, one.trace) for one in climbs if one.trace is not None
]
if len(ended) == len(climbs):
    every = ""
    if other is None:
        went = result_line(*ended[0])
    elif predicting:
        went = "Predict which climb finds more edges"
    elif all(origins.is_whole(trace) for _, trace in ended):
        graphs = ended[0][1].graph, ended[1][1].graph
        went, every = (run.difference_between(*graphs, data, most) for most in (3, data.n**2))
    else:
        went = "A cancelled climb has no result to compare."
    line.markdown(f"{went} · {markdown(loaded.title)}")
    with tools:
        # After a live climb.
        if waits and learned is not None and loaded.truth is None and data.n > layout.CIRCLE:
            st.button(
                "Arrange the nodes",
                key="climb-arrange",
                icon=":material/scatter_plot:",
                help="Places the variables by the learned graph, as on the other pages.",
                on_click=live.discard,
                args=(identity,),
            )
        links.copy_button(tools)
        first = ended[0][1]
        name = f"{method}-{choice.search}{'' if origins.is_whole(first) else '-cancelled'}"
        result = Result(loaded, first.graph, first, points, options=choice.options)
        downloads(result, name=name, key="climb", page=page_of_climb(result.about))
explorer()
if len(ended) == len(climbs):
    found = ended[0][1]
    if other is None and not choice.is_paper and origins.is_whole(found):
        paper = by_bjp if method == "bjp" else results.learned(data, method)
        if isinstance(paper, SearchTrace) and origins.is_whole(paper):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(run.difference_from_paper(loaded, found, paper), width="stretch")
                st.button(
                    "Watch the paper’s search",
                    key="climb-paper",
                    icon=":material/swap_horiz:",
                    on_click=watched.use_paper,
                )
    if every not in ("", went):
        st.expander("All edges that only one of the two has").markdown(every)
    for one, trace in ended:
        if other is not None and not predicting:
            st.markdown(result_line(one, trace))
        if prior := prior_of(trace, one.choice.options.get("edge_probability") == "data"):
            st.caption(prior)
        if not predicting:
            st.caption(run.ending(trace, one.flips))
    if other is None and "and" in found.milestones:
        # MPL's first phase: how each variable chose its blanket.
        changes = [step for step in found.steps if step.phase == "blanket"]
        with st.expander(
            f"Phase one: {count(len(changes), 'change')} of blankets", key="climb-blankets"
        ):
            st.caption(
                "Each variable adds the neighbour that raises its local score most, and removes "
                "neighbours that no longer help. The climb above starts from the edges that both "
                "ends chose."
            )
            st.dataframe(
                [
                    {
                        "variable": plain(step.edge[0]),
                        "change": "adds" if step.added else "removes",
                        "neighbour": plain(step.edge[1]),
                        "gain": step.gain,
                        "local score": step.score,
                    }
                    for step in changes
                ],
                hide_index=True,
                key="climb-blanket-steps",
                column_config={
                    name: st.column_config.NumberColumn(format="%.4f")
                    for name in ("gain", "local score")
                },
            )
