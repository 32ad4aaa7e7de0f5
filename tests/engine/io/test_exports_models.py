"""Libra's `.mn` and code for pgmpy: what is written means the same to others, and runs nothing."""

import ast
import math
import re
import runpy
import subprocess
import sys
from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine import Dataset
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.io import graph_bytes, read_graph
from bjp_engine.io.graphs import FORMATS

HOSTILE = (
    *("'''", '"""', "__import__('os')", "a\nimport os", "\\", "{names}", "a\u202egnp"),
    *("a\u2028b", "#", "n" * 10_000, "日本", "0"),
)


def data_of(names, states=2, rows=60):
    """A chain: each variable mostly repeats the one before."""
    random = np.random.default_rng(3)
    columns = [random.integers(0, states, rows)]
    for _ in names[1:]:
        other = random.integers(0, states, rows)
        columns.append(np.where(random.random(rows) < 0.7, columns[-1], other))
    return Dataset.from_codes(np.stack(columns, axis=1), [states] * len(names), names)


def chain(names):
    """The names in a row, the last one alone."""
    graph = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from(pairwise(names[:-1]))
    return graph


def edges(graph):
    return {frozenset(edge) for edge in graph.edges}


def by_the_manual(content):
    """Schema and tables of a `.mn` file, read as Libra's manual describes it."""
    schema, _, body = content.decode("ascii").partition("\nMN {\n")
    factors = []
    for table in re.findall(r"table \{\n(.*?)\n\}", body, re.DOTALL):
        factors.append({})
        for line in table.splitlines():
            weight, *conditions = line.split(" ")
            states = [re.fullmatch(r"\+v(\d+)_(\d+)", one).groups() for one in conditions]
            factors[-1][tuple((int(i), int(s)) for i, s in states)] = float(weight)
    return [int(r) for r in schema.split(",")], factors


class TestLibra:
    def test_structure_and_parameters_as_the_manual_describes_them(self):
        data = data_of(("a", "b", "c", "d"), 3, 300)
        graph = nx.Graph([("a", "b"), ("b", "c"), ("a", "c")])
        graph.add_node("d")
        fitted = bjp.fit_parameters(data, graph, "likelihood")
        rows = list(product(range(3), repeat=4))
        known = fitted.log_probability(Dataset.from_codes(rows, [3] * 4, data.names))
        # Without parameters every row has the same probability.
        for network, wanted in ((None, [-4 * math.log(3)] * len(rows)), (fitted, known.tolist())):
            schema, factors = by_the_manual(graph_bytes(graph, "mn", data=data, network=network))
            assert schema == [3, 3, 3, 3]
            sums = []
            for row in rows:
                holds = [
                    [w for states, w in factor.items() if all(row[i] == s for i, s in states)]
                    for factor in factors
                ]
                assert all(len(found) == 1 for found in holds)
                sums.append(math.fsum(found[0] for found in holds))
            log_z = math.log(math.fsum(map(math.exp, sums)))
            assert [value - log_z for value in sums] == pytest.approx(wanted, abs=1e-12)
        scopes = [{i for states in factor for i, _ in states} for factor in factors]
        assert scopes == [{0, 1, 2}, {3}]

    @given(st.data())
    def test_our_reader_gives_the_graph_back(self, draw):
        n = draw.draw(st.integers(1, 7))
        pairs = list(combinations(range(n), 2))
        chosen = draw.draw(st.lists(st.sampled_from(pairs))) if pairs else []
        graph = nx.empty_graph(n)
        graph.add_edges_from(chosen)
        data = Dataset.from_codes(np.zeros((2, n), dtype=int), [2] * n)
        again = read_graph(graph_bytes(graph, "mn", data=data), "mn")
        assert list(again) == list(range(n))
        assert edges(again) == edges(graph)

    def test_hostile_names_do_not_reach_the_file(self):
        names = tuple(name for name in HOSTILE if name != "0")
        text = graph_bytes(chain(names), "mn", data=data_of(names))
        assert re.fullmatch(rb"[0-9,]+\nMN \{\n(?:[a-z {}0-9.+\-_\n])*\}\n", text)
        found = read_graph(text, "mn")
        assert edges(found) == {frozenset(pair) for pair in pairwise(range(len(names) - 1))}

    def test_what_libra_itself_writes(self):
        # Its four kinds of factors, as the manual shows them.
        text = b"""
2,3,2,2,2
MN {
table {
-6.931472e-01 +v0_1
-6.931472e-01 +v0_0
}

features {
-1.005034e-02 +v1_1 +v0_1
-2.302585e+00 +v1_0 -v0_1
}
tree {
(v1_2
    (v3_0 -1.905948e-02 -3.969694e+00)
    (v2_0 -2.121121e-01 inf))
}
1.2 +v0_1 -v4_0

}
"""
        wanted = {(0, 1), (1, 2), (1, 3), (2, 3), (0, 4)}
        assert edges(read_graph(text, "mn")) == {frozenset(pair) for pair in wanted}

    def test_what_is_none(self):
        for text, part in (
            (b"", "not a Libra Markov network"),
            (b"2,2\nBN {\n}", "not a Libra Markov network"),
            (b"2,,2\nMN {\n}", "first line"),
            (b"2,0\nMN {\n}", "first line"),
            (b"2,2\nMN {\n1 +v0_0 +v2_0\n}", "'v2_0'"),
            (b"2,2\nMN {\n1 +v0_0 +v1_2\n}", "states 0 to 1"),
            (b"2,2\nMN {\n1 +v0_0 +v1_1\n", "braces"),
            (b"2,2\nMN {\nother {\n}\n}", "braces"),
        ):
            with pytest.raises(GraphError) as caught:
                read_graph(text, "mn")
            assert part in str(caught.value)
            assert str(caught.value).endswith("."), text

    @given(st.binary(max_size=60).map(lambda junk: b"2,2\nMN {\n" + junk))
    def test_any_bytes_give_a_graph_or_a_sentence(self, text):
        try:
            outcome = list(read_graph(text, "mn"))
        except GraphError as error:
            outcome = str(error)[-1]
        assert outcome in ([0, 1], ".")

    def test_what_cannot_be_written(self):
        graph = nx.Graph([("a", "b")])
        with pytest.raises(GraphError, match="give the data"):
            graph_bytes(graph, "mn")
        with pytest.raises(GraphError, match="node 'b' is not one of the 2 variables"):
            graph_bytes(graph, "mn", data=data_of(("a", "c")))
        many = Dataset.from_codes([[1999, 1999]], [2000, 2000], ["a", "b"])
        with pytest.raises(GraphError, match="4,000,000 weights"):
            graph_bytes(graph, "mn", data=many)


