"""Lessons: the method in seven short lessons over live views, each ending in a question."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.downloads.button import held
from bjp_explorer.lessons import course, visit
from bjp_explorer.lessons.course import lesson_page
from bjp_explorer.lessons.model import TEXTS
from bjp_explorer.shell import components, links

links.read(visit.fields())
page = TEXTS["page"]
head = st.container(key="lessons-heading")
with head:
    bar = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    )
    frame.heading(page["about"], bar, page["title"])
if leaving := visit.take_leaving():
    # Who comes from the lessons predicts each test before it is shown.
    predicting = {"predict": "1"} if leaving == "step" else {}
    st.switch_page(f"pages/{leaving}.py", query_params=predicting)
lesson, step = visit.at()
visit.opened_lessons().add(lesson)
components.show(
    "lesson",
    course.payload(
        lesson,
        step,
        visit.answers(),
        visit.opened_lessons(),
        restored=visit.has_restored(),
    ),
    key=visit.KEY,
    event=visit.take_event,
)
name = f"lesson-{lesson}.html"
foot = st.container(horizontal=True, vertical_alignment="center", key="lessons-foot")
foot.caption(page["source"], width="stretch")
foot.download_button(
    page["share"],
    held(lambda: lesson_page(lesson), name, "text/html"),
    file_name=name,
    mime="text/html",
    help=page["share_about"],
    on_click="ignore",
    icon=":material/share:",
)
links.copy_button(foot)
links.keep(visit.fields())
