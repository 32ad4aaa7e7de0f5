"""What can be chosen on *Your network*: the search, the kind of confidence and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bjp_engine import Dataset
from bjp_engine.confidence.edges import ABSENT, PRESENT
from bjp_engine.errors import OptionError
from bjp_engine.search.exhaustive import MOST_VARIABLES
from bjp_explorer.network import how_many_rows, known_choice, words
from bjp_explorer.shell.choices import Field, Number, OneOf, SomeOf, choice_of_search, tell_apart
from bjp_explorer.shell.sources import PART, Loaded

THRESHOLD = Number("threshold", "network-threshold", 0.0, 0.0, 1.0)
# What the lines of the drawing show.
SHOW = OneOf("edges", "network-edges", "effect", words.SHOWN)
PRESENT_FROM = Number("present", "network-present", PRESENT, 0.01, 1.0)
ABSENT_UP_TO = Number("absent", "network-absent", ABSENT, 0.0, 1.0)
RESAMPLES = Number("resamples", "network-resamples", 200, 1, 2000)
RELIABLE = Number("reliable", "network-reliable", 1.0, 0.5, 1.0)
SEED = Number("seed", "network-bootstrap-seed", 0, 0, 2**31 - 1)


def choice_of_kind(data: Dataset) -> OneOf:
    """The kind of confidence; the posterior only where every graph can be scored."""
    few = data.n <= MOST_VARIABLES
    labels = {kind: label for kind, label in words.KINDS.items() if few or kind != "graphs"}
    return OneOf("confidence", "network-kind", "calibrated", labels)


@dataclass(frozen=True)
class Evidence(SomeOf):
    """States of some variables, at most one of each; in the URL each by its place: "3.0,5.1"."""

    def read(self, text: str) -> list[Any]:
        places = {place: value for value, place in self._places().items()}
        asked = [places.get(each) for each in text.split(",")]
        found = [value for value in self.labels if value in asked]
        if len(found) < len(asked) or len(dict(found)) < len(found):
            raise OptionError("must be states of different variables by their places, like 0.1,3.0")
        return found

    def write(self, value: Any) -> str:
        places = self._places()
        return ",".join(places[each] for each in self.labels if each in value)

    def settle(self) -> None:
        """Of each variable keep the state that was chosen last."""
        # As the browser orders them: the last one chosen comes last.
        self.put([*dict(Field.get(self)).items()])

    def _places(self) -> dict[Any, str]:
        """Where each state stands: the number of its variable, and its own."""
        firsts = {name: i for i, name in enumerate(dict([*self.labels]))}
        found, seen = {}, dict.fromkeys(firsts, 0)
        for name, state in self.labels:
            found[name, state] = f"{firsts[name]}.{seen[name]}"
            seen[name] += 1
        return found


def evidence_of(loaded: Loaded) -> Evidence:
    """The choice of what is known of some variables; it outlasts a choice among the variables."""
    data = loaded.data.drop_unused_states()
    states = zip(data.names, data.labels, strict=True)
    labels = {(name, one): words.state(name, one) for name, of in states for one in of}
    key = f"network-evidence {loaded.token.partition(PART)[0]}"
    return Evidence("given", key, [], tell_apart(labels))


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choices."""
    yield choice_of_search(loaded, "network-search")
    kind = choice_of_kind(loaded.data)
    yield kind
    yield THRESHOLD
    yield SHOW
    yield PRESENT_FROM
    yield ABSENT_UP_TO
    yield evidence_of(loaded)
    yield RELIABLE
    yield known_choice.choice_of(loaded)
    yield from how_many_rows.fields(loaded)
    if kind.get() == "bootstrap":
        yield RESAMPLES
        yield SEED
