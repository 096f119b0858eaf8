"""Training of chains by majorisation: the minimum of a quadratic bound, again and again (Choromanska, 2014)."""

from functools import partial
from typing import NamedTuple

import numpy as np

INNER = 10
"""Conjugate gradients for a step, at most."""
_RESIDUAL = 0.1  # of the gradient, where conjugate gradients end
_LONGEST_STRETCH = 2.0  # of the steps from one iteration to the next
_SMALLEST = 1e-300


class Descent(NamedTuple):
    """Weights, objectives at the start and after each iteration, passes till then, iterations, whether it settled."""

    w: np.ndarray
    path: list[float]
    passes: list[float]
    n_iter: int
    converged: bool


class Step(NamedTuple):
    """Where a step ended, how much the bound may be eased there, and evaluations of the objective on the way."""

    w: np.ndarray
    value: float
    gradient: np.ndarray
    ease: float
    evaluations: int


def majorized_descent(likelihood, start, *, max_iter, tol, advance, accelerate=True, ease=1.0):
    """Step to the minimum of the bound until three iterations in a row gain little; the objective never rises.

    Without ``accelerate`` this is Algorithm 2 with the bound of Algorithm 3. With it, steps begin a little further on
    than the last ended (momentum, given up whenever the objective would rise), and the bound is eased: divided by a
    number as long as it still lies above the objective where the step ends, which with 1 it always does.

    Parameters
    ----------
    likelihood : ChainLikelihood
        What to minimise.
    start : ndarray
        Weights to begin with.
    max_iter : int
        Iterations at most.
    tol : float
        Share of the objective that counts as little.
    advance : callable
        Called with 1 after each iteration.
    accelerate : bool, default=True
        Whether to use momentum and the eased bound.
    ease : float, default=1.0
        What to divide the bound by at first.
    """
    w = before = start
    value, gradient = likelihood.objective(w)
    path, passes = [value], [1.0]
    pace, short, converged = 1.0, 0, False
    for _ in range(max_iter):
        if np.abs(gradient).max(initial=0.0) == 0.0:
            converged = True
            break
        step, spent, longer = None, 0, 1.0
        if accelerate:
            longer = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * pace**2))
            if pace > 1.0:
                ahead = w + (pace - 1.0) / longer * (w - before)
                step = _step_from(likelihood, (ahead, *likelihood.objective(ahead)), ease, accelerate)
                spent = step.evaluations + 1
                if step.value > value:
                    step, longer = None, 1.0
        if step is None:
            step = _step_from(likelihood, (w, value, gradient), ease, accelerate)
            spent += step.evaluations
        if step.value > value:  # by rounding alone
            converged = True
            break
        advance(1)
        short = short + 1 if value - step.value < tol * abs(step.value) else 0
        # Where the step turned against the gradient, the momentum has carried too far.
        pace = longer if step.gradient @ (step.w - w) <= 0.0 else 1.0
        before, w, value, gradient, ease = w, step.w, step.value, step.gradient, step.ease
        path.append(value)
        passes.append(passes[-1] + spent)
        if short == 3:
            converged = True
            break
    return Descent(w, path, passes, len(path) - 1, converged)


def _step_from(likelihood, at, ease, accelerate):
    curvature = likelihood.curvature(at[0])
    return bound_step(likelihood.objective, curvature, likelihood.l2, at, ease=ease, accelerate=accelerate)


def bound_step(objective, curvature, ridge, at, *, ease=1.0, accelerate=True, n_inner=INNER):
    """To the minimum of a quadratic bound, divided by ``ease`` or by less where that is too little.

    Parameters
    ----------
    objective : callable
        Of weights, gives the value and the gradient.
    curvature : WeightCurvature
        That of the bound, without the ridge.
    ridge : float or ndarray
        What is added to the curvature and never eased.
    at : tuple of (weights, value, gradient)
        Where the bound was made.
    ease : float, default=1.0
        What to divide the curvature by at first.
    accelerate : bool, default=True
        Whether the step to come may be eased more.
    n_inner : int, default=10
        Conjugate gradients at most.
    """
    w, value, gradient = at
    evaluations = 0
    while True:
        product = partial(_eased_product, curvature, ridge, ease)
        move = conjugate_gradients(product, -gradient, curvature.diagonal / ease + ridge, n_inner)
        slope = gradient @ move
        moved_value, moved_gradient = objective(w + move)
        evaluations += 1
        # Conjugate gradients end where the quadratic is slope / 2 below its start.
        if moved_value <= value + 0.5 * slope or ease == 1.0:
            break
        ease = max(1.0, 0.5 * ease)
    if accelerate and slope < 0.0:
        bend = max((moved_value - value - slope) / (-0.5 * slope), 1e-3)
        ease *= min(max(0.8 / bend, 1.0), _LONGEST_STRETCH)
    return Step(w + move, moved_value, moved_gradient, ease, evaluations)


def _eased_product(curvature, ridge, ease, direction):
    return curvature.product(direction) / ease + ridge * direction


def conjugate_gradients(product, target, diagonal, n_inner):
    """Solution of product(x) = target, about: each iteration from zero lowers x @ product(x) / 2 - target @ x.

    Parameters
    ----------
    product : callable
        Of a vector, a positive semi-definite matrix times it.
    target : ndarray
        The right side.
    diagonal : ndarray
        About the matrix's diagonal: the preconditioner.
    n_inner : int
        Iterations at most.
    """
    scale = np.maximum(diagonal, _SMALLEST)
    solution, residual = np.zeros_like(target), target.copy()
    direction = residual / scale
    size = residual @ direction
    enough = _RESIDUAL**2 * size
    for _ in range(n_inner):
        image = product(direction)
        bend = direction @ image
        if not bend > 0.0:
            break
        length = size / bend
        solution += length * direction
        residual -= length * image
        scaled = residual / scale
        size, last = residual @ scaled, size
        if size <= enough:
            break
        direction = scaled + size / last * direction
    return solution
