"""What a browser may send: links to heavy graphs, and component values that no component makes."""

from itertools import combinations
from types import SimpleNamespace

import networkx as nx

import bjp_engine as bjp
from bjp_explorer.jobs import costs, results
from bjp_explorer.shell import components, sources
from bjp_explorer.shell.text import number
from bjp_explorer.step import choices
from tests.app.looks import line, payload, settled

KARATE = "net:karate:clique-log-weights:1000:0"


def test_a_dense_graph_of_a_link_is_scored_by_a_worker(open_app, monkeypatch):
    done = []

    def run(task, job, _visit):
        done.append(task.run.__name__)
        return task.here(job)

    monkeypatch.setattr(results, "server_pool", lambda: SimpleNamespace(size=1, run=run))
    monkeypatch.setattr(costs, "QUICK", 0.05)
    data = sources.load(KARATE).data
    dense = list(combinations(range(data.n), 2))[3:]
    for pairs, heavy, test in ((dense, True, "centred"), ([(0, 1)], False, "equal")):
        done.clear()
        edges = choices.write(pairs, data.n)
        link = {"score": "ib", "test": test, "graph": "edited", "edges": edges}
        app = settled(open_app("step", data=KARATE, **link))
        assert ("score" in done) == heavy
        graph = nx.empty_graph(data.names)
        graph.add_edges_from((data.names[i], data.names[j]) for i, j in pairs)
        assert len(payload(app)["edges"]) == len(pairs)
        found = bjp.score(data, graph, "ib", prior_cells=test)
        assert f" = {number(found.total)}**" in line(app)


def test_a_graph_that_is_not_shown_opens_no_page(open_app, monkeypatch):
    sent = SimpleNamespace(open=None)
    monkeypatch.setattr(components, "show", lambda *_, **__: sent)
    app = open_app("graphs", data="coronary~0.1.2.3")
    for sent.open in ("x", "-1", "999999", "1" * 5000, 3, ["1"], {"1": 1}):
        assert app.run().title[0].value == "All graphs", sent.open
        assert not app.exception
        assert not app.error
