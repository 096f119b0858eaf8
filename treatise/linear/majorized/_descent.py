"""Descent by bounds: plain, as printed (Algorithm 2), and with the bound as a first guess for L-BFGS."""

from typing import NamedTuple

import numpy as np

from treatise.optimize import BoxConstraint

_FEWEST_BETWEEN = 5  # iterations from one curvature to the next
_HALVINGS = 40
_SUFFICIENT = 1e-4  # decrease, as a share of what the slope promises
_ROUNDING = 4 * np.finfo(float).eps  # of an objective, as a share of it
_FLATTER = 0.9
_MEMORY = 10
FREE = BoxConstraint()


class Descent(NamedTuple):
    """Where a descent ended."""

    theta: np.ndarray
    path: list[float]
    converged: bool


def bound_descent(problem, theta, step, tol, max_iter, limits=FREE):
    """Move to the minimum of the bound, again and again; the objective never rises.

    ``step`` gives the move from the scores, the parameters and the gradient. The end is where a gradient step,
    cut off at the limits and scaled to one row, moves no parameter by more than ``tol``.
    """
    path = []
    for iteration in range(max_iter + 1):
        scores = problem.scores(theta)
        value, gradient = problem.objective(scores, theta)
        path.append(float(value))
        if np.abs(theta - limits.prox(theta - gradient / problem.scale())).max() <= tol:
            return Descent(theta, path, True)
        if iteration < max_iter:
            theta = limits.prox(theta + step(scores, theta, gradient))
    return Descent(theta, path, False)


def quasi_newton_descent(problem, theta, tol, max_iter):
    """L-BFGS whose first guess of the inverse Hessian is the inverse of the bound's curvature.

    The first step is the bound's own; later ones learn how much the bound overstates the curvature. The bound is that
    at zero, which takes one Gram matrix. A curvature that all states share, which takes another, replaces it when the
    iterations since have cost five times as much as that, and again thereafter.
    """
    precondition, memory = problem.first_preconditioner(), []
    between = _FEWEST_BETWEEN * max(1.0, problem.refresh_cost())
    scores, since, path = problem.scores(theta), 0, []
    value, gradient = problem.objective(scores, theta)
    for _ in range(max_iter):
        path.append(float(value))
        if np.abs(gradient).max() <= tol * problem.scale():
            return Descent(theta, path, True)
        if since >= between:
            precondition, since = problem.shared_preconditioner(scores), 0
            memory = [*memory[:-1], *(_secant(*pair[:2], precondition) for pair in memory[-1:])]
        direction = -_two_loops(gradient, memory, precondition)
        slope, step, moves = np.vdot(gradient, direction), 1.0, problem.score_changes(direction)
        rounding = _ROUNDING * abs(value)
        for _ in range(_HALVINGS):
            moved_scores, moved = scores + step * moves, theta + step * direction
            moved_value, moved_gradient = problem.objective(moved_scores, moved)
            if moved_value <= value + _SUFFICIENT * step * slope:
                break
            # Where values differ by rounding alone, the slope along the direction still tells.
            if moved_value <= value + rounding and abs(np.vdot(moved_gradient, direction)) <= _FLATTER * abs(slope):
                break
            step *= 0.5
        else:
            return Descent(theta, path, True)  # no step descends any more: the rest is rounding
        memory = _remembered(memory, moved - theta, moved_gradient - gradient, precondition)
        scores, theta, value, gradient = moved_scores, moved, moved_value, moved_gradient
        since += 1
    path.append(float(value))
    return Descent(theta, path, bool(np.abs(gradient).max() <= tol * problem.scale()))


def _remembered(memory, move, change, precondition):
    """The last moves and changes of the gradient; one whose curvature is lost in rounding is left out."""
    if np.vdot(move, change) <= 1e-12 * np.linalg.norm(move) * np.linalg.norm(change):
        return memory
    return [*memory[-_MEMORY + 1 :], _secant(move, change, precondition)]


def _secant(move, change, precondition):
    """A move, the change of the gradient, their product, and how much longer than the bound's the step should be."""
    product = np.vdot(move, change)
    return move, change, product, product / np.vdot(change, precondition(change))


def _two_loops(gradient, memory, precondition):
    """Inverse Hessian times the gradient: the two-loop recursion of L-BFGS."""
    direction, shares = gradient.copy(), []
    for move, change, product, _ in reversed(memory):
        shares.append(np.vdot(move, direction) / product)
        direction -= shares[-1] * change
    direction = precondition(direction) * (memory[-1][3] if memory else 1.0)
    for (move, change, product, _), share in zip(memory, reversed(shares)):
        direction += (share - np.vdot(change, direction) / product) * move
    return direction
