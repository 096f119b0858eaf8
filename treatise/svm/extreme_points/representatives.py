"""Approximate extreme points of the classes in kernel space, as a small weighted training set (JMLR 15:59)."""

from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions, validate_params
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from treatise.kernels import GramRows, Kernel
from treatise.kernels.base import count
from treatise.kernels.vectors import KERNEL_NAMES, resolve_kernel
from treatise.optimize import SVMDualProblem, solve_svm_dual
from treatise.svm.extreme_points._loops import next_extreme_point, share_among

_BALL_TOLERANCE = 1e-3
"""Of the smallest enclosing ball, as a share of the largest k(x, x): the ball only names the first points kept."""
_BLOCK = 8192
"""Rows whose kernel values with one point are computed at a time."""


@dataclass(frozen=True)
class RepresentativeSet:
    """Points that stand for a larger set, and how well they do.

    Attributes
    ----------
    indices : ndarray of shape (n_representatives,)
        Rows that were kept, subset by subset.
    weights : ndarray of shape (n_representatives,)
        How much of the total weight each stands for; the paper's beta. They add up to the weight of all rows, class by
        class.
    subset : ndarray of shape (n_rows,)
        Number of the subset that each row went to, and -1 for a row of weight zero.
    error : float
        Largest squared distance in kernel space of a row from the hull of the representatives of its subset.
    """

    indices: np.ndarray
    weights: np.ndarray
    subset: np.ndarray
    error: float


@validate_params(
    {
        "kernel": [StrOptions(set(KERNEL_NAMES)), Kernel, callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "auto"})],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "leaf_size": [Interval(Integral, 2, None, closed="left")],
        "subset_size": [Interval(Integral, 2, None, closed="left")],
        "segregation": [StrOptions({"distance", "position"})],
        "n_jobs": [Integral, None],
    },
    prefer_skip_nested_validation=True,
)
def representative_set(
    X, y=None, *, sample_weight=None, kernel="rbf", gamma="scale", degree=3, coef0=1.0, epsilon=1e-2,
    leaf_size=100_000, subset_size=1000, segregation="distance", n_jobs=None,
):  # fmt: skip
    """A small weighted set that stands for all rows in the space of a kernel.

    Rows are sorted into subsets of near ones of the same class. Of each subset the approximate extreme points are kept:
    every other row lies within ``sqrt(epsilon)`` of their convex hull and hands its weight to them. Any learner with
    ``sample_weight`` and the same kernel can then be trained on them at several settings, such as an SVM over a grid of
    costs. :class:`ExtremePointsSVC` does both steps.

    About n log n kernel values for the subsets and ``n a`` for the points, if ``a`` are kept of each subset, and a
    small quadratic program for each row. In high dimension, or with a narrow kernel, most rows are extreme points and
    nothing is gained.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
        The rows.
    y : array-like of shape (n_samples,) or None, default=None
        Their classes; None takes them all as one.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        What each row counts.
    kernel : {"rbf", "linear", "poly", "laplacian"}, Kernel or callable, default="rbf"
        The kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree, coef0 : int and float, default=3 and 1.0
        Of the "poly" kernel.
    epsilon : float, default=1e-2
        Largest squared distance from the hull; a Gaussian kernel has ``k(x, x) = 1``.
    leaf_size : int, default=100_000
        The paper's P: size down to which rows are halved before the subsets are formed.
    subset_size : int, default=1000
        The paper's V: most rows in a subset. Larger ones keep fewer points and cost more for each row.
    segregation : {"distance", "position"}, default="distance"
        Whether to halve by the median distance from the first row (FLS2) or to cut by position (FLS1), which is
        quicker and fits rows that come in order of time.
    n_jobs : int or None, default=None
        Subsets to work on at once, in threads.

    Returns
    -------
    representatives : RepresentativeSet

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treatise.svm import representative_set
    >>> X, y = make_moons(4000, noise=0.2, random_state=0)
    >>> found = representative_set(X, y, gamma=1.0)
    >>> len(found.indices) < 400, round(found.weights.sum()), found.error <= 1e-2
    (True, 4000, True)

    References
    ----------
    .. [1] Paper v15-0059, Section 4: FLS1, FLS2, SLS, DeriveAE, DeriveRS.
    """
    structured = isinstance(kernel, Kernel) and kernel.structured
    if not structured:
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
    kernel = resolve_kernel(kernel, X, gamma=gamma, degree=degree, coef0=coef0)
    objects = kernel.prepare(X)
    codes = np.zeros(count(objects), np.int64)
    if y is not None:
        y = column_or_1d(y)
        check_classification_targets(y)
        codes = np.unique(y, return_inverse=True)[1]
    if len(codes) != count(objects):
        raise ValueError(f"y has {len(codes)} classes for {count(objects)} rows of X")
    weights = _check_sample_weight(sample_weight, codes, dtype=np.float64, ensure_non_negative=True)
    return derive_representatives(
        kernel, objects, codes, weights, lengths_of(X if not structured else None, kernel, objects),
        epsilon=epsilon, leaf_size=leaf_size, subset_size=subset_size, segregation=segregation, n_jobs=n_jobs,
    )  # fmt: skip


