"""Practice: new questions each time, answered in the picture, and sheets of them for a class."""

from __future__ import annotations

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.practice import choices, views, words
from bjp_explorer.shell import links

links.read(choices.FIELDS)
bar = st.container(horizontal=True, vertical_alignment="center", key="practice-head")
frame.heading(words.ABOUT, bar)
choices.KINDS.menu(
    bar, words.KINDS, placeholder=words.ALL_KINDS, width=210, label_visibility="collapsed"
)
choices.LEVELS.buttons(bar, words.LEVELS, help=words.LEVELS_HELP)
bar.button(words.MORE, key="practice-more", help=words.MORE_HELP, on_click=choices.draw_seed)
links.copy_button(bar)
views.show_run()
views.show_sheet()
links.keep(choices.FIELDS)
