"""What `make docs` builds: the Markdown of this repository, its notebooks and its docstrings.

The source is the whole checkout, so that a relative link is the same on a forge and on the site.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import UnionType

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).parents[1]

project = "BJP Explorer"
author = "BJP Explorer contributors"
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
copyright = author  # noqa: A001 - Sphinx reads this name

extensions = [
    "docs.commands",
    "docs.mathml",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
]
root_doc = "docs/index"
include_patterns = ["*.md", "sample_data/README.md", "docs/**"]
exclude_patterns = ["**/.*", ".venv", "build", "docs/paper", "docs/_templates"]
templates_path = [str(ROOT / "docs" / "_templates")]

# Markdown and notebooks. A notebook is shown as it is stored: the tests run it, the site doesn't.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"

# Docstrings. A name in backticks is a link where it is a public name.
default_role = "py:obj"
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    # scikit-learn adds these two; their docstrings link to pages of its own site.
    "exclude-members": "set_fit_request, set_score_request",
}
autodoc_typehints_format = "short"
autosummary_ignore_module_all = False
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "BJP Explorer"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = html_domain_indices = False
html_show_sphinx = False
pygments_style, pygments_dark_style = "tango", "native"

# Number and page of each section of the theory, from the list that docstrings cite as §k.
THEORY = (ROOT / "docs" / "theory.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^(\d+)\. \[.+?\]\((theory/\w+)\.md", THEORY, re.MULTILINE))
CITED = re.compile(r"docs/theory\.md §(\d+)")


def mend_docstring(
    _app: Sphinx, what: str, _name: str, value: object, _options: object, lines: list[str]
) -> None:
    """Give a constant its values in place of its type's docstring, and link the theory's pages."""
    if what == "data" and isinstance(value, tuple | Mapping):
        lines[:] = [", ".join(f"``{part!r}``" for part in value)]
    elif what == "data" and isinstance(value, str | float | UnionType):
        lines[:] = [f"``{value}``"]
    for i, line in enumerate(lines):
        lines[i] = CITED.sub(
            lambda cited: f":doc:`theory §{cited[1]} </docs/{SECTIONS.get(cited[1], 'theory')}>`",
            line,
        )


def find_public_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, text: nodes.TextElement
) -> nodes.reference | None:
    """Link a name of another module, such as `learn`, where exactly one module has it."""
    python, name = env.domains.python_domain, node.get("reftarget")
    homes = [
        full
        for full, entry in python.objects.items()
        if full.rpartition(".")[2] == name
        and entry.objtype in {"function", "class", "exception"}
        and not entry.aliased
    ]
    if node.get("refdomain") != "py" or len(homes) != 1:
        return None
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", homes[0], node, text)


PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*</picture>'
)


def follow_theme(_app: Sphinx, doctree: nodes.document) -> None:
    """Show the picture of the page's theme: a forge has only the system's to go by."""
    for raw in doctree.findall(nodes.raw):
        both = r'<img class="only-dark" src="\1"\3><img class="only-light" src="\2"\3>'
        raw.children[:] = [nodes.Text(PICTURE.sub(both, raw.astext()))]


def copy_images(app: Sphinx, error: Exception | None) -> None:
    """Put pictures where HTML inside Markdown looks for them, and a first page at the top."""
    if error is None:
        out = Path(app.outdir)
        shutil.copytree(ROOT / "docs" / "images", out / "docs" / "images", dirs_exist_ok=True)
        refresh = '<meta http-equiv="refresh" content="0; url=docs/index.html">'
        link = '<a href="docs/index.html">BJP Explorer</a>'
        head = f'<meta charset="utf-8"><title>BJP Explorer</title>{refresh}'
        (out / "index.html").write_text(f"<!doctype html>{head}{link}\n", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register what Sphinx has no option for."""
    app.connect("autodoc-process-docstring", mend_docstring)
    app.connect("missing-reference", find_public_name)
    app.connect("doctree-read", follow_theme)
    app.connect("build-finished", copy_images)
