"""The current dataset: where it came from, what was done to it, and the truth where known.

A source is a short text that fits a URL, the *token*:

    coronary                              a sample, missing cells dealt with as `usual_missing` says
    supreme_court:drop                    a sample with a choice about missing cells
    net:karate:clique-log-weights:1000:0  a sample drawn from a benchmark network
    file:0123456789ab                     an uploaded file, known to this visit only; what may
                                          follow is described in `data.making`
    senate109~0.4.17                      some of the columns of any of them
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, NamedTuple, get_args

import networkx as nx
import pandas as pd

from bjp_engine import Dataset, networks, sampling
from bjp_engine.dataset import MISSING_LABEL, Missing, Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.io import ReadOptions, read_frame, read_graph
from bjp_engine.parameters import Imputed
from bjp_engine.preparation import MissingCells, Preparation
from bjp_engine.preparation.preparation import describe_size
from bjp_engine.resources import sample_data
from bjp_engine.sampling import Weights
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.shell.text import count

DEFAULT = "coronary"
# Between a dataset's token and the columns that are used of it.
PART = "~"
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
MOST_ROWS = 10_000
# A sample's rows with missing cells are dropped up to this share of all; links rely on it.
MOST_DROPPED = 0.25
MOST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Sample:
    """One entry of the catalogue of sample datasets."""

    name: str
    title: str
    about: str
    known: str
    source: str
    licence: str
    rows: int
    columns: int
    missing: int
    published: str | None


@dataclass(frozen=True, eq=False, slots=True)
class Loaded:
    """A dataset ready for every page."""

    # Where it came from, as text that fits a URL.
    token: str
    title: str
    # A sentence or a paragraph.
    about: str
    data: Dataset
    # What was done with what could not be used as it was, a sentence each.
    did: tuple[str, ...] = ()
    # The same in the past tense, with the size of the table before.
    for_paper: tuple[str, ...] = ()
    # Missing cells in the source.
    missing: int = 0
    # The network that the rows were drawn from.
    truth: nx.Graph[Any] | None = None
    # A graph that others published for these data.
    published: nx.Graph[Any] | None = None
    # The same for each variable; empty where there are none.
    missing_in: tuple[int, ...] = ()
    # The steps by which an uploaded table became these data, fitted to it.
    preparation: Preparation | None = None
    # How an uploaded file was read.
    reading: ReadOptions | None = None
    # The same rows by the columns of a file that were kept as groups.
    groups: Dataset | None = None
    # All completed tables where missing cells were imputed; `data` is the first.
    imputed: Imputed | None = None
    # The dataset of which these are some of the variables.
    whole: Loaded | None = None

    @property
    def base(self) -> str:
        """The token of the dataset with all of its columns."""
        return self.token.partition(PART)[0]

    @property
    def kind(self) -> str:
        """Which way it came: "sample", "net" or "file"."""
        head = self.token.split(":")[0]
        return head if head in ("net", "file") and ":" in self.token else "sample"


@cache
def samples() -> dict[str, Sample]:
    """The sample datasets by name, in the catalogue's order."""
    path = sample_data("datasets", "catalogue.toml")
    with path.open("rb") as file:
        entries = tomllib.load(file)["dataset"]
    found, parts = {}, [part.name for part in fields(Sample) if part.name != "name"]
    for entry in entries:
        name = entry["file"].removesuffix(".csv")
        found[name] = Sample(name, **{part: entry.get(part) for part in parts})
    return found


def load(token: str) -> Loaded:
    """Load a sample dataset or draw a sample from a benchmark network."""
    return _draw_rows(token) if token.startswith("net:") else _sample(token)


def network_token(name: str, weights: str, rows: int, seed: int) -> str:
    """The token of a sample drawn from a benchmark network."""
    return f"net:{name}:{weights}:{rows}:{seed}"


class NetworkSample(NamedTuple):
    """The parts of a network's token."""

    network: str
    weights: Weights
    rows: int
    seed: int


