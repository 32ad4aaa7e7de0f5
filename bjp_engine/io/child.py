"""Work that a damaged file could end or bloat: done in a process of its own, within limits.

The process is another interpreter, which gets a function and its arguments through a pipe and sends
what comes of them. Unlike those of `multiprocessing`, it never runs the user's main module again.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, NoReturn

from bjp_engine.errors import BJPError, Cancelled, DataError
from bjp_engine.io.limits import MEGABYTE, Guard

Send = Callable[[Any], None]

_START = """
import pickle, sys
from types import ModuleType
sys.path[:], packages = pickle.load(sys.stdin.buffer)
for name, path in packages:
    sys.modules[name] = package = ModuleType(name)
    package.__path__ = path
from bjp_engine.io.child import serve
serve()
"""
# A reader of files needs nothing of what these import, which takes longer than most files.
_BARE = ("bjp_engine", "bjp_engine.io")
_LOOK = 0.1


def _ignore(_: Any) -> None:
    """Receive nothing."""


def run(work: Callable[..., Any], *arguments: Any, guard: Guard, receive: Send = _ignore) -> Any:
    """Call `work(send, *arguments)` in another process; what it sends is received here, in order.

    By the guard's limits it may take so much memory in all, and so many seconds until something is
    received; it ends at once where the guard's progress is cancelled. Its `BJPError` or `Cancelled`
    is raised here.
    """
    bare = work.__module__.startswith(_BARE[1])
    packages = [(name, list(sys.modules[name].__path__)) for name in _BARE if bare]
    process = subprocess.Popen(  # noqa: S603 - no argument is from outside
        [sys.executable, "-I", "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    parts = (list(sys.path), packages), (guard.limits.memory_mb, work, arguments)
    answers: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    talk = threading.Thread(target=_talk, args=(process, parts, answers), daemon=True)
    talk.start()
    try:
        until = time.monotonic() + guard.limits.seconds
        while True:
            guard.progress.tick()
            try:
                kind, content = answers.get(timeout=_LOOK)
            except Empty:
                if time.monotonic() > until:
                    raise guard.out_of_time() from None
                continue
            if kind == "result":
                return content
            if kind != "message":
                _fail(kind, content, process, guard)
            receive(content)
            until = time.monotonic() + guard.limits.seconds
    finally:
        process.kill()
        talk.join()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            # What is still to be written has nobody to go to.
            with contextlib.suppress(OSError):
                pipe.close()


def _talk(
    process: subprocess.Popen[bytes], parts: tuple[Any, ...], answers: SimpleQueue[Any]
) -> None:
    """Hand a task over, and queue all that comes back."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for part in parts:
            pickle.dump(part, process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        kind = "message"
        while kind == "message":
            kind, content = pickle.load(process.stdout)  # noqa: S301 - our own process
            answers.put((kind, content))
    except (OSError, EOFError, pickle.UnpicklingError):
        # The process has ended, and its code says how; nothing that is left can be handed over.
        with contextlib.suppress(OSError):
            process.stdin.close()
    finally:
        answers.put(("end", None))


def _fail(kind: str, content: Any, process: subprocess.Popen[bytes], guard: Guard) -> NoReturn:
    """Raise what the work raised, or say that its process has ended."""
    if kind == "error":
        raise content
    if kind == "fault":
        raise RuntimeError(content)
    if kind == "memory":
        raise guard.out_of_memory()
    code = process.wait()
    how = signal.Signals(-code).name if -code in {*signal.Signals} else f"code {code}"
    raise DataError(
        f"{guard.title} ended the process that read it ({how}): the file is damaged, or needs more "
        f"than {guard.limits.of('memory_mb', ' MB')} of memory; save it again, or with fewer "
        "columns or rows."
    )


def serve() -> None:
    """Do the work that comes through the pipe; what is in charge may end any time."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lock = threading.Lock()

    def answer(kind: str, content: Any) -> None:
        with lock:
            pickle.dump((kind, content), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()

    try:
        megabytes, work, arguments = pickle.load(sys.stdin.buffer)  # noqa: S301 - as above
        threading.Thread(target=_end_with_the_pipe, daemon=True).start()
        _bound_memory(megabytes)
        answer("result", work(lambda message: answer("message", message), *arguments))
    except (BJPError, Cancelled) as error:
        answer("error", error)
    except MemoryError:
        answer("memory", None)
    except Exception:
        answer("fault", traceback.format_exc())
    os._exit(0)


def _end_with_the_pipe() -> None:
    """End this process with the one that could write to it."""
    sys.stdin.buffer.read()
    os._exit(1)


def _bound_memory(megabytes: int) -> None:
    """Ask the system for no more memory than that, where it can be asked."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE, hard))
