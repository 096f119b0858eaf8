"""How good a split of very many classes is (Choromanska, 2014, Sections 4.1 to 4.3)."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d


@dataclass(frozen=True)
class SplitQuality:
    """A split seen as one number, and what that number guarantees.

    Attributes
    ----------
    objective : float
        J, from 0 to 1; 1 where as many go right as left and no class goes both ways.
    balance : float
        Share of the examples that go right.
    impurity : float
        Mean over examples of the smaller share of their class on one side: 0 where no class goes both ways.
    """

    objective: float
    balance: float
    impurity: float

    @property
    def balance_bounds(self):
        """Least and greatest balance that an objective of this size allows (Lemma of Section 4.2.1)."""
        root = float(np.sqrt(max(0.0, 1.0 - self.objective)))
        return (1.0 - root) / 2.0, (1.0 + root) / 2.0

    @property
    def impurity_bound(self):
        """Greatest impurity that this objective and balance allow (Section 4.2.2); the smaller side counts."""
        p = min(self.balance, 1.0 - self.balance)
        return np.inf if p == 0.0 else (2.0 - self.objective) / (4.0 * p) - p


def split_quality(right, y):
    r"""Balance, purity and objective :math:`J=2\sum_i\pi_i|P(\text{right})-P(\text{right}|i)|` of a split.

    Use it to judge a node of any classification tree, or a hash of the labels. Costs O(n log n).

    Parameters
    ----------
    right : array-like of bool of shape (n_samples,)
        Whether each example goes right, such as ``scores > 0``.
    y : array-like of shape (n_samples,)
        The classes.

    Returns
    -------
    SplitQuality

    Examples
    --------
    >>> from treatise.online import split_quality
    >>> split_quality([True, True, False, False], ["a", "a", "b", "c"])
    SplitQuality(objective=1.0, balance=0.5, impurity=0.0)

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Section 4.1.
    """
    right, y = column_or_1d(np.asarray(right)), column_or_1d(np.asarray(y))
    check_consistent_length(right, y)
    if len(y) == 0:
        raise ValueError("no examples; a split needs one at least")
    if right.dtype != bool:
        raise ValueError(f"right holds {right.dtype} values; booleans are needed, such as scores > 0")
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    shares = np.bincount(codes, weights=right) / counts
    pi, p = counts / len(y), float(right.mean())
    objective = 2.0 * float(pi @ np.abs(shares - p))
    return SplitQuality(objective, p, float(pi @ np.minimum(shares, 1.0 - shares)))


def splits_to_entropy(epsilon, gamma, n_classes):
    r"""Splits that bring the leaves' entropy to ``epsilon`` if every node finds a weak split (Theorem 5).

    :math:`(1/\epsilon)^{4(1-\gamma)^2\ln k/\gamma^2}`: a guarantee in the worst case, astronomically large for all but
    strong splits; a tree on real data needs about as many splits as there are classes.

    Parameters
    ----------
    epsilon : float
        Entropy wanted, above 0 and up to 1.
    gamma : float
        Least difference of a class's share on the right from that of all examples, above 0 and up to 1/2.
    n_classes : int
        Number of classes.

    Returns
    -------
    splits : float
        Infinite where it exceeds what a float can hold.

    Examples
    --------
    >>> from treatise.online import splits_to_entropy
    >>> round(splits_to_entropy(0.5, 0.5, 8))
    319
    """
    if not 0.0 < epsilon <= 1.0:
        raise ValueError(f"epsilon={epsilon}; it must be above 0 and up to 1")
    if not 0.0 < gamma <= 0.5:
        raise ValueError(f"gamma={gamma}; it must be above 0 and up to 1/2")
    if not 1 <= n_classes < np.inf:
        raise ValueError(f"n_classes={n_classes}; it must be a finite number from 1 on")
    exponent = 4.0 * (1.0 - gamma) ** 2 * np.log(n_classes) / gamma**2
    with np.errstate(over="ignore"):
        return float(np.power(1.0 / epsilon, exponent))
