"""Weights of kernels under an l_p norm, by an update in closed form between steps of the machine."""

from dataclasses import dataclass, replace

import numpy as np

from treatise.kernel_methods._mkl_certificate import checked_forms, primal_value, reward
from treatise.kernels import GramRows
from treatise.optimize import solve_svm_dual

def lp_kernel_weights(lengths, p):
    lengths = np.maximum(np.asarray(lengths, np.float64), 0.0)
    if np.isinf(p):
        return np.ones(len(lengths))
    largest = lengths.max(initial=0.0)
    if largest == 0.0:
        return np.full(len(lengths), len(lengths) ** (-1.0 / p))
    powers = (lengths / largest) ** (2.0 / (p + 1.0))
    return powers / (powers**p).sum() ** (1.0 / p)


def dual_norm(forms, p):
    """``|| forms ||_{p*}`` with ``1 / p + 1 / p* = 1``."""
    if np.isinf(p):
        return float(forms.sum())
    largest = forms.max()
    if p == 1.0 or largest == 0.0:
        return float(largest)
    power = p / (p - 1.0)
    return float(largest * ((forms / largest) ** power).sum() ** (1.0 / power))


def wrapper(bank, problem, p, tol, max_iter, accelerate=False, verbose=False):
    M = bank.n_kernels
    theta = np.full(M, M ** (-1.0 / p))
    alpha = problem.start
    svm_tol = 1e-2
    hist = []
    for it in range(max_iter):
        rows = GramRows.precomputed(bank.mixture(theta))
        while True:
            sol = solve_svm_dual(rows, replace(problem, start=alpha), tol=svm_tol)
            alpha = sol.alpha
            q = checked_forms(bank.quadratic_forms(sol.beta), 0.)
            upper = primal_value(problem, theta @ q, sol.scores, sol.offset)
            D = reward(problem, alpha) - 0.5 * theta @ q
            lower = reward(problem, alpha) - 0.5 * dual_norm(q, p)
            if upper - D > 0.3 * (upper - lower) and (upper-lower) > tol*abs(upper):
                svm_tol *= 0.3
            else:
                break
        gap = (upper - lower) / abs(upper)
        hist.append((upper, D, lower, gap, sol.n_iter))
        if verbose: print(it, *hist[-1], svm_tol)
        if gap < tol: break
        theta = lp_kernel_weights(theta * np.sqrt(q), p)
    return theta, sol, hist
