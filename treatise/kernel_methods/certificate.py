"""Is this kernel machine optimal, and is its offset unique? (De Vito et al., JMLR 5:1363)"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_consistent_length


@dataclass(frozen=True)
class KernelCertificate:
    """How far a kernel machine is from optimal.

    Attributes
    ----------
    violation : float
        Largest distance of ``2 penalty a_i / w_i`` from the interval of the loss's negative slopes, or of
        ``2 penalty sum_i a_i psi(x_i)`` from zero.
    distances : ndarray of shape (n,)
        The first kind, for each object.
    objective : float
        Value of the problem.
    """

    violation: float
    distances: np.ndarray
    objective: float


def kernel_certificate(gram, y, coef, free_coef, penalty, loss, *, basis=None, weights=None, kink=1e-7):
    """Check the optimality conditions of any kernel machine with a convex loss (Corollary 13).

    The machine ``s = K a + basis d`` minimises ``sum_i w_i V(y_i, s_i) + penalty * a' K a`` if and only if every
    ``-2 penalty a_i / w_i`` lies between the derivatives of V from below and from above at s_i, and
    ``basis' a = 0``. Works on the solution of any solver.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Kernel matrix.
    y : ndarray of shape (n,)
        Labels -1 and 1, or numbers.
    coef : ndarray of shape (n,)
        Weights of the kernels.
    free_coef : array-like of shape (r,)
        Weights of the functions without penalty.
    penalty : float
        Weight of the squared length; for an SVC it is ``1 / (2 n C)``.
    loss : Loss
        The loss.
    basis : ndarray of shape (n, r) or None, default=None
        Values of the functions without penalty; None is a constant where there is one weight, and nothing where none.
    weights : ndarray of shape (n,) or None, default=None
        Weights of the objects; None is ``1 / n`` each.
    kink : float, default=1e-7
        Distance of a score from a kink of the loss, as a share of one plus the score, within which it lies on it.

    Returns
    -------
    certificate : KernelCertificate

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import kernel_certificate
    >>> from treatise.optimize import HingeLoss
    >>> gram, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> round(kernel_certificate(gram, y, np.array([0.3, -0.3]), [0.2], 1 / 1.2, HingeLoss()).violation, 12)
    0.0
    >>> round(kernel_certificate(gram, y, np.array([0.3, -0.2]), [0.2], 1 / 1.2, HingeLoss()).violation, 3)
    0.333
    """
    n = len(y)
    if np.shape(gram) != (n, n) or np.shape(coef) != (n,):
        raise ValueError(f"gram has shape {np.shape(gram)} and coef {np.shape(coef)}; y has {n} objects")
    free_coef = np.asarray(free_coef, np.float64)
    if basis is None:
        if len(free_coef) > 1:
            raise ValueError(f"{len(free_coef)} weights of functions need the basis that they belong to")
        basis = np.ones((n, len(free_coef)))
    weights = np.full(n, 1.0 / n) if weights is None else np.asarray(weights, np.float64)
    curved = gram @ coef
    scores = curved + basis @ free_coef
    slopes = np.divide(-2.0 * penalty * coef, weights, out=np.zeros(n), where=weights > 0)
    left, right = loss.left(y, scores), loss.right(y, scores)
    distances = np.maximum(np.maximum(left - slopes, slopes - right), 0.0)
    # An object on the kink may be there up to rounding only: its slopes are then those of both sides.
    slack = kink * (1.0 + np.abs(scores))
    left, right = loss.left(y, scores - slack), loss.right(y, scores + slack)
    distances = np.minimum(distances, np.maximum(np.maximum(left - slopes, slopes - right), 0.0))
    # An object that does not count may have no weight in the machine, and has no other condition.
    distances = np.where(weights > 0, distances, 2.0 * penalty * np.abs(coef))
    balance = 2.0 * penalty * np.abs(basis.T @ coef).max(initial=0.0)
    objective = float(weights @ loss.value(y, scores) + penalty * coef @ curved)
    return KernelCertificate(float(max(distances.max(), balance)), distances, objective)


@dataclass(frozen=True)
class OffsetInterval:
    """Offsets that are equally good for a support vector machine.

    Attributes
    ----------
    low, high : float
        The ends.
    unique : bool
        Whether they are one.
    counts : dict
        Numbers of positive and negative objects within the margin (``"positive_within"``, ``"negative_within"``) and
        on it (``"positive_on"``, ``"negative_on"``), at the offset looked at.
    """

    low: float
    high: float
    unique: bool
    counts: dict


def svm_offset_interval(scores, y, offset, *, weights=None, tol=1e-9):
    """All offsets of a support vector machine that are as good as the one it has (Proposition 12).

    The expansion of a machine with the hinge loss is unique, its offset need not be: it may move as long as what one
    class loses the other gains.

    Parameters
    ----------
    scores : array-like of shape (n,)
        ``sum_j a_j k(x_j, x_i)`` of the training objects, without the offset. Solve to at least ``tol``.
    y : array-like of shape (n,)
        Labels -1 and 1.
    offset : float
        The machine's offset.
    weights : array-like of shape (n,) or None, default=None
        Weights of the objects.
    tol : float, default=1e-9
        Distance from the margin within which an object lies on it.

    Returns
    -------
    interval : OffsetInterval

    Examples
    --------
    >>> from treatise.kernel_methods import svm_offset_interval
    >>> interval = svm_offset_interval([0.6, -0.6], [1, -1], 0.0)
    >>> round(interval.low, 6), round(interval.high, 6), interval.unique
    (-0.4, 0.4, False)
    """
    scores, y = np.asarray(scores, np.float64), np.asarray(y, np.float64)
    check_consistent_length(scores, y, weights)
    if not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError(f"labels must be -1 and 1; y holds {np.unique(y).tolist()}")
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, np.float64)
    margins = y * (scores + offset)
    within, on = margins < 1 - tol, np.abs(margins - 1) <= tol
    positive = y > 0

    def total(mask):
        return float(weights[mask].sum())

    # Moving up gains on positive objects within the margin and loses on negative ones within it or on it.
    up_is_free = np.isclose(total(within & positive), total((within | on) & ~positive), rtol=1e-12, atol=0)
    down_is_free = np.isclose(total(within & ~positive), total((within | on) & positive), rtol=1e-12, atol=0)
    distance = np.abs(1 - margins)
    # The margin that the move reaches first: of positive objects that come out, of negative ones that go in.
    stops_up, stops_down = (
        (within & positive) | (~within & ~on & ~positive),
        (within & ~positive) | (~within & ~on & positive),
    )
    up = distance[stops_up].min(initial=np.inf) if up_is_free else 0.0
    down = distance[stops_down].min(initial=np.inf) if down_is_free else 0.0
    counts = {
        "positive_within": int(np.count_nonzero(within & positive)),
        "negative_within": int(np.count_nonzero(within & ~positive)),
        "positive_on": int(np.count_nonzero(on & positive)),
        "negative_on": int(np.count_nonzero(on & ~positive)),
    }
    return OffsetInterval(float(offset - down), float(offset + up), bool(up == 0 and down == 0), counts)
