"""The documentation site: builds without a warning, no dead link, no request to another host."""

import importlib
import re
import subprocess
import sys
import zlib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from docs import mathml
from tests.contracts.recipes import ROOT
from tests.refusals import assert_refused

NOT_LOADED = {"canonical", "index", "search", "next", "prev"}
LOADED = {"src", "srcset", "poster", "data"}
REMOTE = re.compile(r"^(?:https?:)?//")
# What a script or a style sheet fetches; an address in a text is no request.
FETCHED = re.compile(r"""(?:\bimport\b|\bfetch\(|\.src\s*=|url\(|@import)\s*["'(]*(?:https?:)?//""")


@dataclass
class Page(HTMLParser):
    """What a page links to, what it loads, and the ids it has."""

    text: str
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)

    def __post_init__(self):
        super().__init__()
        self.inside = False
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        self.inside = tag in {"script", "style"}
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.ids.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and values.get("rel") not in NOT_LOADED:
            self.loads.append(values["href"])
        self.loads += [part for name in LOADED & values.keys() for part in split(values[name])]
        self.inline.append(values.get("style", ""))

    def handle_data(self, data):
        if self.inside:
            self.inline.append(data)

    def handle_endtag(self, tag):
        self.inside = False


def split(value):
    """The addresses of a src or a srcset."""
    if value.startswith("data:"):
        return []
    return [part.split()[0] for part in value.split(",") if part.strip()]


def read(site):
    return {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def dead_links(site):
    """Links and files that a page of the site names and the site does not have."""
    pages, dead = read(site), []
    for path, page in pages.items():
        for address in [*page.links, *page.loads]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = file.is_file() and file.is_relative_to(site)
            anchor = unquote(parts.fragment)
            if not there or (anchor and file in pages and anchor not in pages[file].ids):
                dead.append(f"{path.relative_to(site)}: {address}")
    return dead


def requests(site):
    """What pages, their scripts and their styles would fetch from another host."""
    found = []
    for path, page in read(site).items():
        found += [(path, address) for address in page.loads if REMOTE.match(address)]
        found += [(path, code[:80]) for code in page.inline if FETCHED.search(code)]
    for path in [*site.rglob("*.css"), *site.rglob("*.js")]:
        found += [(path, match[0]) for match in FETCHED.finditer(path.read_text("utf-8"))]
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make docs` builds it, in a folder of its own."""
    out = tmp_path_factory.mktemp("site").resolve()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    recipe = re.search(r"python -m (sphinx .+?) -d", makefile)
    command = [sys.executable, "-m", *recipe[1].split(), "-d", str(out / "trees"), "."]
    command += [str(out / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return out / "site"


@pytest.mark.slow
def test_the_site(site):
    assert not dead_links(site)
    assert not requests(site)

    # Every public name is in the reference.
    listing = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    known = {line.split(" ")[0] for line in listing.splitlines()}
    public = set()
    for path in (ROOT / "bjp_engine").rglob("*.py"):
        if re.search("^__all__", path.read_text("utf-8"), re.MULTILINE):
            parts = path.relative_to(ROOT).with_suffix("").parts
            module = ".".join(parts).removesuffix(".__init__")
            public |= {f"{module}.{name}" for name in importlib.import_module(module).__all__}
    assert len(public) > 100
    assert public - known == set()

    # Every document is a page.
    sources = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/theory/*.md")]
    sources += ROOT.glob("docs/notebooks/*.ipynb")
    pages = [site / path.relative_to(ROOT).with_suffix(".html") for path in sources]
    assert [page.name for page in pages if not page.exists()] == []


def test_the_checks_find_dead_links_and_requests(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "outside.html").write_text("")
    (site / "a.html").write_text('<p id="here">')
    for html, is_dead in (
        ('<a href="a.html#here">', False),
        ('<a href="a.html#gone">', True),
        ('<a href="gone.html">', True),
        ('<img src="gone.png">', True),
        ('<source srcset="gone.png 2x">', True),
        ('<a href="../outside.html">', True),
    ):
        (site / "b.html").write_text(html)
        assert bool(dead_links(site)) == is_dead, html
    for name, text, is_remote in (
        ("b.html", '<a href="https://doi.org/10.1000/182">a paper</a>', False),
        ("b.html", '<script>let link = "https://example.org"</script>', False),
        ("b.html", '<script type="module">import "https://cdn.example.org/x.js"</script>', True),
        ("b.html", '<link rel="stylesheet" href="//fonts.example.org/x.css">', True),
        ("b.html", '<p style="background: url(https://example.org/x.png)">', True),
        ("b.html", "", False),
        ("a.css", "p { background: url(x.png) }", False),
        ("a.css", "@import 'https://fonts.example.org/x.css';", True),
    ):
        (site / name).write_text(text)
        assert bool(requests(site)) == is_remote, text


def test_formulas():
    # What few fonts have is written otherwise; aligned lines are a table.
    written = mathml.convert(r"\Big\{ X \not\perp Y \mid Z \setminus \{X\} \Big\}")
    assert ("⊥̸" in written, "∖" in written, "\\" in written) == (True, True, False)
    written = mathml.convert(r"\begin{aligned} a &= b \\ c &= d \end{aligned}")
    assert (written.count("<mtr>"), written.count("<mtd")) == (2, 4)
    # What has no MathML is refused.
    for tex, named in ((r"a \nosuchcommand b", "nosuchcommand"), ("a & b", "&")):
        assert_refused(ValueError, named, mathml.convert, tex)
