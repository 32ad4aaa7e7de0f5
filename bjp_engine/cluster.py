"""A Dask cluster that already runs: its client, and work on it that is watched and may fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from bjp_engine.errors import OptionError, clip, not_installed
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.validate import text

Made = TypeVar("Made")
# Dask's, most of which has no types.
Client: TypeAlias = Any
Future: TypeAlias = Any

# Seconds between two questions whether to stop, and before something is sent again.
_PATIENCE, _PAUSE = 0.2, 1.0
# How often an argument is sent before its loss with a worker is an error.
RETRIES = 4
# Seconds without a worker after which nothing is waited for any more.
MOST_ALONE = 60.0


class _LostError(ChildProcessError):
    """What a task needs was on a worker that is gone, and nobody knows how it was made."""


@contextmanager
def connect(scheduler: str) -> Iterator[Client]:
    """A client of the cluster at an address, which is closed at the end."""
    text(scheduler, "scheduler")
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
        from distributed.core import coerce_to_address
    except ImportError:
        raise not_installed("scheduler", "Dask", "'bjp-explorer[cluster]'") from None
    try:
        # A client of an address that is none would wait a minute at its end.
        get_address_host_port(coerce_to_address(scheduler), strict=True)
    except ValueError:
        raise OptionError(
            f"scheduler={clip(scheduler)} is no address; give one such as 'tcp://host:8786'."
        ) from None
    try:
        client = Client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OptionError(f"scheduler={clip(scheduler)} doesn't answer: {error}") from None
    with client:
        yield client


def check_client(client: Client) -> None:
    """Refuse what is no client of Dask, or one that is closed."""
    how = "give a dask.distributed.Client, such as Client('tcp://host:8786')"
    if client is None:
        raise OptionError(f"client is missing; {how}.")
    if not all(hasattr(client, name) for name in ("submit", "scatter", "who_has", "status")):
        raise OptionError(f"client is of type {type(client).__name__}; {how}.")
    if client.status != "running":
        raise OptionError(f"client is {client.status}; {how}.")


def workers_of(client: Client, progress: Progress = UNWATCHED) -> dict[str, int]:
    """How many threads each worker has, by address; waits a while where there is no worker."""
    began = time.monotonic()
    while not (threads := dict(client.nthreads())):
        if time.monotonic() - began > MOST_ALONE:
            raise ChildProcessError(
                f"The cluster has had no worker for {MOST_ALONE:.0f} seconds; start one, and run "
                "it again."
            )
        progress.tick()
        time.sleep(_PATIENCE)
    return threads


def run_there(
    client: Client, function: Callable[[Any], Made], given: object, progress: Progress
) -> Made:
    """What a function makes of one large argument on a worker; it is sent again if it is lost."""
    for left in reversed(range(RETRIES)):
        workers_of(client)
        try:
            with _failures(client):
                held = client.scatter(given, hash=False)
                future = client.submit(function, held, pure=False)
            made: Made = results_of(client, [future], progress)[0]
            return made
        except (_LostError, TimeoutError):
            if not left or client.status != "running":
                raise
            # Until the cluster knows who is gone.
            time.sleep(_PAUSE)
    raise AssertionError


def results_of(client: Client, futures: Sequence[Future], progress: Progress) -> list[Any]:
    """What tasks return, in their order; nobody goes on with them where this ends by an error."""
    wait_for(client, futures, progress)
    with _failures(client):
        found: list[Any] = client.gather(list(futures))
        return found


def wait_for(client: Client, futures: Sequence[Future], progress: Progress) -> None:
    """Wait until tasks are done, and raise the error of the first that has one."""
    try:
        with _failures(client):
            for future in futures:
                while not future.done() and all(one.status != "error" for one in futures):
                    progress.tick(sum(one.done() for one in futures), len(futures))
                    try:
                        future.exception(timeout=_PATIENCE)
                    except TimeoutError:
                        workers_of(client, progress.quiet)
            for future in futures:
                if future.status == "error":
                    future.result()
    finally:
        left = [future for future in futures if not future.done()]
        if left and client.status == "running":
            client.cancel(left)
    progress.tick(len(futures), len(futures))


@contextmanager
def _failures(client: Client) -> Iterator[None]:
    """What Dask gives up, in one sentence."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        times = error.allowed_failures + 1
        raise ChildProcessError(
            f"A worker of the cluster was killed {times} times at the same task, perhaps because "
            "memory ran out; give the workers more memory, or the cluster more workers."
        ) from None
    except (CancelledError, CommClosedError, TimeoutError):
        why = "it lost what a task needs; read"
        if client.status != "running":
            why = f"its client is {client.status}; connect again, and read"
        raise _LostError(
            f"The cluster ended the work before it was done: {why} the data anew."
        ) from None
