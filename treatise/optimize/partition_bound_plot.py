"""A log-partition function and its quadratic bound along a line."""

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import check_array, column_or_1d

from treatise._core.figures import axes_for
from treatise.optimize.partition_bound import log_partition_bound, log_prior


def plot_log_partition_bound(theta, features, prior=None, *, direction=None, reach=5.0, ax=None):
    """Draw log Z and its bound on a line through the point where the bound touches.

    Shows how far a step may trust the bound: near the point the two curves agree, far from it log Z is straight while
    the bound is a parabola.

    Parameters
    ----------
    theta : array-like of shape (d,)
        Where the bound touches.
    features : array-like of shape (n_states, d)
        f(y), one row a state.
    prior : array-like of shape (n_states,) or None, default=None
        h(y); None gives every state the weight 1.
    direction : array-like of shape (d,) or None, default=None
        Of the line; None takes the gradient, or the first axis where that is zero.
    reach : float, default=5.0
        Distance to both sides.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from treatise.optimize import plot_log_partition_bound
    >>> ax = plot_log_partition_bound([1.0, 0.0], [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    >>> [line.get_label() for line in ax.lines]
    ['log Z', 'bound']
    """
    bound = log_partition_bound(theta, features, prior)
    features = check_array(features, dtype=np.float64)
    theta = column_or_1d(np.asarray(theta, dtype=np.float64))
    if direction is None:
        direction = bound.mean if np.any(bound.mean) else np.eye(len(theta))[0]
    direction = column_or_1d(np.asarray(direction, dtype=np.float64))
    if len(direction) != len(theta) or not np.any(direction):
        raise ValueError(f"direction={direction.tolist()}; {len(theta)} numbers are needed, not all of them 0")
    ax = axes_for(ax)
    unit = direction / np.linalg.norm(direction)
    steps = np.linspace(-reach, reach, 201)
    scores = (features @ theta)[:, None] + np.outer(features @ unit, steps) + log_prior(prior, len(features))[:, None]
    above = bound.log_partition + steps * (bound.mean @ unit) + 0.5 * steps**2 * (unit @ bound.curvature @ unit)
    ax.plot(steps, logsumexp(scores, axis=0), label="log Z")
    ax.plot(steps, above, "--", label="bound")
    ax.scatter([0.0], [bound.log_partition], color="k", zorder=3)
    ax.set(xlabel="distance along the line", ylabel="log-partition")
    ax.legend()
    return ax
