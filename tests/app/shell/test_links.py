"""What pages keep in their URLs, read and written without a browser."""

import base64
import json
import random
import re
import zlib
from itertools import combinations, pairwise
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.dataset import Dataset
from bjp_engine.errors import OptionError
from bjp_engine.io import ReadOptions, read_frame
from bjp_engine.preparation import MissingCells, Preparation, SetRoles
from bjp_engine.resources import sample_data
from bjp_engine.search import StopReason
from bjp_explorer.climb import choices
from bjp_explorer.data.making import token_of
from bjp_explorer.data.reading import read
from bjp_explorer.data.upload import Upload
from bjp_explorer.shell import sources
from bjp_explorer.shell.choices import Number, real
from bjp_explorer.step import choices as step_choices
from tests.app.data.uploads import VOTES
from tests.app.looks import address, payload, rested, settled, views
from tests.refusals import assert_refused

# What a screen is made of, for each page.
LINKS = """
    step?score=ib&test=centred&graph=published&step=7
    step?graph=edited&edges=0-1,2-5&step=3
    step?score=mpl&graph=empty&step=6
    step?step=2&predict=1
    climb?search=tabu&start=mpl-or&tenure=7&patience=9&step=4
    climb?score=ib&search=restarts&restarts=3&seed=8
    climb?search=tabu&prior=degree&degree=2.5&seconds=30
    climb?prior=data&beside=score&beside-score=mpl&by=tests&step=2
    climb?score=mpl&beside=search&beside-search=restarts&beside-strength=2&beside-prior=degree
    climb?search=hill-climb&beside=paper&predict=1
    network?undecided=1&given=0.1
    groups?by=3&search=auto&permutations=99&seed=4
    groups?by=2&states=1
    scores?compare=published
    scores?predict=1
    accuracy?view=calibration&kind=bayesian&size=250
    graphs?score=ib&across=bjp&up=edges&rank=5
"""


@given(st.integers(2, 128), st.integers(0, 2**32), st.floats(0, 1))
def test_any_graph_on_128_nodes_fits_and_comes_back(n, seed, density):
    rng = random.Random(seed)
    pairs = [pair for pair in combinations(range(n), 2) if rng.random() < density]
    text = step_choices.write(pairs, n)
    assert len(text) <= step_choices.MOST
    assert step_choices.read(text, n) == pairs
    # Nothing in it has to be escaped in a URL.
    assert re.fullmatch("[-,~_0-9a-zA-Z]*", text)


def test_few_edges_are_readable_and_too_many_are_not_written():
    assert (step_choices.write([(5, 2), (0, 1)], 6), step_choices.write([], 6)) == ("0-1,2-5", "")
    assert (step_choices.read("2-5,1-0,0-1", 6), step_choices.read("", 6)) == ([(0, 1), (2, 5)], [])
    rng = random.Random(1)
    dense = [pair for pair in combinations(range(400), 2) if rng.random() < 0.5]
    assert step_choices.write(dense, 400) == ""
    sparse = list(pairwise(range(400)))
    assert step_choices.read(step_choices.write(sparse, 400), 400) == sparse
    bomb = base64.urlsafe_b64encode(zlib.compress(bytes(10**6), 9)).decode().rstrip("=")
    assert len(bomb) < step_choices.MOST
    another_size = step_choices.write(list(combinations(range(60), 2)), 60)
    assert another_size.startswith("~")
    for n, text in [
        *((6, pair) for pair in ("0-6", "1-1", "a-b", "0-1-2", "-1-2", "0–1", "٣-1", "1e1-2")),
        *((6, text) for text in ("0-1,", "0-1;2-3", "0-99999999999999999999")),
        *((6, text) for text in ("~", "~!!", "~AAAA", "~" + "A" * 3000, f"~{bomb}")),
        (61, another_size),
    ]:
        assert_refused(OptionError, "must be", step_choices.read, text, n)


@pytest.mark.parametrize("page", dict.fromkeys(re.findall(r"(\w+)\?", LINKS)))
def test_a_link_comes_back_as_the_address(open_app, page):
    app = settled(open_app(page))
    assert address(app) == {"data": "coronary"}
    given_ = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    can_be_copied = any("button" in one for one in given_)
    assert can_be_copied or page not in ("step", "climb", "scores", "network")
    for text in re.findall(rf"\b{page}\?(.*)", LINKS):
        query = dict(parse_qsl(text, strict_parsing=True))
        app = settled(open_app(page, data="coronary", **query))
        assert not app.warning, query
        assert address(app) == {"data": "coronary", **query}


