"""What numba has no words for: arrays that nobody counts, and eight words of bit planes at a time.

Numba counts references whenever an array is taken out of a tuple or handed to a function, with
an atomic instruction each time: half of the time of a climb. Kernels called from Python borrow
the arrays they were given, which outlive the call; what is borrowed is counted no more.

Planes are intersected in vectors of eight words, since compilers left alone use half of the widest
registers. A mask is read once for several planes: what limits a count is reading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

# Eight words are one step of the widest registers; planes are padded to whole steps.
STEP = 8
_WORD = ir.IntType(64)
_STEP = ir.VectorType(_WORD, STEP)


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


@intrinsic
def address(_typing: Any, words: Any, _row: Any, _begin: Any) -> Any:
    """Where a row of words is in memory, from one of its words on; the words must outlive it.

    A slice would do, but for two calls each time to count its references.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        width = cgutils.unpack_tuple(builder, array.shape)[1]
        at = builder.add(builder.mul(arguments[1], width), arguments[2])
        return builder.ptrtoint(builder.gep(array.data, [at]), _WORD)

    return types.int64(words, types.int64, types.int64), generate


@intrinsic
def common(_typing: Any, _mask: Any, planes: Any, _steps: Any) -> Any:
    """How many ones a mask has in each of several planes, by their addresses, in steps of words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sources = cgutils.unpack_tuple(builder, arguments[1])

        def step(k: Any) -> list[Any]:
            rows = _load(builder, arguments[0], k)
            return [builder.and_(rows, _load(builder, plane, k)) for plane in sources]

        return _counted(context, builder, signature.return_type, arguments[2], step)

    return types.UniTuple(types.int64, len(planes))(types.int64, planes, types.int64), generate


@intrinsic
def intersect(_typing: Any, _target: Any, _mask: Any, _plane: Any, _steps: Any) -> Any:
    """Write the intersection of a mask and a plane, by their addresses; how many ones it has."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target, mask, plane, steps = arguments

        def step(k: Any) -> list[Any]:
            rows = builder.and_(_load(builder, mask, k), _load(builder, plane, k))
            builder.store(rows, _place(builder, target, k), align=8)
            return [rows]

        counts = _counted(context, builder, types.UniTuple(types.int64, 1), steps, step)
        return builder.extract_value(counts, 0)

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


def _place(builder: Any, start: Any, step: Any) -> Any:
    """The words of one step, as a pointer."""
    return builder.gep(builder.inttoptr(start, _STEP.as_pointer()), [step])


def _load(builder: Any, start: Any, step: Any) -> Any:
    """The words of one step."""
    return builder.load(_place(builder, start, step), align=8)


def _counted(
    context: Any, builder: Any, counts: Any, steps: Any, step: Callable[[Any], list[Any]]
) -> Any:
    """The ones of what each step makes, summed over all steps; a tuple of type `counts`."""
    ones_of = _intrinsic(builder, f"llvm.ctpop.v{STEP}i64", _STEP)
    sum_of = _intrinsic(builder, f"llvm.vector.reduce.add.v{STEP}i64", _WORD)
    none = ir.Constant(_STEP, [0] * STEP)
    sums = [cgutils.alloca_once_value(builder, none) for _ in range(len(counts))]
    for total in sums:
        builder.store(none, total)
    with cgutils.for_range(builder, steps) as loop:
        for total, rows in zip(sums, step(loop.index), strict=True):
            builder.store(builder.add(builder.load(total), builder.call(ones_of, [rows])), total)
    totals = [builder.call(sum_of, [builder.load(total)]) for total in sums]
    return context.make_tuple(builder, counts, totals)


def _intrinsic(builder: Any, name: str, result: Any) -> Any:
    """A function of a step's words that the compiler turns into instructions."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [_STEP]), name)
