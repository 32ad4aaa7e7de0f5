"""An experiment as an immutable description; the paper's four tables, and files in TOML.

Everything that a result depends on is part of the description, so two equal descriptions have
equal rows. Which distribution belongs to which table is a reconstruction, docs/theory.md §7.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

import networkx as nx
import numpy as np

from bjp_engine import networks as catalogue
from bjp_engine.errors import OptionError, clip
from bjp_engine.records import keep
from bjp_engine.sampling import Method, Weights
from bjp_engine.sampling.elimination import eliminate
from bjp_engine.search import searches_for
from bjp_engine.search.exhaustive import MOST_VARIABLES
from bjp_engine.validate import choice, file_path, instance, number, whole_number

NAME = re.compile(r"[A-Za-z0-9][\w .-]{0,59}")


class Learner(NamedTuple):
    """A score and the search that maximises it."""

    score: str
    search: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """A design: every network × distribution × sample × number of rows × score.

    Parameters
    ----------
    name : str
        `table-1` to `table-4` are compared with the paper.
    rows : tuple of int
        N; each dataset is the beginning of the longest one, as in the paper's samples.
    epsilon : float
        The log odds of an edge, for `log-odds` only.
    distributions, samples : int
        Of each network, and of each distribution.

    Examples
    --------
    >>> from bjp_engine.experiments import Experiment
    >>> learners = [("bjp", "ibmap-hc"), ("mpl", "mpl-hc")]
    >>> experiment = Experiment("small", ["karate"], [250, 500], learners, samples=3)
    >>> experiment.size
    120
    """

    name: str
    networks: tuple[str, ...]
    rows: tuple[int, ...]
    scores: tuple[Learner, ...]
    weights: Weights = "clique-log-weights"
    epsilon: float = 1.0
    sampler: Method = "gibbs"
    burn_in: int = 100
    sweeps: int = 1000
    distributions: int = 10
    samples: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        lists = {key: _as_tuple(key, getattr(self, key)) for key in ("networks", "rows", "scores")}
        keep(self, **lists | {"scores": tuple(map(_as_learner, lists["scores"]))})
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            # It means nothing to a shell, a spreadsheet or a browser.
            raise OptionError(
                f"name={clip(self.name)} must be 1 to 60 letters, digits, spaces, '.', '_' or "
                "'-', and begin with a letter or digit."
            )
        choice(self.weights, "weights", get_args(Weights))
        choice(self.sampler, "sampler", get_args(Method))
        for key in ("distributions", "samples", "sweeps", "burn_in", "seed"):
            least = 0 if key in ("burn_in", "seed") else 1
            keep(self, **{key: whole_number(getattr(self, key), key, least)})
        keep(self, rows=tuple(whole_number(count, "rows", 1) for count in self.rows))
        if not math.isfinite(number(self.epsilon, "epsilon")):
            raise OptionError(f"epsilon={self.epsilon} is not finite; give a number such as 1.0.")
        if self.weights != "log-odds" and self.epsilon != 1:
            raise OptionError(
                f"epsilon={self.epsilon} is only for weights='log-odds'; leave it out."
            )
        # What sampler and searches can take.
        exhaustive = any(learner.search == "exhaustive" for learner in self.scores)
        for name in self.networks:
            with _about("networks"):
                graph = catalogue.load(name)
                adjacency = nx.to_numpy_array(graph, dtype=np.bool_)
                if self.sampler == "exact" and eliminate(adjacency, [2] * len(graph)) is None:
                    raise OptionError(f"sampler='exact' can't draw from {name}; use 'gibbs'.")
                if exhaustive and len(graph) > MOST_VARIABLES:
                    raise OptionError(
                        f"{name} has {len(graph)} nodes, and the search 'exhaustive' takes at most "
                        f"{MOST_VARIABLES}."
                    )

    @property
    def size(self) -> int:
        """How many rows the finished experiment has."""
        learns = len(self.rows) * len(self.scores)
        return len(self.networks) * self.distributions * self.samples * learns

    @property
    def independent_levels(self) -> list[str]:
        """What tells independent datasets apart: samples from a random distribution may depend."""
        one = self.weights == "log-odds" or self.distributions == 1
        return ["distribution", "sample"] if one else ["distribution"]

    @property
    def measure(self) -> str:
        """Judged by: `hamming` distance; where all graphs are searched (table 1), `success`."""
        searches = {learner.search for learner in self.scores}
        return "success" if searches == {"exhaustive"} else "hamming"

    def as_plain(self) -> dict[str, Any]:
        """The description as numbers, texts and lists; `Experiment(**d)` is the experiment."""
        return dict(json.loads(json.dumps(asdict(self))))


def check_experiment(experiment: object) -> Experiment:
    """An experiment, or a sentence with how to get one."""
    return instance(
        experiment, "experiment", Experiment, "an Experiment, such as find_table('table-1')"
    )


def _as_tuple(key: str, value: Any) -> tuple[Any, ...]:
    """A list of different things, one at least."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise OptionError(f"{key}={clip(value)} must be a list of one or more.")
    entries = tuple(tuple(entry) if isinstance(entry, list) else entry for entry in value)
    for position, entry in enumerate(entries):
        if entry in entries[:position]:
            raise OptionError(f"{key} names {clip(entry)} twice; name it once.")
    return entries


