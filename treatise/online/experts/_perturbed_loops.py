"""Follow the perturbed leader: exact probabilities of leading, and games played with them or with draws."""

import math

import numpy as np

from treatise._core.jit import compiled
from treatise.online.experts._round_loops import keep, note, settle


@compiled
def leading_probabilities(rate, excess, nodes, node_weights, probabilities):
    """Probability of every expert to have the least excess - draw / rate, draws exponential with mean one.

    With q_j = exp(-rate * excess_j) and u = exp(-the winner's perturbed lead), expert i leads with probability
    q_i * integral over u from 0 to 1 of prod_{j != i} (1 - u q_j): a polynomial of degree K - 1, which the rule of
    Gauss and Legendre with K / 2 nodes integrates exactly. The product is below exp(-u sum q), so that nothing
    is lost beyond u = 40 / sum q.
    """
    q, total = np.empty(len(excess)), 0.0
    for k in range(len(excess)):
        q[k] = math.exp(-rate * excess[k])
        total += q[k]
        probabilities[k] = 0.0
    end = min(1.0, 40.0 / total)
    for node in range(len(nodes)):
        u = end * nodes[node]
        product = end * node_weights[node]
        for k in range(len(excess)):
            product *= 1.0 - u * q[k]
        for k in range(len(excess)):
            probabilities[k] += q[k] * product / (1.0 - u * q[k])


@compiled
def volume_rate(rate, volume):
    """rate / volume; nobody has lost anything while the volume is zero, and any rate does."""
    return rate / volume if volume > 0.0 else 0.0


@compiled
def largest_magnitude(losses):
    """The largest absolute loss of a round, by which the volume grows."""
    largest = 0.0
    for k in range(len(losses)):
        largest = max(largest, abs(losses[k]))
    return largest


@compiled
def perturbed_leader(losses, rates, by_volume, draws, nodes, node_weights, excess, record, weights, history, course):
    """Play rounds: rates[t] is for the round after round t. ``draws`` is empty where probabilities are played.

    The record holds the volume of the game and the rate of the round.
    """
    for t in range(len(losses)):
        keep(history, t, weights)
        paid, regret = settle(losses[t], weights, excess)
        note(course, t, paid, regret, record[1], math.nan)
        record[0] += largest_magnitude(losses[t])
        record[1] = volume_rate(rates[t], record[0]) if by_volume else rates[t]
        if draws.shape[0] == 0:
            leading_probabilities(record[1], excess, nodes, node_weights, weights)
        else:
            weights[:] = 0.0
            weights[np.argmin(record[1] * excess - draws[t])] = 1.0


@compiled
def infeasible_leader(losses, rates, volume, nodes, node_weights, expected):
    """Expected losses of the leader who sees a round's losses before choosing (IFPL, Figure 3)."""
    excess, probabilities = np.zeros(losses.shape[1]), np.zeros(losses.shape[1])
    for t in range(len(losses)):
        settle(losses[t], probabilities, excess)
        volume += largest_magnitude(losses[t])
        leading_probabilities(volume_rate(rates[t], volume), excess, nodes, node_weights, probabilities)
        expected[t] = 0.0
        for k in range(losses.shape[1]):
            expected[t] += probabilities[k] * losses[t, k]
