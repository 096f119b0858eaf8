"""How much can be promised at all: the largest distance of a plane from the means, in deviations."""

import clarabel
import numpy as np
from scipy import sparse

from treatise.statistics.moment_planes import TradeOff

_OUTSIDE = 1e-8
"""Share of the difference of the means that must lie outside all spread for the classes to be separable for sure."""


def largest_distance(difference, spreads, losses=(), *, ridge=0.0):
    """Largest ``(d'w - sum |G w|) / sum |F w|`` over all w, d the difference of the means.

    One spread: Fisher's criterion. Two: the minimax probability machine. With losses, a second-order cone programme.

    Parameters
    ----------
    difference : ndarray of shape (p,)
        Difference of the means.
    spreads : list of ndarray of shape (m_i, p)
        Matrices F whose norms are the deviations.
    losses : list of ndarray of shape (m_j, p), default=()
        Matrices G whose norms are taken off the difference of the means.
    ridge : float, default=0.0
        Deviation added in every direction, as a share of each feature's own: what only large weights that cancel one
        another reach counts for less.

    Returns
    -------
    distance : float
        Infinite where some w with ``F w = 0`` tells the classes apart; 0 or less where losses leave nothing.
    """
    scale = np.sqrt(sum(np.einsum("ij,ij->j", F, F) for F in spreads))
    scale = np.where(scale > 0.0, scale, np.abs(difference))
    scale[scale == 0.0] = 1.0
    difference = difference / scale
    spreads, losses = ([M / scale for M in matrices] for matrices in (spreads, losses))
    difference, spreads, losses = _in_their_span(difference, spreads, losses)
    if ridge > 0:
        spreads = [np.vstack([F, ridge * np.eye(len(difference))]) for F in spreads]
    if losses:
        return _by_cones(difference, spreads, losses)
    _, sizes, axes = np.linalg.svd(np.vstack(spreads), full_matrices=False)
    axes = axes[sizes > 1e-10 * sizes.max(initial=0.0)]
    along = axes @ difference
    if np.linalg.norm(difference - along @ axes) > _OUTSIDE * np.linalg.norm(difference):
        return np.inf
    if len(spreads) == 1:
        return float(np.linalg.norm(along / sizes[: len(axes)]))
    curve = TradeOff(np.array([along, np.zeros(len(axes))]), [(F @ axes.T).T @ (F @ axes.T) for F in spreads],
                     np.zeros(2), "any")  # fmt: skip
    return float(curve.distances([curve.balanced()]).min())


def _in_their_span(difference, spreads, losses):
    """The same in coordinates of the span of all rows, where there are more features than these."""
    rows = np.vstack([*spreads, *losses, difference])
    if rows.shape[1] <= len(rows):
        return difference, spreads, losses
    triangle = np.linalg.qr(rows.T, mode="r").T
    parts = np.split(triangle, np.cumsum([len(M) for M in (*spreads, *losses)]))
    return parts[-1][0], parts[: len(spreads)], parts[len(spreads) : -1]


def _by_cones(difference, spreads, losses):
    """Greatest ``d'w - sum r`` with ``|G w| <= r``, ``|F w| <= s`` and ``sum s <= 1``, over w, s and r."""
    p, k, q = len(difference), len(spreads), len(losses)
    size = np.abs(difference).max(initial=0.0) or 1.0
    rows = [np.concatenate([np.zeros(p), np.ones(k), np.zeros(q)])[np.newaxis]]
    for i, matrix in enumerate((*spreads, *losses)):
        matrix = np.linalg.qr(matrix, mode="r") if len(matrix) > p else matrix
        cone = np.zeros((len(matrix) + 1, p + k + q))
        cone[0, p + i], cone[1:, :p] = -1.0, -matrix
        rows.append(cone)
    left = np.vstack(rows)
    right = np.zeros(len(left))
    right[0] = 1.0
    cost = np.concatenate([-difference / size, np.zeros(k), np.full(q, 1.0 / size)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(1), *(clarabel.SecondOrderConeT(len(cone)) for cone in rows[1:])]
    nothing = sparse.csc_array((len(cost), len(cost)))
    answer = clarabel.DefaultSolver(nothing, cost, sparse.csc_array(left), right, cones, settings).solve()
    if answer.status in (clarabel.SolverStatus.DualInfeasible, clarabel.SolverStatus.AlmostDualInfeasible):
        return np.inf
    return -size * float(answer.obj_val)
