"""Iteratively reweighted least squares for the geometric median subspace (Algorithm 2 of v15-0749)."""

from typing import NamedTuple

import numpy as np

from treatise.decomposition.median_subspace._programs import Program
from treatise.decomposition.median_subspace.dimension import eigengap_dimension

# Ratio of eigenvalues beyond which the smaller ones are those of a kernel.
_KERNEL = 1e6
# A look for a kernel costs eigenvalues, so that it is not for every step.
_EVERY = 4


class Minimum(NamedTuple):
    """The matrix Q and centre m with the least ``sum |Q (x - m)|``, and how sure that is."""

    Q: np.ndarray
    center: np.ndarray
    lengths: np.ndarray
    """``|Q (x - m)|`` of each row."""
    objectives: list
    """Value of the program before each step, and after the last."""
    gap: float
    """Share by which the last value may exceed the optimum."""
    reached: bool
    """Whether the steps ended at a kernel or within the tolerance."""


class _Look(NamedTuple):
    """What one pass over the rows finds."""

    lengths: np.ndarray
    gram: np.ndarray
    shift: np.ndarray


def minimise(
    rows, program: Program, *, floor, tol, max_iter, until_kernel=True, with_center=False, start=None
) -> Minimum:
    """Minimise the program over Q, and over the centre too where asked: it is convex in Q and Q m together.

    Parameters
    ----------
    rows : RowBlocks
        Rows; they must span the space.
    program : Program
        What is added to the sum of lengths.
    floor : float
        The paper's delta: lengths below it count as it in the weights.
    tol : float
        Share above the dual bound at which to end. Where no row has a length near zero, the value itself is as near
        to the optimum as about the square of that.
    max_iter : int
        Most steps.
    until_kernel : bool, default=True
        Whether to end also where Q has a kernel with more rows in it than dimensions. The steps find a subspace that
        holds many rows long before the optimum, and where there are few other rows (condition 9 of the paper) the
        optimum itself has a larger kernel.
    with_center : bool, default=False
        Whether the centre moves, as the weighted mean; else it is zero.
    start : ndarray or None, default=None
        First Q; None is a multiple of the identity.
    """
    dimension = rows.shape[1]
    Q = np.eye(dimension) / dimension if start is None else start
    center, step, lower, gap, weights = np.zeros(dimension), None, -np.inf, np.inf, None
    objectives: list[float] = []
    for n_steps in range(max_iter + 1):
        look = _look(rows, Q, center, floor, with_center)
        value = float(look.lengths.sum()) + program.penalty(Q)
        objectives.append(value)
        if step is not None:
            stretch = max(float((look.lengths * weights).max()), 1.0)
            lower = max(lower, program.bound(step, stretch))
            gap = (value - lower) / value if value > 0.0 else 0.0
        reached = gap <= tol or (until_kernel and n_steps % _EVERY == 0 and _in_kernel(Q, look.lengths, floor))
        if reached or n_steps == max_iter:
            break
        weights = 1.0 / np.maximum(look.lengths, floor)
        step = program.step(Q, look.gram)
        Q, center = step.Q, center + look.shift
    return Minimum(Q, center, look.lengths, objectives, gap, bool(reached))


def _in_kernel(Q, lengths, floor) -> bool:
    """Whether Q vanishes on a subspace, and more rows lie in it than any of its dimension could by chance."""
    n_inside = int(np.sum((lengths > 0.0) & (lengths < floor)))
    if n_inside == 0:
        return False
    eigenvalues = np.linalg.eigvalsh(Q)
    dimension, factor = eigengap_dimension(np.maximum(eigenvalues, eigenvalues[-1] * np.finfo(float).eps))
    return factor > _KERNEL and n_inside > dimension


def _look(rows, Q, center, floor, with_center) -> _Look:
    """Lengths under Q, the gram matrix ``Q C Q`` under the weights they give, and where the weighted mean is."""
    dimension = len(Q)
    lengths, gram = np.empty(rows.shape[0]), np.zeros((dimension, dimension))
    total, drawn, shift = 0.0, np.zeros(dimension), np.zeros(dimension)
    moved = center @ Q
    for places, block in rows:
        images = block @ Q
        if with_center:
            images -= moved
        lengths[places] = np.sqrt(np.einsum("ij,ij->i", images, images))
        weights = 1.0 / np.maximum(lengths[places], floor)
        if with_center:
            total += weights.sum()
            drawn += weights @ images
            shift += weights @ block
        images *= np.sqrt(weights)[:, np.newaxis]
        gram += images.T @ images
    if with_center:
        # The rows are near their weighted mean already, so that little cancels here.
        gram -= np.outer(drawn, drawn) / total
        shift = shift / total - center
    return _Look(lengths, gram, shift)
