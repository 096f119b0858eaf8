"""Losses as all strategies take them: rounds by experts, finite, and small enough for squares of their sums."""

import numpy as np

from treatise._core.magnitudes import LARGEST_NUMBER
from treatise.online.experts._round_loops import all_within


def loss_matrix(losses):
    """Losses with a row for each round and a column for each expert, checked."""
    losses = np.ascontiguousarray(losses, dtype=np.float64)
    if losses.ndim != 2 or losses.shape[1] == 0:
        raise ValueError(f"losses of shape {losses.shape}: a row for each round and a column for each expert needed")
    check_values(losses)
    return losses


def check_values(losses):
    """Refuse what no strategy can weigh."""
    if all_within(losses, LARGEST_NUMBER):
        return
    if not np.all(np.isfinite(losses)):
        raise ValueError("losses hold nan or infinity; every expert needs a finite loss in every round")
    raise ValueError(
        f"losses hold {losses.flat[np.argmax(np.abs(losses))]:g}, beyond {LARGEST_NUMBER:g}, where squares overflow; "
        "divide all losses by one number"
    )