def test_every_number_of_every_search_is_in_the_link(open_app):
    for method, search in [(m, s) for m in ("bjp", "ib", "mpl") for s in choices.climbing(m)]:
        numbers = [name for name in choices.NUMBERS if name in choices.defaults(search)]
        query = {name: str(3 + k) for k, name in enumerate(numbers)}
        whole = {"score": method, "search": search, "seconds": "20", **query}
        app = settled(open_app("climb", data="coronary", **whole))
        usual = {"score": "bjp", "search": choices.climbing(method)[0]}
        expected = {k: v for k, v in whole.items() if usual.get(k) != v}
        assert address(app) == {"data": "coronary", **expected}
        for name, text in query.items():
            assert app.number_input(key=f"climb-{search}-{name}").value == int(text)


def test_the_screen_is_the_links(open_app):
    data = sources.load("coronary").data
    query = {"score": "ib", "graph": "edited", "edges": "0-1,2-5", "step": "12"}
    app = open_app("step", data="coronary", **query)
    sent = payload(app)
    assert (sent["method"], sent["edges"], sent["initial_step"]) == ("ib", [[0, 1], [2, 5]], 12)
    assert app.session_state["visit-edited"]
    app = settled(open_app("climb", data="coronary", search="tabu", tenure="7", step="4"))
    trace = bjp.learn(data, search="tabu", tenure=7)
    assert payload(app)["initial_step"] == 4
    assert [s["score"] for s in payload(app)["steps"]] == [s.score for s in trace.steps]
    terms = bjp.score(data, bjp.learn(data, "ib", search="ibmap-hc").graph, "ib").terms
    step = 1 + [(t.x, t.y) for t in terms].index((data.names[4], data.names[1]))
    app = open_app("step", data="coronary", score="ib", cell="4-1")
    shown = {"data": "coronary", "score": "ib", "step": str(step)}
    assert (payload(app)["initial_step"], address(app)) == (step, shown)


BAD = [
    ("step", "score", "BJP", "must be one of bjp, ib, mpl, near; bjp is used instead."),
    ("step", "step", "31", "must be a whole number from 0 to 30; 0 is used instead."),
    ("step", "cell", "0-0", "two different columns from 0 to 5, such as 0-1; it is ignored"),
    ("step", "predict", "yes", "must be 1 or 0; 0 is used instead."),
    ("climb", "search", "mpl-hc", "must be one of ibmap-hc"),
    ("climb", "seconds", "1e3", "must be a number from 1 to 3600; it is ignored."),
    ("groups", "by", "9", "must be one of 0, 1, 2, 3, 4, 5; it is ignored."),
    ("accuracy", "view", "8001", "must be one of "),
    # None of several is no word of a sentence.
    ("practice", "kinds", "zz", "separated by commas; it is ignored."),
]


def test_a_bad_value_is_told_and_the_rest_of_a_link_holds(open_app, run, switch_page):
    for page, name, text, why in BAD:
        app = settled(open_app(page, data="coronary", **{name: text}))
        (told,) = [each.value.replace("\\", "").replace("\u2060", "") for each in app.warning]
        assert f"The link’s {name}='{text}' can’t be used" in told
        assert why in told, (page, name)
        assert page == "practice" or address(app) == {"data": "coronary"}, (page, name)
    assert real("0.25", 0, 1) == 0.25
    box = Number("", "", 0.0, 0.0, 1e7)
    for value in (0.1 + 0.2, 2.1234567, 1e-5, 1e6, 3.0):
        assert box.read(box.write(value)) == value
    for text in ("1e-1", "inf", "nan", "0x1", "٣", "", ".", "1_0", " 1", "1,5", "-0.5", "2"):
        assert_refused(OptionError, "from 0 to 1", real, text, 0, 1)
    app = open_app("climb", data="coronary", score="<img src=x>**b**[a](//c.d)")
    assert not re.search(r"(?<!\\)(<img|\*\*b|\[a)", app.warning[0].value)
    app = open_app("step", data="coronary", score="?", graph="empty", step="4", tenure="1")
    assert len(app.warning) == 2
    assert "which this page doesn’t use" in app.warning[1].value
    assert address(app) == {"data": "coronary", "graph": "empty", "step": "4"}
    # The sentences stay until one leaves.
    run(app.segmented_control(key="step-graph").set_value("published"))
    assert len(app.warning) == 2
    assert not switch_page(app, "scores").warning
    assert not switch_page(app, "step").warning
    assert address(app) == {"data": "coronary", "graph": "published"}
    # A link of an earlier version, to a search that is no more, opens the page with the default.
    for link in ("search=exact", "search=annealing&temperature=0.5-2&sweeps=3&start=mpl"):
        asked = {"data": "coronary", "score": "ib", **dict(parse_qsl(link))}
        app = settled(open_app("climb", **asked))
        assert not [*app.exception, *app.error], link
        kept = {name: asked[name] for name in ("data", "score", "start") if name in asked}
        assert address(app) == kept, link
        assert payload(app)["stop"] == str(StopReason.NOT_RAISED), link
    app = open_app("step", data="coronary", graph="edited", edges="0-1,2-9")
    assert "different columns from 0 to 5" in app.warning[0].value.replace("\\", "")
    assert payload(app)["edges"] == []
    # A visit remembers what no link says.
    app = open_app("step")
    run(app.segmented_control(key="step-score").set_value("ib"))
    switch_page(app, "data")
    assert address(switch_page(app, "step")) == {"data": "coronary", "score": "ib"}
    # Going back brings an address, which says it all.
    switch_page(app, "data")
    link = {"data": "titanic", "graph": "empty"}
    assert address(switch_page(app, "step", **link)) == link