class TestPgmpy:
    def test_every_value_of_the_code_is_a_literal(self):
        fitted = bjp.fit_parameters(data_of(HOSTILE), chain(HOSTILE))
        tree = ast.parse(graph_bytes(fitted.graph, "py", network=fitted).decode("ascii"))
        found = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        assert ast.literal_eval(found["NAMES"]) == list(HOSTILE)
        assert ast.literal_eval(found["STATES"]) == [["0", "1"]] * len(HOSTILE)
        # Half a character, which a graph may have in a name and a dataset not.
        assert rb"'\ud800'" in graph_bytes(nx.Graph([("\ud800", "b")]), "py")
        # No statement but those of the template, whatever the names are.
        bare = ast.parse(graph_bytes(nx.Graph([("a", "b")]), "py").decode())
        assert [type(node) for node in tree.body] == [type(node) for node in bare.body]
        # Code is never read.
        with pytest.raises(OptionError, match="'py' is not known"):
            read_graph(b"network = 1", "py")
        assert "py" not in FORMATS

    # Of pgmpy, which imports what it will remove.
    @pytest.mark.filterwarnings("ignore::FutureWarning")
    def test_pgmpy_has_the_same_probabilities_and_names(self, tmp_path, capsys):
        def network_of(graph, fitted, name=""):
            bjp.io.write_graph(graph, tmp_path / "network.py", network=fitted)
            return runpy.run_path(str(tmp_path / "network.py"), run_name=name)["network"]

        data = data_of(("a", "b", "c"), 3, 300)
        graph = nx.Graph([("a", "b"), ("b", "c"), ("a", "c")])
        fitted = bjp.fit_parameters(data, graph, "likelihood")
        made = network_of(graph, fitted)
        assert made.check_model()
        assert edges(nx.Graph(made)) == edges(graph)
        rows = list(product(range(3), repeat=3))
        values = [
            math.prod(
                factor.get_value(**{name: str(row["abc".index(name)]) for name in factor.scope()})
                for factor in made.get_factors()
            )
            for row in rows
        ]
        known = np.exp(fitted.log_probability(Dataset.from_codes(rows, [3] * 3, data.names)))
        assert values == pytest.approx(known.tolist(), rel=1e-9)
        with pytest.raises(GraphError, match="another graph"):
            graph_bytes(nx.Graph([("a", "c")]), "py", network=fitted)
        names = HOSTILE[:8]
        made = network_of(chain(names), bjp.fit_parameters(data_of(names), chain(names)))
        assert set(made.nodes) == set(names)
        assert edges(nx.Graph(made)) == edges(chain(names))
        # As a program it shows a query.
        graph = nx.Graph([("a", "b"), ("b", "c")])
        fitted = bjp.fit_parameters(data, graph)
        network_of(graph, fitted, "__main__")
        shown = capsys.readouterr().out
        assert "a given {'b': '0'}:" in shown
        wanted = fitted.query("a", {"b": "0"})["probability"]
        found = [float(one) for one in re.findall(r"a\(\d\) \|\s+([\d.]+)", shown)]
        assert found == pytest.approx(wanted.tolist(), abs=5e-5)

    @pytest.mark.slow
    def test_a_program_of_its_own(self, tmp_path):
        path = tmp_path / "network.py"
        bjp.io.write_graph(bjp.networks.load("karate"), path)
        run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
        assert "34 variables, 78 edges" in run.stdout