def network_sample(token: str) -> NetworkSample:
    """The parts of a network's token, checked but for the network's name."""
    parts = token.split(":")
    head, name, kind, rows, seed = parts if len(parts) == 5 else [""] * 5
    if head != "net" or not (_is_count(rows) and _is_count(seed)):
        raise OptionError(
            f"{clip(token)} is not a sample of a network; it reads net:NAME:WEIGHTS:ROWS:SEED."
        )
    weights = next((each for each in WEIGHTS if each == kind), None)
    if weights is None:
        raise OptionError(f"weights={clip(kind)} is not known; use {', '.join(WEIGHTS)}.")
    if not 1 <= int(rows) <= MOST_ROWS:
        raise OptionError(f"rows={rows} must be 1 to {MOST_ROWS:,}.")
    if int(seed) > MOST_SEED:
        raise OptionError(f"seed={seed} must be at most {MOST_SEED:,}.")
    return NetworkSample(name, weights, int(rows), int(seed))


def sample_token(name: str, missing: Missing | None = None) -> str:
    """The token of a sample dataset."""
    usual = samples()[name].missing == 0 or missing in (None, usual_missing(sample_frame(name)))
    return name if usual else f"{name}:{missing}"


@cache
def sample_frame(name: str) -> pd.DataFrame:
    """A sample dataset as it stands in its file, missing cells included.

    Shared: not to be changed.
    """
    return read_frame(sample_data("datasets", f"{name}.csv"))[0]


def prepare(
    token: str, title: str, about: str, frame: pd.DataFrame, missing: Missing | None = None
) -> Loaded:
    """Make a dataset of a frame and say what was done."""
    absent = frame.isna().to_numpy()
    cells = int(absent.sum())
    policy = missing or usual_missing(frame)
    data = Dataset.from_frame(frame, missing=policy if cells else "error")
    done = describe_size(*frame.shape), MissingCells(policy).for_paper(len(frame), data.rows)
    return Loaded(
        token,
        title,
        about,
        data,
        did=_describe_missing(frame, data, cells, policy),
        for_paper=done if cells else (),
        missing=cells,
        missing_in=tuple(int(k) for k in absent.sum(axis=0)) if cells else (),
    )


def usual_missing(frame: pd.DataFrame) -> Missing:
    """Drop incomplete rows where that costs at most a quarter of them; else own state."""
    incomplete = float(frame.isna().any(axis=1).mean()) if len(frame) else 0.0
    return "drop" if incomplete <= MOST_DROPPED else "state"


def complete_rows(frame: pd.DataFrame) -> int:
    """How many rows have no missing cell."""
    return int(frame.notna().all(axis=1).sum())


def _is_count(text: str) -> bool:
    """Whether a text is a whole number, short enough to be read as one."""
    return text.isascii() and text.isdecimal() and len(text) <= 12


def _describe_missing(
    frame: pd.DataFrame, data: Dataset, cells: int, policy: Missing
) -> tuple[str, ...]:
    if not cells:
        return ()
    columns = int(frame.isna().any().sum())
    where = f"{count(cells, 'missing cell')} in {count(columns, 'column')}"
    if policy != "drop":
        forced = " (no row is complete)" if not complete_rows(frame) else ""
        return (f"{where}: kept as a state of their own, “{MISSING_LABEL}”{forced}.",)
    dropped = len(frame) - data.rows
    rows = "row" if dropped == 1 else "rows"
    did = [f"{where}: {dropped:,} incomplete {rows} of {len(frame):,} dropped."]
    for name, states in zip(data.names, data.cardinalities, strict=True):
        if states == 1:
            did.append(f"In the remaining rows, {clip(name)} has only one value.")
    return tuple(did)


def _sample(token: str) -> Loaded:
    name, _, policy = token.partition(":")
    policies: dict[str, Missing | None] = {"": None, "drop": "drop", "state": "state"}
    if name not in samples() or policy not in policies:
        raise OptionError(
            f"There is no dataset {clip(token)}; the sample datasets are {', '.join(samples())}."
        )
    entry = samples()[name]
    made = prepare(token, entry.title, entry.about, sample_frame(name), policies[policy])
    folder = sample_data("datasets")
    published = read_graph(folder / entry.published) if entry.published else None
    return replace(made, published=published)


