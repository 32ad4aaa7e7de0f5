"""Whatever a name or a file holds: it stays text, and a script that got in could do nothing."""

import io
import re
from functools import partial
from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_engine.preparation import MissingCells, Preparation
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout
from tests.browser import visits

# Names that would be markup, formulas or programs wherever they weren't taken for text.
HOSTILE = (
    "<script>hacked()</script>",
    "</script><script>hacked()</script>",
    '" onload="hacked()',
    "<svg onload=hacked()>",
    "<img src=hacked onerror=a>",
    "=cmd|' /C hacked'!A0",
    "$\\href{javascript:hacked()}{x}$",
    "javascript:hacked()",
    "a\u202ehacked.exe",
    "</style><img src=//hacked.test/x onerror=hacked()>",
    "[x](//hacked.test)",
    "![a](//hacked.test/a.png)",
    ":material/hacked: :red[hacked]",
    "hacked" * 1700,
    "größe 日本",
)
# So few that all pages can be seen with them.
NAMES = (
    "<img src=hacked onerror=a>",
    "<script>hacked()",
    "$\\hacked$ [a](//hacked.test) <a href='//hacked.test'>b</a>",
    "=hacked()",
)
LABELS = ("<script>hacked()</script>", '" onclick="hacked()')
# Elements, attributes and addresses that could only come from a name that was taken for markup.
INTRUDERS = r"""() => {
  const found = [];
  const active = ({ name, value }) => /^on/.test(name)
    || (/^(xlink:)?(href|src|srcdoc|action)$/.test(name) && /hacked/.test(value));
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const script = element.localName === "script" && /^\s*hacked/.test(element.textContent);
      if (script || [...element.attributes].some(active)) found.push(element.outerHTML);
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  walk(document);
  return found;
}"""
# What the content security policy refuses a script, each with what would have worked.
ATTEMPTS = {
    "an inline script": """() => {
        const script = document.createElement('script');
        script.textContent = 'window.broken = true';
        document.body.append(script);
        return window.broken === true;
    }""",
    "a request to another machine": """() => fetch('http://127.0.0.2/').then(
        () => true, error => !String(error).includes('Failed to fetch'))""",
}


def test_each_attempt_of_a_script_is_refused(browser, server):
    # Not `page`, on which nothing may be refused.
    context = browser.new_context(base_url=server.url)
    page, refused = context.new_page(), []
    page.on("console", lambda message: refused.append(message.text))
    visits.open_page(page, "method")

    def assert_refused(what):
        assert any("Content Security Policy" in text for text in refused), (what, refused)

    assert not any("Content Security Policy" in text for text in refused)
    for what, attempt in ATTEMPTS.items():
        refused.clear()
        assert page.evaluate(attempt) is False, what
        visits.eventually(page, partial(assert_refused, what))
    context.close()


def table(names, states):
    """Three hundred rows in which each variable mostly repeats the one before."""
    random = np.random.default_rng(0)
    columns = [random.integers(len(states), size=300)]
    for _ in names[1:]:
        other = random.integers(len(states), size=300)
        columns.append(np.where(random.random(300) < 0.7, columns[-1], other))
    labels = np.array(states, dtype=object)
    return pd.DataFrame({name: labels[codes] for name, codes in zip(names, columns, strict=True)})


def test_names_stay_text_on_every_page(page, tmp_path):
    file = tmp_path / "hostile.csv"
    table(NAMES, [f"{name} {k}" for k, name in enumerate(NAMES[:3])]).to_csv(file, index=False)
    visits.give_file(page, file)
    expect(page.get_by_test_id("stMain").get_by_text("<script>hacked()").first).to_be_attached()
    for name in visits.PAGES:
        if name != "data":
            visits.follow(page, name)
        if name == "groups":
            with visits.running(page):
                page.locator('[class*="st-key-groups-by"] input').click()
                page.get_by_role("option").first.click()
        if name in visits.COMPONENTS:
            view = visits.view_of(page, visits.COMPONENTS[name])
            if name != "start":
                expect(view.get_by_text("<img src=hacked").first).to_be_attached()
        if name == "step":
            # The first test, whose counts and formula bear the names and labels.
            page.keyboard.press("ArrowRight")
            visits.at_step(view, 1)
            expect(page.locator(".bjp-slice").first).to_contain_text("<script>hacked() 1")
        assert page.evaluate(INTRUDERS) == [], name


def test_every_kind_of_finding_and_step_is_text(page, tmp_path):
    random = np.random.default_rng(0)
    cells = [*NAMES[:3], *HOSTILE]
    frame = table(cells, cells[:3])
    frame[cells[0]] = np.array(cells, dtype=object)[random.integers(len(cells), size=300)]
    frame[cells[1]] = [f"{cells[1]} {k}" for k in range(300)]
    frame[cells[2]] = frame[cells[3]]
    frame[cells[4]] = np.where(random.random(300) < 0.5, cells[4], cells[4].upper())
    frame[cells[5]] = random.normal(size=300)
    frame.loc[::5, cells[6]] = None
    frame[cells[7]] = cells[7]
    file = tmp_path / "<script>hacked()<b>.csv"
    frame.to_csv(file, index=False)
    visits.give_file(page, file)
    main = page.get_by_test_id("stMain")
    findings = ("Missing cells", "Identifiers", "Copies", "Constant", "Several spellings")
    for text in (*findings, "Many distinct", "</script><script>hacked()"):
        expect(main.get_by_text(text).first).to_be_attached()
    page.get_by_text("What the reader noticed").click()
    page.get_by_text("What each column is").click()
    # A table saves no cell that a spreadsheet would run.
    page.get_by_test_id("stDataFrame").first.hover()
    expect(page.get_by_role("button", name="Search").first).to_be_visible()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
    for kind in ("Filter rows", "Order of the states", "Recode states"):
        visits.rest(page)
        choice = page.get_by_role("combobox", name="Add a step")
        choice.click()
        choice.press_sequentially(kind)
        page.get_by_role("option", name=kind, exact=True).click()
        expect(page.get_by_role("button", name="Add this step")).to_be_visible()
        assert page.evaluate(INTRUDERS) == [], kind
    assert main.locator('a[href*="hacked"], .katex').count() == 0


