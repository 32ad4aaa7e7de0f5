"""Work that a damaged file could end or bloat: done in a process of its own, within limits."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from bjp_engine.errors import DataError
from bjp_engine.io.limits import MEGABYTE, Guard, variable
from bjp_engine.processes import Interpreter, LostError

Send = Callable[[Any], None]

# A reader of files needs nothing of what these import, which takes longer than most files.
_BARE = ("bjp_engine", "bjp_engine.io")


def run(
    work: Callable[..., Any], *arguments: Any, guard: Guard, receive: Send = lambda _: None
) -> Any:
    """Call `work(send, *arguments)` in another process; what it sends is received here, in order.

    By the guard's limits it may take so much memory in all, and so many seconds until something is
    received; it ends at once where the guard's progress is cancelled. What it raises is raised
    here.
    """
    limits, last = guard.limits, time.monotonic()

    def look() -> None:
        guard.progress.tick()
        if time.monotonic() > last + limits.seconds:
            raise guard.refusal("seconds")

    def take(message: Any) -> None:
        nonlocal last
        receive(message)
        last = time.monotonic()

    process = Interpreter(_BARE if work.__module__.startswith(_BARE[1]) else ())
    try:
        return process.run(_bounded, limits.memory_mb, work, *arguments, look=look, receive=take)
    except LostError as error:
        raise DataError(
            f"{guard.title} ended the process that read it ({error.how}): the file is damaged, or "
            f"needs more memory than {limits.memory_mb:,} MB (the limit {variable('memory_mb')}); "
            "save it again, or with fewer columns or rows."
        ) from None
    except MemoryError:
        raise guard.refusal("memory_mb") from None
    finally:
        process.kill()


def _bounded(send: Send, megabytes: int, work: Callable[..., Any], *arguments: Any) -> Any:
    """Do the work with no more memory than that, where the system can be asked."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE, hard))
    return work(send, *arguments)
