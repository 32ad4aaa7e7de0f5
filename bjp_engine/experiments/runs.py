"""Running an experiment, and its results: one Parquet file a job in a folder, and as a table.

A job is one dataset; it runs in another process of this machine or on a Dask cluster. Its seeds
come from its place in the design alone, so neither the order nor the number of workers, nor what
else is run, changes a row. All scores see the same data, and smaller N are the first rows of the
same sample: differences between scores and between sizes are paired.

A job whose file is there is done. Each file is written under another name and renamed once it is
whole, so whatever stops a run costs the jobs in progress only, and two runs into one folder can do
each other no harm. Each file names the experiment in full; the first in `FOLDER/EXPERIMENT/` has no
rows.
"""

from __future__ import annotations

import json
import os
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import metadata
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import numpy as np

from bjp_engine import networks, sampling
from bjp_engine.cluster import connect
from bjp_engine.counts import table_of
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, DataError, OptionError, clip
from bjp_engine.experiments.description import Experiment, check_experiment
from bjp_engine.metrics import confusion
from bjp_engine.processes import Caller, interpreters
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.search import learn
from bjp_engine.search.many import cores
from bjp_engine.validate import choice, file_path, instance, whole_number

if TYPE_CHECKING:
    import pandas as pd

# Seconds between two questions whether to stop.
PATIENCE = 0.2


class Row(NamedTuple):
    """One result: of one search on one dataset, which the first six fields say."""

    network: str
    rows: int  # N
    distribution: int  # on the network, from 0
    sample: int  # from that distribution, from 0
    score: str
    search: str
    hamming: int  # pairs in which the learned graph differs from the network: fp + fn
    fp: int  # edges too many
    fn: int  # edges missing
    value: float  # the learned graph's score, natural log
    seconds: float  # of the search; packing the rows, which all scores share, is not in it
    tests: int  # tests (or local scores) computed
    steps: int  # flips made
    seed: int  # of the sample
    version: str  # of the engine


KINDS: Mapping[str, type] = MappingProxyType({"experiment": str} | get_type_hints(Row))
PARQUET = ".parquet"
# Under this name a file holds the descriptions.
DESCRIPTIONS = b"bjp experiments"


class Results:
    """Rows of one or several experiments.

    Parameters
    ----------
    frame : DataFrame
        `experiment`; `network`, `rows` (N), `distribution`, `sample`, `score` and `search` of the
        cell; `hamming`, `fp` (edges too many), `fn` (edges missing), `value` (the learned graph's
        score, natural log), `seconds` of the search, `tests` computed, `steps` (flips), `seed` of
        the sample and `version` of the engine.

    Examples
    --------
    >>> from bjp_engine.experiments import read_results
    >>> results = read_results("sample_data/paper/results.parquet")
    >>> results
    Results(36,000 of 36,000 rows: table-1, table-2, table-3, table-4)
    >>> float(results.where(network="karate", rows=8000, score="bjp")["hamming"].mean())
    2.02
    """

    def __init__(self, experiments: Mapping[str, Experiment], frame: pd.DataFrame) -> None:
        self._experiments = MappingProxyType(dict(experiments))
        self._frame = frame.reset_index(drop=True)

    def __len__(self) -> int:
        return len(self._frame)

    def __getitem__(self, column: str) -> pd.Series[Any]:
        return self._frame[choice(column, "column", tuple(KINDS))]

    def __repr__(self) -> str:
        return f"Results({len(self):,} of {self.expected:,} rows: {', '.join(self.experiments)})"

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """The descriptions, by name."""
        return self._experiments

    @property
    def expected(self) -> int:
        """How many rows the finished experiments have."""
        return sum(experiment.size for experiment in self.experiments.values())

    def where(self, **values: object) -> Results:
        """The rows that have these values; of one experiment, with its description only."""
        found = self
        for name, value in values.items():
            if not isinstance(value, (str, int, float, np.generic)):
                raise OptionError(f"{name}={clip(value)} must be one text or number.")
            found = Results(self.experiments, found._frame[found[name] == value])
        one = values.get("experiment")
        experiments = {k: e for k, e in self.experiments.items() if one is None or k == one}
        return Results(experiments, found._frame)

    def to_frame(self) -> pd.DataFrame:
        """A copy of all rows."""
        return self._frame.copy()


def check_results(results: object) -> Results:
    """Results, or a sentence with where to get them."""
    return instance(results, "results", Results, "what `run` or `read_results` returns")


