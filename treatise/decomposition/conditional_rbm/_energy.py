"""Energies of a conditional restricted Boltzmann machine once the past has set its biases (section 3 of v12-1025).

All that the past and the style do is in ``visible_bias``, ``hidden_bias`` and the two maps between the layers; the
rest is the same for the plain and for the factored machine. Frames are rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp


class Layers(NamedTuple):
    """A machine for some frames: biases of each, and linear maps between its layers."""

    visible_bias: np.ndarray
    hidden_bias: np.ndarray
    up: object
    """From visible units to what reaches the hidden ones."""
    down: object
    """From hidden units to what reaches the visible ones; the transpose of ``up``."""
    binary: bool


def hidden_probabilities(layers, visible):
    """Chance of each hidden unit to be on."""
    return expit(layers.hidden_bias + layers.up(visible))


def visible_means(layers, hidden):
    """Mean of each visible unit."""
    means = layers.visible_bias + layers.down(hidden)
    return expit(means) if layers.binary else means


def free_energy(layers, visible):
    """Minus the logarithm of the sum over hidden states of exp(-energy), of each row.

    The energy of a state is ``|v - a|^2 / 2 - v W h - b h``, or ``-a v - v W h - b h`` for binary units. The paper
    prints the sum without the exponential.
    """
    inputs = layers.hidden_bias + layers.up(visible)
    if layers.binary:
        own = -np.sum(layers.visible_bias * visible, axis=1)
    else:
        own = 0.5 * np.square(visible - layers.visible_bias).sum(axis=1)
    return own - np.logaddexp(0.0, inputs).sum(axis=1)


def free_energy_gradient(layers, visible):
    """Derivative of the free energy by the visible units (the paper's sign and index are misprinted)."""
    pull = layers.down(hidden_probabilities(layers, visible))
    return -layers.visible_bias - pull if layers.binary else visible - layers.visible_bias - pull


def settle(layers, visible, free=None, *, tol=1e-6, max_iter=1000):
    """Lower the free energy to a minimum over the visible units, or over those that are free.

    The free energy of Gaussian units is a square less a convex function; each step minimises it with the latter's
    tangent, which is the mean-field pass, so that it never rises. Binary units take the same pass.

    Parameters
    ----------
    layers : Layers
    visible : ndarray of shape (n_rows, n_visible)
        Where to begin.
    free : ndarray of bool of shape (n_rows, n_visible) or None, default=None
        Units that may change; None lets all.
    tol : float, default=1e-6
        Largest change of a unit in the last step.
    max_iter : int, default=1000
        Most steps.

    Returns
    -------
    visible : ndarray
    converged : bool
    """
    for _ in range(max_iter):
        moved = visible_means(layers, hidden_probabilities(layers, visible))
        if free is not None:
            moved = np.where(free, moved, visible)
        change = np.abs(moved - visible).max(initial=0.0)
        visible = moved
        if change <= tol:
            return visible, True
    return visible, False


def log_partition(layers, weights):
    """Logarithm of the integral of exp(-free energy) over Gaussian visible units, by all states of the hidden ones.

    Parameters
    ----------
    layers : Layers
        With one row for each frame.
    weights : ndarray of shape (n_visible, n_hidden)
        Of the map ``down``.
    """
    n_visible, n_hidden = weights.shape
    reach = layers.visible_bias @ weights + layers.hidden_bias
    total = np.full(len(reach), -np.inf)
    for first in range(0, 2**n_hidden, 4096):
        codes = np.arange(first, min(first + 4096, 2**n_hidden))
        states = (codes[:, np.newaxis] >> np.arange(n_hidden)) & 1
        lengths = np.square(states @ weights.T).sum(axis=1) / 2
        total = np.logaddexp(total, logsumexp(reach @ states.T + lengths, axis=1))
    return total + n_visible / 2 * np.log(2 * np.pi)
