"""Start: what this is, a figure that moves, two doors, and the sample datasets."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.jobs import results
from bjp_explorer.lessons import visit as lessons
from bjp_explorer.shell import caches, components, origins, sources, visit
from bjp_explorer.shell.text import markdown
from bjp_explorer.views import layout, payloads

# Doors and samples stand beside the figure; on a phone the figure comes between them.
STYLE = """<style>
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


def show_figure() -> None:
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
        # What the browser keeps of the lessons is asked for once.
        "restored": lessons.has_restored(),
    }
    components.show("step", sent, key="start-view", event=lambda: lessons.take_event("start-view"))
    st.page_link(
        "pages/step.py",
        label="Step through this score with all counts",
        icon=":material/footprint:",
        query_params={"data": sources.DEFAULT},
    )


frame.heading(
    "See how a computer finds which variables depend on each other.", title="BJP Explorer"
)
st.html(STYLE)
learn, place = "Begin: seven lessons with live figures", {}
if left := lessons.reached():
    learn, place = f"Continue lesson {left[0]}", {"lesson": str(left[0]), "step": str(left[1])}
analyse = "Upload a table, see its network"
with st.container(key="start"):
    with st.container(key="start-doors"):
        for page, query, icon, title, about in (
            ("lessons", place, "school", "Learn how it works", learn),
            ("data", {"from": "file"}, "upload_file", "Analyse my data", analyse),
        ):
            st.page_link(
                f"pages/{page}.py",
                label=f"**{title}**  \n{about}",
                icon=f":material/{icon}:",
                query_params=query,
                width="stretch",
            )
    figure = st.container(key="start-figure")
    with st.container(key="start-samples"):
        st.markdown("**Or see the network of a sample**")
        for name, sample in sources.samples().items():
            size = f"{sample.rows:,} × {sample.columns}"
            st.page_link(
                "pages/network.py",
                label=f"{markdown(sample.title)} :small[:gray[{size}]]",
                query_params={"data": name},
            )
    with figure:
        # All else is on the screen by now.
        visit.ready()
        show_figure()
