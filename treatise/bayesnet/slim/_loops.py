"""The conditionals of spike-and-slab linear models with heavy-tailed sources (Appendix A of JMLR 12:863).

One model serves factor models and DAGs: x_n = W f_n + noise, where the rows of F are observed variables (the parents of
a DAG) followed by sources Z that are sampled. The role of each weight says whether it may be there at all. All
products of data that the conditionals need are kept in small matrices, so that N enters only through them and Z.
"""

import math
from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics.sampling.random_numbers import beta_draw, inverse_gaussian

ABSENT, SPARSE, ACTIVE, FIXED = 0, 1, 2, 3
"""Roles of a weight: zero by construction; spike and slab; always in the slab; given, never sampled."""

LAPLACE, STUDENT = 0, 1


class Prior(NamedTuple):
    """Hyperparameters, with the paper's names beside them."""

    noise_shape: float  # s_s
    noise_rate: float  # s_r
    slab_shape: float  # t_s
    slab_rate: float  # t_r
    link_mean: float  # alpha_m; alpha_p drops out with eta, which is integrated over
    column_precision: float  # beta_p


class State(NamedTuple):
    """Everything a chain holds; ``d`` variables, ``K`` regressors of which the last ``m`` are sources, ``N`` rows."""

    X: np.ndarray  # (d, N)
    F: np.ndarray  # (K, N), the last m rows are Z
    precision: np.ndarray  # (m, N), the inverse of upsilon
    W: np.ndarray  # (d, K)
    tau: np.ndarray  # (d, K)
    linked: np.ndarray  # (d, K), u of Equation 18
    nu: np.ndarray  # (K,)
    psi: np.ndarray  # (d,)
    role: np.ndarray  # (d, K)
    column_mean: np.ndarray  # (K,), beta_m
    kind: np.ndarray  # (m,), LAPLACE or STUDENT
    tail: np.ndarray  # (m,), lambda or theta
    XX: np.ndarray  # (d,), squared norms of the rows of X
    XF: np.ndarray  # (d, K), X F'
    FF: np.ndarray  # (K, K), F F'
    row_rank: np.ndarray  # (d,), P
    column_rank: np.ndarray  # (K,), P_f
    missing: np.ndarray  # (n_missing, 2), variable and row of each missing cell


@compiled_step
def products_of(A, B, out):
    """``A B'`` into ``out``."""
    np.dot(A, B.T, out)


@compiled
def refresh_products(state):
    """Products of data after X or all of F has changed."""
    X, F, XX, XF, FF = state.X, state.F, state.XX, state.XF, state.FF
    d, N = X.shape
    for i in range(d):
        total = 0.0
        for n in range(N):
            total += X[i, n] * X[i, n]
        XX[i] = total
    products_of(X, F, XF)
    products_of(F, F, FF)


@compiled_step
def refresh_source_products(state, XZ, ZF):
    """The products in which the sources take part."""
    X, F, W, XF, FF = state.X, state.F, state.W, state.XF, state.FF
    d, K = W.shape
    m = len(ZF)
    Z = F[K - m :]
    products_of(X, Z, XZ)
    products_of(Z, F, ZF)
    for j in range(m):
        for i in range(d):
            XF[i, K - m + j] = XZ[i, j]
        for k in range(K):
            FF[K - m + j, k] = ZF[j, k]
            FF[k, K - m + j] = ZF[j, k]


@compiled_step
def fitted_product(FF, W, i, k):
    """Product of regressor k with all that variable i's weights make of the regressors."""
    total = 0.0
    for other in range(W.shape[1]):
        total += FF[k, other] * W[i, other]
    return total


@compiled_step
def squared_residual(XX, XF, FF, W, i):
    """Squared norm of the residual of variable i, from the products alone."""
    total = XX[i]
    for k in range(W.shape[1]):
        if W[i, k] != 0.0:
            total += W[i, k] * (fitted_product(FF, W, i, k) - 2.0 * XF[i, k])
    return max(total, 0.0)


@compiled_step
def draw_noise(rng, prior, state):
    """Equation 13. The paper counts d slab terms in the shape; only weights in the slab have a density to count."""
    X, W, tau, psi, role, XX, XF, FF = state.X, state.W, state.tau, state.psi, state.role, state.XX, state.XF, state.FF
    d, K = W.shape
    N = X.shape[1]
    for i in range(d):
        n_slab, slab = 0, 0.0
        for k in range(K):
            if W[i, k] != 0.0 and role[i, k] != FIXED:
                n_slab += 1
                slab += W[i, k] ** 2 / tau[i, k]
        shape = prior.noise_shape + 0.5 * (N + n_slab)
        residual = squared_residual(XX, XF, FF, W, i)
        rate = prior.noise_rate + 0.5 * (residual + slab)
        psi[i] = rate / rng.standard_gamma(shape)


