"""Rows in shards on the workers of a Dask cluster: tasks go there, counts come back.

The shards of one thread of a worker are a *group*, a future of Dask's. `count` sends one message,
of a task for each group, and adds up what they return. Dask knows how each group was made: where a
worker dies, its files are read again elsewhere, and the tasks that waited for them go on.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, Never, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Codes
from bjp_engine.cluster import Client, Future, results_of, workers_of
from bjp_engine.contingency import Answer, CrossTally, Layers, Request, add
from bjp_engine.counters.planes import PlanesPart, drawn
from bjp_engine.counters.sums import Sum
from bjp_engine.errors import DataError, OptionError
from bjp_engine.progress import UNWATCHED, Progress

Part: TypeAlias = PlanesPart | Sum

# A group may be so much larger than its share before a part is moved to another worker.
_SLACK = 1.1


@dataclass(frozen=True, eq=False)
class Held:
    """The shards of a group: each one's place among all, and its rows."""

    places: tuple[int, ...]
    parts: tuple[Part, ...]

    def __sizeof__(self) -> int:
        """The memory that the rows take."""
        return sum(part.nbytes for part in self.parts)


@dataclass(frozen=True, eq=False)
class Shards:
    """Rows that the workers of a cluster hold.

    Parameters
    ----------
    client : distributed.Client
    groups : sequence of Future
        Of a `Held` each.
    sizes : sequence of int
        The rows of each shard, in their order.
    cardinalities : sequence of int
    in_order : bool
        Whether the shards hold the rows in the order in which resamples are drawn.
    """

    client: Client
    groups: Sequence[Future]
    sizes: Sequence[int]
    cardinalities: Sequence[int]
    in_order: bool = True

    @property
    def rows(self) -> int:
        """N."""
        return sum(self.sizes)

    @property
    def drawable(self) -> bool:
        """Whether resamples can be drawn of the rows where they are."""
        return True

    @cached_property
    def digest(self) -> str:
        """A hash of the rows: of each shard's, in their order."""
        found = sorted(one for some in self._ask(_digests, UNWATCHED) for one in some)
        return hashlib.sha256(repr(found).encode()).hexdigest()

    def count(
        self, requests: Sequence[Request], progress: Progress = UNWATCHED
    ) -> Sequence[Answer]:
        """Answer requests: one message to the cluster, a task for each group."""
        if not requests:
            return []
        # As bytes: Dask would look into every tuple.
        found = self._ask(_count, progress, pickle.dumps(tuple(requests)))
        return unpacked(found, requests, self.cardinalities)

    def codes(self, progress: Progress = UNWATCHED) -> Codes:
        """The codes of all rows, shape (N, n), brought here shard by shard as planes."""
        found = sorted(chain.from_iterable(self._ask(_leaves, progress)), key=itemgetter(0))
        leaves = [leaf for _, some in found for leaf in some]
        factors, parts = zip(*leaves, strict=True)
        return Sum(parts, factors).codes(progress)

    def select(self, variables: Sequence[int]) -> Shards:
        """The same rows with only some of the variables, made and kept on the workers."""
        groups = self._send(_select, tuple(variables))
        sizes = [self.cardinalities[v] for v in variables]
        return replace(self, groups=groups, cardinalities=sizes)

    def resample(self, seed: int, k: int) -> Shards:
        """The k-th bootstrap resample of the rows, made and kept on the workers."""
        if not self.in_order:
            raise DataError("A resample has no order of rows to draw another one from.")
        groups = self._send(_resample, seed, k, tuple(self.sizes))
        return replace(self, groups=groups, in_order=False)

    def _ask(self, function: Any, progress: Progress, *given: object) -> list[Any]:
        """What a function returns for each group."""
        try:
            return results_of(self.client, self._send(function, *given), progress)
        except DataError as error:
            if all(group.status != "error" for group in self.groups):
                raise
            raise DataError(
                f"{error} The rows of a lost worker are gone; read the data anew."
            ) from None

    def _send(self, function: Any, *given: object) -> list[Future]:
        """A task for each group, all in one message; each lies on as many workers as its data."""
        if (status := self.client.status) != "running":
            raise OptionError(
                f"The client that read this dataset is {status}; connect again, and read the "
                "data anew."
            )
        arguments = ([one] * len(self.groups) for one in given)
        sent: list[Future] = self.client.map(function, self.groups, *arguments, pure=False)
        return sent

    def __reduce__(self) -> Never:
        """Rows stay where they are."""
        raise DataError(
            "The rows of this dataset lie on a cluster and are asked for by the client that read "
            "them; read them anew in another process."
        )


