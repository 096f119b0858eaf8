"""The one question asked of every byte of a text."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def first_control(data: np.ndarray) -> int:
    """Position of the first control character that no table holds, or -1.

    Tab, line feed, vertical tab, form feed and carriage return (9 to 13) may stand in text.
    """
    for at in range(len(data)):
        byte = data[at]
        if (byte < 32 and not 9 <= byte <= 13) or byte == 127:
            return at
    return -1
