"""A sweep of the collapsed Gibbs sampler (sections 2.2 and 3.1), row by row.

What a move of a row does to a column's evidence depends on the row's group and its answer alone, for as long as no row
moves. Such ratios are kept in a table under a number made of the version of the groups, the group, the move and the
answer: rows that answer alike cost one evaluation together.
"""

import math
from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.bayes.categorical_ibp._laplace_loops import CLOSE, column_evidence, log_chance, refresh_column
from treatise.statistics.sampling.random_numbers import log_categorical_draw

MOST_FEATURES = 62
"""Bits of a pattern."""
NEGLIGIBLE = -20.0
"""Log of a chance that is not evaluated any further."""
N_GROUPS, N_FEATURES, VERSION = 0, 1, 2
"""Places in ``Buffet.tally``."""


class Buffet(NamedTuple):
    """Which row has which features."""

    codes: np.ndarray  # (n_rows, n_columns) int64, -1 where missing
    group_of: np.ndarray  # (n_rows,) int64
    sizes: np.ndarray  # (n_groups,) int64: rows of each group; 0 is free
    owners: np.ndarray  # (most features,) int64: rows that have each feature
    tally: np.ndarray  # (3,) int64: groups in use, features, version
    evidence: np.ndarray  # (n_columns,)
    keys: np.ndarray  # (table size,) int64
    ratios: np.ndarray  # (table size,)
    chances: np.ndarray  # (most new features + 1,)


@compiled_step
def _kept_evidence(buffet, groups, sigma2, g, move, left, joined, d, code, extra):
    """Log ratio of column d's evidence with a row of group g moved to that without the move."""
    tally = buffet.tally
    answers = groups.counts.shape[1]
    key = tally[VERSION] * len(buffet.sizes) + g
    key = (key * (MOST_FEATURES + 2 + len(buffet.chances)) + move) * answers + groups.starts[d] + code
    place = (key * 0x9E3779B1) & (len(buffet.keys) - 1)
    if buffet.keys[place] != key:
        n_groups, n_features = tally[N_GROUPS], tally[N_FEATURES]
        found = column_evidence(groups, n_groups, n_features, d, sigma2, left, joined, code, extra, CLOSE)
        buffet.keys[place] = key
        buffet.ratios[place] = found - buffet.evidence[d]
    return buffet.ratios[place]


@compiled_step
def _move_ratio(buffet, groups, sigma2, n, move, pattern, extra):
    """Log ratio of the evidence of all columns with row n moved to a pattern to that without the move."""
    g, total = buffet.group_of[n], 0.0
    for d in range(buffet.codes.shape[1]):
        code = buffet.codes[n, d]
        if code >= 0:
            total += _kept_evidence(buffet, groups, sigma2, g, move, g, pattern, d, code, extra)
    return total


@compiled_step
def _find_group(buffet, groups, pattern):
    """The group of a pattern; a free one gets it where there is none."""
    tally, free = buffet.tally, -1
    for g in range(tally[N_GROUPS]):
        if buffet.sizes[g] == 0:
            free = g if free < 0 else free
        elif groups.patterns[g] == pattern:
            return g
    if free < 0:
        free = tally[N_GROUPS]
        tally[N_GROUPS] += 1
    groups.patterns[free] = pattern
    return free


@compiled_step
def _move_row(buffet, groups, n, pattern):
    """Row n leaves its group for that of a pattern."""
    source = buffet.group_of[n]
    changed = groups.patterns[source] ^ pattern
    for k in range(buffet.tally[N_FEATURES]):
        if changed >> k & 1:
            buffet.owners[k] += 1 if pattern >> k & 1 else -1
    buffet.sizes[source] -= 1
    target = _find_group(buffet, groups, pattern)
    buffet.sizes[target] += 1
    buffet.group_of[n] = target
    for d in range(buffet.codes.shape[1]):
        code = buffet.codes[n, d]
        if code >= 0:
            groups.counts[source, groups.starts[d] + code] -= 1.0
            groups.counts[target, groups.starts[d] + code] += 1.0


@compiled_step
def _drop_feature(buffet, groups, k):
    """Feature k, which no row has, gives its place to the last one."""
    last = buffet.tally[N_FEATURES] - 1
    for g in range(buffet.tally[N_GROUPS]):
        pattern = groups.patterns[g]
        bit = pattern >> last & 1
        pattern &= ~(1 << last)
        groups.patterns[g] = pattern & ~(1 << k) | bit << k if k < last else pattern
    groups.weights[:, k + 1] = groups.weights[:, last + 1]
    groups.weights[:, last + 1] = 0.0
    buffet.owners[k] = buffet.owners[last]
    buffet.owners[last] = 0
    buffet.tally[N_FEATURES] = last
    groups.factored[:] = -1


