"""About the method: formulas, limits, notation and references; the lessons teach it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.method import notation, words
from bjp_explorer.shell import caches
from bjp_explorer.views import examples
from bjp_explorer.views.sections import show_contents, show_heading

# Pixels, about 90 characters a line.
PROSE = 760

frame.heading(words.ABOUT)
show_contents(st, words.SECTIONS)
st.page_link("pages/lessons.py", label=words.LESSONS, icon=":material/school:")
climb = examples.learn_coronary("bjp")

show_heading(words.SECTIONS, "scores")
st.markdown(words.SCORES, width=PROSE)
st.markdown(words.mpl(examples.learn_coronary("mpl"), climb), width=PROSE)
st.page_link("pages/scores.py", label=words.COMPARE, icon=":material/compare:")

show_heading(words.SECTIONS, "own")
st.markdown(words.centred(), width=PROSE)
st.page_link("pages/step.py", label=words.TWO_TESTS, icon=":material/footprint:")
st.markdown(words.CALIBRATED, width=PROSE)
st.page_link("pages/accuracy.py", label=words.HOW_RIGHT, icon=":material/fact_check:")

show_heading(words.SECTIONS, "limits")
table = caches.graph_table(examples.coronary().data, "bjp")
st.markdown(words.limits(table, climb), width=PROSE)
st.page_link("pages/graphs.py", label=words.EVERY, icon=":material/apps:")

show_heading(words.SECTIONS, "notation")
symbols = [
    {"symbol": f"${symbol}$", "what it is": meaning, "in the engine": f"`{name}`"}
    for symbol, meaning, name in notation.NOTATION
]
st.table(pd.DataFrame(symbols))

show_heading(words.SECTIONS, "references")
st.markdown(notation.REFERENCES, width=PROSE)