def _as_learner(entry: Any) -> Learner:
    """A score with a search that serves it."""
    if not isinstance(entry, tuple) or len(entry) != 2:
        raise OptionError(f"scores holds {clip(entry)}; give pairs of a score and its search.")
    with _about("scores"):
        choice(entry[1], "search", searches_for(entry[0]))
    return Learner(*entry)


@contextmanager
def _about(what: str) -> Iterator[None]:
    """Begin the sentence on what can't be used with what it is about."""
    try:
        yield
    except OptionError as error:
        raise OptionError(f"{what}: {error}") from None


# --- The paper's tables, 10 × 10 datasets a cell --------------------------------------------------

PAPER_ROWS = (250, 500, 1000, 2000, 4000, 8000)
# In the order of the paper's columns.
CLIMBS = (Learner("mpl", "mpl-hc"), Learner("ib", "ibmap-hc"), Learner("bjp", "ibmap-hc"))
ALL_GRAPHS = tuple(Learner(score, "exhaustive") for score, _ in CLIMBS)
TARGETS = tuple(f"target-{k}" for k in range(1, 7))
HUBS = tuple(f"hub-{k}" for k in range(1, 5))
SCALE_FREE = tuple(f"scale-free-{k}" for k in range(1, 5))
REAL = ("karate", "curtis-54", "will-57", "dolphins", "polbooks", "adj-noun")

TABLES: Mapping[str, Experiment] = MappingProxyType(
    {
        table.name: table
        for table in (
            Experiment("table-1", TARGETS, PAPER_ROWS, ALL_GRAPHS),
            Experiment("table-2", HUBS, PAPER_ROWS, CLIMBS),
            Experiment("table-3", SCALE_FREE, PAPER_ROWS, CLIMBS),
            Experiment("table-4", REAL, PAPER_ROWS, CLIMBS, "log-odds"),
        )
    }
)


def find_table(name: str) -> Experiment:
    """One of the paper's tables, with 10 distributions a network and 10 samples a distribution.

    Examples
    --------
    >>> from bjp_engine.experiments import find_table
    >>> find_table("table-4").size
    10800
    """
    return TABLES[choice(name, "experiment", tuple(TABLES))]


def resize(
    experiment: Experiment,
    *,
    networks: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
    distributions: int | None = None,
    samples: int | None = None,
    seed: int | None = None,
) -> Experiment:
    """Copy an experiment in another size; the cells that it keeps have the same rows.

    Networks and rows are some of its own. With another seed all rows are different.

    Examples
    --------
    >>> from bjp_engine.experiments import find_table, resize
    >>> resize(find_table("table-4"), networks=["karate"], samples=1).size
    180
    """
    check_experiment(experiment)
    given = {"networks": networks, "rows": rows, "distributions": distributions}
    given |= {"samples": samples, "seed": seed}
    changes: dict[str, Any] = {key: one for key, one in given.items() if one is not None}
    for key in [key for key in ("networks", "rows") if key in changes]:
        changes[key], known = _as_tuple(key, changes[key]), getattr(experiment, key)
        if others := [entry for entry in changes[key] if entry not in known]:
            listed = ", ".join(map(str, known))
            raise OptionError(
                f"{key}: {clip(others[0])} is not part of {experiment.name}; choose from {listed}."
            )
    return replace(experiment, **changes)


# --- Experiments written in TOML ------------------------------------------------------------------

KEYS = tuple(field.name for field in fields(Experiment))


def read_experiment(path: str | Path) -> Experiment:
    """Read a TOML file with the keys of `Experiment`.

    `scores` is a table whose keys are scores and whose values are searches, or lists of searches.
    """
    path = file_path(path)
    with _about(clip(path.name)):
        try:
            plain = tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise OptionError(f"This can't be read as TOML: {error}.") from None
        for key in plain:
            choice(key, "key", KEYS)
        for key in KEYS[:4]:
            if key not in plain:
                raise OptionError(f"The key {key!r} is missing; add it.")
        if plain["name"] in TABLES:
            raise OptionError(f"name={plain['name']!r} is the paper's; choose another.")
        if not isinstance(scores := plain["scores"], dict):
            raise OptionError("scores must be a table, such as [scores] with bjp = 'ibmap-hc'.")
        lists = {score: one if isinstance(one, list) else [one] for score, one in scores.items()}
        pairs = [(score, search) for score, searches in lists.items() for search in searches]
        return Experiment(**plain | {"scores": pairs})
