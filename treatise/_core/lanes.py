"""Sums that a compiled loop takes in four lanes at once, in an order that is always the same."""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_LANES = 4


def _sum_in_lanes(_typing: Any, values: Any, size: Any) -> Any:
    """The sum of the first entries of a contiguous array of floats, in double precision.

    Entry k is added to lane k mod 4, those past the last multiple of four to lane 0, then the lanes by twos. A compiler
    that must keep the order of a sum makes one addition after another of it; written in lanes, it is four at once.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        count, double = arguments[1], ir.DoubleType()
        kind = context.get_value_type(signature.args[0].dtype)
        wide = ir.VectorType(double, _LANES)

        def load(at: Any, form: ir.Type, widened: ir.Type) -> Any:
            place = builder.bitcast(builder.gep(array.data, [at]), form.as_pointer())
            found = builder.load(place, align=signature.args[0].dtype.bitwidth // 8)
            return found if kind == double else builder.fpext(found, widened)

        zero, step = count.type(0), count.type(_LANES)
        whole = builder.sub(count, builder.srem(count, step))
        sums = cgutils.alloca_once_value(builder, ir.Constant(wide, [0.0] * _LANES))
        with cgutils.for_range_slice(builder, zero, whole, step, count.type) as (at, _):
            builder.store(builder.fadd(builder.load(sums), load(at, ir.VectorType(kind, _LANES), wide)), sums)
        lanes = [builder.extract_element(builder.load(sums), ir.IntType(32)(lane)) for lane in range(_LANES)]
        first = cgutils.alloca_once_value(builder, lanes[0])
        with cgutils.for_range_slice(builder, whole, count, count.type(1), count.type) as (at, _):
            builder.store(builder.fadd(builder.load(first), load(at, kind, double)), first)
        return builder.fadd(builder.fadd(builder.load(first), lanes[1]), builder.fadd(lanes[2], lanes[3]))

    return types.float64(values, types.intp), generate


def _one_after_another(values: Any, size: int) -> float:
    """The same where nothing is compiled."""
    whole = size - size % _LANES
    lanes = np.zeros(_LANES)
    for at in range(0, whole, _LANES):
        lanes += values[at : at + _LANES]
    for at in range(whole, size):
        lanes[0] += values[at]
    return float((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))


sum_in_lanes = _one_after_another if numba.config.DISABLE_JIT else intrinsic(_sum_in_lanes)
