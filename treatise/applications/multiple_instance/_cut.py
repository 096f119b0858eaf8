"""Where to cut the scores of bags."""

import numpy as np


def best_cut(scores: np.ndarray, positive: np.ndarray) -> float:
    """The score above which bags are called positive with the fewest errors: the middle of the widest best gap."""
    order = np.argsort(scores, kind="stable")
    ranked = scores[order]
    # Right answers of a cut below the first bag, between two, and above the last.
    right = np.concatenate([[0], np.cumsum(np.where(positive[order], -1, 1))])
    # To cut beyond all of them is to give one answer always; it gets no room, so that a gap is preferred.
    widths = np.concatenate([[0.0], np.diff(ranked), [0.0]])
    possible = widths > 0
    possible[[0, -1]] = True
    best = possible & (right == right[possible].max())
    cut = int(np.argmax(np.where(best, widths, -1.0)))
    if cut in (0, len(scores)):
        edge = ranked[0] if cut == 0 else ranked[-1]
        beyond = max(abs(edge), 1.0)
        return float(edge - beyond if cut == 0 else edge + beyond)
    return float(0.5 * (ranked[cut - 1] + ranked[cut]))
