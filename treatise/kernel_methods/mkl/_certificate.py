"""Values of a machine on a mixture of kernels from which both ends of a duality gap come."""

import numpy as np


def reward(problem, alpha):
    """The linear part of the dual: ``sum_i alpha_i`` for classes, targets less the tube for numbers."""
    return float((problem.signs * problem.pull) @ alpha)


def primal_value(problem, quadratic, scores, offset):
    """``quadratic / 2`` plus the losses of a machine with these scores and this offset.

    Whatever the scores and the offset come from, this is no less than the optimal value for the kernel whose squared
    length of the machine is ``quadratic``: the upper end of the gap stays true when the machine is solved loosely.
    """
    repeats = len(problem.signs) // len(scores)
    losses = np.maximum(problem.signs * (problem.pull - np.tile(scores, repeats) - offset), 0.0)
    # The condition on the sum of the dual variables belongs to the offset: zero but for one class.
    total = float(problem.signs @ problem.start)
    return float(0.5 * quadratic + problem.upper @ losses + offset * total)


def relative_gap(upper, lower):
    """Width of the interval that holds the optimal value, as a share of its larger end."""
    return (upper - lower) / max(abs(upper), abs(lower), np.finfo(float).tiny)


def close_enough(upper, lower, quadratic, tol):
    """Whether the interval is narrow beside the value, and beside ten times the part of it that knows the kernels.

    With a small cost nearly all of the value is loss, and an interval that is narrow beside it says nothing yet about
    the weights.
    """
    scale = max(min(abs(upper), 5.0 * quadratic), 1e-9 * abs(upper))
    return upper - lower <= tol * scale


def checked_forms(forms):
    """Quadratic forms of kernels, rounded up to zero; far below it the matrix was no kernel."""
    worst = int(np.argmin(forms))
    if forms[worst] < -1e-6 * np.abs(forms).max():
        raise ValueError(
            f"kernel {worst} is not positive semi-definite: its quadratic form takes the value {forms[worst]:.3g}"
        )
    return np.maximum(forms, 0.0)
