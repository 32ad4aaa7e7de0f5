"""Practice: new questions each time, answered in the picture, and sheets of them for a class."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.practice import views
from bjp_explorer.shell import links

links.read(views.FIELDS)
bar = st.container(horizontal=True, vertical_alignment="center", key="practice-head")
frame.heading(
    "Ten new questions at a time, answered in the picture. Typical mistakes are explained, and "
    "every question has a worked solution.",
    bar,
)
views.KINDS.menu(
    bar, "Kinds of questions", placeholder="all kinds", width=210, label_visibility="collapsed"
)
views.LEVELS.buttons(bar, "Levels", help=views.LEVELS_HELP)
bar.button(
    "Another ten",
    key="practice-more",
    help="Ten new questions. The address names them, so a link gives others the same ten.",
    on_click=views.draw_seed,
)
links.copy_button(bar)
views.show_run()
views.show_sheet()
links.keep(views.FIELDS)
