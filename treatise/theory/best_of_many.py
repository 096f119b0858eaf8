"""Which of many methods may be the best, from the rows on which all of them were judged.

Differences are taken row by row, so that what makes a row hard for everybody cancels. Multiple comparisons with the
best (Hsu, 1981) allow for the choice of the winner by the same rows; the step-down of Romano and Wolf (2005) for the
number of methods; the two steps of Romano, Shaikh and Wolf (2014) leave methods out of account that are so far from the
best that chance cannot make them look ahead of it. What rows cannot show, that another training set would have given
other models, enters as a factor of the variance (JMLR 5:1089: no estimate of that part without bias exists).
"""

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, validate_params

FIRST_STEP = 0.02
"""Share of the level for the first step, that tells how far from the best each method is at least."""


class ComparisonsWithBest(NamedTuple):
    """How far each method is behind the best, which may be itself.

    Attributes
    ----------
    behind : ndarray of shape (n_methods,)
        Mean of the best method seen less that of each; 0 for the best seen.
    low, high : ndarray of shape (n_methods,)
        Bounds that hold together, for all methods, with the confidence asked for: how far it is behind the method
        that is best in truth, at least and at most.
    may_be_best : ndarray of bool of shape (n_methods,)
        Whether nothing here excludes that it is the best.
    standing : ndarray of str of shape (n_methods,)
        "worse" where it is behind by more than the margin, "equivalent" where it is within the margin, else
        "undecided"; "unjudged" where it was not asked about, and its bounds are NaN.
    rows_needed : ndarray of shape (n_methods,)
        About how many rows like these would decide an undecided method; those at hand for the others, and infinite
        where the difference seen is the margin itself.
    """

    behind: np.ndarray
    low: np.ndarray
    high: np.ndarray
    may_be_best: np.ndarray
    standing: np.ndarray
    rows_needed: np.ndarray


