"""Lessons: the method in eight short lessons over live views, each ending in a question."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.lessons import course, visit, words
from bjp_explorer.shell import components, links
from bjp_explorer.shell.text import prose

links.read(visit.fields())
head = st.container(key="lessons-heading")
with head:
    frame.heading(words.ABOUT, head)
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
if page := visit.take_leaving():
    st.switch_page(f"pages/{page}.py")
lesson, step = visit.at()
visit.opened_lessons().add(lesson)
components.lesson_view(
    course.payload(
        lesson,
        step,
        visit.answers(),
        visit.opened_lessons(),
        projector=projector,
        restored=visit.has_restored(),
    ),
    key=visit.KEY,
    on_event=visit.take_event,
)
if not projector:
    foot = st.container(horizontal=True, vertical_alignment="center")
    foot.caption(words.SOURCE, width="stretch")
    links.copy_button(foot)
links.keep(visit.fields())