def model_of(loaded: Loaded) -> sampling.MarkovModel | None:
    """The distribution of a benchmark network that all rows and variables were drawn from."""
    if loaded.truth is None or PART in loaded.token or not loaded.token.startswith("net:"):
        return None
    return _model(loaded.token)


def _model(token: str) -> sampling.MarkovModel:
    name, weights, _, seed = network_sample(token)
    return sampling.random_model(networks.load(name, labelled=True), weights, seed=seed)


def _draw_rows(token: str) -> Loaded:
    name, weights, rows, seed = network_sample(token)
    graph = networks.load(name, labelled=True)
    title = graph.graph["title"]
    with warnings.catch_warnings(action="ignore"):
        data = _model(token).sample(rows, seed, "gibbs")
    about = (
        f"{count(rows, 'row')} drawn with Libra's Gibbs scheme from the network {title}, "
        f"whose potentials were drawn as {weights} (seed {seed}). The true graph is known."
    )
    return Loaded(token, f"{title} (sample)", about, data, truth=graph)


# --- Parts of a dataset ---------------------------------------------------------------------------


def strongest(independent: ScoreTrace, data: Dataset, most: int) -> list[Name]:
    """The variables of the strongest pairwise dependences.

    In column order: pair after pair, the least likely independent first, as long as they fit.
    """
    terms = [t for t in independent.computed if isinstance(t, AssertionTerm)]
    chosen: dict[Name, None] = {}
    for term in sorted(terms, key=lambda t: t.value):
        joined = {**chosen, term.x: None, term.y: None}
        if len(joined) <= most:
            chosen = joined
    return sorted(chosen or data.names[:most], key=data.index)


def marginal(graph: nx.Graph[Any], keep: Collection[Name]) -> nx.Graph[Any]:
    """The network of some of the variables, the others summed out.

    Eliminating a node joins its neighbours; that is how a Markov network is marginalised.
    """
    joined: nx.Graph[Any] = nx.Graph(graph)
    for node in [node for node in graph if node not in set(keep)]:
        around = list(joined[node])
        joined.add_edges_from((u, v) for k, u in enumerate(around) for v in around[k + 1 :])
        joined.remove_node(node)
    return joined


def subset(loaded: Loaded, names: Sequence[Name]) -> Loaded:
    """Some of the variables as a dataset of their own.

    The same one where they are all of its variables.
    """
    if len(names) == loaded.data.n:
        return loaded
    # Tokens name columns of the whole dataset, so a part of a part is a part of the whole.
    loaded = loaded.whole or loaded
    columns = sorted(loaded.data.index(name) for name in names)
    data = loaded.data.select([loaded.data.names[i] for i in columns])
    imputed = loaded.imputed and loaded.imputed.select(data.names)
    missing_in = tuple(loaded.missing_in[i] for i in columns) if loaded.missing_in else ()

    def rest(graph: nx.Graph[Any] | None) -> nx.Graph[Any] | None:
        return None if graph is None else marginal(graph, data.names)

    return replace(
        loaded,
        token=f"{loaded.token}{PART}{'.'.join(map(str, columns))}",
        title=f"{loaded.title}: {data.n} of {loaded.data.n}",
        about=f"{count(data.n, 'variable')} of {loaded.data.n}, chosen on the page All graphs.",
        data=data,
        imputed=imputed if imputed and imputed.cells else None,
        whole=loaded,
        missing=sum(missing_in),
        missing_in=missing_in,
        truth=rest(loaded.truth),
        published=rest(loaded.published),
    )


def part(loaded: Loaded, columns: str) -> Loaded:
    """The subset that a token names."""
    # Whole numbers with dots between, as tokens have them; none where something else is there.
    parts = columns.split(".")
    known = all(part.isascii() and part.isdecimal() and len(part) < 7 for part in parts)
    places = [int(part) for part in parts] if known else []
    if not places or len(set(places)) < len(places) or max(places) >= loaded.data.n:
        raise OptionError(
            f"{clip(columns)} are not columns of {loaded.title}; it has {loaded.data.n} columns, "
            "counted from 0."
        )
    return subset(loaded, [loaded.data.names[i] for i in places])