@validate_params(
    {
        "merits": ["array-like"],
        "margin": [Interval(Real, 0, None, closed="left")],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "enlargement": [Interval(Real, 1, None, closed="left")],
        "groups": ["array-like", None],
        "asked": ["array-like", None],
        "n_draws": [Interval(Integral, 100, None, closed="left")],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def comparisons_with_best(
    merits, *, margin=0.0, level=0.05, enlargement=1.5, groups=None, asked=None, n_draws=4000, random_state=0
):
    """Bounds on how far each method is behind the best, from merits of the same rows.

    Use it when several methods were judged on the same held-out rows. For the means of few folds, where the rows are
    not at hand, use :func:`corrected_ttest`. It costs n m² for n rows and m methods, and ``n_draws`` m².

    Parameters
    ----------
    merits : array-like of shape (n_rows, n_methods)
        What each row adds to each method's score, larger for better: 1 for a right label and 0 for a wrong one, the
        negative loss, or the structural components of an area under the curve. The mean over the rows is the score.
    margin : float, default=0.0
        Differences up to this size do not matter.
    level : float, default=0.05
        Chance that any of the bounds is wrong.
    enlargement : float, default=1.5
        Factor of the variances, for what other training sets would have changed; 1 where the models are given and
        only the rows are a sample.
    groups : array-like of shape (n_rows,) or None, default=None
        Rows of one group (copies, words of a sentence) are not independent: their sums are compared.
    asked : array-like of bool of shape (n_methods,) or None, default=None
        Methods that something is to be said of, the others being there because one of them may be the best: the fewer,
        the sharper. None asks about all.
    n_draws : int, default=4000
        Draws of the largest of all differences.
    random_state : int, RandomState instance or None, default=0
        Seed of the draws; the same input gives the same bounds.

    Returns
    -------
    ComparisonsWithBest

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.theory import comparisons_with_best
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random((2000, 1)) < np.array([0.90, 0.899, 0.8])
    >>> comparisons_with_best(right, margin=0.03).standing.tolist()
    ['equivalent', 'equivalent', 'worse']

    References
    ----------
    .. [1] J. C. Hsu. Simultaneous confidence intervals for all distances from the "best". Annals of Statistics
       9:1026-1034, 1981.
    .. [2] J. P. Romano and M. Wolf. Exact and approximate stepdown methods for multiple hypothesis testing. JASA
       100:94-108, 2005.
    .. [3] J. P. Romano, A. M. Shaikh and M. Wolf. A practical two-step method for testing moment inequalities.
       Econometrica 82:1979-2002, 2014.
    """
    merits = _summed(np.asarray(merits, np.float64), groups)
    n = len(merits)
    asked = _asked(asked, merits.shape[1])
    means = merits.mean(axis=0)
    lead = means[None, :] - means[:, None]  # [i, j]: of j over i
    # A root of the covariance without squaring, so that small differences between near twins keep their digits.
    root = np.linalg.qr(merits - means, mode="r") * np.sqrt(enlargement / (n * (n - 1)))
    error = np.sqrt(np.square(root[:, :, None] - root[:, None, :]).sum(axis=0))
    # Differences of equal methods are rounding errors of numbers of the size of the merits.
    error[error <= 1e-12 * np.abs(merits).max() / np.sqrt(n)] = 0.0
    chance = _chance(root, n, n_draws, check_random_state(random_state))

    # Hsu: a method is out if another leads it by more than the largest lead that chance gives over it.
    alone = np.quantile(_largest(chance, error), 1.0 - level, axis=0)
    may_be_best = np.all(lead - alone[:, None] * error <= 0.0, axis=1)
    may_be_best[np.argmax(means)] = True
    high = np.max(np.where(may_be_best[None, :], lead + alone[None, :] * error, 0.0), axis=1)
    # Who is surely far from the best leads nobody by as much as the best does.
    surely = student.ppf(1.0 - FIRST_STEP * level / max(len(means) * (len(means) - 1), 1), n - 1)
    handicap = np.max(np.maximum(lead - surely * error, 0.0), axis=1)
    largest = _largest(chance, error, handicap)
    critical = _stepped_down(lead, error, margin, largest, (1.0 - FIRST_STEP) * level, asked)
    low = np.max(np.maximum(lead - critical[:, None] * error, 0.0), axis=1)
    behind, below = means.max() - means, critical * error[:, np.argmax(means)]
    standing = np.where(low > margin, "worse", np.where(high <= margin, "equivalent", "undecided"))
    needed = np.where(standing == "undecided", _rows_to_decide(behind, below, high - behind, margin, n), float(n))
    standing = np.where(asked, standing, "unjudged")
    low, high = np.where(asked, low, np.nan), np.where(asked, high, np.nan)
    return ComparisonsWithBest(behind, low, high, may_be_best, standing, needed)


def _asked(asked, n_methods):
    if asked is None:
        return np.ones(n_methods, bool)
    asked = np.asarray(asked)
    if asked.dtype != bool or asked.shape != (n_methods,):
        raise ValueError(
            f"asked is {asked.dtype} of the shape {asked.shape}; give one bool for each of {n_methods} methods"
        )
    return asked


def _summed(merits, groups):
    if merits.ndim != 2 or merits.shape[1] < 1 or merits.shape[0] < 2:
        raise ValueError(f"merits has the shape {merits.shape}; give at least two rows, and a column for each method")
    if not np.isfinite(merits).all():
        raise ValueError("merits holds NaN or infinity; give every method a finite merit on every row")
    if groups is None:
        return merits
    labels, codes = np.unique(np.asarray(groups), return_inverse=True)
    if codes.shape != (len(merits),):
        raise ValueError(f"groups has the shape {codes.shape} for {len(merits)} rows; give one for each")
    if len(labels) < 2:
        raise ValueError("groups holds one group only; at least two are needed")
    sums = np.zeros((len(labels), merits.shape[1]))
    np.add.at(sums, codes, merits)
    # Scaled so that the mean over groups is the mean over rows.
    return sums * (len(labels) / len(merits))


def _chance(root, n, n_draws, rng):
    """Draws of what chance alone adds to the means, in units of the errors as they are seen."""
    draws = rng.standard_normal((n_draws, len(root))) @ root
    return draws / np.sqrt(rng.chisquare(n - 1, n_draws) / (n - 1))[:, None]


def _largest(chance, error, handicap=0.0):
    """For each draw and method, the largest studentised lead over it of another, each behind by its handicap."""
    largest, ahead = np.zeros_like(chance), chance - handicap
    for i, own in enumerate(chance.T):
        others = error[i] > 0
        if others.any():
            largest[:, i] = np.max((ahead[:, others] - own[:, None]) / error[i, others], axis=1)
    return largest


def _stepped_down(lead, error, margin, largest, level, asked):
    """Critical value of each method asked about: those found worse leave the others fewer comparisons to allow for."""
    safe = np.where(error > 0, error, 1.0)
    statistic = np.where(error > 0, (lead - margin) / safe, np.where(lead > margin, np.inf, -np.inf)).max(axis=1)
    left, critical = asked.copy(), np.zeros(len(lead))
    while left.any():
        bound = float(np.quantile(largest[:, left].max(axis=1), 1.0 - level))
        critical[left] = bound
        worse = left & (statistic > bound)
        if not worse.any():
            break
        left &= ~worse
    return critical


def _rows_to_decide(behind, below, above, margin, n):
    """The bounds lie so far below and above what was seen, and narrow like the root of the rows: when is it enough?"""
    gap = np.abs(behind - margin)
    width = np.where(behind > margin, below, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap > 0, np.maximum(n * np.square(width / gap), n), np.inf)
