"""How the kernels are compiled: machine code is kept on disk until one of them changes.

Numba keeps compiled code beside each module and looks only at that module for changes, so a
kernel that calls one of another module would go on using its old version. Here all kernels
share one folder, named by a digest of all their sources.

Most functions are only called by kernels. Numba would make machine code of each, with all that it
calls, which nobody runs: it is optimised anew and compiled again as a part of each kernel. So these
go through a pipeline of their own, which ends where there is something to link.

Numba counts references whenever an array is taken out of a tuple or handed to a function, with
an atomic instruction each time: half of the time of a climb. Kernels called from Python borrow
the arrays they were given, which outlive the call; what is borrowed is counted no more.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from llvmlite.binding import get_host_cpu_name
from numba import njit, types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import intrinsic

_HERE = Path(__file__).parent
_NO_FOLDER = (
    "Compiled kernels cannot be kept on this machine, so each process compiles them again; "
    "set NUMBA_CACHE_DIR to a folder that can be written."
)
_ALIKE = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that is linked into kernels, and never run by itself."""

    def _optimize_final_module(self) -> None:
        """Leave that to the kernels."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


class _Linked(Compiler):  # type: ignore[misc]
    """Compile a function as a part of kernels."""

    def __init__(self, typing: Any, target: Any, *rest: Any) -> None:
        super().__init__(typing, target, *rest)
        self.state.library = _Part(target.codegen(), "part")
        self.state.targetctx.get_executable = _entry


def _entry(library: Any, function: Any, environment: Any) -> Any:
    """What Numba knows a part by, a function of C each: called from Python, it refuses."""
    del library, environment
    name = function.qualname.rpartition(".")[2]
    # No argument has the name that it lacks: a KeyError that says why.
    return f"{{{name}, a function that only kernels call}}".format


# Of a function that only kernels call, nothing is made for calls from Python.
_WITHIN = {"no_cpython_wrapper": True, "pipeline_class": _Linked, **_ALIKE}


def _digest() -> str:
    """A short name for the present text of all kernels."""
    content = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for source in sorted(_HERE.glob("*.py")):
        content.update(source.read_bytes())
    return content.hexdigest()[:16]


def _homes() -> list[Path]:
    """Where compiled code may be kept: beside the kernels, or with the user's caches."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(os.environ["NUMBA_CACHE_DIR"]) / "bjp-explorer"]
    homes = [_HERE / "__pycache__"]
    try:
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # a user without a home
        return homes
    return [*homes, user / "bjp-explorer"]


def _folder() -> Path | None:
    """The folder for the present kernels; None where nothing can be written."""
    for home in _homes():
        folder = home / f"kernels-{_digest()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


FOLDER = _folder()
if FOLDER is None:
    warnings.warn(_NO_FOLDER, RuntimeWarning, stacklevel=1)
elif not any(FOLDER.iterdir()):
    logging.getLogger(__name__).info(
        "Kernels are compiled when they are first called; `bjp warmup` compiles them ahead."
    )


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, or take it from disk."""
    if FOLDER is None:
        return njit(**_ALIKE)(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(FOLDER)
    try:
        return njit(cache=True, **_ALIKE)(function)
    finally:
        numba.config.CACHE_DIR = before


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call."""
    return njit(**_WITHIN)(function)


def bare(function: Callable[..., Any]) -> Any:
    """Compile an inner function that makes no array and returns none: it counts no references.

    What it is handed outlives the call; to count references regardless costs code and time.
    """
    return njit(_nrt=False, **_WITHIN)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Put a function into each kernel that calls it: one layer less to compile on its own."""
    return njit(inline="always", **_ALIKE)(function)


@intrinsic
def borrowed(_typing: Any, value: Any) -> Any:
    """The same array, or tuple of arrays, owned by nobody. It must not be returned to Python."""

    def disown(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.BaseTuple):
            parts = zip(kind.types, cgutils.unpack_tuple(builder, value), strict=True)
            made = [disown(context, builder, part, item) for part, item in parts]
            return context.make_tuple(builder, kind, made)
        if not isinstance(kind, types.Array):
            return value
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        array.parent = ir.Constant(array.parent.type, None)
        return array._getvalue()

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return disown(context, builder, signature.args[0], arguments[0])

    return value(value), generate


@intrinsic
def ones(_typing: Any, word: Any) -> Any:
    """The number of ones in a word: one instruction of the processor."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(word), generate


def forget_old() -> None:
    """Remove what was compiled from earlier versions of the kernels."""
    for home in _homes():
        for folder in home.glob("kernels-*"):
            if folder != FOLDER:
                shutil.rmtree(folder, ignore_errors=True)


def _stamp() -> Path | None:
    """The file that says that all is compiled, for this kind of processor and, as Numba, path."""
    place = hashlib.sha256(os.fsencode(_HERE)).hexdigest()[:8]
    return FOLDER and FOLDER / f"complete-{get_host_cpu_name()}-{place}"


def is_complete() -> bool:
    """Whether every kernel was compiled on this kind of processor."""
    stamp = _stamp()
    return stamp is not None and stamp.exists()


def note_complete() -> None:
    """Note that every kernel is compiled."""
    stamp = _stamp()
    if stamp is not None:
        stamp.touch()
