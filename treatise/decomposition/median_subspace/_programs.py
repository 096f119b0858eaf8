"""What is minimised over symmetric Q of trace one beside the sum of the lengths of ``Q x``: three programs.

Each has a step and a bound. The step takes the weights ``w`` of the rows as given and solves the least squares problem
``min sum w |Q x|^2``; with ``C = sum w x x'`` its solution is a function of ``C``. The bound is a value of the dual
problem: of all ``u`` with lengths at most one, ``sum |Q x| >= <Q, A>`` with ``A`` the symmetric part of ``sum u x'``,
and the least ``<Q, A>`` over all Q of the program is below its optimum. A step gives ``u = w Q x`` for nothing, for
which ``A = Q C``; divided by its greatest length, the stretch, it is feasible.
"""

from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf


class Step(NamedTuple):
    """A solution of weighted least squares, and what its dual bound needs."""

    Q: np.ndarray
    dual: float
    """Value of the dual problem where the stretch is one, without the part that does not scale."""
    own_stretch: float = 1.0
    """Stretch of the penalty's own dual variable."""


class Program(Protocol):
    """A convex program over symmetric matrices of trace one."""

    def penalty(self, Q: np.ndarray) -> float:
        """What is added to the sum of lengths."""

    def step(self, Q: np.ndarray, gram: np.ndarray) -> Step:
        """Solve least squares, given ``gram = Q C Q``."""

    def bound(self, step: Step, stretch: float) -> float:
        """Lower bound on the optimum."""


class Plain:
    """Problem (4): nothing beside the sum of lengths. All of A must be a multiple of the identity."""

    def penalty(self, Q):
        return 0.0

    def step(self, Q, gram):
        inverse = between(Q, gram)
        trace = np.trace(inverse)
        return Step(inverse / trace, 1.0 / trace)

    def bound(self, step, stretch):
        return step.dual / stretch


class Ridge:
    """Problem (42): ``ridge |Q|^2`` more, which keeps Q from concentrating where there are few rows.

    The paper's formula has the multiple of the identity outside the second inverse; it belongs into both.
    """

    def __init__(self, ridge):
        self.ridge = ridge

    def penalty(self, Q):
        return self.ridge * float(np.sum(Q**2))

    def step(self, Q, gram):
        inverse = between(Q, gram + 2.0 * self.ridge * (Q @ Q))
        trace = np.trace(inverse)
        # A = Q C = 1/trace - 2 ridge Q, by its mean eigenvalue.
        return Step(inverse / trace, 1.0 / trace - 2.0 * self.ridge / len(Q))

    def bound(self, step, stretch):
        dimension = len(step.Q)
        uneven = self.ridge * (np.sum(step.Q**2) - 1.0 / dimension)
        return step.dual / stretch + self.ridge / dimension - uneven / stretch**2


class Spread:
    """``pull |Q|`` more: what outliers spread evenly over the space add in expectation, without drawing any.

    ``n`` normal rows of mean squared length ``s^2`` add about ``n s |Q| / sqrt(D)`` to the sum. It is one more length,
    so that it has a weight and a stretch like those of a row.
    """

    def __init__(self, pull):
        self.pull = pull

    def penalty(self, Q):
        return self.pull * float(np.linalg.norm(Q))

    def step(self, Q, gram):
        size = np.linalg.norm(Q)
        inverse = between(Q, gram + (self.pull / size) * (Q @ Q))
        trace = np.trace(inverse)
        new = inverse / trace
        # The dual matrix of the penalty must be no longer than the pull, as a row's vector no longer than one.
        return Step(new, 1.0 / trace, float(np.linalg.norm(new) / size))

    def bound(self, step, stretch):
        return step.dual / max(stretch, step.own_stretch)


class Capped:
    """REAPER: eigenvalues of at most ``1 / rank``, so that Q cannot have a lower rank than that."""

    def __init__(self, rank):
        self.rank = rank

    def penalty(self, Q):
        return 0.0

    def step(self, Q, gram):
        eigenvalues, vectors = eigh(between(Q, gram))
        eigenvalues = np.maximum(eigenvalues, np.finfo(float).tiny)
        level = _water_level(eigenvalues, self.rank)
        capped = np.minimum(level * eigenvalues, 1.0 / self.rank)
        # The eigenvalues of A, ascending: the largest of C^-1 come last.
        products = np.sort(capped / eigenvalues)
        root = vectors * np.sqrt(capped)
        return Step(root @ root.T, float(products[: self.rank].mean()))

    def bound(self, step, stretch):
        return step.dual / stretch


def _water_level(eigenvalues, rank):
    """Factor whose products with ascending eigenvalues, cut at ``1 / rank``, sum to one."""
    cap, total = 1.0 / rank, np.cumsum(eigenvalues)
    for n_capped in range(rank):
        level = (1.0 - n_capped * cap) / total[len(eigenvalues) - n_capped - 1]
        if level * eigenvalues[len(eigenvalues) - n_capped - 1] <= cap * (1.0 + 1e-12):
            return level
    return cap / eigenvalues[len(eigenvalues) - rank]


def between(Q: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """``Q gram^-1 Q``, the inverse of C where ``gram = Q C Q``.

    C itself spans as many digits as the weights do, and its small eigenvalues, which are what is sought, are lost in
    the rounding errors of the large ones. Of the gram matrix between two Q only those of the kernel are, which Q then
    makes small.
    """
    # LAPACK itself: for fifty columns the checks around it take as long as the work.
    factor, failed = dpotrf(gram)
    if not failed:
        root = dtrsm(1.0, factor, Q, trans_a=1)
    else:
        eigenvalues, vectors = eigh(gram)
        floor = eigenvalues[-1] * len(Q) * np.finfo(float).eps
        root = (vectors / np.sqrt(np.maximum(eigenvalues, floor))).T @ Q
    return root.T @ root
