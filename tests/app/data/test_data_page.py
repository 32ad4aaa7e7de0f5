"""The Data page: three ways in, and numbers that are the engine's."""

from bjp_engine import networks
from bjp_engine.metrics import total_irregularity
from bjp_explorer.data import ways
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import prose, tell_apart
from tests.app.data.uploads import check_numbers, in_hand, metrics, said
from tests.app.looks import address


def test_samples_and_their_missing_cells(app, run):
    assert in_hand(app).token == "coronary"
    check_numbers(app, sources.load("coronary").data)
    assert metrics(app)["Published edges"] == "9"
    assert "Missing cells" not in metrics(app)
    assert not [each for each in app.radio if each.key.startswith("data-missing")]
    entry = sources.samples()["coronary"]
    for text in (entry.about, entry.known, entry.source, entry.licence):
        assert text in said(app)
    # The next pages begin with the network.
    links = [each.proto for each in app.main.get("page_link")]
    assert [one.page for one in links] == ["network", "step", "climb"]
    assert {one.query_string for one in links} == {"data=coronary"}

    assert app.selectbox(key="data-variable").value == "smoking"
    run(app.selectbox(key="data-variable").set_value("family_history"))
    run(app.radio(key="data-sample").set_value("titanic"))
    assert app.selectbox(key="data-variable").value == "Class"
    check_numbers(app, sources.load("titanic").data)
    assert address(app)["data"] == "titanic"
    assert "Titanic" in app.sidebar.markdown[0].value
    run(app.radio(key="data-sample").set_value("house_votes_84"))
    check_numbers(app, sources.load("house_votes_84:state").data)
    choice = app.radio(key="data-missing-house_votes_84")
    assert choice.value == "state"
    assert "232 of 435 rows remain" in choice.proto.captions[0]
    run(choice.set_value("drop"))
    check_numbers(app, sources.load("house_votes_84:drop").data)
    assert address(app)["data"] == "house_votes_84:drop"
    assert "203 incomplete rows of 435 dropped" in said(app)
    # The cells went with their rows: no number speaks of what is no longer there.
    assert "Missing" not in app.dataframe[0].value
    assert "Missing cells" not in metrics(app)
    run(app.radio(key="data-missing-house_votes_84").set_value("state"))
    assert app.dataframe[0].value["Missing"].sum() == 392
    assert metrics(app)["Missing cells"] == "392"


def test_a_page_that_waits_for_a_file_shows_no_other_data(open_app, run):
    app = open_app(**{"from": "file"})
    assert not app.metric
    assert not app.dataframe
    assert "Still using Coronary heart disease" in said(app)
    assert address(app) == {"data": "coronary", "from": "file"}
    run(app.segmented_control(key="data-way").set_value("sample"))
    check_numbers(app, sources.load("coronary").data)
    assert address(app) == {"data": "coronary"}


def test_networks(app, open_app, run):
    members = [name for group in ways.GROUPS for name in ways.members(group)]
    assert sorted(members) == sorted(networks.names())
    run(app.segmented_control(key="data-way").set_value("net"))
    assert in_hand(app).token == "coronary"
    run(app.button(key="data-draw").click())
    loaded = in_hand(app)
    assert loaded.token == "net:target-1:clique-log-weights:1000:0"
    check_numbers(app, loaded.data)
    assert metrics(app)["True edges"] == "6"
    # The default distribution is that of the paper's table.
    for group, weights in (("hubs", "clique-log-weights"), ("real", "log-odds")):
        run(app.segmented_control(key="data-group").set_value(group))
        assert app.radio(key=f"data-weights-{group}").value == weights
        assert in_hand(app).token.split(":")[2] == weights
    app.selectbox(key="data-network-real").set_value("dolphins")
    app.radio(key="data-weights-real").set_value("clique-potentials")
    app.select_slider(key="data-rows").set_value(250)
    app.number_input(key="data-seed").set_value(5)
    run(app)
    token = "net:dolphins:clique-potentials:250:5"
    assert address(app)["data"] == token
    check_numbers(app, sources.load(token).data)
    uneven = total_irregularity(networks.load("dolphins"))
    assert metrics(app)["Irregularity"] == f"{uneven:,}"
    assert metrics(app)["Nodes"] == "62"
    assert metrics(app)["True edges"] == metrics(app)["Edges"] == "159"
    token = "net:karate:log-odds:300:3"
    app = open_app(data=token)
    assert app.segmented_control(key="data-way").value == "net"
    assert app.selectbox(key="data-network-real").value == "karate"
    assert address(app)["data"] == token
    check_numbers(app, sources.load(token).data)


def test_names_are_cut_and_differ():
    assert tell_apart(["a_b", "Q1_1"]) == ["a_b", "Q1_1"]
    assert tell_apart(["a  b", "a b", 3]) == ["a b (1)", "a b (2)", "3"]
    assert len(set(tell_apart(["x" * 70, "x" * 71, "\u200b", " "]))) == 4
    assert (prose("x " * 300).count("x"), prose("*a* <b>")) == (300, r"\*a\* \<b\>")
