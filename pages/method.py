"""About the method: formulas, limits, notation and references; the lessons teach it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.method import notation
from bjp_explorer.shell import caches
from bjp_explorer.views import examples
from bjp_explorer.views.sections import show_contents, show_heading

# Pixels, about 90 characters a line.
PROSE = 760

frame.heading(notation.ABOUT)
show_contents(st, notation.SECTIONS)
st.page_link("pages/lessons.py", label=notation.LESSONS, icon=":material/school:")
climb = examples.learn_coronary("bjp")

show_heading(notation.SECTIONS, "scores")
st.markdown(notation.SCORES, width=PROSE)
st.markdown(notation.mpl(examples.learn_coronary("mpl"), climb), width=PROSE)
st.page_link("pages/scores.py", label=notation.COMPARE, icon=":material/compare:")

show_heading(notation.SECTIONS, "own")
st.markdown(notation.centred(), width=PROSE)
st.page_link("pages/step.py", label=notation.TWO_TESTS, icon=":material/footprint:")
st.markdown(notation.CALIBRATED, width=PROSE)
st.page_link("pages/accuracy.py", label=notation.HOW_RIGHT, icon=":material/fact_check:")

show_heading(notation.SECTIONS, "limits")
table = caches.graph_table(examples.coronary().data, "bjp")
st.markdown(notation.limits(table, climb), width=PROSE)
st.page_link("pages/graphs.py", label=notation.EVERY, icon=":material/apps:")

show_heading(notation.SECTIONS, "notation")
symbols = [
    {"symbol": f"${symbol}$", "what it is": meaning, "in the engine": f"`{name}`"}
    for symbol, meaning, name in notation.NOTATION
]
st.table(pd.DataFrame(symbols))

show_heading(notation.SECTIONS, "references")
st.markdown(notation.REFERENCES, width=PROSE)
