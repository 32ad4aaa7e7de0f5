"""Lessons: the method in eight short lessons over live views, each ending in a question."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.lessons import course, visit
from bjp_explorer.shell import components, links
from bjp_explorer.shell.text import prose

links.read(visit.fields())
with st.container(key="lessons-heading"):
    frame.heading(
        "Lessons",
        "The method in eight short lessons. Everything can be clicked, and each lesson ends in a "
        "question that you answer in the drawing.",
    )
# Room for words and view side by side.
st.html(
    """<style>
@media (min-width: 769px) { [data-testid="stMainBlockContainer"] { padding-inline: 2.5rem; } }
</style>"""
)
projector = visit.PROJECTOR.get() == "1"
if projector:
    # Nothing but the lesson; the component enlarges its letters.
    st.html(
        """<style>
[data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"],
.st-key-lessons-heading { display: none !important; }
[data-testid="stMainBlockContainer"] { padding: 0.7rem 1.2rem !important; max-width: none; }
</style>"""
    )
    # Elsewhere the heading, which is hidden here, tells what is wrong with a link.
    for sentence in links.told():
        st.warning(prose(sentence), icon=":material/link_off:")
if page := visit.leaving():
    st.switch_page(f"pages/{page}.py")
lesson, step = visit.at()
visit.seen().add(lesson)
components.lesson_view(
    course.payload(
        lesson,
        step,
        visit.answers(),
        visit.seen(),
        projector=projector,
        restored=visit.restored(),
    ),
    key=visit.KEY,
    on_event=visit.happened,
)
if not projector:
    foot = st.container(horizontal=True, vertical_alignment="center")
    foot.caption(
        "The numbers are the engine's, on data about coronary heart disease and on samples drawn "
        "with a seed, whichever dataset is selected.",
        width="stretch",
    )
    links.copy_button(foot)
links.keep(visit.fields())