@compiled_step
def _add_times(out, factor, row):
    for n in range(len(out)):
        out[n] += factor * row[n]


@compiled_step
def evidence_for(state, j, total):
    """What the data say of regressor j, a source: exp(total f - own f^2 / 2); fills ``total``, returns ``own``."""
    X, F, W, psi = state.X, state.F, state.W, state.psi
    d, K = W.shape
    own = 0.0
    for n in range(len(total)):
        total[n] = 0.0
    for k in range(K):
        shared = 0.0
        for i in range(d):
            shared += W[i, j] * W[i, k] / psi[i]
        if k == j:
            own = shared
        elif shared != 0.0:
            _add_times(total, -shared, F[k])
    for i in range(d):
        if W[i, j] != 0.0:
            _add_times(total, W[i, j] / psi[i], X[i])
    return own


@compiled_step
def draw_sources(rng, state):
    """Equation 14, one source at a time for all rows. Its mean lacks the factor u_jn in print."""
    F, precision = state.F, state.precision
    m, N = precision.shape
    first = len(F) - m
    total = np.empty(N)
    for j in range(m):
        own = evidence_for(state, first + j, total)
        for n in range(N):
            u = 1.0 / (own + precision[j, n])
            F[first + j, n] = u * total[n] + math.sqrt(u) * rng.standard_normal()


@compiled_step
def draw_scales(rng, state):
    """Mixing variances of the sources (Appendix A.2), as precisions. Exponential has the rate lambda^2 / 2."""
    F, precision, kind, tail = state.F, state.precision, state.kind, state.tail
    m, N = precision.shape
    first = len(F) - m
    for j in range(m):
        Z = F[first + j]
        if kind[j] == LAPLACE:
            rate = tail[j]
            for n in range(N):
                precision[j, n] = inverse_gaussian(rng, rate / max(abs(Z[n]), 1e-12), rate * rate)
        else:
            for n in range(N):
                gamma = rng.standard_gamma(0.5 * (tail[j] + 1.0))
                # A gamma of a shape below one may round to zero, which would be an infinite variance.
                precision[j, n] = max(gamma, 1e-300) / (0.5 * (tail[j] + Z[n] * Z[n]))


@compiled_step
def log_odds(chance, tau, psi, inverse, explained):
    """Equation 17: log odds of the slab for a weight of prior probability ``chance``.

    ``inverse`` is z'z + 1 / tau for its regressor z, ``explained`` the product of z with what it may explain. In print
    the determinant has psi^(1/2); the integral over the weight gives tau^(-1/2).
    """
    odds = math.log(chance) - math.log1p(-chance) - 0.5 * math.log(tau * inverse)
    return odds + 0.5 * explained * explained / (psi * inverse)


@compiled_step
def draw_weights(rng, prior, state):
    """Equations 15, 16, 17 and the first half of 18: weight, slab variance and link, weight by weight."""
    W, tau, linked, nu = state.W, state.tau, state.linked, state.nu
    psi, role, XF, FF = state.psi, state.role, state.XF, state.FF
    d, K = W.shape
    for i in range(d):
        for k in range(K):
            if role[i, k] in (ABSENT, FIXED):
                continue
            fitted = fitted_product(FF, W, i, k) - FF[k, k] * W[i, k]
            explained, inverse = XF[i, k] - fitted, FF[k, k] + 1.0 / tau[i, k]
            inside = role[i, k] == ACTIVE
            if not inside:
                odds = log_odds(prior.link_mean * nu[k], tau[i, k], psi[i], inverse, explained)
                inside = rng.random() * (1.0 + math.exp(-min(max(odds, -700.0), 700.0))) < 1.0
            if inside:
                w = explained / inverse + math.sqrt(psi[i] / inverse) * rng.standard_normal()
                W[i, k], linked[i, k] = w, 1
                rate = prior.slab_rate + 0.5 * w * w / psi[i]
                tau[i, k] = rate / rng.standard_gamma(prior.slab_shape + 0.5)
            else:
                W[i, k] = 0.0
                tau[i, k] = prior.slab_rate / rng.standard_gamma(prior.slab_shape)
                chance = nu[k] * (1.0 - prior.link_mean) / (1.0 - nu[k] * prior.link_mean)
                linked[i, k] = 1 if rng.random() < chance else 0


