"""*Your network* opened with a link or an upload, and what its tests read and press there."""

from functools import cache
from pathlib import Path

from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from tests.app.looks import payload, settled, take

APP = Path(__file__).parents[3] / "app.py"
KARATE = "net:karate:clique-log-weights:1000:0"
HOSTILE = ("<script>alert(1)</script>", '"]</script>', "=cmd()", "**bold** $x$ :red[y]")


def open_network(about="coronary", *unfolded, **query):
    page = AppTest.from_file(str(APP), default_timeout=600)
    if isinstance(about, Loaded):
        take(page, about)
        about = about.token
    page.query_params.update({"data": about, **query})
    for part in unfolded:
        page.session_state[part] = True
    return settled(page.switch_page("pages/network.py").run())


def upload(codes, names=None, **data):
    given = data if names is None else {"names": names, **data}
    return Loaded("file:made", "Made up", "", bjp.Dataset.from_codes(codes, **given))


@cache
def learn(token="coronary"):
    return bjp.learn(sources.load(token).data, "bjp", "auto")


def table(page, column="pair"):
    (found,) = [each.value for each in page.dataframe if column in each.value]
    return found


def line(page, beginning):
    blocks = [block.value for block in (*page.markdown, *page.caption)]
    (found,) = [text for text in blocks if text.startswith(beginning)]
    return found


def drawn(page):
    """The tone of each drawn pair, and what follows it."""
    (panel,) = payload(page)["panels"]
    found = {(i, j): rest for i, j, *rest in panel["edges"]}
    assert len(found) == len(panel["edges"])
    return found


def pairs(graph, data):
    ends = (sorted((data.index(u), data.index(v))) for u, v in graph.edges)
    return {(i, j) for i, j in ends}


def press(page, label):
    """Press the button of this label or key; what it begins may still be running."""
    (button,) = [each for each in page.button if label in (each.label, each.key)]
    return button.click().run()
