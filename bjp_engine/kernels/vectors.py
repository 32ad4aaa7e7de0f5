"""Intersections of bit planes and the ones in them, eight words at a time.

Written in vectors of eight words, since compilers left alone use half of the widest registers.
A mask is read once for several planes: what limits a count is not arithmetic but reading.
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
def ones(_typing: Any, word: Any) -> Any:
    """The number of ones in a word: one instruction of the processor."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(word), generate


@intrinsic
def address(_typing: Any, words: Any, row: Any, begin: Any) -> Any:
    """Where a row of words is in memory, from one of its words on.

    A slice would do, but for two calls each time to count its references.

    Parameters
    ----------
    words : ndarray of uint64, two-dimensional, C order
        It must outlive the address.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        width = cgutils.unpack_tuple(builder, array.shape)[1]
        at = builder.add(builder.mul(arguments[1], width), arguments[2])
        return builder.ptrtoint(builder.gep(array.data, [at]), _WORD)

    return types.int64(words, types.int64, types.int64), generate


@intrinsic
def common(_typing: Any, mask: Any, planes: Any, steps: Any) -> Any:
    """How many ones a mask has in each of several planes.

    Parameters
    ----------
    mask : int
        Its address.
    planes : tuple of int
        Theirs.
    steps : int
        How many times eight words.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sources = cgutils.unpack_tuple(builder, arguments[1])

        def step(k: Any) -> list[Any]:
            rows = _load(builder, arguments[0], k)
            return [builder.and_(rows, _load(builder, plane, k)) for plane in sources]

        return _counted(context, builder, signature.return_type, arguments[2], step)

    return types.UniTuple(types.int64, len(planes))(types.int64, planes, types.int64), generate


@intrinsic
def intersect(_typing: Any, target: Any, mask: Any, plane: Any, planes: Any, steps: Any) -> Any:
    """Write the intersection of a mask and a plane; its ones, and those in several planes.

    Parameters
    ----------
    target, mask, plane : int
        Their addresses.
    planes, steps
        As for `common`.

    Returns
    -------
    tuple of int
        One more than there are planes.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sources = cgutils.unpack_tuple(builder, arguments[3])

        def step(k: Any) -> list[Any]:
            rows = builder.and_(_load(builder, arguments[1], k), _load(builder, arguments[2], k))
            builder.store(rows, _place(builder, arguments[0], k), align=8)
            return [rows, *(builder.and_(rows, _load(builder, other, k)) for other in sources)]

        return _counted(context, builder, signature.return_type, arguments[4], step)

    counts = types.UniTuple(types.int64, len(planes) + 1)
    return counts(types.int64, types.int64, types.int64, planes, types.int64), generate


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