def lengths_of(X, kernel, objects):
    """Squared lengths of the rows, or of their images where the objects are no rows (step 2b of SLS)."""
    if X is None:
        return kernel.diagonal(objects)
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() if hasattr(X, "multiply") else np.einsum("ij,ij->i", X, X)


class PositionKernel(Kernel):
    """A Gram matrix as a kernel of positions in it."""

    def __init__(self, gram):
        self.gram = gram

    def prepare(self, X):
        return np.asarray(X)

    def block(self, A, B):
        return self.gram[np.ix_(A, B)]

    def diagonal(self, A):
        return self.gram[A, A]


def derive_representatives(
    kernel, objects, codes, weights, lengths, *, epsilon, leaf_size, subset_size, segregation, n_jobs=None
):
    """DeriveRS on prepared objects of classes ``codes``: :func:`representative_set` behind its checks."""
    if leaf_size < subset_size:
        raise ValueError(
            f"leaf_size={leaf_size} is below subset_size={subset_size}; rows are sorted into leaves before subsets"
        )
    distances = partial(_distances, kernel, objects, kernel.diagonal(objects))
    first_level = _halves if segregation == "distance" else _chunks
    subsets = [
        members
        for code in range(codes.max() + 1)
        for leaf in first_level(distances, np.flatnonzero((codes == code) & (weights > 0)), leaf_size)
        for members in _near_subsets(distances, lengths, leaf, subset_size)
    ]
    found = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_extreme_points)(kernel, objects, members, weights[members], epsilon) for members in subsets
    )
    subset = np.full(len(codes), -1)
    for number, members in enumerate(subsets):
        subset[members] = number
    return RepresentativeSet(
        indices=np.concatenate([kept for kept, _, _ in found]),
        weights=np.concatenate([beta for _, beta, _ in found]),
        subset=subset,
        error=max(error for _, _, error in found),
    )


def _distances(kernel, objects, diagonal, members, origin):
    """Squared distances in kernel space of some objects from one of them."""
    origin_object, found = objects[np.array([origin])], np.empty(len(members))
    for start in range(0, len(members), _BLOCK):
        some = members[start : start + _BLOCK]
        found[start : start + _BLOCK] = kernel.block(origin_object, objects[some])[0]
    return diagonal[members] + diagonal[origin] - 2.0 * found


def _chunks(distances, members, leaf_size):
    """FLS1, its ranges cut so that they do not share their ends."""
    return [members[start : start + leaf_size] for start in range(0, len(members), leaf_size)]