@compiled_step
def _refresh(buffet, groups, sigma2, n):
    """Weights and evidence after row n has moved."""
    tally = buffet.tally
    tally[VERSION] += 1
    for d in range(buffet.codes.shape[1]):
        if buffet.codes[n, d] >= 0:
            refresh_column(groups, tally[N_GROUPS], tally[N_FEATURES], d, sigma2, buffet.evidence)


@compiled_step
def _draw_shared(rng, buffet, groups, sigma2, n):
    """Each feature of row n that other rows have too (equation 1)."""
    n_rows = len(buffet.codes)
    for k in range(buffet.tally[N_FEATURES]):
        pattern = groups.patterns[buffet.group_of[n]]
        present = pattern >> k & 1
        others = buffet.owners[k] - present
        if others == 0:
            continue
        flipped = pattern ^ (1 << k)
        odds = _move_ratio(buffet, groups, sigma2, n, k, flipped, 0)
        prior = math.log(others / (n_rows - others))
        odds += -prior if present else prior
        if rng.random() * (1.0 + math.exp(-min(max(odds, -700.0), 700.0))) < 1.0:
            _move_row(buffet, groups, n, flipped)
            _refresh(buffet, groups, sigma2, n)


@compiled_step
def _draw_own(rng, buffet, groups, sigma2, alpha, n):
    """How many features row n has for itself: Poisson(alpha / n_rows) times the evidence, up to a largest number."""
    pattern = groups.patterns[buffet.group_of[n]]
    shared, own = pattern, 0
    for k in range(buffet.tally[N_FEATURES]):
        if pattern >> k & 1 and buffet.owners[k] == 1:
            shared &= ~(1 << k)
            own += 1
    most = min(len(buffet.chances) - 1, MOST_FEATURES - (buffet.tally[N_FEATURES] - own))
    chances = buffet.chances[: most + 1]
    log_rate, log_factorial = math.log(alpha / len(buffet.codes)), 0.0
    # New features can at best make the row's answers certain.
    most_gain = 0.0
    for d in range(buffet.codes.shape[1]):
        if buffet.codes[n, d] >= 0:
            most_gain -= log_chance(groups, buffet.tally[N_FEATURES], d, pattern, buffet.codes[n, d])
    for j in range(most + 1):
        log_factorial += math.log(max(j, 1))
        chances[j] = j * log_rate - log_factorial
        if own == 0 and chances[j] + most_gain < NEGLIGIBLE:
            chances[j] = -np.inf
        elif j != own:
            chances[j] += _move_ratio(buffet, groups, sigma2, n, MOST_FEATURES + j, shared, j)
    drawn = log_categorical_draw(rng, chances)
    if drawn == own:
        return
    for k in range(buffet.tally[N_FEATURES]):
        if own > drawn and pattern >> k & 1 and buffet.owners[k] == 1:
            pattern &= ~(1 << k)
            own -= 1
    while own < drawn:
        new = buffet.tally[N_FEATURES]
        buffet.tally[N_FEATURES] = new + 1
        buffet.owners[new] = 0
        groups.weights[:, new + 1] = 0.0
        groups.factored[:] = -1
        pattern |= 1 << new
        own += 1
    _move_row(buffet, groups, n, pattern)
    for k in range(buffet.tally[N_FEATURES] - 1, -1, -1):
        if buffet.owners[k] == 0:
            _drop_feature(buffet, groups, k)
    _refresh(buffet, groups, sigma2, n)


@compiled
def sweep_rows(rng, buffet, groups, sigma2, alpha, first):
    """Draw the features of the rows from ``first`` on; returns where it ended, before the last row for want of room."""
    n_rows, room = len(buffet.codes), len(groups.active) - 2
    for n in range(first, n_rows):
        most = min(buffet.tally[N_FEATURES] + len(buffet.chances) - 1, MOST_FEATURES)
        if buffet.tally[N_GROUPS] + 1 >= len(buffet.sizes) or most > room:
            return n
        _draw_shared(rng, buffet, groups, sigma2, n)
        _draw_own(rng, buffet, groups, sigma2, alpha, n)
    return n_rows


@compiled
def answer_probabilities(buffet, groups, sigma2, cells, out):
    """Probability of each answer in some cells that are missing, the weights integrated out; adds to ``out``."""
    move = MOST_FEATURES + len(buffet.chances)
    for i in range(len(cells)):
        n, d = cells[i, 0], cells[i, 1]
        g = buffet.group_of[n]
        n_answers = groups.starts[d + 1] - groups.starts[d]
        chances = np.empty(n_answers)
        for code in range(n_answers):
            pattern = groups.patterns[g]
            chances[code] = _kept_evidence(buffet, groups, sigma2, g, move, -1, pattern, d, code, 0)
        chances = np.exp(chances - np.max(chances))
        out[i, :n_answers] += chances / np.sum(chances)
