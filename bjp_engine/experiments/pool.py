"""Where the jobs run: processes of this machine, or a Dask cluster.

Both are `concurrent.futures.Executor`s, and the runner knows no more of them than that.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import ModuleType

from bjp_engine.errors import OptionError, clip
from bjp_engine.search.many import cores


@contextmanager
def processes(workers: int | None = None) -> Iterator[Executor]:
    """Processes of this machine, each with one numerical thread.

    They end when the block is left, at once where it is left by an error, and also when this
    process is killed: each of them watches a pipe that nobody but this process holds open.
    """
    if workers is not None and (isinstance(workers, bool) or workers < 1):
        raise OptionError(f"workers={workers} must be a whole number, 1 or more.")
    # A forked process would inherit threads' locks and the pipe's other end.
    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers or cores(), context, _begin, (watched,))
    try:
        yield pool
        pool.shutdown()
    finally:
        held.close()
        pool.shutdown(cancel_futures=True)
        watched.close()


@contextmanager
def cluster(scheduler: str) -> Iterator[Executor]:
    """The workers of a Dask cluster that is already running."""
    try:
        from distributed import Client
    except ImportError:
        raise OptionError(
            "scheduler needs Dask, which is not installed: pip install 'bjp-explorer[cluster]'."
        ) from None
    try:
        client = Client(scheduler, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise OptionError(f"scheduler={clip(scheduler)} doesn't answer: {error}") from None
    with client:
        # The same job twice is two jobs, and none of them a function of its name.
        executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)


@contextmanager
def starting() -> Iterator[None]:
    """Processes started in this block need nothing of the program that starts them.

    They never hear of Ctrl-C, which is for the one that waits, and don't import its main
    module: a script needs no guard, and a page is not run once more in each of them.
    """
    main = sys.modules["__main__"]
    # A blocked signal stays blocked in a process that is started; here it arrives afterwards.
    can_block = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else set()
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(watched: Connection) -> None:
    """Prepare a worker: one numerical thread, no Ctrl-C, and an end with the process above."""
    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    threading.Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: Connection) -> None:
    """End this process once the pipe's other end is closed, be it in a compiled loop."""
    watched.poll(None)
    os._exit(1)
