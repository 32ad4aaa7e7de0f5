"""What the start page shows: doors, sample datasets, and the score of coronary, step by step."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from bjp_explorer.jobs import results
from bjp_explorer.shell import caches, components, origins, sources, visit
from bjp_explorer.shell.text import markdown
from bjp_explorer.views import layout, payloads

TITLE, KEY = "BJP Explorer", "start-view"
ABOUT = "See how a computer finds which variables depend on each other."
LEARN, LEARN_ABOUT = "Learn how it works", "Begin: seven lessons with live figures"
ANALYSE, ANALYSE_ABOUT = "Analyse my data", "Upload a table, see its network"
SAMPLES, SIZE = "Or see the network of a sample", "{rows:,} × {columns}"
MORE = "Step through this score with all counts"


# Doors and samples stand beside the figure; on a phone the figure comes between them.
_STYLE = """<style>
.st-key-start {
  display: grid; gap: 0.6rem 1.25rem;
  grid-template: "doors figure" auto "samples figure" 1fr / 18rem minmax(0, 1fr);
}
.st-key-start > :has(> .st-key-start-doors) { grid-area: doors; }
.st-key-start > :has(> .st-key-start-figure) { grid-area: figure; }
.st-key-start > :has(> .st-key-start-samples) { grid-area: samples; }
@media (max-width: 900px) {
  .st-key-start { grid-template: "doors" auto "figure" auto "samples" auto / minmax(0, 1fr); }
}
.st-key-start-doors a {
  padding: 0.5rem 0.8rem; border-radius: 0.6rem;
  border: 1px solid rgb(128 128 128 / 0.45);
}
.st-key-start a * { white-space: normal; line-height: 1.5; }
.st-key-start-samples { gap: 0; margin-top: 0.5rem; }
.st-key-start-samples a { padding-block: 0.3rem; }
</style>"""


def page(
    loaded: Callable[[], object],
    reached: tuple[int, int] | None,
    restored: bool,
    restore: Callable[[], None],
) -> None:
    """Doors, samples and the figure, which waits for `loaded` when all else is on the screen.

    `reached` is the lesson and the step at which one left the lessons; `restore` takes what the
    browser keeps of them, unless it was `restored` already.
    """
    st.html(_STYLE)
    with st.container(key="start"):
        with st.container(key="start-doors"):
            _doors(reached)
        place = st.container(key="start-figure")
        with st.container(key="start-samples"):
            st.markdown(f"**{SAMPLES}**")
            for name, sample in sources.samples().items():
                size = SIZE.format(rows=sample.rows, columns=sample.columns)
                st.page_link(
                    "pages/network.py",
                    label=f"{markdown(sample.title)} :small[:gray[{size}]]",
                    query_params={"data": name},
                )
        with place:
            loaded()
            _figure(restored, restore)


def _doors(reached: tuple[int, int] | None) -> None:
    lesson, step = reached or (1, 1)
    place = {"lesson": str(lesson), "step": str(step)} if reached else {}
    learn = (f"Continue lesson {lesson}") if reached else LEARN_ABOUT
    for page, query, icon, title, about in (
        ("lessons", place, "school", LEARN, learn),
        ("data", {"from": "file"}, "upload_file", ANALYSE, ANALYSE_ABOUT),
    ):
        st.page_link(
            f"pages/{page}.py",
            label=f"**{title}**  \n{about}",
            icon=f":material/{icon}:",
            query_params=query,
            width="stretch",
        )


def _figure(restored: bool, restore: Callable[[], None]) -> None:
    """The score of coronary's learned network, a test at a time; no dataset is selected by it."""
    loaded = visit.loaded(sources.DEFAULT)
    search = results.learned(loaded.data, "bjp")
    if search is None:
        return
    trace = caches.score_graph(loaded.data, search.graph, "bjp")
    points = layout.points(loaded, origins.learned_graph(search))
    identity = f"start {loaded.data.digest[:16]}"
    sent = payloads.step_payload(trace, loaded.data, points, identity=identity, editable=False)
    sent["plain"] = {
        "graph": f"Six risk factors of {loaded.data.rows:,} men, the graph learned by BJP",
        "statement": (
            "Each edge claims that two factors depend on each other, each missing edge that they "
            "don’t. Do the data agree?"
        ),
        "restored": restored,
    }
    components.show("step", sent, key=KEY, event=restore)
    st.page_link(
        "pages/step.py",
        label=MORE,
        icon=":material/footprint:",
        query_params={"data": sources.DEFAULT},
    )
