"""Coordinate ascent of the variational bound (section 4, Appendices B and C), row by row and column by column.

With ``e = exp(phi + variance / 2)`` the normaliser of cell (n, d) is bounded through ``S``, the sum over answers r of
``e_0r prod_k (1 - nu_nk + nu_nk e_kr)``; the paper's auxiliary xi is ``1 / S``, so the terms of the sum over ``S`` are
shares that sum to one. They are all that an update needs, and they are brought up to date after each.
"""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step

LEAST_CHANCE = 1e-10
"""Of having a feature and of not having it."""


@compiled_step
def _log_product(e, d, r, nu, first_features):
    """Logarithm of a term of the normaliser, without overflow."""
    product, logarithm = e[d, 0, r], 0.0
    for k in range(first_features):
        product *= 1.0 + nu[k] * (e[d, k + 1, r] - 1.0)
        if product > 1e200 or product < 1e-200:
            logarithm += math.log(product)
            product = 1.0
    return logarithm + math.log(product)


@compiled_step
def _to_shares(logs, n_answers):
    """Turns logarithms of terms into shares of their sum; returns the logarithm of the sum."""
    highest, mass = logs[0], 0.0
    for r in range(1, n_answers):
        highest = max(highest, logs[r])
    for r in range(n_answers):
        logs[r] = math.exp(logs[r] - highest)
        mass += logs[r]
    for r in range(n_answers):
        logs[r] /= mass
    return highest + math.log(mass)


@compiled_step
def _row_shares(codes, n_answers, phi, e, nu, n, shares):
    """Shares of every answer of row n; returns the row's part of the bound, without what the prior adds."""
    n_features, value = nu.shape[1], 0.0
    for d in range(codes.shape[1]):
        for r in range(n_answers[d]):
            shares[d, r] = _log_product(e, d, r, nu[n], n_features)
        log_sum = _to_shares(shares[d], n_answers[d])
        code = codes[n, d]
        if code >= 0:
            value += phi[d, 0, code] - log_sum
            for k in range(n_features):
                value += nu[n, k] * phi[d, k + 1, code]
    for k in range(n_features):
        value -= nu[n, k] * math.log(nu[n, k]) + (1.0 - nu[n, k]) * math.log1p(-nu[n, k])
    return value


@compiled
def update_rows(codes, n_answers, log_odds, phi, e, nu, n_rounds, tolerance):
    """Bring the chances of all features up to date, row by row; returns the rows' part of the bound before it.

    Each row has up to ``n_rounds`` rounds over its features, fewer where no chance changes by ``tolerance``.
    """
    n_features, value = nu.shape[1], 0.0
    shares = np.empty((codes.shape[1], n_answers.max()))
    for n in range(len(codes)):
        value += _row_shares(codes, n_answers, phi, e, nu, n, shares)
        for _ in range(n_rounds):
            change = 0.0
            for k in range(n_features):
                before = nu[n, k]
                change = max(change, abs(_update_chance(codes, n_answers, log_odds, phi, e, nu, n, k, shares) - before))
            if change < tolerance:
                break
    return value


@compiled_step
def _update_chance(codes, n_answers, log_odds, phi, e, nu, n, k, shares):
    """The chance that row n has feature k (step 3; the paper prints the term with xi with the wrong sign)."""
    odds, old = log_odds[k], nu[n, k]
    for d in range(codes.shape[1]):
        code = codes[n, d]
        if code >= 0:
            odds += phi[d, k + 1, code]
            for r in range(n_answers[d]):
                rise = e[d, k + 1, r] - 1.0
                shares[d, r] /= 1.0 + old * rise
                odds -= shares[d, r] * rise
    new = 1.0 / (1.0 + math.exp(-min(max(odds, -40.0), 40.0)))
    new = min(max(new, LEAST_CHANCE), 1.0 - LEAST_CHANCE)
    nu[n, k] = new
    for d in range(codes.shape[1]):
        if codes[n, d] >= 0:
            mass = 0.0
            for r in range(n_answers[d]):
                shares[d, r] *= 1.0 + new * (e[d, k + 1, r] - 1.0)
                mass += shares[d, r]
            for r in range(n_answers[d]):
                shares[d, r] /= mass
    return new


