"""A Sphinx extension: formulas as MathML, which browsers draw without a script or a web font."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

import latex2mathml.converter
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

# TeX sets thin spaces around a function, MathML does not, and it sets a single letter in italics
# unless it is text.
FUNCTION = r"\\(?:ln|log|exp|min|max|Pr)(?![A-Za-z])"
TEX = (
    (re.compile(rf"(?<=[\w)}}])\s*(?={FUNCTION})"), r"\\,"),
    (re.compile(rf"({FUNCTION})\s*(?=\w|\\(?!left|[bB]ig|[,;{{]))"), r"\1\\,"),
    # It makes lines and columns of `split`, which is another name for `aligned`.
    (re.compile(r"\\(begin|end)\{aligned\}"), r"\\\1{split}"),
    (re.compile(r"\\mathrm\{(\w)\}"), r"\\text{\1}"),
)
# What latex2mathml 3.81 writes that looks wrong: characters that few fonts have, a brace after
# \Big with its backslash, spaces around a function before its bracket, and primes too small to see.
MATHML = (
    ('<mpadded width="0"><mtext>&#x029F8;</mtext></mpadded><mi>&#x027C2;</mi>', "<mo>⊥̸</mo>"),
    ("<mi>&#x027C2;</mi>", "<mo>⊥</mo>"),
    ("<mi>&#x029F5;</mi>", "<mo>∖</mo>"),
    (r">\{<", ">{<"),
    (r">\}<", ">}<"),
    ('<mo movablelimits="true">', '<mo movablelimits="true" lspace="0" rspace="0">'),
    ("<mo>max</mo>", "<mi>max</mi>"),
    ("<mo>min</mo>", "<mi>min</mi>"),
    ("<mi>&#x02032;</mi>", '<mo mathsize="140%">′</mo>'),
)


def convert(tex: str, display: str = "inline") -> str:
    """Give the MathML of a formula, or raise ValueError if part of it is still TeX."""
    for pattern, better in TEX:
        tex = pattern.sub(better, tex)
    mathml = latex2mathml.converter.convert(tex, display=display)
    for written, better in MATHML:
        mathml = mathml.replace(written, better)
    if left := re.search(r">(\s*\\\w*|&)<", mathml):
        raise ValueError(f"{left[1]} in the formula {tex} has no MathML; write it otherwise.")
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
