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
def common(_typing: Any, mask: Any, words: Any, planes: Any, begin: Any) -> Any:
    """How many ones a mask has in each of several planes, from word `begin` of theirs on.

    Parameters
    ----------
    mask : ndarray of uint64, shape (whole steps,)
    words : ndarray of uint64, shape (P, W)
    planes : tuple of int
    begin : int

    Returns
    -------
    tuple of int
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        mask_in = _array(context, builder, signature, arguments, 0)
        sources = _planes(context, builder, signature, arguments, 1)

        def step(at: Any) -> list[Any]:
            rows = _load(builder, mask_in.data, at)
            return [builder.and_(rows, _load(builder, plane, at)) for plane in sources]

        return _counted(context, builder, signature, mask_in, len(sources), step)

    return types.UniTuple(types.int64, len(planes))(mask, words, planes, begin), generate


@intrinsic
def intersect(
    _typing: Any, target: Any, mask: Any, plane: Any, words: Any, planes: Any, begin: Any
) -> Any:
    """Write a mask's intersection with a plane; how many ones it has, and in several planes.

    Parameters
    ----------
    target, mask : ndarray of uint64, shape (whole steps,)
    plane : int
    words, planes, begin
        As for `common`.

    Returns
    -------
    tuple of int
        One more than there are planes.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target_in = _array(context, builder, signature, arguments, 0)
        mask_in = _array(context, builder, signature, arguments, 1)
        sources = _planes(context, builder, signature, arguments, 3)
        every = _array(context, builder, signature, arguments, 3)
        source = _row(builder, every, arguments[2], arguments[5])

        def step(at: Any) -> list[Any]:
            rows = builder.and_(_load(builder, mask_in.data, at), _load(builder, source, at))
            builder.store(rows, _place(builder, target_in.data, at), align=8)
            return [rows, *(builder.and_(rows, _load(builder, other, at)) for other in sources)]

        return _counted(context, builder, signature, mask_in, len(sources) + 1, step)

    made = types.UniTuple(types.int64, len(planes) + 1)
    return made(target, mask, plane, words, planes, begin), generate


def _array(context: Any, builder: Any, signature: Any, arguments: Any, which: int) -> Any:
    """An argument that is an array."""
    return context.make_array(signature.args[which])(context, builder, arguments[which])


def _planes(context: Any, builder: Any, signature: Any, arguments: Any, which: int) -> list[Any]:
    """Where each plane of the tuple begins; the words are argument `which`, then tuple, begin."""
    words = _array(context, builder, signature, arguments, which)
    chosen = cgutils.unpack_tuple(builder, arguments[which + 1])
    return [_row(builder, words, plane, arguments[which + 2]) for plane in chosen]


def _row(builder: Any, words: Any, plane: Any, begin: Any) -> Any:
    """A plane from one of its words on."""
    width = cgutils.unpack_tuple(builder, words.shape)[1]
    return builder.gep(words.data, [builder.add(builder.mul(plane, width), begin)])


def _place(builder: Any, data: Any, at: Any) -> Any:
    """The step `at` of some words."""
    return builder.gep(builder.bitcast(data, _STEP.as_pointer()), [at])


def _load(builder: Any, data: Any, at: Any) -> Any:
    """The words of one step."""
    return builder.load(_place(builder, data, at), align=8)


def _counted(
    context: Any,
    builder: Any,
    signature: Any,
    mask: Any,
    many: int,
    step: Callable[[Any], list[Any]],
) -> Any:
    """The ones of what each step makes, summed over the steps of a mask."""
    ones_of = _intrinsic(builder, f"llvm.ctpop.v{STEP}i64", _STEP, _STEP)
    sum_of = _intrinsic(builder, f"llvm.vector.reduce.add.v{STEP}i64", _WORD, _STEP)
    none = ir.Constant(_STEP, [0] * STEP)
    sums = [cgutils.alloca_once_value(builder, none) for _ in range(many)]
    for total in sums:
        builder.store(none, total)
    with cgutils.for_range(builder, builder.udiv(mask.nitems, ir.Constant(_WORD, STEP))) as loop:
        for total, rows in zip(sums, step(loop.index), strict=True):
            builder.store(builder.add(builder.load(total), builder.call(ones_of, [rows])), total)
    counts = [builder.call(sum_of, [builder.load(total)]) for total in sums]
    return context.make_tuple(builder, signature.return_type, counts)


def _intrinsic(builder: Any, name: str, result: Any, argument: Any) -> Any:
    """A function that the compiler turns into instructions."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [argument]), name)
