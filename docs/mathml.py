"""A Sphinx extension: formulas as MathML, which browsers draw without a script or a web font."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

import latex2mathml.converter
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

# TeX sets a thin space between a function and its argument, MathML does not, and it sets a single
# letter in italics unless it is text.
TEX = (
    (re.compile(r"(\\(?:ln|log|exp|Pr))\s+(?=\w|\\(?!left|[bB]ig|[,;{]))"), r"\1\\,"),
    (re.compile(r"\\mathrm\{(\w)\}"), r"\\text{\1}"),
)
# What latex2mathml 3.81 writes that looks wrong: names of characters that few fonts have, a brace
# after \Big with its backslash, and a probability as an operator.
MATHML = (
    ('<mpadded width="0"><mtext>&#x029F8;</mtext></mpadded><mi>&#x027C2;</mi>', "<mo>⊥̸</mo>"),
    ("<mi>&#x027C2;</mi>", "<mo>⊥</mo>"),
    ("<mi>&#x029F5;</mi>", "<mo>∖</mo>"),
    (r">\{<", ">{<"),
    (r">\}<", ">}<"),
    ('<mo movablelimits="true">Pr</mo>', "<mi>Pr</mi>"),
)


def convert(tex: str, display: str = "inline") -> str:
    """Give the MathML of a formula, or raise ValueError if part of it is still TeX."""
    for pattern, better in TEX:
        tex = pattern.sub(better, tex)
    mathml = latex2mathml.converter.convert(tex, display=display)
    for written, better in MATHML:
        mathml = mathml.replace(written, better)
    if left := re.search(r">\s*\\\w*", mathml):
        raise ValueError(f"{left[0][1:]} in the formula {tex} has no MathML; write it otherwise.")
    return mathml


def put_formula(self: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Write a formula, with its TeX for those who point at it."""
    block = isinstance(node, nodes.math_block)
    tag = "div" if block else "span"
    title = escape(node.astext(), {'"': "&quot;", "\n": " "})
    formula = convert(node.astext(), "block" if block else "inline")
    self.body.append(f'<{tag} class="math" title="{title}">{formula}</{tag}>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer as `mathml`."""
    app.add_html_math_renderer("mathml", (put_formula, None), (put_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
