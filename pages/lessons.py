"""Lessons: the method in eight short lessons over live views, each ending in a question."""

from __future__ import annotations

import streamlit as st

from bjp_explorer import components, frame, lesson_course, lesson_link, lesson_visit, links
from bjp_explorer.text import prose

links.read(lesson_link.fields())
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
projector = lesson_visit.projector()
if projector:
    # Larger letters, and nothing but the lesson.
    st.html(
        """<style>
html:root { font-size: clamp(17px, 1.5vw, 36px) !important; }
[data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"],
.st-key-lessons-heading { display: none !important; }
[data-testid="stMainBlockContainer"] { padding: 0.7rem 1.2rem !important; max-width: none; }
</style>"""
    )
    # Elsewhere the heading, which is hidden here, tells what is wrong with a link.
    for sentence in links.told():
        st.warning(prose(sentence), icon=":material/link_off:")
lesson, step = lesson_visit.at()
lesson_visit.seen().add(lesson)
components.lesson_view(
    lesson_course.payload(
        lesson, step, lesson_visit.answers(), lesson_visit.seen(), projector=projector
    ),
    key=lesson_visit.KEY,
    on_event=lesson_visit.happened,
)
if not projector:
    foot = st.container(horizontal=True, vertical_alignment="center")
    foot.caption(
        "The numbers are the engine's, on data about coronary heart disease and on samples drawn "
        "with a seed, whatever data are in hand.",
        width="stretch",
    )
    links.copy_button(foot)
links.keep(lesson_link.fields())
