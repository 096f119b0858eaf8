"""Expectation maximisation for Gaussian mixtures of three forms of covariance, and the merge of two components.

Rows of data are columns here, so that the inner loops run over them: X is (d, n), what each component has to say of
the rows (K, n). The first k of K components are in use. Equations are those of Dy & Brodley (JMLR 5:845), Section 3 and
Appendix A.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step, compiled_sums

LOG_2PI = np.log(2.0 * np.pi)
FULL, TIED, DIAGONAL = range(3)
"""Forms of covariance: one of its own for each component, one for all, and variances alone."""


@compiled_step
def whitening(covariance, whiten):
    """Lower triangle W with W covariance W' = 1, and log det W; minus infinity where there is none."""
    d = len(covariance)
    log_det = 0.0
    for a in range(d):
        for b in range(a + 1):
            total = covariance[a, b]
            for c in range(b):
                total -= whiten[a, c] * whiten[b, c]
            if a == b:
                if total <= 0.0:
                    return -np.inf
                whiten[a, a] = np.sqrt(total)
                log_det -= np.log(whiten[a, a])
            else:
                whiten[a, b] = total / whiten[b, b]
    # The Cholesky factor is inverted in its place.
    for a in range(d):
        whiten[a, a] = 1.0 / whiten[a, a]
        for b in range(a):
            total = 0.0
            for c in range(b, a):
                total -= whiten[a, c] * whiten[c, b]
            whiten[a, b] = total * whiten[a, a]
    return log_det


@compiled_step
def log_joint(X, weight, mean, covariance, whiten, line, out):
    """log(weight * density) of each row; False where the covariance is not positive definite."""
    d, n = X.shape
    log_det = whitening(covariance, whiten)
    if log_det == -np.inf or weight <= 0.0:
        return False
    start = np.log(weight) + log_det - 0.5 * d * LOG_2PI
    for i in range(n):
        out[i] = start
    for a in range(d):
        shift = 0.0
        for b in range(a + 1):
            shift += whiten[a, b] * mean[b]
        for i in range(n):
            line[i] = -shift
        for b in range(a + 1):
            factor = whiten[a, b]
            for i in range(n):
                line[i] += factor * X[b, i]
        for i in range(n):
            out[i] -= 0.5 * line[i] * line[i]
    return True


@compiled_step
def posteriors(k, joint, log_total):
    """Turn log joint densities into memberships, in place; the log-likelihood."""
    n = joint.shape[1]
    likelihood = 0.0
    for i in range(n):
        top = joint[0, i]
        for j in range(1, k):
            top = max(top, joint[j, i])
        total = 0.0
        for j in range(k):
            joint[j, i] = np.exp(joint[j, i] - top)
            total += joint[j, i]
        for j in range(k):
            joint[j, i] /= total
        log_total[i] = top + np.log(total)
        likelihood += log_total[i]
    return likelihood


@compiled
def expectation(X, k, weights, means, covariances, memberships, log_total):
    """E-step: memberships of the rows, and the log-likelihood; minus infinity where a covariance is singular."""
    d, n = X.shape
    whiten, line = np.zeros((d, d)), np.empty(n)
    for j in range(k):
        if not log_joint(X, weights[j], means[j], covariances[j], whiten, line, memberships[j]):
            return -np.inf
    return posteriors(k, memberships, log_total)


@compiled_step
def constrain(k, form, weights, covariances):
    """Give the covariances of a full M-step their form, in place: what the M-step of that form finds."""
    d = covariances.shape[1]
    for a in range(d):
        for b in range(d):
            if form == TIED:
                total = 0.0
                for j in range(k):
                    total += weights[j] * covariances[j, a, b]
                for j in range(k):
                    covariances[j, a, b] = total
            elif form == DIAGONAL and a != b:
                for j in range(k):
                    covariances[j, a, b] = 0.0


