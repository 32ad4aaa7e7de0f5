"""An experiment as an immutable description: which networks, samples and scores, how often.

Everything that a result depends on stands here, so two equal descriptions have equal rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

from bjp_engine import networks as catalogue
from bjp_engine.errors import OptionError, clip
from bjp_engine.sampling import Method, Weights
from bjp_engine.sampling.model import MAX_JOINT_STATES
from bjp_engine.search import searches_for
from bjp_engine.search.exhaustive import MOST_VARIABLES

# Mean Hamming distance, or how often the network itself was learned.
Measure = Literal["hamming", "success"]
PAPER_ROWS = (250, 500, 1000, 2000, 4000, 8000)
NAME = re.compile(r"[A-Za-z0-9][\w .-]{0,59}")


class Learner(NamedTuple):
    """A score and the search that maximises it.

    Parameters
    ----------
    score, search : str
        By their registered names.
    """

    score: str
    search: str


class Cell(NamedTuple):
    """What one row of results is about: one search on one dataset.

    Parameters
    ----------
    rows : int
        N.
    distribution : int
        Which random distribution on the network, from 0.
    sample : int
        Which sample from that distribution, from 0.
    """

    network: str
    rows: int
    distribution: int
    sample: int
    score: str
    search: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """A design: every network × distribution × sample × number of rows × score.

    Parameters
    ----------
    name : str
        What the results are kept under; `table-1` to `table-4` are compared with the paper.
    networks : tuple of str
        Benchmark networks, by name.
    rows : tuple of int
        N; each dataset is the beginning of the longest one, as in the paper's samples.
    scores : tuple of Learner
        Scores and their searches.
    weights : {"clique-log-weights", "clique-potentials", "log-odds"}
        The distribution, see `bjp_engine.sampling.random_model`.
    epsilon : float
        Of `log-odds`.
    sampler : {"gibbs", "exact"}
    burn_in, sweeps : int
        Of the Gibbs sampler.
    distributions, samples : int
        Distributions a network, and samples a distribution.
    seed : int
        Of everything random.

    Raises
    ------
    OptionError
        If a value can't be used; the sentence names the key.

    Examples
    --------
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
        """Take lists as tuples, and refuse what can't be run."""
        for key in ("networks", "rows", "scores"):
            object.__setattr__(self, key, _entries(key, getattr(self, key)))
        object.__setattr__(self, "scores", tuple(_learner(entry) for entry in self.scores))
        _check_name(self.name)
        _check_choice("weights", self.weights, get_args(Weights))
        _check_choice("sampler", self.sampler, get_args(Method))
        for key, least in (("distributions", 1), ("samples", 1), ("sweeps", 1)):
            _check_whole(key, getattr(self, key), least)
        for key in ("burn_in", "seed"):
            _check_whole(key, getattr(self, key), 0)
        for count in self.rows:
            _check_whole("rows", count, 1)
        _check_epsilon(self.epsilon, self.weights)
        for network in self.networks:
            _check_network(network, self)

    @property
    def size(self) -> int:
        """How many rows the finished experiment has."""
        learns = len(self.rows) * len(self.scores)
        return len(self.networks) * self.distributions * self.samples * learns

    @property
    def independent(self) -> bool:
        """Whether all samples on a network are from one and the same distribution."""
        return self.weights == "log-odds" or self.distributions == 1

    @property
    def measure(self) -> Measure:
        """What it is judged by: success where all graphs are searched, as for table 1."""
        searches = {learner.search for learner in self.scores}
        return "success" if searches == {"exhaustive"} else "hamming"

    def cells(self, network: str, distribution: int, sample: int) -> Iterator[Cell]:
        """The cells that share one dataset, by ascending N.

        Parameters
        ----------
        network : str
        distribution, sample : int

        Yields
        ------
        Cell
        """
        for count in sorted(self.rows):
            for learner in self.scores:
                yield Cell(network, count, distribution, sample, *learner)

    def as_plain(self) -> dict[str, Any]:
        """The description as numbers, texts and lists, as TOML and JSON write them.

        Returns
        -------
        dict
            `Experiment(**d)` is the experiment again.
        """
        plain = asdict(self)
        return plain | {
            "networks": list(self.networks),
            "rows": list(self.rows),
            "scores": [list(learner) for learner in self.scores],
        }


KEYS = tuple(field.name for field in fields(Experiment))


def _entries(key: str, value: Any) -> tuple[Any, ...]:
    """A list of different things, one at least."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise OptionError(f"{key}={clip(value)} must be a list of one or more.")
    entries = tuple(tuple(entry) if isinstance(entry, list) else entry for entry in value)
    for position, entry in enumerate(entries):
        if entry in entries[:position]:
            raise OptionError(f"{key} names {clip(entry)} twice; name it once.")
    return entries


def _learner(entry: Any) -> Learner:
    """A score with a search that serves it."""
    if not isinstance(entry, tuple) or len(entry) != 2:
        raise OptionError(f"scores holds {clip(entry)}; give pairs of a score and its search.")
    score, search = entry
    try:
        possible = searches_for(score)
    except OptionError as error:
        raise OptionError(f"scores: {error}") from None
    if search not in possible:
        raise OptionError(
            f"scores: the search {clip(search)} does not serve {score}; "
            f"choose from {', '.join(possible)}."
        )
    return Learner(score, search)


def _check_name(value: Any) -> None:
    """A short text that means nothing to a shell, a spreadsheet or a browser."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise OptionError(
            f"name={clip(value)} must be 1 to 60 letters, digits, spaces, '.', '_' or '-', "
            "and begin with a letter or digit."
        )


def _check_choice(key: str, value: Any, choices: tuple[str, ...]) -> None:
    """One of a few words."""
    if value not in choices:
        raise OptionError(f"{key}={clip(value)} is not known; choose from {', '.join(choices)}.")


def _check_whole(key: str, value: Any, least: int) -> None:
    """A whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError(f"{key}={clip(value)} must be a whole number, {least} or more.")


def _check_epsilon(epsilon: Any, weights: str) -> None:
    """A finite number, and 1 where it means nothing."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)):
        raise OptionError(f"epsilon={clip(epsilon)} must be a number.")
    if not math.isfinite(epsilon):
        raise OptionError(f"epsilon={epsilon} is not finite; give a number such as 1.0.")
    if weights != "log-odds" and epsilon != 1:
        raise OptionError(f"epsilon={epsilon} is only for weights='log-odds'; leave it out.")


def _check_network(name: Any, experiment: Experiment) -> None:
    """A benchmark network that sampler and searches can take."""
    try:
        nodes = catalogue.load(name).number_of_nodes()
    except OptionError as error:
        raise OptionError(f"networks: {error}") from None
    if experiment.sampler == "exact" and 2**nodes > MAX_JOINT_STATES:
        raise OptionError(
            f"networks: sampler='exact' cannot enumerate {name} with {nodes} nodes; use 'gibbs'."
        )
    exhaustive = any(learner.search == "exhaustive" for learner in experiment.scores)
    if exhaustive and nodes > MOST_VARIABLES:
        raise OptionError(
            f"networks: {name} has {nodes} nodes, and the search 'exhaustive' takes at most "
            f"{MOST_VARIABLES}."
        )
