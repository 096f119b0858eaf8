"""Subsamples of an ensemble of machines, and the machines trained on them."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, validate_params
from sklearn.utils.validation import column_or_1d

from treatise.svm._pair_machines import pair_machines

_DRAWS = 10
"""How often a subsample that misses a class is drawn again."""


@validate_params(
    {
        "y": ["array-like"],
        "size": [Interval(Integral, 1, None, closed="left")],
        "replace": ["boolean"],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def stratified_bootstrap(y, size, *, replace=True, random_state=None):
    """Draw rows such that each class keeps its share.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Classes of the rows.
    size : int
        Number of rows to draw, at least one for each class.
    replace : bool, default=True
        Whether a row may be drawn more than once.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Returns
    -------
    indices : ndarray of shape (size,)
        Rows drawn, class by class.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.svm import stratified_bootstrap
    >>> y = np.repeat(["no", "yes"], [90, 10])
    >>> np.unique(y[stratified_bootstrap(y, 20, random_state=0)], return_counts=True)[1]
    array([18,  2])

    References
    ----------
    .. [1] Paper v15-0141, Section 2.2.
    """
    codes = np.unique(column_or_1d(y), return_inverse=True)[1]
    return draw_stratified(codes, size, replace, check_random_state(random_state))


def draw_stratified(codes, size, replace, generator):
    """:func:`stratified_bootstrap` of classes given as 0, 1, ... by a generator."""
    present = np.bincount(codes)
    if size < len(present):
        raise ValueError(f"size={size} rows cannot hold each of {len(present)} classes; draw at least that many")
    if not replace and size > len(codes):
        raise ValueError(f"size={size} rows cannot be drawn from {len(codes)} without replacement")
    counts = np.maximum(1, np.floor(size * present / len(codes)).astype(np.int64))
    remainder = size * present / len(codes) - counts
    while counts.sum() != size:
        # The class that is farthest from its share gives or takes a row.
        change = 1 if counts.sum() < size else -1
        at = int(np.argmax(np.where((counts + change >= 1), change * remainder, -np.inf)))
        counts[at] += change
        remainder[at] -= change
    parts = [generator.choice(np.flatnonzero(codes == code), some, replace=replace) for code, some in enumerate(counts)]
    return np.concatenate(parts)


def draw_rows(codes, size, *, stratified, replace, generator):
    """One subsample in which no class is missing."""
    if stratified:
        return draw_stratified(codes, size, replace, generator)
    n_classes = codes.max() + 1
    for _ in range(_DRAWS):
        rows = generator.choice(len(codes), size, replace=replace)
        if len(np.unique(codes[rows])) == n_classes:
            return rows
    raise ValueError(
        f"{_DRAWS} subsamples of {size} rows each missed one of the {n_classes} classes; draw more rows (max_samples) "
        "or keep the shares of the classes (stratified=True)"
    )


@dataclass(frozen=True)
class Member:
    """The machines of one subsample, one for each pair of classes: rows with a weight, those weights, offsets."""

    support: list
    coef: list
    offset: list
    violation: float


def train_member(rows_of, drawn, codes, n_classes, upper, tol):
    """Train a machine for each pair of classes on the rows drawn.

    A row drawn twice is one row of twice the cost, which is the same machine with one variable less.

    Parameters
    ----------
    rows_of : callable
        Gives the ``GramRows`` of some training positions.
    drawn : ndarray
        Training positions, perhaps repeated.
    codes : ndarray
        Classes 0, 1, ... of all training rows.
    n_classes : int
        Number of classes.
    upper : ndarray
        Costs of all training rows.
    tol : float
        Of the solver.

    Returns
    -------
    member : Member
    """
    positions, times = np.unique(drawn, return_counts=True)
    supports, coefs, offsets, worst = [], [], [], 0.0
    machines = pair_machines(
        lambda part: rows_of(positions[part]), codes[positions], n_classes, times * upper[positions], tol
    )
    for _, part, solution in machines:
        used = np.flatnonzero(solution.beta)
        supports.append(positions[part[used]])
        coefs.append(solution.beta[used])
        offsets.append(solution.offset)
        worst = max(worst, 0.0 if solution.converged else solution.violation)
    return Member(supports, coefs, offsets, worst)
