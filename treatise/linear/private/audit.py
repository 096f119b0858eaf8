"""An audit of differential privacy by experiment: what a mechanism releases from two neighbouring data sets."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import beta
from sklearn.base import clone

from treatise._core.figures import axes_for
from treatise.linear.private._base import PrivateClassifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 40
_WELL_FILLED = 0.005  # share of the runs, of either data set, that a bin needs for its ratio to be shown
_THRESHOLDS = 200


def repeated_weights(estimator: PrivateClassifier, X, y, n_runs: int, *, random_state=None) -> np.ndarray:
    """Weights of many independent private fits to the same data, for audits and experiments.

    Each run costs epsilon: never for private data. Output perturbation is fitted once and costs n_runs draws of noise
    besides; objective perturbation is fitted anew each time. An accountant is not asked.

    Parameters
    ----------
    estimator : PrivateClassifier
        A private classifier; it is not changed.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    n_runs : int
        Number of fits.
    random_state : int, RandomState instance or None, default=None
        Source of the noise.

    Returns
    -------
    ndarray of shape (n_runs, n_weights)
        Weights of rows as they are scaled for training; the last is the intercept's, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import PrivateLogisticRegression, repeated_weights
    >>> X, y = np.array([[0.5], [-0.5], [0.2]]), np.array([1, 0, 1])
    >>> repeated_weights(PrivateLogisticRegression(mechanism="output"), X, y, 1000, random_state=0).shape
    (1000, 1)
    """
    copy = clone(estimator)
    copy._validate_params()
    rows = copy._signed_rows(X, y)
    return np.array(list(copy._erm(rows.shape[0]).releases(rows, n_runs, random_state)))


@dataclass(frozen=True)
class PrivacyAudit:
    """What many runs on two neighbouring data sets show. Made by :func:`audit_privacy`.

    Parameters
    ----------
    epsilon : float
        What is claimed.
    edges : ndarray
        Edges of the bins.
    first, second : ndarray
        Share of the runs in each bin, for either data set.
    n_runs : int
        Runs on each data set.
    epsilon_found : float
        The largest logarithm of a ratio over well-filled bins, sampling error included.
    epsilon_proven : float
        What epsilon is at least, at the audit's confidence. It says nothing of how large epsilon may be.
    confidence : float
        That confidence.
    """

    epsilon: float
    edges: np.ndarray
    first: np.ndarray
    second: np.ndarray
    n_runs: int
    epsilon_found: float
    epsilon_proven: float
    confidence: float

    @property
    def refuted(self) -> bool:
        """Whether the runs prove that the claim is wrong."""
        return self.epsilon_proven > self.epsilon

    @property
    def log_ratios(self) -> np.ndarray:
        """Logarithm of the ratio in each bin; not a number where a bin is not well filled."""
        return _log_ratios(self.first, self.second)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Log-ratios of the bins between the two lines that privacy allows.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        ax = axes_for(ax)
        ratios = self.log_ratios
        middle = 0.5 * (self.edges[1:] + self.edges[:-1])
        # The standard error of a logarithm of a ratio of two shares.
        error = np.sqrt(1.0 / np.maximum(self.n_runs * self.first, 1) + 1.0 / np.maximum(self.n_runs * self.second, 1))
        ax.errorbar(middle, ratios, 2 * np.where(np.isnan(ratios), np.nan, error), fmt="o", ms=3, color="#1b6ca8")
        for side in (-self.epsilon, self.epsilon):
            ax.axhline(side, color="#b03a2e", linestyle="--")
        ax.set_xlabel("released statistic")
        ax.set_ylabel("log-ratio of the two data sets")
        ax.set_title(f"{self.n_runs:,} runs each; allowed ±{self.epsilon:g}, proven {self.epsilon_proven:.3g}")
        return ax


def audit_privacy(first, second, epsilon: float, *, confidence: float = 0.99) -> PrivacyAudit:
    """Compare a number released from two neighbouring data sets in many runs with a claimed epsilon.

    Use it on any mechanism before trusting it: data sets that differ in one row, chosen so that this row matters most,
    show a slip in the noise at once. An audit can refute privacy and never prove it: it sees two data sets and one
    statistic.

    Parameters
    ----------
    first, second : array-like of shape (n_runs,)
        The number in each run on either data set, such as a weight, or the weights' projection on the row that
        differs.
    epsilon : float
        What is claimed.
    confidence : float, default=0.99
        Probability with which ``epsilon_proven`` is true.

    Returns
    -------
    PrivacyAudit
        ``epsilon_found``, ``epsilon_proven``, ``refuted`` and ``plot``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import PrivateLinearSVC, audit_privacy, repeated_weights
    >>> X, one, other = np.array([[0.0], [0.0], [1.0]]), [0, 1, 1], [0, 1, 0]
    >>> private = PrivateLinearSVC(epsilon=1.0, alpha=1.0, mechanism="output")
    >>> runs = [repeated_weights(private, X, y, 200_000, random_state=i)[:, 0] for i, y in enumerate((one, other))]
    >>> audit = audit_privacy(*runs, epsilon=1.0)
    >>> audit.refuted, round(audit.epsilon_proven, 1)
    (False, 1.0)
    >>> audit_privacy(*runs, epsilon=0.8).refuted
    True

    References
    ----------
    .. [1] Paper v12-1069, Definition 3.
    """
    first, second = (np.asarray(runs, np.float64).ravel() for runs in (first, second))
    if len(first) != len(second) or len(first) < 100:
        raise ValueError(f"{len(first)} and {len(second)} runs: there must be as many of both, and at least 100")
    if not epsilon > 0 or not 0 < confidence < 1:
        raise ValueError(f"epsilon={epsilon} must be positive and confidence={confidence} between 0 and 1")
    edges = np.unique(np.quantile(np.concatenate([first, second]), np.linspace(0, 1, _BINS + 1)))
    shares = [np.histogram(runs, edges)[0] / len(runs) for runs in (first, second)]
    ratios = _log_ratios(*shares)
    found = float(np.nanmax(np.abs(ratios), initial=0.0))
    proven = _proven(first, second, 1.0 - confidence)
    return PrivacyAudit(epsilon, edges, shares[0], shares[1], len(first), found, proven, confidence)


def _log_ratios(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    filled = np.minimum(first, second) >= _WELL_FILLED
    return np.log(np.where(filled, first, np.nan)) - np.log(np.where(filled, second, np.nan))


def _proven(first: np.ndarray, second: np.ndarray, risk: float) -> float:
    """A lower bound on epsilon: one half-line, chosen on half of the runs, is counted on the other half."""
    half, rest = len(first) // 2, len(first) - len(first) // 2
    levels = np.linspace(0, 1, _THRESHOLDS + 2)[1:-1]
    thresholds = np.quantile(np.concatenate([first[:half], second[:half]]), levels)
    best, bound = -np.inf, 0.0
    for often, seldom in ((first, second), (second, first)):
        # Above a threshold is below its negative.
        for sign in (1.0, -1.0):
            bounds = _ratio_bounds(sign * often[:half], sign * seldom[:half], sign * thresholds, half, risk)
            at = int(np.argmax(bounds))
            if bounds[at] > best:
                best = bounds[at]
                bound = _ratio_bounds(
                    sign * often[half:], sign * seldom[half:], sign * thresholds[at : at + 1], rest, risk
                )[0]
    return max(0.0, float(bound))


def _ratio_bounds(often: np.ndarray, seldom: np.ndarray, thresholds: np.ndarray, n: int, risk: float) -> np.ndarray:
    """Log-ratios of the least and the most that two probabilities of lying below may be (Clopper and Pearson)."""
    many, few = (np.searchsorted(np.sort(runs), thresholds, side="right") for runs in (often, seldom))
    with np.errstate(divide="ignore"):
        least = np.where(many == 0, 0.0, beta.ppf(risk / 2, np.maximum(many, 1), n - many + 1))
        most = np.where(few == n, 1.0, beta.isf(risk / 2, few + 1, np.maximum(n - few, 1)))
        return np.log(least) - np.log(most)