CORONARY = sample_data("datasets", "coronary.csv").read_bytes()


def ask(open_app, token, **query):
    app = open_app("step", data=token, **query)
    assert not views(app)
    assert "Drop the same file here" in app.info[0].value
    assert "Coronary heart disease" in app.sidebar.markdown[0].value
    return app


def drop(app, content, name="mine.csv", place=0):
    app.file_uploader[place].set_value((name, content, "text/csv"))
    return rested(app.run().run())


def uploaded(app, token):
    return app.session_state["visit-uploads"][token]


NAMES = read_frame(VOTES)[0].columns
KEPT = (SetRoles(tuple(name for k, name in enumerate(NAMES) if k not in (0, 3, 4)), "leave out"),)


def test_the_same_file_leads_to_the_same_screen_and_another_is_refused(open_app):
    token, part = Upload("any.csv", CORONARY).token, read_frame(VOTES)[0]
    for data, content, query in (
        (token, CORONARY, {"score": "ib", "step": "5"}),
        (f"{token}~0.2.4", CORONARY, {"score": "ib"}),
        (
            token_of(
                read(Upload("v.csv", VOTES), ReadOptions()),
                Preparation((*KEPT, MissingCells("state"))),
            ),
            VOTES,
            {},
        ),
    ):
        app = settled(drop(ask(open_app, data, **query), content))
        sent = payload(app)
        assert address(app) == {"data": data, **query}
        found, columns = len(sent["names"]), 6 if data == token else 3
        assert (sent["method"], found) == (query.get("score", "bjp"), columns)
        assert sent["initial_step"] == int(query.get("step", 0))
    expected = Dataset.from_frame(part.iloc[:, [0, 3, 4]], missing="state")
    assert uploaded(app, data).data.digest == expected.digest
    app = drop(ask(open_app, "file:0123456789ab", score="ib"), CORONARY, "coronary.csv")
    assert re.search("coronary.* is a different file", app.error[0].value)
    assert not views(app)
    assert "upload it on the page Data" in app.error[0].value
    settled(app.button(key="asked-leave").click().run())
    assert address(app) == {"data": "coronary", "score": "ib"}


def test_steps_or_files_that_a_link_lacks_are_refused(open_app, switch_page):
    app = drop(ask(open_app, f"{Upload('', VOTES).token}:p0123456789ab"), VOTES)
    assert "which says nothing about a file" in app.error[0].value
    assert not views(app)
    frame = read_frame(VOTES)[0].iloc[:60, :5]
    content = frame.to_csv(index=False).encode()
    reading = read(Upload("t.csv", content), ReadOptions())
    plan = Preparation((MissingCells("state"),))
    first, second = token_of(reading, reading.suggestion), token_of(reading, plan)
    app = settled(drop(ask(open_app, second), content))
    assert uploaded(app, second).data.rows == 60
    settled(switch_page(app, "method", data=first).run())
    assert uploaded(app, first).data.rows == len(frame.dropna()) < 60
    content = b"\x00\x01\x02"
    app = drop(ask(open_app, Upload("", content).token), content)
    assert (len(app.error), views(app)) == (1, [])
    app = open_app("step", data="file:../../etc")
    assert "There is no dataset" in app.warning[0].value.replace("\\", "")
    assert views(app)
    for says, sentence in (
        ("zAAAA", "says nothing about a file"),
        ("nonsense", "says nothing about a file"),
        ("d99", "which it doesn't have"),
        ("s1", "which it doesn't have"),
        ("t1", "which it doesn't have"),
    ):
        app = drop(ask(open_app, f"{Upload('', CORONARY).token}:{says}"), CORONARY)
        assert sentence in app.error[0].value.replace("\\", ""), says
        assert not views(app), says


def test_the_projector_changes_no_choice(open_app, switch_page):
    app = open_app("step", data="coronary", score="ib")
    switch_page(switch_page(app, "data"), "step", data="coronary", projector="1")
    assert address(app) == {"data": "coronary", "score": "ib"}
