"""About the method: formulas, limits, notation and references; the lessons teach it."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pandas as pd
import streamlit as st
from jinja2 import Template

from bjp_engine.kernels.centred import KAPPAS
from bjp_explorer import method
from bjp_explorer.app import frame
from bjp_explorer.shell import caches
from bjp_explorer.shell.text import count, number
from bjp_explorer.views import examples
from bjp_explorer.views.sections import show_contents, show_heading
from bjp_explorer.views.words import centred_odds

# Pixels, about 90 characters a line.
PROSE = 760
# Below a section: a page, what its link says, and an icon.
LINKS = {
    "scores": ("scores", "Compare the three scores", "compare"),
    "own": ("step", "Step through either test", "footprint"),
    "probabilities": ("accuracy", "See how right the probabilities are", "fact_check"),
    "limits": ("graphs", "See every graph", "apps"),
}


def show_link(page: str, label: str, icon: str) -> None:
    """A link to another page."""
    st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:")


frame.heading(
    "The scores in formulas, what they do not do, the notation, and where the method comes from."
)
bjp, mpl = (examples.learn_coronary(score) for score in ("bjp", "mpl"))
table = caches.graph_table(examples.coronary().data, "bjp")
light, heavy = (f"{kappa:g}" for kappa in KAPPAS)
text = Template(Path(method.__file__).with_name("method.md").read_text("utf-8")).render(
    bjp_edges=count(bjp.graph.number_of_edges(), "edge"),
    mpl_edges=count(mpl.graph.number_of_edges(), "edge"),
    mpl_score=number(mpl.score, 4),
    rank=f"{table.rank(bjp.graph):,}",
    graphs=f"{len(table.scores):,}",
    light=light,
    heavy=heavy,
    odds=centred_odds(),
)
# An anchor, a title or none, and the text below it.
parts = re.findall(r"^## (\w+): ?(.*)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE)
sections = {anchor: title for anchor, title, _ in parts if title}
show_contents(st, sections)
show_link("lessons", "Learn the method step by step in the lessons", "school")
for anchor, title, body in parts:
    if title:
        show_heading(sections, anchor)
    if anchor == "notation":
        st.table(pd.read_csv(StringIO(body), sep=r"\s*\|\s*", engine="python"))
    else:
        st.markdown(body, width=PROSE)
    if anchor in LINKS:
        show_link(*LINKS[anchor])
