"""Bits of a word that a compiled loop looks at with one instruction."""

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


def _trailing_zeros(_typing: Any, word: Any) -> Any:
    """How many bits of an unsigned word of 64 lie below the lowest that is set; 64 where none is."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        undefined_at_zero = ir.IntType(1)(0)
        return builder.cttz(arguments[0], undefined_at_zero)

    return types.uint64(types.uint64), generate


def _counted(word: Any) -> Any:
    """The same where nothing is compiled."""
    number = int(word)
    return type(word)((number & -number).bit_length() - 1 if number else 64)


trailing_zeros = _counted if numba.config.DISABLE_JIT else intrinsic(_trailing_zeros)
