"""Memory that a compiled loop will need soon, asked for ahead of time."""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def _prefetch_row(_typing: Any, table: Any, row: Any) -> Any:
    """Let the processor fetch the first entry of a row of a two-dimensional array, which it will read and write.

    It goes on at once. A loop that goes to rows here and there waits for memory most of the time else.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, arguments[0])
        place = [arguments[1], context.get_constant(types.intp, 0)]
        entry = cgutils.get_item_pointer(context, builder, kind, array, place, wraparound=False)
        address = builder.bitcast(entry, cgutils.voidptr_t)
        flag = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        ask = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        to_write, keep_near, of_data = 1, 3, 1
        builder.call(ask, [address, flag(to_write), flag(keep_near), flag(of_data)])
        return context.get_dummy_value()

    return types.void(table, row), generate


def _nothing(_table: Any, _row: Any) -> None:
    """Stands in where nothing is compiled."""


prefetch_row = _nothing if numba.config.DISABLE_JIT else intrinsic(_prefetch_row)
