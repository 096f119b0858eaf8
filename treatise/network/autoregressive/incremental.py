"""Algorithm 1 of paper v15-0565, which ends above the optimum: beside the solver that we use instead."""

import numpy as np

from treatise.optimize import singular_value_threshold, soft_threshold


def fit_incrementally(problem, *, theta, max_iter, tol=0.0):
    """A gradient step, soft thresholds, then thresholds of singular values, all of step theta; without a constant.

    With a constant step it ends above the optimum by about theta: there is no gap to show, and none is claimed.
    """
    A, W, b = np.zeros(problem.shape), np.zeros((problem.X0.shape[2], problem.X1.shape[2])), np.zeros(1)
    step = 0
    while step < max_iter:
        step += 1
        slope_A, slope_W, _ = problem.gradients(A, W, b)
        Z = problem.entries.prox(A - theta * slope_A, 1.0 / theta)
        new_A = singular_value_threshold(Z, theta * problem.tau)
        new_W = soft_threshold(W - theta * slope_W, theta * problem.kappa)
        moved = max(np.abs(new_A - A).max(), np.abs(new_W - W).max())
        A, W = new_A, new_W
        if moved <= tol:
            break
    return A, W, step