@compiled_step
def draw_slab(rng, state):
    """All weights of a variable that are in the slab at once: they follow regressors that are nearly collinear."""
    W, tau, psi, role, XF, FF = state.W, state.tau, state.psi, state.role, state.XF, state.FF
    d, K = W.shape
    L, mean, which = np.empty((K, K)), np.empty(K), np.empty(K, np.int64)
    for i in range(d):
        count = 0
        for k in range(K):
            if W[i, k] != 0.0 and role[i, k] != FIXED:
                which[count] = k
                count += 1
        # Products with what given weights leave unexplained, then L L' = F F' + 1 / tau over the slab.
        for a in range(count):
            mean[a] = XF[i, which[a]]
            for k in range(K):
                if role[i, k] == FIXED:
                    mean[a] -= W[i, k] * FF[which[a], k]
        for a in range(count):
            for b in range(a + 1):
                total = FF[which[a], which[b]]
                if a == b:
                    total += 1.0 / tau[i, which[a]]
                for c in range(b):
                    total -= L[a, c] * L[b, c]
                L[a, b] = math.sqrt(max(total, 1e-12)) if a == b else total / L[b, b]
        for a in range(count):
            for c in range(a):
                mean[a] -= L[a, c] * mean[c]
            mean[a] = mean[a] / L[a, a]
        deviation = math.sqrt(psi[i])
        for a in range(count):
            mean[a] += deviation * rng.standard_normal()
        for a in range(count - 1, -1, -1):
            for c in range(a + 1, count):
                mean[a] -= L[c, a] * mean[c]
            mean[a] = mean[a] / L[a, a]
            W[i, which[a]] = mean[a]


@compiled_step
def draw_magnitudes(rng, prior, state):
    """Exchange of magnitude between each source and its loadings, which the likelihood does not see.

    Source, its deviations and 1 / (loadings, their slab deviations) are multiplied by one number, drawn from its
    density given the rest under the group's invariant measure. One weight at a time, magnitudes would wander.
    """
    F, precision, W = state.F, state.precision, state.W
    tau, role, kind, tail = state.tau, state.role, state.kind, state.tail
    d, K = W.shape
    m, N = precision.shape
    for j in range(m):
        k = K - m + j
        n_slab, slab, given = 0, 0.0, False
        for i in range(d):
            if role[i, k] == FIXED:
                given = True
            elif W[i, k] != 0.0:
                n_slab += 1
                slab += 1.0 / tau[i, k]
        if given or n_slab == 0:
            continue
        total = 0.0
        if kind[j] == LAPLACE:
            for n in range(N):
                total += 1.0 / precision[j, n]
            rate = 0.5 * tail[j] ** 2 * total + prior.slab_rate * slab
            square = rng.standard_gamma(N + n_slab * prior.slab_shape) / rate
        else:
            shape = 0.5 * tail[j] * N - n_slab * prior.slab_shape
            if shape <= 0.0:
                continue
            for n in range(N):
                total += precision[j, n]
            square = 0.5 * tail[j] * total / rng.standard_gamma(shape)
            if math.log(1.0 - rng.random()) > prior.slab_rate * slab * (1.0 - square):
                continue
        factor = math.sqrt(square)
        for n in range(N):
            F[k, n] *= factor
            precision[j, n] /= square
        for i in range(d):
            if W[i, k] != 0.0:
                W[i, k] /= factor
                tau[i, k] /= square


@compiled_step
def draw_column_rates(rng, prior, state):
    """Equation 19, over the weights that may be there."""
    W, linked, nu, role, column_mean = state.W, state.linked, state.nu, state.role, state.column_mean
    d, K = W.shape
    for k in range(K):
        n_linked, n_free = 0, 0
        for i in range(d):
            if role[i, k] == SPARSE:
                n_free += 1
                n_linked += linked[i, k]
        a = prior.column_precision * column_mean[k]
        b = prior.column_precision - a
        # Kept inside (0, 1): the odds of a link take the logarithm of both sides.
        nu[k] = min(max(beta_draw(rng, a + n_linked, b + n_free - n_linked), 1e-12), 1.0 - 1e-12)


@compiled_step
def fitted_cell(state, i, n):
    """What the weights of variable i make of the regressors in row n."""
    F, W = state.F, state.W
    total = 0.0
    for k in range(W.shape[1]):
        total += W[i, k] * F[k, n]
    return total


@compiled
def draw_missing(rng, state):
    """Missing cells given everything else; a variable that is a regressor too is also seen through its children."""
    X, F, precision, W, psi, missing = state.X, state.F, state.precision, state.W, state.psi, state.missing
    d, K = W.shape
    observed = K - len(precision)
    for cell in range(len(missing)):
        i, n = missing[cell, 0], missing[cell, 1]
        weight = 1.0 / psi[i]
        total = fitted_cell(state, i, n) / psi[i]
        if observed > 0:
            for child in range(d):
                w = W[child, i]
                if w != 0.0:
                    others = fitted_cell(state, child, n) - w * F[i, n]
                    weight += w * w / psi[child]
                    total += w * (X[child, n] - others) / psi[child]
        value = total / weight + rng.standard_normal() / math.sqrt(weight)
        X[i, n] = value
        if observed > 0:
            F[i, n] = value
    refresh_products(state)
