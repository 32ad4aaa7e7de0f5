"""Arrays of the caller without their reference counts.

Numba counts references whenever an array is taken out of a tuple or handed to a function, with
an atomic instruction each time: half of the time of a climb. Kernels called from Python borrow
the arrays they were given, which outlive the call; what is borrowed is counted no more.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.extending import intrinsic


@intrinsic
def borrowed(_typing: Any, array: Any) -> Any:
    """The same array, owned by nobody. It must not be returned to Python."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        made.meminfo = ir.Constant(made.meminfo.type, None)
        made.parent = ir.Constant(made.parent.type, None)
        return made._getvalue()

    return array(array), generate