def test_files_are_inert_and_a_report_forbids_scripts(open_file, browser, tmp_path):
    """Names, labels, title and steps of a result are hostile."""
    n, title = len(HOSTILE), "</title><script>hacked()</script>"
    codes = np.random.default_rng(1).integers(0, 2, (80, n))
    data = bjp.Dataset.from_codes(codes, [2] * n, HOSTILE, labels=[LABELS] * n)
    graph = nx.Graph()
    graph.add_nodes_from(HOSTILE)
    graph.add_edges_from(pairwise(HOSTILE))
    steps = Preparation((MissingCells("state"),))
    loaded = Loaded("file:hostile", title, LABELS[0], data, did=(LABELS[0],), preparation=steps)
    sure = bjp.edge_probabilities(data)
    points = layout.positions(HOSTILE, [graph])
    effects = bjp.fit_parameters(data, graph).effects(resamples=5)
    result = Result(loaded, graph, bjp.score(data, graph), points, sure, effects=effects)
    made = {kind.extension: kind.make() for kind in formats_of(result)}
    report = made["report.html"].decode()
    assert "\u202e" not in report
    # A name of 10,000 letters is cut wherever it is read.
    assert max(map(len, re.findall("(?:hacked)+", report))) < 250
    pairs = pd.read_csv(io.BytesIO(made["csv"]))
    assert not pairs[["x", "y"]].stack().str.startswith(("=", "+", "-", "@")).any()

    embedded = "e => ['img', 'iframe', 'object', 'embed'].includes(e.localName)"
    for kind in ("report.html", "html", "svg"):
        path = tmp_path / f"file.{kind}"
        path.write_bytes(made[kind])
        page, seen = open_file(path.as_uri()), []
        page.on("request", lambda request, seen=seen: seen.append(request.url))
        page.on("console", lambda message, seen=seen: seen.append(message.text))
        page.reload()
        if kind == "html":
            page.wait_for_function(f"() => network.body.nodeIndices.length === {n}")
            assert page.locator("canvas").count() == 1
        else:
            shown = page.locator("svg text" if kind == "svg" else "td")
            expect(shown.filter(has_text=LABELS[0]).first).to_be_attached()
            assert page.locator("script").count() == 0, kind
        assert page.evaluate(INTRUDERS) == [], kind
        found = page.evaluate(f"[...document.querySelectorAll('*')].filter({embedded}).length")
        # A report holds its drawing as data.
        assert found == (kind == "report.html"), kind
        # An event on each element starts nothing. Had a name run, hacked() would be an error.
        page.evaluate(
            """() => document.querySelectorAll("*").forEach((element) => {
                for (const name of ["load", "error", "click", "mouseover"])
                    element.dispatchEvent(new Event(name));
            })"""
        )
        assert seen == [path.as_uri()]

    tail = b"<script>document.title = 'ran'</script><img src='https://hacked.test/x'>"
    path = tmp_path / "report.html"
    path.write_bytes(made["report.html"] + tail)
    # Not `open_file`, on which nothing may be refused.
    page, requests = browser.new_page(), []
    page.on("requestfinished", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert page.title() == title
    assert requests == [path.as_uri()]
    # Wide tables scroll in their frames; the page doesn't.
    for width in (1100, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_names_in_shared_pages_stay_text(open_file, tmp_path):
    names = [*HOSTILE[:8], "سلام", "ن" * 10_000, "x" * 10_000]
    codes = np.random.default_rng(1).integers(0, 2, (60, len(names)))
    labels = [(HOSTILE[0], "</script><img src=x onerror=hacked()>")] * len(names)
    data = bjp.Dataset.from_codes(codes, [2] * len(names), names, labels=labels)
    graph = nx.path_graph(data.names)
    made = {
        "step": bjp.score(data, graph, "mpl"),
        "climb": bjp.learn(data, search="ibmap-hc"),
        "networks": [graph, nx.empty_graph(data.names)],
        "whatif": bjp.fit_parameters(data, graph),
    }
    for name, what in made.items():
        path = tmp_path / f"{name}.html"
        path.write_text(bjp.share(what, title=HOSTILE[1], about=HOSTILE[9]), encoding="utf-8")
        page = open_file(path.as_uri(), viewport={"width": 390, "height": 844})
        expect(page.locator("main > .bjp")).to_have_attribute("data-component", name)
        page.keyboard.press("ArrowRight")
        assert page.evaluate(INTRUDERS) == [], name
        # The three scripts of every page; one that a name began would be a fourth.
        assert page.locator("script").count() == 3, name
        expect(page.locator("h1")).to_have_text(HOSTILE[1])
        visits.assert_fits(page)