@compiled_sums
def maximisation(X, k, form, memberships, ridge, weights, means, covariances):
    """M-step: shares, means and covariances plus ridge on their diagonals; deletes collapsed components, returns k.

    A component has collapsed if it has less than a row, or, where its covariance is its own, if a variance is not above
    the ridge or no more rows than columns make a full one singular. One always stays.
    """
    d, n = X.shape
    line = np.empty(n)
    kept = 0
    for j in range(k):
        size = 0.0
        for i in range(n):
            size += memberships[j, i]
        for a in range(d):
            total = 0.0
            for i in range(n):
                total += memberships[j, i] * X[a, i]
            means[kept, a] = total / max(size, 1e-300)
        least = np.inf
        for a in range(d):
            for i in range(n):
                line[i] = memberships[j, i] * (X[a, i] - means[kept, a])
            for b in range(a + 1):
                total, centre = 0.0, means[kept, b]
                for i in range(n):
                    total += line[i] * (X[b, i] - centre)
                covariances[kept, a, b] = total / max(size, 1e-300)
                covariances[kept, b, a] = covariances[kept, a, b]
            least = min(least, covariances[kept, a, a])
            covariances[kept, a, a] += ridge
        # The last one is kept where all others went.
        stands = size >= 1.0 and (form == TIED or least > ridge) and (form != FULL or size > d)
        if stands or (kept == 0 and j == k - 1):
            weights[kept] = size
            kept += 1
    total = 0.0
    for j in range(kept):
        total += weights[j]
    for j in range(kept):
        weights[j] /= total
    constrain(kept, form, weights, covariances)
    return kept


@compiled
def run_em(X, k, form, ridge, tol, max_iter, weights, means, covariances, memberships, log_total):
    """EM from given parameters: the components left, the log-likelihood, the steps and whether they converged.

    Memberships and log-likelihood are those of the final parameters.
    """
    constrain(k, form, weights, covariances)
    before = expectation(X, k, weights, means, covariances, memberships, log_total)
    for step in range(max_iter):
        left = maximisation(X, k, form, memberships, ridge, weights, means, covariances)
        now = expectation(X, left, weights, means, covariances, memberships, log_total)
        if left == k and abs(now - before) < tol:
            return left, now, step + 1, True
        k, before = left, now
    return k, before, max_iter, False


@compiled
def merged(one, other, weights, means, covariances, mean, covariance):
    """Share of two components as one, and its mean and covariance: those of the two together."""
    weight = weights[one] + weights[other]
    d = len(mean)
    for a in range(d):
        mean[a] = (weights[one] * means[one, a] + weights[other] * means[other, a]) / weight
    for a in range(d):
        for b in range(d):
            first = covariances[one, a, b] + (means[one, a] - mean[a]) * (means[one, b] - mean[b])
            second = covariances[other, a, b] + (means[other, a] - mean[a]) * (means[other, b] - mean[b])
            covariance[a, b] = (weights[one] * first + weights[other] * second) / weight
    return weight


@compiled
def merge_cheapest(X, k, weights, means, covariances, memberships, log_total):
    """Merge the two components whose merger costs the least log-likelihood as it stands; all parameters in place.

    The penalty falls by the same for every pair, so that this is the least change of F.
    """
    d, n = X.shape
    whiten, line, joint = np.zeros((d, d)), np.empty(n), np.empty(n)
    mean, covariance = np.empty(d), np.empty((d, d))
    best, one, other = -np.inf, 0, 1
    for first in range(k):
        for second in range(first + 1, k):
            weight = merged(first, second, weights, means, covariances, mean, covariance)
            if not log_joint(X, weight, mean, covariance, whiten, line, joint):
                continue
            change = 0.0
            for i in range(n):
                others = max(1.0 - memberships[first, i] - memberships[second, i], 0.0)
                change += np.log(others + np.exp(joint[i] - log_total[i]) + 1e-300)
            if change > best:
                best, one, other = change, first, second
    weights[one] = merged(one, other, weights, means, covariances, mean, covariance)
    means[one], covariances[one] = mean, covariance
    weights[other], means[other], covariances[other] = weights[k - 1], means[k - 1], covariances[k - 1]
