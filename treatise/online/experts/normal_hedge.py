"""NormalHedge (Chaudhuri, Freund & Hsu, 2009)."""

import math

from treatise._core.jit import compiled
from treatise.online.experts._round_loops import keep, note, settle
from treatise.online.experts._strategy import ExpertStrategy


class NormalHedge(ExpertStrategy):
    """Weights from a normal potential of the regrets; experts ahead of which the learner is get none.

    Nothing to tune, excellent in practice, and good where many experts are nearly best; its guarantee is for
    quantiles of experts and is not computed here. Weights do not change when losses are scaled or shifted. A round
    costs O(n_experts) times the few steps of a one-dimensional search.

    Examples
    --------
    >>> from treatise.online import NormalHedge
    >>> normal = NormalHedge().fit([[1.0, 0.0, 0.5], [0.0, 0.3, 0.2]])
    >>> normal.weights_.round(3)
    array([0.   , 0.966, 0.034])

    References
    ----------
    .. [1] K. Chaudhuri, Y. Freund and D. Hsu, A parameter-free hedging algorithm, NIPS 2009. Compared with in
       paper v15-1281.
    """

    def _first_record(self, n_experts):
        return [0.0, 0.0]

    def _play_rounds(self, losses, history, course):
        normal_hedge(losses, self.excess_, self._record, self.weights_, history, course)


@compiled
def normal_hedge(losses, excess, record, weights, history, course):
    """Play rounds; the record holds the regret and the inverse of the scale of the last round."""
    for t in range(len(losses)):
        keep(history, t, weights)
        paid, regret = settle(losses[t], weights, excess)
        note(course, t, paid, regret, math.nan, math.nan)
        record[0] += regret
        record[1] = normal_weights(record[0], record[1], excess, weights)


@compiled
def normal_weights(regret, inverse, excess, weights):
    """Weights proportional to R s exp(R^2 s / 2), R the positive part of the regret to each expert.

    s, the inverse of the scale, solves mean exp(R^2 s / 2) = e. Its logarithm is convex and grows in s: Newton's
    first step from the solution of the last round may pass the new one, and from there the steps only come nearer.
    The largest term alone gives the mean e at ``most``, so that no solution lies beyond.
    """
    n_experts = len(excess)
    if regret <= 0.0:
        weights[:] = 1.0 / n_experts
        return 0.0
    largest = 0.5 * regret * regret
    most = (1.0 + math.log(n_experts)) / largest
    if not 0.0 < inverse < most:
        inverse = most
    for _ in range(64):
        total, slope = 0.0, 0.0
        for k in range(n_experts):
            positive = max(0.0, regret - excess[k])
            half_square = 0.5 * positive * positive
            term = math.exp((half_square - largest) * inverse)
            total += term
            slope += half_square * term
        step = (largest * inverse + math.log(total / n_experts) - 1.0) * total / slope
        inverse = min(inverse - step, most)
        if abs(step) <= 1e-14 * inverse:
            break
    total = 0.0
    for k in range(n_experts):
        positive = max(0.0, regret - excess[k])
        weights[k] = positive * math.exp((0.5 * positive * positive - largest) * inverse)
        total += weights[k]
    for k in range(n_experts):
        weights[k] /= total
    return inverse
