"""Descent by bounds: plain, as printed (Algorithm 2), and with the bound's steps made conjugate."""

from typing import NamedTuple

import numpy as np

_FEWEST_BETWEEN = 20  # iterations from one curvature to the next
_HALVINGS = 40


class Descent(NamedTuple):
    """Where a descent ended."""

    theta: np.ndarray
    path: list[float]
    converged: bool


def bound_descent(problem, theta, step, tol, max_iter, limits=(-np.inf, np.inf)):
    """Move to the minimum of the bound, again and again; the objective never rises.

    ``step`` gives the move from the scores, the parameters and the gradient. The end is where a gradient step,
    cut off at the limits and scaled to one row, moves no parameter by more than ``tol``.
    """
    path: list[float] = []
    for iteration in range(max_iter + 1):
        scores = problem.scores(theta)
        value, gradient = problem.objective(scores, theta)
        path.append(float(value))
        if np.abs(theta - np.clip(theta - gradient / problem.scale(), *limits)).max() <= tol:
            return Descent(theta, path, True)
        if iteration < max_iter:
            theta = np.clip(theta + step(scores, theta, gradient), *limits)
    return Descent(theta, path, False)


def conjugate_descent(problem, theta, tol, max_iter):
    """Polak-Ribière directions from bound steps, each followed to the minimum along it.

    Scores are linear in the step, so that a search along it costs no product with the data. The curvature is that of
    the bound at zero, which takes one Gram matrix, and is computed anew when the iterations since have cost as much.
    """
    precondition, step, last = problem.first_preconditioner(), 1.0, None
    between = max(_FEWEST_BETWEEN, problem.refresh_cost())
    scores, since, path = problem.scores(theta), 0, []
    value, gradient = problem.objective(scores, theta)
    for _ in range(max_iter):
        path.append(float(value))
        if np.abs(gradient).max() <= tol * problem.scale():
            return Descent(theta, path, True)
        if since >= between:
            precondition, step, last, since = problem.preconditioner(scores), 1.0, None, 0
        bound_step = -precondition(gradient)
        direction = _conjugate(bound_step, gradient, last)
        last = direction, gradient, np.sum(gradient * bound_step)
        step, moves = problem.best_step(scores, theta, direction, step)
        moved_scores, moved = scores + step * moves, theta + step * direction
        moved_value, moved_gradient = problem.objective(moved_scores, moved)
        for _ in range(_HALVINGS):
            if moved_value <= value:
                break
            step *= 0.5  # the search ended too far out
            moved_scores, moved = scores + step * moves, theta + step * direction
            moved_value, moved_gradient = problem.objective(moved_scores, moved)
        else:
            return Descent(theta, path, True)  # no step descends any more: the rest is rounding
        scores, theta, value, gradient = moved_scores, moved, moved_value, moved_gradient
        since += 1
    path.append(float(value))
    return Descent(theta, path, bool(np.abs(gradient).max() <= tol * problem.scale()))


def _conjugate(bound_step, gradient, last):
    """The bound's step turned by the last direction; as it is where that would not descend."""
    if last is None:
        return bound_step
    direction, last_gradient, last_product = last
    turn = max(0.0, np.sum((gradient - last_gradient) * bound_step) / last_product)
    turned = bound_step + turn * direction
    return turned if np.sum(turned * gradient) < 0.0 else bound_step
