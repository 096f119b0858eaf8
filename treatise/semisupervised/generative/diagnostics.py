"""Whether unlabelled rows help or hurt: the bounds and the variance of paper v15-0367, and held-out labels."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from treatise.semisupervised._labels import UNLABELLED, read_labels

DEVIATIONS = 2.0
"""Standard errors that make a difference a finding."""


@dataclass(frozen=True)
class ObjectiveVariance:
    """Variance of the unbiased objective for one labelled row, with and without the unlabelled rows.

    Attributes
    ----------
    alone, together : float
        Variance of the loss, a mean over the rows, from the labelled rows alone and with the unlabelled rows.
    gain : float
        Var(L_x) + 2 Cov(L_y|x, L_x): unlabelled rows lower the variance if and only if it is positive.
    standard_error : float
        Of the gain, as estimated from the labelled rows.
    """

    alone: float
    together: float
    gain: float
    standard_error: float

    @property
    def ratio(self) -> float:
        """Variance with the unlabelled rows over that without; below 1 they help."""
        return self.together / self.alone if self.alone > 0 else 1.0

    @property
    def hurts(self) -> bool:
        """Whether the gain is below zero by two standard errors."""
        return self.gain < -DEVIATIONS * self.standard_error


def objective_variance(conditional_loss, marginal_loss, n_unlabelled):
    """Variance of the unbiased objective at a fixed model (Equation 27), and whether unlabelled rows lower it.

    Parameters
    ----------
    conditional_loss, marginal_loss : array-like of shape (n_labelled,)
        -log P(y|x) and -log P(x) of the labelled rows under the model. The paper has them relative to the true
        probabilities, which changes the variance of the estimate of a divergence but not what the unlabelled rows do
        to the objective that is maximised.
    n_unlabelled : int
        Rows without a label.

    Returns
    -------
    ObjectiveVariance

    Examples
    --------
    >>> from treatise.semisupervised import objective_variance
    >>> found = objective_variance([0.1, 0.5, 0.9], [1.0, 2.0, 3.0], n_unlabelled=97)
    >>> round(found.alone, 4), round(found.together, 4), found.hurts
    (0.4356, 0.0476, False)

    References
    ----------
    .. [1] Paper v15-0367, Section 4.1.
    """
    y, x = np.asarray(conditional_loss, np.float64), np.asarray(marginal_loss, np.float64)
    if y.ndim != 1 or y.shape != x.shape or len(y) < 2:
        raise ValueError(f"give both losses of the same two rows or more, got the shapes {y.shape} and {x.shape}")
    if n_unlabelled < 0:
        raise ValueError(f"n_unlabelled={n_unlabelled} is no number of rows")
    n, total = len(y), len(y) + n_unlabelled
    y, x = y - y.mean(), x - x.mean()
    terms = x * x + 2.0 * x * y
    of_y, gain = float(y @ y) / n, float(terms.mean())
    error = float(terms.std(ddof=1)) / n**0.5
    return ObjectiveVariance((of_y + gain) / n, of_y / n + gain / total, gain, error)


def divergence_bounds(divergence, share_unlabelled, unsupervised=np.inf):
    """Between what the divergence of the usual semi-supervised fit lies, in the limit of many rows (Theorems 7 and 9).

    Parameters
    ----------
    divergence : float
        Least Kullback-Leibler divergence of the model from the truth, that of the supervised fit.
    share_unlabelled : float
        Share of the rows without a label, below 1.
    unsupervised : float, default=inf
        Divergence of the fit to unlabelled rows alone.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> from treatise.semisupervised import divergence_bounds
    >>> divergence_bounds(0.25, 0.75)
    (0.25, 1.0)

    References
    ----------
    .. [1] Paper v15-0367, Equations 11 and 17.
    """
    if not divergence >= 0:
        raise ValueError(f"divergence={divergence} must be zero or more")
    if not 0 <= share_unlabelled < 1:
        raise ValueError(f"share_unlabelled={share_unlabelled} must be at least 0 and below 1")
    if not unsupervised >= divergence:
        raise ValueError(f"unsupervised={unsupervised} lies below the least divergence {divergence}")
    return float(divergence), float(min(divergence / (1.0 - share_unlabelled), unsupervised))


@dataclass(frozen=True)
class UnlabelledWorth:
    """What unlabelled rows bring to a model, on held-out labelled rows; positive is better.

    Attributes
    ----------
    label_gain, label_error : float
        Mean gain in log P(y|x) over the supervised fit, and its standard error.
    joint_gain, joint_error : float
        The same of log P(x, y).
    n_rows : int
        Labelled rows held out, each once.
    """

    label_gain: float
    label_error: float
    joint_gain: float
    joint_error: float
    n_rows: int

    @property
    def verdict(self) -> str:
        """Of the labels: "help" or "hurt" where the gain is two standard errors from zero, else "cannot tell"."""
        if abs(self.label_gain) <= DEVIATIONS * self.label_error:
            return "cannot tell"
        return "help" if self.label_gain > 0 else "hurt"


def unlabelled_worth(model, X, y, *, cv=5, random_state=None):
    """What the unlabelled rows bring to a :class:`SemiSupervisedGenerative`, on labels held out in turn.

    Fits the model, and the same with ``objective="supervised"``, once for each fold: 2 cv fits.

    Parameters
    ----------
    model : SemiSupervisedGenerative
        Not changed.
    X, y : array-like
        As for ``fit``.
    cv : int, default=5
        Parts of the labelled rows; fewer where a class has fewer labelled rows.
    random_state : int, RandomState or None, default=None
        Seed of the parts; None keeps the order of the rows.

    Returns
    -------
    UnlabelledWorth
        Standard errors take the rows for independent, though folds share most of their rows: they are a little short.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from treatise.semisupervised import SemiSupervisedGenerative, unlabelled_worth
    >>> X, y = load_wine(return_X_y=True)
    >>> few = np.where(np.arange(len(y)) % 6 == 0, y, -1)
    >>> unlabelled_worth(SemiSupervisedGenerative("diag"), X, few).joint_gain > 0
    True
    """
    _, codes = read_labels(y, None, who="unlabelled_worth")
    labelled = np.flatnonzero(codes != UNLABELLED)
    n_folds = min(cv, int(np.bincount(codes[labelled]).min()))
    if n_folds < 2:
        raise ValueError("a class has a single labelled row, which cannot be held out; label more rows of it")
    if len(labelled) == len(codes):
        raise ValueError("every row of y has a label: there is no unlabelled row whose worth could be told")
    folds = StratifiedKFold(n_folds, shuffle=random_state is not None, random_state=random_state)
    gains = []
    for _, part in folds.split(labelled, codes[labelled]):
        held_out = labelled[part]
        kept = codes.copy()
        kept[held_out] = UNLABELLED
        seen = np.setdiff1d(np.arange(len(codes)), held_out)
        logs = []
        for objective in ("supervised", model.objective):
            fitted = clone(model).set_params(objective=objective)
            fitted.fit(_safe_indexing(X, seen), kept[seen])
            joint = fitted.predict_joint_log_proba(_safe_indexing(X, held_out))
            own = joint[np.arange(len(part)), codes[held_out]]
            logs.append(np.column_stack([own - np.logaddexp.reduce(joint, axis=1), own]))
        gains.append(logs[1] - logs[0])
    gain = np.concatenate(gains)
    mean, error = gain.mean(axis=0), gain.std(axis=0, ddof=1) / len(gain) ** 0.5
    return UnlabelledWorth(float(mean[0]), float(error[0]), float(mean[1]), float(error[1]), len(gain))
