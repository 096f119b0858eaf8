"""Class probabilities as functions of the scores that minimise a loss (JMLR 5:1225, Section 4).

Each link inverts the first-order condition of the conditional risk: at the minimum for probabilities q it gives q back.
"""

import numpy as np
from scipy.special import expit, softmax

_LEAST = 1e-12


def pairwise_link(scores, loss):
    """Pairwise comparison: q is the equilibrium of a chain that leaves c for k at the rate -phi'(f_c - f_k).

    The condition of the minimum, q_c sum_k phi'(f_c - f_k) = sum_k q_k phi'(f_k - f_c), is its balance. For the
    logistic and the exponential loss every pair balances by itself.
    """
    if loss == "logistic":
        return softmax(scores, axis=1)
    if loss == "exponential":
        return softmax(2.0 * scores, axis=1)
    k = scores.shape[1]
    rates = np.maximum(1.0 - (scores[:, :, np.newaxis] - scores[:, np.newaxis, :]), 0.0)
    rates[:, np.arange(k), np.arange(k)] = 0.0
    balance = rates.transpose(0, 2, 1).copy()
    balance[:, np.arange(k), np.arange(k)] = -rates.sum(axis=2)
    # The last balance follows from the others; the sum of q takes its place. Every class leads to the top one, so that
    # the equilibrium is unique.
    balance[:, -1] = 1.0
    return _normalised(np.linalg.solve(balance, np.eye(k)[:, -1:])[:, :, 0], scores)


def constrained_link(scores, loss):
    """Constrained comparison: 1 - q_k is proportional to r_k = -1 / phi'(-f_k).

    Scores away from the minimum may ask for q_k < 0; such classes get 0, and the others share the whole.
    """
    scores = scores - scores.mean(axis=1, keepdims=True)
    if loss == "logistic":
        log_r = np.logaddexp(0.0, -scores)
    elif loss == "exponential":
        log_r = -scores
    else:
        log_r = -np.log(np.maximum(1.0 + scores, _LEAST))
    r = np.exp(log_r - log_r.min(axis=1, keepdims=True))
    k = r.shape[1]
    ordered = np.sort(r, axis=1)
    totals = np.cumsum(ordered, axis=1)
    count = np.arange(1, k + 1)
    kept = k - np.argmax(((count - 1) * ordered <= totals * (1.0 + 1e-12))[:, ::-1], axis=1)
    total = np.take_along_axis(totals, kept[:, np.newaxis] - 1, axis=1)
    return _normalised(1.0 - (kept[:, np.newaxis] - 1) * r / total, scores)


def one_vs_rest_link(scores, loss):
    """One against the rest: q / (1 - q) = phi'(-f) / phi'(f) for each class by itself."""
    if loss == "logistic":
        return _normalised(expit(scores), scores)
    if loss == "exponential":
        return _normalised(expit(2.0 * scores), scores)
    return _normalised(np.clip(0.5 * (1.0 + scores), 0.0, 1.0), scores)


MARGIN_LINKS = {"pairwise": pairwise_link, "constrained": constrained_link, "one_vs_rest": one_vs_rest_link}


def background_link(scores, background, power, inner_power):
    """Background formulations: q_c = mu t'(f_c), Equation (17)."""
    if background in ("exponential", "softmax"):
        return softmax(scores, axis=1)
    if background == "logistic":
        return _normalised(expit(scores), scores)
    exponent = (inner_power if background == "norm" else power) - 1.0
    highest = 1.0 if background == "bounded_power" else np.inf
    return _normalised(np.clip(scores, 0.0, highest) ** exponent, scores)


def _normalised(q, scores):
    """Rows with the sum 1; where nothing is left, all goes to the largest score."""
    q = np.maximum(q, 0.0)
    total = q.sum(axis=1, keepdims=True)
    top = scores == scores.max(axis=1, keepdims=True)
    return np.where(total > 0, q, top) / np.where(total > 0, total, top.sum(axis=1, keepdims=True))