def share_out(client: Client, parts: Sequence[Future], sizes: Sequence[int]) -> list[Future]:
    """Groups of parts that are ready, one for each thread of a worker, with about as many rows.

    A part stays where it is unless its worker has much more than its share.
    """
    threads = [(address, k) for address, n in workers_of(client).items() for k in range(n)]
    holders = client.who_has(list(parts))
    load, of_thread = dict.fromkeys(threads, 0), dict[tuple[str, int], list[int]]()
    most = _SLACK * sum(sizes) / len(threads)
    for place in sorted(range(len(parts)), key=lambda place: -sizes[place]):
        near = [one for one in threads if one[0] in holders.get(parts[place].key, ())]
        fits = [one for one in near if load[one] + sizes[place] <= most]
        chosen = min(fits or threads, key=lambda one: load[one])
        load[chosen] += sizes[place]
        of_thread.setdefault(chosen, []).append(place)
    return [
        client.submit(
            _hold,
            tuple(sorted(places)),
            [parts[place] for place in sorted(places)],
            pure=False,
            workers=[address],
            allow_other_workers=True,
        )
        for (address, _), places in of_thread.items()
    ]


# --- On the workers -------------------------------------------------------------------------------


def _hold(places: tuple[int, ...], parts: list[Part]) -> Held:
    """A group; its parts are not copied."""
    return Held(places, tuple(parts))


def _digests(held: Held) -> list[tuple[int, str]]:
    """The digest of each shard, after its place."""
    return [(place, part.digest) for place, part in zip(held.places, held.parts, strict=True)]


def _leaves(held: Held) -> list[tuple[int, list[tuple[int, PlanesPart]]]]:
    """The planes of each shard, after its place."""
    return [(p, _planes(part)) for p, part in zip(held.places, held.parts, strict=True)]


def _count(held: Held, requests: bytes) -> Packed:
    """The answers of a group, as small as they get."""
    asked: tuple[Request, ...] = pickle.loads(requests)  # noqa: S301 - of this class's own making
    total: Sequence[Answer] = ()
    # One by one: a group has one thread, and memory for two answers.
    for factor, part in chain.from_iterable(map(_planes, held.parts)):
        found = part.count(asked)
        total = add([total, found], [1, factor]) if total else add([found], [factor])
    return packed(total)


def _planes(part: Part) -> list[tuple[int, PlanesPart]]:
    """The planes that a shard is made of, and for how many equal ones each stands."""
    if isinstance(part, PlanesPart):
        return [(1, part)]
    return list(zip(part.weights, part.parts, strict=True))


def _select(held: Held, variables: tuple[int, ...]) -> Held:
    """A group with only some of the variables."""
    return replace(held, parts=tuple(part.select(variables) for part in held.parts))


def _resample(held: Held, seed: int, k: int, sizes: tuple[int, ...]) -> Held:
    """What a group's shards have of the k-th resample: it walks all draws and keeps its own."""
    starts = np.cumsum([0, *sizes])
    leaves: list[PlanesPart] = []
    first: list[int] = []
    for place, part in zip(held.places, held.parts, strict=True):
        start = int(starts[place])
        for _, leaf in _planes(part):
            leaves.append(leaf)
            first.append(start)
            start += leaf.rows
    parts = drawn(leaves, first, int(starts[-1]), seed, k)
    return Held(held.places[:1], (Sum(parts),))


# --- Answers on their way -------------------------------------------------------------------------


class Packed(NamedTuple):
    """Answers to some requests, each array in the smallest type that holds its numbers."""

    laid_out: NDArray[Any]  # all cells of all answers in which all configurations stand
    tallies: tuple[tuple[NDArray[Any], ...], ...]  # of the others: configurations, keys, counts


def packed(answers: Sequence[Answer]) -> Packed:
    """Answers as few bytes."""
    laid_out = [part.ravel() for one in answers if isinstance(one, Layers) for part in one]
    tallies = [one for one in answers if isinstance(one, CrossTally)]
    return Packed(
        _small(np.concatenate(laid_out) if laid_out else np.empty(0, np.int64)),
        tuple(
            (_small(one.configurations), _small(one.keys), _small(one.counts)) for one in tallies
        ),
    )


def _small(numbers: NDArray[Any]) -> NDArray[Any]:
    """Numbers from 0 in the smallest type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def unpacked(
    found: Sequence[Packed], requests: Sequence[Request], cardinalities: Sequence[int]
) -> list[Answer]:
    """The sums of packed answers to the same requests."""
    cells = np.zeros(len(found[0].laid_out), np.int64)
    for one in found:
        cells += one.laid_out.astype(np.int64, copy=False)
    done, tallies, answers = 0, 0, list[Answer]()
    for request in requests:
        rx = cardinalities[request.x]
        if request.laid_out:
            size = rx * math.prod(cardinalities[z] for z in request.given)
            layers = sum(cardinalities[y] - 1 for y in request.targets)
            end = done + size * (1 + layers)
            within = cells[done + size : end].reshape(layers, size)
            answers.append(Layers(cells[done : done + size], within))
            done = end
        else:
            ry = cardinalities[request.targets[0]] if request.targets else 1
            parts = [_tally(request, one.tallies[tallies], rx, ry) for one in found]
            answers += add([[part] for part in parts])
            tallies += 1
    return answers


def _tally(request: Request, arrays: Sequence[NDArray[Any]], rx: int, ry: int) -> CrossTally:
    """The cells of one group that occur."""
    configurations, keys, counts = (array.astype(np.int64) for array in arrays)
    return CrossTally(request.given, configurations, keys, counts, rx, ry)