def _halves(distances, members, leaf_size):
    """FLS2: halve by distance from the first one until the halves are small enough.

    Halves are cut by rank, since a cut by value may leave all of many equal distances on one side.
    """
    if len(members) < 2:
        return [members] if len(members) else []
    middle = len(members) // 2
    order = np.argpartition(distances(members, members[0]), middle)
    # Rows keep their order within a half, so that the first one is the same on every machine.
    halves = [members[np.sort(order[:middle])], members[np.sort(order[middle:])]]
    if middle <= leaf_size:
        return halves
    return [leaf for half in halves for leaf in _halves(distances, half, leaf_size)]


def _near_subsets(distances, lengths, members, subset_size):
    """SLS: the nearest rows of the longest one form a subset; the next nearest is the origin of the next subset."""
    subsets = []
    origin = members[np.argmax(lengths[members])]
    while len(members) > subset_size:
        order = np.argpartition(distances(members, origin), subset_size)
        subsets.append(members[np.sort(order[:subset_size])])
        origin = members[order[subset_size]]
        members = members[np.sort(order[subset_size:])]
    return [*subsets, members]


def _extreme_points(kernel, objects, members, weights, epsilon):
    """DeriveAE: the points kept of one subset, their weights, and the largest squared distance of another.

    The paper leaves out that the points found in step 3 join those of the ball before weights are shared in step 5;
    without them epsilon does not hold.
    """
    subset, n = objects[members], len(members)
    # One row less than all: rows come one by one, as only those of points kept are needed.
    rows = GramRows(kernel, subset, cache_bytes=8 * n * max(n - 1, 2))
    diagonal = rows.diagonal
    ball = _enclosing_ball(rows)
    kept = np.flatnonzero(ball > 0)
    # Squared distance from the centre of the ball but for a constant (SphereSort).
    far = diagonal - 2.0 * rows.product(kept, ball[kept])
    order = np.argsort(-far, kind="stable")
    order = order[ball[order] == 0]
    hull = _Hull(rows, kept)
    place = 0
    while True:
        place = next_extreme_point(
            hull.gram, hull.cross, diagonal, order, place, len(hull.kept), epsilon, *hull.workspace
        )
        if place == len(order):
            break
        hull.add(order[place])
        place += 1
    kept = np.array(hull.kept)
    beta = weights[kept].copy()
    others = np.setdiff1d(np.arange(n), kept)
    error = share_among(hull.gram, hull.cross, diagonal, others, weights, len(kept), epsilon, *hull.workspace, beta)
    return members[kept], beta, error


def _enclosing_ball(rows):
    """Weights of the centre of the least ball round all points (SphereSet): ``min a' K a - diag(K)' a``, a simplex."""
    n = len(rows)
    start = np.zeros(n)
    start[np.argmax(rows.diagonal)] = 1.0
    problem = SVMDualProblem(np.ones(n), rows.diagonal / 2.0, np.ones(n), start)
    largest = max(rows.diagonal.max(), np.finfo(float).tiny)
    return solve_svm_dual(rows, problem, tol=_BALL_TOLERANCE * largest).beta


class _Hull:
    """The points kept so far: kernel values among them, and of all points with them, grown as they come."""

    def __init__(self, rows, kept):
        self.rows, self.kept = rows, []
        room = max(64, 2 * len(kept))
        self.gram, self.cross = np.zeros((room, room)), np.zeros((len(rows), room))
        self._make_workspace()
        for position in kept:
            self.add(position)

    def add(self, position):
        size = len(self.kept)
        if size == len(self.gram):
            wider = np.zeros((2 * size, 2 * size))
            wider[:size, :size] = self.gram
            self.gram = wider
            self.cross = np.concatenate([self.cross, np.zeros_like(self.cross)], axis=1)
            self._make_workspace()
        row = self.rows.row(position)
        self.cross[:, size] = row
        self.gram[size, :size] = self.gram[:size, size] = row[self.kept]
        self.gram[size, size] = self.rows.diagonal[position]
        self.kept.append(int(position))

    def _make_workspace(self):
        size = len(self.gram)
        self.workspace = np.zeros(size), np.zeros(size), np.zeros(size + 1, np.int64)
