"""What a token means, and what becomes of missing cells and of columns that can't serve."""

from __future__ import annotations

import pandas as pd
import pytest

from bjp_engine import networks, sampling
from bjp_engine.dataset import MISSING_LABEL, Dataset
from bjp_engine.errors import BJPError, DataError
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import load, network_sample, network_token, sample_token


class TestSamples:
    @pytest.mark.parametrize("name", sources.samples())
    def test_each_loads_as_its_catalogue_says(self, name: str) -> None:
        entry, loaded = sources.samples()[name], load(name)
        assert (loaded.token, loaded.kind, loaded.title) == (name, "sample", entry.title)
        assert loaded.data.n == entry.columns
        assert loaded.missing == entry.missing == sum(loaded.missing_in)
        assert bool(loaded.did) == bool(entry.missing)
        assert (loaded.published is not None) == (entry.published is not None)

    def test_the_default_is_coronary(self) -> None:
        loaded = load(sources.DEFAULT)
        assert (loaded.data.rows, loaded.data.n) == (1841, 6)
        assert loaded.published is not None
        assert loaded.published.number_of_edges() == 9

    def test_drop_and_state_differ_in_rows(self) -> None:
        dropped, kept = load("house_votes_84:drop"), load("house_votes_84:state")
        assert (dropped.data.rows, kept.data.rows) == (232, 435)
        assert "203 incomplete rows of 435" in dropped.did[0]
        assert MISSING_LABEL in kept.data.labels[1]
        assert set(dropped.data.cardinalities) == {2}

    def test_the_senate_has_no_complete_row_and_still_loads(self) -> None:
        loaded = load("senate109")
        assert (loaded.data.rows, loaded.data.n) == (645, 101)
        assert "no row is complete" in loaded.did[0]
        with pytest.raises(DataError, match="Every row has a missing cell"):
            load("senate109:drop")

    def test_the_usual_choice_needs_no_mention(self) -> None:
        assert sample_token("coronary", "drop") == "coronary"
        assert sample_token("supreme_court", "drop") == "supreme_court"
        assert sample_token("supreme_court", "state") == "supreme_court:state"
        assert sample_token("house_votes_84", "drop") == "house_votes_84:drop"


class TestNetworks:
    def test_a_token_draws_what_the_engine_draws(self) -> None:
        token = network_token("karate", "log-odds", 250, 3)
        graph = networks.load("karate", labelled=True)
        drawn = sampling.random_model(graph, "log-odds", seed=3).sample(250, seed=3)
        loaded = load(token)
        assert (loaded.token, loaded.kind) == (token, "net")
        assert loaded.data.digest == drawn.digest
        assert loaded.truth is not None
        assert set(loaded.truth.edges) == set(graph.edges)

    def test_the_parts_of_a_token(self) -> None:
        assert network_sample("net:hub-1:log-odds:250:7") == ("hub-1", "log-odds", 250, 7)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "nope",
        "coronary:keep",
        "file:0123456789ab",
        "../coronary",
        "net:",
        "net:nope:log-odds:250:0",
        "net:karate:nope:250:0",
        "net:karate:log-odds:0:0",
        "net:karate:log-odds:10001:0",
        "net:karate:log-odds:-5:0",
        "net:karate:log-odds:٣:0",
        "net:karate:log-odds:250:2147483648",
        f"net:karate:log-odds:250:{'9' * 5000}",
        "net:karate:log-odds:250:0:0",
    ],
)
def test_a_token_that_names_nothing_is_refused(token: str) -> None:
    with pytest.raises(BJPError) as error:
        load(token)
    assert len(str(error.value)) < 500


class TestFrames:
    def test_usual_missing_keeps_rows_where_dropping_costs_too_many(self) -> None:
        frame = pd.DataFrame({"a": [1, 2] * 10, "b": ["x"] * 15 + [None] * 5})
        assert sources.usual_missing(frame) == "drop"
        frame.loc[0, "b"] = None
        assert sources.usual_missing(frame) == "state"
        assert sources.complete_rows(frame) == 14

    def test_prepared_says_what_was_done(self) -> None:
        frame = pd.DataFrame({"a": ["u", "v", "u", "u"], "b": ["x", None, "y", "x"]})
        dropped = sources.prepare("file:x", "t", "a", frame, "drop")
        assert dropped.data.digest == Dataset.from_frame(frame, missing="drop").digest
        assert (dropped.missing, dropped.missing_in) == (1, (0, 1))
        assert dropped.did == (
            "1 missing cell in 1 column: 1 incomplete row of 4 dropped.",
            "In the remaining rows, 'a' has only one value.",
        )
        kept = sources.prepare("file:x", "t", "a", frame, "state")
        assert kept.data.digest == Dataset.from_frame(frame, missing="state").digest
        whole = sources.prepare("file:x", "t", "a", frame[["a"]])
        assert (whole.did, whole.missing, whole.missing_in) == ((), 0, ())
