"""Exponential weights: given rates, AdaHedge, FlipFlop, and the variance-tuned rate of Cesa-Bianchi et al."""

import math

from treatise._core.jit import compiled
from treatise.online.experts._round_loops import (
    REGIME,
    exponential_weights,
    keep,
    mixability_gap,
    note,
    settle,
)

# What AdaHedge and FlipFlop remember: the cumulative gaps of each regime, the sum of the unnormalised weights,
# the regime. AdaHedge uses the gap of the regime "flop".
FLIP, FLOP, TOTAL, NOW = range(4)
# What the variance-tuned rate remembers.
VARIANCE, RANGE = range(2)


@compiled
def given_rates(losses, rates, tolerance, excess, record, weights, history, course):
    """Hedge: round t has the rate rates[t], and rates has one entry more, for the round to come."""
    for t in range(len(losses)):
        keep(history, t, weights)
        paid, regret = settle(losses[t], weights, excess)
        note(course, t, paid, regret, rates[t], mixability_gap(rates[t], tolerance, record[0], regret, excess))
        record[0] = exponential_weights(rates[t + 1], tolerance, excess, weights)


@compiled
def balanced_rate(gap, log_experts):
    """Rate at which the bound log K / rate on the mix loss equals the cumulative gap (Equation 8)."""
    return log_experts / gap if gap > 0.0 else math.inf


@compiled
def adahedge(losses, excess, record, weights, history, course):
    """AdaHedge (Figure 1)."""
    log_experts = math.log(len(excess))
    for t in range(len(losses)):
        keep(history, t, weights)
        rate = balanced_rate(record[FLOP], log_experts)
        paid, regret = settle(losses[t], weights, excess)
        gap = mixability_gap(rate, 0.0, record[TOTAL], regret, excess)
        note(course, t, paid, regret, rate, gap)
        record[FLOP] += gap
        record[TOTAL] = exponential_weights(balanced_rate(record[FLOP], log_experts), 0.0, excess, weights)


@compiled
def flipflop(losses, phi, alpha, tolerance, excess, record, weights, history, course):
    """FlipFlop (Figure 2): follow the leader in the regime "flip", AdaHedge in "flop", on the same losses."""
    log_experts = math.log(len(excess))
    for t in range(len(losses)):
        keep(history, t, weights)
        hedging = record[NOW] == FLOP
        rate = balanced_rate(record[FLOP], log_experts) if hedging else math.inf
        paid, regret = settle(losses[t], weights, excess)
        gap = mixability_gap(rate, tolerance, record[TOTAL], regret, excess)
        note(course, t, paid, regret, rate, gap)
        if hedging:
            course[t, REGIME] = 1.0
            record[FLOP] += gap
            hedging = record[FLOP] <= alpha * record[FLIP]
        else:
            record[FLIP] += gap
            hedging = record[FLIP] > phi / alpha * record[FLOP]
        record[NOW] = FLOP if hedging else FLIP
        rate = balanced_rate(record[FLOP], log_experts) if hedging else math.inf
        record[TOTAL] = exponential_weights(rate, tolerance, excess, weights)


@compiled
def variance_tuned(losses, excess, record, weights, history, course):
    """rate = min(1 / E, C sqrt(log K / V)), E the range seen, rounded up to a power of two, V the variance."""
    log_experts = math.log(len(excess))
    factor = math.sqrt(2.0 * (math.sqrt(2.0) - 1.0) / (math.e - 2.0))
    rate = variance_rate(record, factor, log_experts)
    for t in range(len(losses)):
        keep(history, t, weights)
        low, high, mean = math.inf, -math.inf, 0.0
        for k in range(len(excess)):
            low, high = min(low, losses[t, k]), max(high, losses[t, k])
        for k in range(len(excess)):
            mean += weights[k] * (losses[t, k] - low)
        for k in range(len(excess)):
            record[VARIANCE] += weights[k] * (losses[t, k] - low - mean) ** 2
        record[RANGE] = max(record[RANGE], high - low)
        paid, regret = settle(losses[t], weights, excess)
        note(course, t, paid, regret, rate, mixability_gap(rate, 0.0, record[2], regret, excess))
        rate = variance_rate(record, factor, log_experts)
        record[2] = exponential_weights(rate, 0.0, excess, weights)


@compiled
def variance_rate(record, factor, log_experts):
    """The rate for the coming round."""
    if record[RANGE] == 0.0:
        return math.inf
    rate = 0.5 ** math.ceil(math.log2(record[RANGE]))
    if record[VARIANCE] > 0.0:
        rate = min(rate, factor * math.sqrt(log_experts / record[VARIANCE]))
    return rate


@compiled
def variation_weights(losses, rate, excess, record, weights, history, course):
    """Variation MW: exp(-rate (L_k + 4 rate sum_t (loss_tk - mean_tk)^2)), mean_t that of the first t losses.

    The record holds the number of rounds, then the sum of losses and that of squared deviations of each expert.
    """
    n_experts = len(excess)
    sums, deviations = record[1 : 1 + n_experts], record[1 + n_experts :]
    for t in range(len(losses)):
        keep(history, t, weights)
        paid, regret = settle(losses[t], weights, excess)
        note(course, t, paid, regret, rate, math.nan)
        record[0] += 1.0
        least = math.inf
        for k in range(n_experts):
            sums[k] += losses[t, k]
            deviations[k] += (losses[t, k] - sums[k] / record[0]) ** 2
            weights[k] = excess[k] + 4.0 * rate * deviations[k]
            least = min(least, weights[k])
        total = 0.0
        for k in range(n_experts):
            weights[k] = math.exp(-rate * (weights[k] - least))
            total += weights[k]
        for k in range(n_experts):
            weights[k] /= total
