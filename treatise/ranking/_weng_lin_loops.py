"""Closed-form skill updates, one pass over a log of games (Weng & Lin, Algorithms 1 to 4)."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.ranking._truncated_normal_loops import draw_moments, win_moments

BRADLEY_TERRY, THURSTONE_MOSTELLER, PLACKETT_LUCE = 0, 1, 2
SIGMA_OVER_C, ONE_OVER_K, CONSTANT = 0, 1, 2
# Up to here plain double loops are faster than sorting.
MANY_TEAMS = 32


@compiled
def rate_games(
    players, team_ptr, game_ptr, ranks, mean, variance, played, wrong, pairs,
    likelihood, partial, gamma_rule, gamma, beta, kappa, margin, tau,
):  # fmt: skip
    """Update ``mean``, ``variance`` and ``played`` in place, game after game.

    ``wrong`` and ``pairs`` receive, for each game, how many pairs of teams with different ranks there are and
    how many of them the means before the game put in the wrong order.
    """
    n_games = len(game_ptr) - 1
    most = 0
    for g in range(n_games):
        most = max(most, game_ptr[g + 1] - game_ptr[g])
    team_mean, team_variance = np.empty(most), np.empty(most)
    omega, delta = np.empty(most), np.empty(most)
    order = np.empty(most, np.int64)
    for g in range(n_games):
        first, k = game_ptr[g], game_ptr[g + 1] - game_ptr[g]
        for i in range(k):
            team_mean[i] = team_variance[i] = omega[i] = delta[i] = 0.0
            for at in range(team_ptr[first + i], team_ptr[first + i + 1]):
                player = players[at]
                variance[player] += tau * tau
                team_mean[i] += mean[player]
                team_variance[i] += variance[player]
        rank = ranks[first : first + k]
        wrong[g], pairs[g] = misordered(team_mean, rank)

        # With two teams Plackett-Luce is Bradley-Terry, ties included.
        if likelihood == PLACKETT_LUCE and k > 2:
            by_rank(rank, order)
            choose_winners(team_mean, team_variance, rank, order, omega, delta, gamma_rule, gamma, beta)
        else:
            for i in range(k):
                order[i] = i
            if partial:
                by_rank(rank, order)
            for a in range(k - 1):
                for b in range(a + 1, a + 2 if partial else k):
                    i, q = order[a], order[b]
                    inverse_c = 1.0 / math.sqrt(team_variance[i] + team_variance[q] + 2.0 * beta * beta)
                    lead = (team_mean[i] - team_mean[q]) * inverse_c
                    pull, loss = compare(likelihood, lead, rank[q] - rank[i], margin * inverse_c)
                    for team, sign in ((i, 1.0), (q, -1.0)):
                        scaled = team_variance[team] * inverse_c
                        omega[team] += sign * scaled * pull
                        factor = damping(gamma_rule, gamma, team_variance[team], inverse_c, k)
                        delta[team] += factor * scaled * inverse_c * loss

        for i in range(k):
            for at in range(team_ptr[first + i], team_ptr[first + i + 1]):
                player = players[at]
                share = variance[player] / team_variance[i]
                mean[player] += share * omega[i]  # Equation 43
                variance[player] *= max(1.0 - share * delta[i], kappa)  # Equation 44
                played[player] += 1


@compiled_step
def misordered(team_mean, rank):
    """Pairs with different ranks whose means are in the wrong order or equal, and all pairs with different ranks."""
    if len(rank) > MANY_TEAMS:
        return misordered_among_many(team_mean[: len(rank)], rank)
    wrong = pairs = 0
    for i in range(len(rank) - 1):
        for q in range(i + 1, len(rank)):
            if rank[i] != rank[q]:
                pairs += 1
                better, worse = (i, q) if rank[i] < rank[q] else (q, i)
                wrong += not team_mean[better] > team_mean[worse]
    return wrong, pairs


@compiled
def misordered_among_many(team_mean, rank):
    """The same in O(k log k): from the best rank down, each team looks up how many better ones have no larger mean.

    The counts of means up to each place lie in a Fenwick tree; tied teams enter it together.
    """
    k = len(rank)
    order = np.argsort(rank, kind="mergesort")
    sorted_means = np.sort(team_mean)
    counts = np.zeros(k + 1, np.int64)
    wrong = pairs = start = 0
    while start < k:
        end = start
        while end < k and rank[order[end]] == rank[order[start]]:
            at = np.searchsorted(sorted_means, team_mean[order[end]], side="right")
            while at > 0:
                wrong += counts[at]
                at -= at & -at
            end += 1
        pairs += start * (end - start)
        for a in range(start, end):
            at = np.searchsorted(sorted_means, team_mean[order[a]], side="right")
            while at <= k:
                counts[at] += 1
                at += at & -at
        start = end
    return wrong, pairs


@compiled_step
def by_rank(rank, order):
    """Indices of the teams from first to last; tied teams stay in the order given."""
    if len(rank) > MANY_TEAMS:
        order[: len(rank)] = np.argsort(rank, kind="mergesort")
        return
    for i in range(len(rank)):
        at = i
        while at > 0 and rank[order[at - 1]] > rank[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i


@compiled_step
def damping(gamma_rule, gamma, team_variance, inverse_c, k):
    """The factor γ on the loss of variance (after Equation 60, and Section 6.1)."""
    if gamma_rule == SIGMA_OVER_C:
        return math.sqrt(team_variance) * inverse_c
    return 1.0 / k if gamma_rule == ONE_OVER_K else gamma


@compiled_step
def compare(likelihood, x, edge, t):
    """First derivative and curvature of a pair's log-likelihood: step 3.1.1 of Algorithms 1 and 3 without the scales.

    Positive ``edge`` means that the first team won, 0 a draw. The second team has the derivative negated and the
    same curvature, so one evaluation serves both. Algorithm 3 as printed leaves γ out of η; the experiments have
    it (Section 6.1).
    """
    if likelihood == THURSTONE_MOSTELLER:
        if edge == 0:
            return draw_moments(x, t)
        side = 1.0 if edge > 0 else -1.0
        pull, loss = win_moments(side * x, t)
        return side * pull, loss
    odds = math.exp(-abs(x))
    favourite = 1.0 / (1.0 + odds)
    p = favourite if x >= 0.0 else odds * favourite
    score = 0.5 if edge == 0 else (1.0 if edge > 0 else 0.0)
    return score - p, odds * favourite * favourite


@compiled_step
def choose_winners(team_mean, team_variance, rank, order, omega, delta, gamma_rule, gamma, beta):
    """Ω and Δ of Algorithm 4, in O(k): the tied teams of each rank are winners among those not yet placed.

    With L the log-sum-exp of a rank and all below it, p = exp(mean/c - L) is a team's chance there. Going down
    the ranks, Σp and Σp² over the ranks passed are p·R and p²·R₂, with R ← 1 + R·exp(L_next - L).
    """
    k = len(rank)
    c = 0.0
    for i in range(k):
        c += team_variance[i] + beta * beta
    c = math.sqrt(c)
    remaining = np.empty(k)
    total = -np.inf
    for a in range(k - 1, -1, -1):
        level = team_mean[order[a]] / c
        high, low = max(total, level), min(total, level)
        total = high + math.log1p(math.exp(low - high))
        remaining[a] = total
    above, reach, reach_squared = remaining[0], 0.0, 0.0
    start = 0
    while start < k:
        end = start + 1
        while end < k and rank[order[end]] == rank[order[start]]:
            end += 1
        step = math.exp(remaining[start] - above)
        above = remaining[start]
        reach, reach_squared = 1.0 + reach * step, 1.0 + reach_squared * step * step
        for a in range(start, end):
            i = order[a]
            p = math.exp(team_mean[i] / c - above)
            spread = max(p * (reach - p * reach_squared), 0.0)
            omega[i] = team_variance[i] / c * (1.0 / (end - start) - p * reach)
            delta[i] = damping(gamma_rule, gamma, team_variance[i], 1.0 / c, k) * team_variance[i] / (c * c) * spread
        start = end
