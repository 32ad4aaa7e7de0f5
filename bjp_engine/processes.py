"""Another interpreter that does one piece of work after another, and can be ended at any time.

It gets functions of modules and their arguments through a pipe and sends back what comes of them.
Unlike a process of `multiprocessing`, it never runs the user's main module again. Both ends are
ours and nobody else holds the pipes, so pickle is safe here; by protocol 5, arrays stay read-only.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from bjp_engine.errors import BJPError, Cancelled

_PROTOCOL = 5
_START = """
import pickle, sys
from types import ModuleType
sys.path[:], packages = pickle.load(sys.stdin.buffer)
for name, path in packages:
    sys.modules[name] = package = ModuleType(name)
    package.__path__ = path
from bjp_engine.processes import serve
serve()
"""
# Seconds between two looks at whoever waits for a result.
LOOK = 0.05
# Objects that an interpreter keeps for further work, those used last.
MOST_KEPT = 2


class LostError(BJPError):
    """The interpreter ended before its work was done; `how` is its signal or code."""

    def __init__(self, how: str) -> None:
        super().__init__(
            "The process that computed this ended early, perhaps because memory ran out. "
            "Nothing else is lost; run it again, or with fewer rows."
        )
        self.how = how


class Caller:
    """Who asked for some work, seen from the interpreter that does it: call it with a message."""

    def __init__(self, answer: Callable[[str, Any], None]) -> None:
        self._answer, stop = answer, threading.Event()
        # To be called when the work is to stop, and by the work to see whether it is.
        self.stop, self.stopping = stop.set, stop.is_set

    def __call__(self, message: Any) -> None:
        """Send a message."""
        self._answer("message", message)


class Interpreter:
    """Another interpreter; `bare` packages are imported without their `__init__`.

    It has this process's environment variables, and `more`.
    """

    def __init__(self, bare: Sequence[str] = (), more: Mapping[str, str] | None = None) -> None:
        # It ends when our end of its input is closed, so Ctrl-C need not reach it.
        self._process = subprocess.Popen(  # noqa: S603 - no argument is from outside
            [sys.executable, "-I", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(more or {})},
            start_new_session=True,
        )
        self._answers: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._kept: list[str] = []
        self._sending = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._send((list(sys.path), [(name, list(sys.modules[name].__path__)) for name in bare]))

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    @property
    def memory(self) -> int:
        """How many bytes of memory it holds; 0 where the system doesn't show it."""
        with suppress(OSError, AttributeError):
            pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        return 0

    def keeps(self, key: str) -> bool:
        """Whether it keeps the object that it was given under a key."""
        return key in self._kept

    def run(
        self,
        work: Callable[..., Any],
        *arguments: Any,
        look: Callable[[], None] = lambda: None,
        receive: Callable[[Any], None] = lambda _: None,
        keep: tuple[str, Any] | None = None,
    ) -> Any:
        """Call `work(caller, *arguments)` there; each message of the work is received here.

        What is to be kept, an object under a key, is the first argument and is sent once. `look` is
        called many times a second; what it raises ends the process. Raises what the work raises,
        and `LostError` where the process ends.
        """
        key, new = None, {}
        if keep is not None:
            key, new = keep[0], {} if self.keeps(keep[0]) else dict([keep])
            others = (other for other in self._kept if other != key)
            self._kept = [*others, key][-MOST_KEPT:]
        try:
            self._send((work, key, arguments, new, self._kept))
            while (answer := self._next(look))[0] == "message":
                receive(answer[1])
        except BaseException:
            self.kill()
            raise
        kind, content = answer
        if kind == "result":
            return content
        error, trace = content
        raise error from (RuntimeError(f"In another process:\n{trace}") if trace else None)

    def _next(self, look: Callable[[], None]) -> tuple[str, Any]:
        """The next message, or how the work ended."""
        while True:
            look()
            with suppress(Empty):
                kind, content = self._answers.get(timeout=LOOK)
                if kind == "end":
                    raise LostError(_how(self._process.wait()))
                return kind, content

    def stop(self) -> None:
        """Ask the present work to stop."""
        self._send(None)

    def kill(self) -> None:
        """End the process at once; several may ask for that."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        # Whoever asks for more work learns it, too.
        self._answers.put(("end", None))
        with self._sending:
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                # What is still to be written has nobody to go to.
                with suppress(OSError):
                    pipe.close()

    def _send(self, order: Any) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        # Where the process has ended, its answers say so.
        with self._sending, suppress(OSError):
            if not pipe.closed:
                pickle.dump(order, pipe, _PROTOCOL)
                pipe.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while True:
                self._answers.put(pickle.load(self._process.stdout))  # noqa: S301 - see above
        except (OSError, EOFError, pickle.UnpicklingError):
            # Its end, however it came.
            pass
        finally:
            self._answers.put(("end", None))


@contextmanager
def interpreters(
    many: int, more: Mapping[str, str] | None = None
) -> Iterator[Callable[..., Future[Any]]]:
    """What calls `Interpreter.run` of one that is idle, of so many that all end with this."""
    made = [Interpreter(more=more) for _ in range(many)]
    idle = SimpleQueue[Interpreter]()
    for one in made:
        idle.put(one)

    def call(*work: Any, **how: Any) -> Any:
        one = idle.get()
        try:
            return one.run(*work, **how)
        finally:
            idle.put(one)

    with ThreadPoolExecutor(many) as threads:
        try:
            yield partial(threads.submit, call)
        finally:
            # What is still at work ends, and so do the threads that wait for it.
            threads.shutdown(wait=False, cancel_futures=True)
            for one in made:
                one.kill()


def _how(code: int) -> str:
    """How a process ended."""
    return signal.Signals(-code).name if -code in {*signal.Signals} else f"code {code}"


def serve() -> None:
    """Do what comes through the pipe, until it is closed: then this process ends at once."""
    answers, lock = os.fdopen(os.dup(1), "wb"), threading.Lock()
    os.dup2(2, 1)

    def answer(kind: str, content: Any) -> None:
        # Whole or not at all: what can't be sent must leave nothing in the pipe.
        with lock:
            if kind == "message":
                pickle.dump((kind, content), answers, _PROTOCOL)
            else:
                answers.write(pickle.dumps((kind, content), _PROTOCOL))
            answers.flush()

    works: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
    threading.Thread(target=_listen, args=(works, answer), daemon=True).start()
    while True:
        work, arguments, caller = works.get()
        try:
            answer("result", work(caller, *arguments))
        except BaseException as error:
            answer("error", _portable(error))
        del work, arguments


def _listen(works: SimpleQueue[tuple[Any, ...]], answer: Callable[[str, Any], None]) -> None:
    """Read what is asked; whatever the main thread does, perhaps compiled, ends with the pipe."""
    kept: dict[str, Any] = {}
    caller = Caller(answer)
    try:
        while True:
            order = pickle.load(sys.stdin.buffer)  # noqa: S301 - see above
            if order is None:
                caller.stop()
                continue
            work, key, arguments, new, names = order
            kept = {name: thing for name, thing in (kept | new).items() if name in names}
            caller = Caller(answer)
            works.put((work, arguments if key is None else (kept[key], *arguments), caller))
            del order, work, arguments, new
    finally:
        os._exit(1)


def _portable(error: BaseException) -> tuple[BaseException, str]:
    """An error with its trace as text; in words where it can't be sent."""
    if isinstance(error, (BJPError, Cancelled, MemoryError)):
        return error.with_traceback(None), ""
    trace = "".join(traceback.format_exception(error))
    with suppress(Exception):
        pickle.loads(pickle.dumps(error, _PROTOCOL))  # noqa: S301 - of this very process
        return error, trace
    return RuntimeError(f"{type(error).__name__}: {error}"), trace