@compiled_step
def _best_weight(count, mass, sigma2, phi, variance):
    """Mean and variance of a weight that maximise their part of the bound: Newton's steps by turns.

    The part is ``-(phi^2 + v) / (2 sigma2) + log(v) / 2 + count phi - mass exp(phi + v / 2)``, concave in each; the
    steps in the logarithm of v keep it positive.
    """
    for _ in range(50):
        old_phi, old_variance = phi, variance
        for _ in range(30):
            weight = mass * math.exp(min(phi + 0.5 * variance, 700.0))
            step = (count - phi / sigma2 - weight) / (1.0 / sigma2 + weight)
            # Far above the mode the exponential makes short steps; far below, long ones that must be held.
            phi += min(max(step, -2.0), 2.0)
            if abs(step) < 1e-12 * (1.0 + abs(phi)):
                break
        for _ in range(30):
            weight = 0.5 * mass * math.exp(min(phi + 0.5 * variance, 700.0))
            slope = 0.5 - variance * (0.5 / sigma2 + weight)
            curve = variance * (0.5 / sigma2 + weight * (1.0 + 0.5 * variance))
            step = min(max(slope / curve, -2.0), 2.0)
            variance *= math.exp(step)
            if abs(step) < 1e-12:
                break
        if abs(phi - old_phi) < 1e-10 * (1.0 + abs(phi)) and abs(variance - old_variance) < 1e-10 * variance:
            break
    return phi, variance


@compiled
def update_columns(codes, n_answers, sigma2, nu, phi, variance, e):
    """Bring the weights of all columns up to date, feature by feature (step 4); ``nu`` has a row for each feature."""
    n_features, n_rows = nu.shape
    most = n_answers.max()
    shares = np.empty((n_rows, most))
    for d in range(codes.shape[1]):
        _column_shares(codes, n_answers[d], nu, e, d, shares)
        for k in range(n_features + 1):
            for r in range(n_answers[d]):
                mass = count = 0.0
                rise = e[d, k, r] - 1.0
                for n in range(n_rows):
                    if codes[n, d] >= 0:
                        chance = nu[k - 1, n] if k else 1.0
                        shares[n, r] /= 1.0 + chance * rise
                        mass += chance * shares[n, r]
                        if codes[n, d] == r:
                            count += chance
                found = _best_weight(count, mass, sigma2, phi[d, k, r], variance[d, k, r])
                phi[d, k, r], variance[d, k, r] = found
                e[d, k, r] = math.exp(found[0] + 0.5 * found[1])
            _renew_shares(codes, n_answers[d], nu, e, d, k, shares)


@compiled_step
def _column_shares(codes, n_answers, nu, e, d, shares):
    """Shares of the answers of column d in every row where it is known."""
    n_features, n_rows = nu.shape
    for n in range(n_rows):
        if codes[n, d] >= 0:
            for r in range(n_answers):
                shares[n, r] = e[d, 0, r]
            for k in range(n_features):
                mass = 0.0
                for r in range(n_answers):
                    shares[n, r] *= 1.0 + nu[k, n] * (e[d, k + 1, r] - 1.0)
                    mass += shares[n, r]
                for r in range(n_answers):
                    shares[n, r] /= mass


@compiled_step
def _renew_shares(codes, n_answers, nu, e, d, k, shares):
    """Put the new weights of feature k into the shares, which then sum to one again."""
    for n in range(nu.shape[1]):
        if codes[n, d] >= 0:
            chance, mass = nu[k - 1, n] if k else 1.0, 0.0
            for r in range(n_answers):
                shares[n, r] *= 1.0 + chance * (e[d, k, r] - 1.0)
                mass += shares[n, r]
            for r in range(n_answers):
                shares[n, r] /= mass


@compiled
def all_shares(codes, n_answers, phi, e, nu, out):
    """Shares of the answers of all cells, (n_rows, n_columns, most answers), as chances of the answers."""
    for n in range(len(codes)):
        _row_shares(codes, n_answers, phi, e, nu, n, out[n])
