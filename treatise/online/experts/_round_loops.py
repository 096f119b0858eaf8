"""What happens in every round of a game with experts, whatever the strategy.

A game is kept as ``excess``, the cumulative loss of every expert above the leader's. It starts at zero, stays
small however large the losses are, and makes ties exact: the leaders are the experts with excess zero.
"""

import math

from treatise._core.jit import compiled
from treatise.online.experts._exp_loops import decay, total_decay

# Columns of the course of a game, one row a round.
PAID, REGRET, RATE, GAP, REGIME = range(5)
N_COLUMNS = 5


@compiled
def all_within(losses, limit):
    """Whether no loss is missing or larger than the limit."""
    for t in range(losses.shape[0]):
        for k in range(losses.shape[1]):
            if not abs(losses[t, k]) <= limit:
                return False
    return True


@compiled
def settle(losses, weights, excess):
    """Pay for a round: the weighted loss and by how much the regret grew; the excess changes in place.

    With x the losses above the round's smallest, the leader's cumulative loss rises by min(excess + x), and
    the regret by sum_k w_k (x_k - rise).
    """
    low = losses[0]
    for k in range(len(losses)):
        low = min(low, losses[k])
    rise = math.inf
    for k in range(len(losses)):
        excess[k] += losses[k] - low
        rise = min(rise, excess[k])
    paid, regret = 0.0, 0.0
    for k in range(len(losses)):
        above = losses[k] - low
        paid += weights[k] * above
        regret += weights[k] * (above - rise)
        excess[k] -= rise
    return low + paid, regret


@compiled
def exponential_weights(rate, tolerance, excess, weights):
    """Weights proportional to exp(-rate * excess); where the rate is infinite those within the tolerance share alike.

    Gives the sum before normalising, from 1 to the number of experts.
    """
    if math.isinf(rate):
        total = 0.0
        for k in range(len(excess)):
            weights[k] = 1.0 if excess[k] <= tolerance else 0.0
            total += weights[k]
    else:
        total = decay(rate, excess, weights)
    for k in range(len(excess)):
        weights[k] /= total
    return total


@compiled
def mixability_gap(rate, tolerance, total, regret, excess):
    """The loss paid less the mix loss of the round, at the rate at which the weights were made.

    ``total`` is the sum of exp(-rate * excess) before the round, ``excess`` that after it: the mix loss is the
    rise of the leader's loss less log(after / before) / rate. At an infinite rate the gap is what the regret grew, if
    by more than the tolerance, within which nobody was overtaken.
    """
    if math.isinf(rate):
        return regret if regret > tolerance else 0.0
    after = total_decay(rate, excess)
    # Jensen says that the gap is never negative; rounding may.
    return max(0.0, regret + math.log(after / total) / rate)


@compiled
def note(course, t, paid, regret, rate, gap):
    """Write a round into the course of the game."""
    course[t, PAID] = paid
    course[t, REGRET] = regret
    course[t, RATE] = rate
    course[t, GAP] = gap
    course[t, REGIME] = 0.0


@compiled
def keep(history, t, weights):
    """Remember the weights of a round where someone asked for them."""
    if history.shape[0] > 0:
        history[t] = weights
