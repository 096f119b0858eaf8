"""Dynamic time warping of all pairs of series beside dtaidistance and tslearn, on one processor."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, left_out
from treatise.statistics import dtw_pairwise

SERIES, LENGTH, WINDOW = 200, 128, 12


def benchmarks() -> Iterator[Contest]:
    """Random walks, with and without a window; quality is the sum of all costs."""
    walks = np.cumsum(np.random.default_rng(0).normal(size=(SERIES, LENGTH)), axis=1)
    try:
        from dtaidistance.dtw import distance_matrix_fast
    except ImportError:
        left_out("dtaidistance is absent")
    else:
        for window in (None, WINDOW):
            # Its window counts the diagonal.
            wide = {} if window is None else {"window": window + 1}
            yield _contest(window, "dtaidistance", partial(distance_matrix_fast, walks, parallel=False, **wide), walks)
    try:
        from tslearn.metrics import cdist_dtw
    except ImportError:
        left_out("tslearn is absent")
    else:
        for window in (None, WINDOW):
            band = {} if window is None else {"global_constraint": "sakoe_chiba", "sakoe_chiba_radius": window}
            yield _contest(window, "tslearn", partial(cdist_dtw, walks, n_jobs=1, **band), walks)


def _contest(window: int | None, peer: str, theirs: Any, walks: np.ndarray) -> Contest:
    bounds = "no window" if window is None else f"a window of {window}"
    return Contest(
        f"all pairs of {SERIES} series of {LENGTH} numbers, {bounds}: sum of costs",
        peer,
        ours=partial(dtw_pairwise, list(walks), window=window),
        theirs=lambda: np.asarray(theirs()) ** 2,  # both give roots
        quality=lambda costs: float(np.sum(costs)),
        warm_up=partial(dtw_pairwise, list(walks[:2]), window=window),
    )
