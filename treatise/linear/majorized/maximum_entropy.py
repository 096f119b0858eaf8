"""Maximum entropy under moment constraints by bound majorisation (Choromanska, 2014, Section 2.2.1)."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from treatise.optimize import log_partition_bound, minimize_box_quadratic
from treatise.optimize.partition_bound import log_prior

_RIDGE = 1e-10


@dataclass(frozen=True)
class MaximumEntropy:
    """The distribution nearest to the prior among those that meet the constraints.

    Attributes
    ----------
    probabilities : ndarray of shape (n_states,)
        The distribution.
    equality_multipliers, inequality_multipliers : ndarray
        Weights of the constraints in it; those of inequalities are not negative, and zero where one is slack.
    relative_entropy : float
        Divergence from the normalised prior, in nats.
    n_iter : int
        Bounds minimised.
    """

    probabilities: np.ndarray
    equality_multipliers: np.ndarray
    inequality_multipliers: np.ndarray
    relative_entropy: float
    n_iter: int


def maximum_entropy(equalities=None, inequalities=None, *, prior=None, tol=1e-8, max_iter=10_000):
    r"""Minimise the relative entropy to a prior subject to :math:`\sum_y p(y)f(y)=0`, :math:`\sum_y p(y)g(y)\ge0`.

    For moments other than zero subtract them from the features. Use it to spread probability over enumerable states
    when only averages are known: prices of options, survey margins, rule counts. Not for more states than can be
    listed. An iteration costs O(n_states * d^2 + d^3) for d constraints.

    Parameters
    ----------
    equalities : array-like of shape (n_states, n_equalities) or None, default=None
        f(y): features whose mean must be zero.
    inequalities : array-like of shape (n_states, n_inequalities) or None, default=None
        g(y): features whose mean must not be negative.
    prior : array-like of shape (n_states,) or None, default=None
        h(y), not negative; None is uniform, so that the entropy is maximised.
    tol : float, default=1e-8
        Largest violation of a constraint, and of complementary slackness, at the end.
    max_iter : int, default=10000
        Most bounds to minimise; constraints that no distribution meets are reported when they are spent.

    Returns
    -------
    MaximumEntropy

    Examples
    --------
    A die whose mean is known to be at least 4.5:

    >>> import numpy as np
    >>> from treatise.linear import maximum_entropy
    >>> faces = np.arange(1.0, 7.0)
    >>> maximum_entropy(inequalities=faces[:, None] - 4.5).probabilities.round(4)
    array([0.0544, 0.0788, 0.1142, 0.1654, 0.2398, 0.3475])

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Section
       2.2.1.
    """
    F, G = _constraint_features(equalities, inequalities)
    features = np.ascontiguousarray(np.hstack([F, G]))
    weights = log_prior(prior, len(features))
    beta, lower = np.zeros(features.shape[1]), np.repeat([-np.inf, 0.0], [F.shape[1], G.shape[1]])
    possible = np.isfinite(weights)
    _refuse_one_sided(F[possible], G[possible])
    # A feature in units of its own spread, so that one violation means the same for all of them.
    spread = np.ptp(features[possible], axis=0)
    spread[spread == 0.0] = 1.0
    scaled = features / spread
    for iteration in range(max_iter + 1):
        bound = log_partition_bound(beta, scaled, prior)
        # Moments are the gradient; a slack inequality with multiplier zero is no violation.
        violation = np.abs(beta - np.maximum(beta - bound.mean, lower)).max()
        if violation <= tol:
            break
        if iteration == max_iter or not np.isfinite(bound.log_partition):
            raise ValueError(
                f"constraints still violated by {violation:.3g} (as a share of a feature's range) after "
                f"{iteration} iterations; no distribution may meet them all, else raise max_iter"
            )
        curvature = bound.curvature + _RIDGE * max(1.0, np.trace(bound.curvature)) * np.eye(len(beta))
        with warnings.catch_warnings():
            # A bound minimised loosely is a step all the same; the violation above tells how far it has come.
            warnings.simplefilter("ignore", ConvergenceWarning)
            beta = beta + minimize_box_quadratic(curvature, bound.mean, lower - beta, np.full(len(beta), np.inf))
    log_weights = scaled @ beta + weights
    log_p = log_weights - logsumexp(log_weights)
    p = np.exp(log_p)
    held = p > 0.0
    divergence = float(np.sum(p[held] * (log_p[held] - weights[held] + logsumexp(weights))))
    multipliers = beta / spread
    return MaximumEntropy(p, multipliers[: F.shape[1]], multipliers[F.shape[1] :], max(0.0, divergence), iteration)


def _constraint_features(equalities, inequalities):
    given = {
        name: check_array(values, dtype=np.float64, input_name=name)
        for name, values in (("equalities", equalities), ("inequalities", inequalities))
        if values is not None
    }
    if not given:
        raise ValueError("neither equalities nor inequalities are given; without constraints the prior is the answer")
    if len({len(values) for values in given.values()}) > 1:
        raise ValueError(
            f"equalities are of {len(given['equalities'])} states, inequalities of {len(given['inequalities'])}; "
            "both need a row for each state"
        )
    none = np.empty((len(next(iter(given.values()))), 0))
    return given.get("equalities", none), given.get("inequalities", none)


def _refuse_one_sided(F, G):
    """Features that have one sign in all possible states, and cannot have the mean that is asked for."""
    for name, features, sign, wrong in (
        ("equalities", F, "positive", F.min(axis=0, initial=np.inf) > 0),
        ("equalities", F, "negative", F.max(axis=0, initial=-np.inf) < 0),
        ("inequalities", G, "negative", G.max(axis=0, initial=-np.inf) < 0),
    ):
        if len(features) and wrong.any():
            raise ValueError(
                f"column {int(np.argmax(wrong))} of {name} is {sign} in all {len(features)} possible states, so that "
                f"no distribution meets its constraint; subtract the mean that it should have, one row for each state"
            )