def read_results(path: str | Path) -> Results:
    """Read what `run` or `write_compact` wrote, also while a run adds to it.

    Examples
    --------
    >>> from bjp_engine.experiments import read_results
    >>> len(read_results("sample_data/paper/results.parquet"))
    36000
    """
    import pandas as pd

    path = file_path(path)
    if path.suffix.lower() == PARQUET and path.is_file():
        return _read(path)
    homes = sorted({part.parent for part in path.glob(f"*/[!.]*{PARQUET}")})
    if not homes:
        raise DataError(f"There are no results {clip(path.name)}; `bjp experiment` makes them.")
    found = [_read(home) for home in homes]
    experiments = {name: e for one in found for name, e in one.experiments.items()}
    frame = pd.concat(one.to_frame() for one in found)
    return Results(experiments, frame.sort_values(list(KINDS)[:7]))


def _read(path: Path) -> Results:
    """The rows of a file, or of all files in a folder, and what they belong to."""
    import pandas as pd

    from bjp_engine.io.declared import read_arrays

    refusal = f"{clip(path.name)} holds no results of an experiment, or is damaged; name another."
    arrays, metadata = read_arrays(path, list(KINDS), refusal)
    try:
        frame = pd.DataFrame(arrays).astype(dict(KINDS))
        plain = json.loads(metadata[DESCRIPTIONS])
        return Results({name: Experiment(**one) for name, one in plain.items()}, frame)
    except BJPError as error:
        raise DataError(f"The description in {clip(path.name)} can't be used: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError(refusal) from None


def write_compact(results: Results, path: str | Path) -> None:
    """Write results as one small Parquet file, which `read_results` reads; `path` ends so."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = file_path(path)
    if path.suffix.lower() != PARQUET:
        raise DataError(f"{clip(path.name)} must end in {PARQUET}.")
    plain = {name: one.as_plain() for name, one in check_results(results).experiments.items()}
    # Seven digits of a run time are more than it repeats.
    frame = results.to_frame().astype(dict(KINDS) | {"seconds": np.float32})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({DESCRIPTIONS: json.dumps(plain, sort_keys=True)})
    # Floats hardly repeat: their bytes are sorted by place, all else goes by dictionaries.
    floats = [name for name, kind in KINDS.items() if kind is float]
    how: dict[str, Any] = {"compression": "zstd", "compression_level": 19}
    how["use_dictionary"] = [name for name in KINDS if name not in floats]
    # No reader looks at that name. A script may run two threads, and programs share the folder.
    begun = path.with_name(f".{path.name}-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with begun.open("wb") as file:
            pq.write_table(table, file, use_byte_stream_split=floats, **how)
            file.flush()
            os.fsync(file.fileno())
        begun.replace(path)
    finally:
        begun.unlink(missing_ok=True)


# --- Parts ----------------------------------------------------------------------------------------


def begin(folder: Path, experiment: Experiment) -> Path:
    """The folder of an experiment's parts; another experiment of its name is refused."""
    home = folder / experiment.name
    home.mkdir(parents=True, exist_ok=True)
    if not (first := home / f"0{PARQUET}").exists():
        write_part(first, experiment, ())
    (found,) = _read(first).experiments.values()
    before, now = found.as_plain(), experiment.as_plain()
    if before != now:
        differences = ", ".join(
            f"{key}={before[key]} where {now[key]} is asked for"
            for key in before
            if before[key] != now[key]
        )
        raise DataError(
            f"{clip(folder.name)} holds {experiment.name} with {differences}; "
            "ask for the same again, or for another folder."
        )
    return home


def part(home: Path, network: str, distribution: int, sample: int) -> Path:
    """The file of one job."""
    return home / f"{network}-{distribution}-{sample}{PARQUET}"


def write_part(path: Path, experiment: Experiment, rows: Iterable[Row]) -> None:
    """The rows of one job, all or none."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=Row._fields).assign(experiment=experiment.name)
    write_compact(Results({experiment.name: experiment}, frame[[*KINDS]]), path)


# --- Running --------------------------------------------------------------------------------------


def run(
    experiment: Experiment,
    path: str | Path,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress = UNWATCHED,
) -> Results:
    """Compute the rows of an experiment that a folder of results still lacks.

    Parameters
    ----------
    path : str or Path
        A folder, which may hold other experiments too.
    executor : concurrent.futures.Executor, optional
        Where the jobs run instead, such as that of `cluster`.
    progress : Progress
        `report` is called with rows done and rows in total, at the beginning and after each job.

    Returns
    -------
    Results
        All rows of this experiment; they depend on it alone, but for `seconds`.

    Examples
    --------
    >>> from bjp_engine.experiments import run
    >>> from bjp_engine.experiments import find_table, resize
    >>> small = resize(find_table("table-4"), networks=["karate"], samples=1)
    >>> results = run(small, "results")  # doctest: +SKIP
    """
    check_progress(progress)
    check_experiment(experiment)
    if executor is not None:
        instance(executor, "executor", Executor, "a concurrent.futures.Executor")
    folder = file_path(path)
    home = begin(folder, experiment)
    left = [job for job in jobs(experiment) if not part(home, *job[1:]).is_file()]
    each = len(experiment.rows) * len(experiment.scores)
    count = experiment.size - each * len(left)
    progress.tick(count, experiment.size)
    many = cores() if workers is None else whole_number(workers, "workers", 1)
    here: Any = interpreters(many) if executor is None else nullcontext(executor.submit)
    alone = (_call_alone,) if executor is None else ()
    with here as submit:
        pending = {submit(*alone, run_job, job): job for job in left}
        while pending:
            progress.tick()
            for future in wait(pending, PATIENCE, FIRST_COMPLETED).done:
                progress.tick()
                write_part(part(home, *pending.pop(future)[1:]), experiment, future.result())
                count += each
                progress.tick(count, experiment.size)
    return read_results(folder).where(experiment=experiment.name)


# --- Jobs -----------------------------------------------------------------------------------------


class Job(NamedTuple):
    """One dataset, from which all its cells are learned."""

    experiment: Experiment
    network: str
    distribution: int
    sample: int


def jobs(experiment: Experiment) -> Iterator[Job]:
    """The jobs, repeat by repeat, so that all means become precise at the same pace."""
    order = sorted(experiment.networks, key=lambda name: -len(networks.load(name)))
    repeats = product(range(experiment.samples), range(experiment.distributions))
    for (sample, distribution), network in product(repeats, order):
        yield Job(experiment, network, distribution, sample)


def run_job(job: Job) -> list[Row]:
    """Sample once, and learn all cells."""
    truth, seed = networks.load(job.network), derive_seed(*job)
    version = metadata.version("bjp-explorer")
    longest = dataset(*job, max(job.experiment.rows))
    made = []
    for rows in sorted(job.experiment.rows):
        data = longest.take(np.arange(rows))
        # All scores share it, so none of them is charged for it.
        table_of(data)
        for learner in job.experiment.scores:
            _load(*learner)
            trace = learn(data, *learner)
            wrong = confusion(truth, trace.graph)
            cell = (job.network, rows, job.distribution, job.sample, *learner)
            found = (wrong.hamming, wrong.fp, wrong.fn, trace.score, trace.seconds)
            made.append(Row(*cell, *found, trace.tests, len(trace.steps), seed, version))
    return made


def dataset(
    experiment: Experiment, network: str, distribution: int, sample: int, rows: int
) -> Dataset:
    """The data that a row of results was learned from.

    Examples
    --------
    >>> from bjp_engine.experiments import dataset
    >>> from bjp_engine.experiments import find_table
    >>> dataset(find_table("table-4"), "karate", 0, 0, 250).codes.shape
    (250, 34)
    """
    check_experiment(experiment)
    place = whole_number(distribution, "distribution"), whole_number(sample, "sample")
    truth, seed = networks.load(network), derive_seed(experiment, network, place[0])
    model = sampling.random_model(truth, experiment.weights, seed, epsilon=experiment.epsilon)
    seed = derive_seed(experiment, network, *place)
    chain = {"burn_in": experiment.burn_in, "sweeps": experiment.sweeps}
    # The paper's chains are taken as they are, whether they agree or not.
    with warnings.catch_warnings(action="ignore"):
        return model.sample(rows, seed, experiment.sampler, **chain)


def derive_seed(experiment: Experiment, network: str, *place: int) -> int:
    """The seed of a distribution, or of a sample; a checksum stands for the network's name."""
    key = (zlib.crc32(network.encode()), *place)
    (state,) = np.random.SeedSequence(experiment.seed, spawn_key=key).generate_state(1, np.uint64)
    # So that a signed column holds it.
    return int(state) >> 1


@cache
def _load(score: str, search: str) -> None:
    """Load compiled code, once a process, so that no search is charged for it."""
    learn(Dataset.from_codes(np.indices((2, 2, 2)).reshape(3, -1).T), score, search)


# --- Workers --------------------------------------------------------------------------------------


def _call_alone(_: Caller, function: Callable[..., Any], *arguments: Any) -> Any:
    """A call with one numerical thread, since others do the same on the other cores."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return function(*arguments)


@contextmanager
def cluster(scheduler: str) -> Iterator[Executor]:
    """The workers of a Dask cluster that is already running, by its address.

    Examples
    --------
    >>> from bjp_engine.experiments import cluster, find_table, run
    >>> with cluster("tcp://host:8786") as executor:  # doctest: +SKIP
    ...     results = run(find_table("table-4"), "results", executor=executor)
    """
    with connect(scheduler) as client:
        # The same job twice is two jobs, and none of them a function of its name.
        executor = client.get_executor(pure=False)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)
