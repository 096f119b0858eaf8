"""Algorithm 1 of Rosset, Zhu & Hastie (JMLR 5:941): coordinate descent over a dictionary, step by step."""

import math
from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step, compiled_sums
from treatise.optimize.losses._loops import loss_at, loss_curvature

_TIE = 1.0 + 1e-12
"""By how much a later member must be steeper: equal ones differ by the rounding of their sums."""
_SPENT = 1e-20
"""Share of the first slope at which a line that still falls is taken to fall for ever."""


class Rows(NamedTuple):
    """Rows that are learnt from, or held out: what is to be predicted, weights that sum to one, and scores."""

    y: np.ndarray
    weights: np.ndarray
    scores: np.ndarray
    start: float
    """The score of every row before the first step."""


class Rule(NamedTuple):
    """The loss in compiled code, and the length of a step; 0 searches along the line."""

    number: int
    parameter: float
    epsilon: float


class Trace(NamedTuple):
    """What happens on the way: one entry a step, and one for each state, of which there is one more."""

    chosen: np.ndarray
    increments: np.ndarray
    losses: np.ndarray
    margins: np.ndarray
    steepest: np.ndarray
    """Largest slope of a member."""
    inner: np.ndarray
    """Slope along the coefficients themselves; with the above a bound on what the loss is above its least."""
    held_losses: np.ndarray


@compiled_step
def look(rows, rule, slopes, trace, t):
    """Step 2(b): the slope of the loss in every score; keeps the loss, the least margin and the slope along F."""
    loss, margin, inner = 0.0, math.inf, 0.0
    for i in range(len(slopes)):
        value, slope = loss_at(rule.number, rule.parameter, rows.y[i], rows.scores[i])
        slopes[i] = rows.weights[i] * slope
        loss += rows.weights[i] * value
        inner += slopes[i] * (rows.scores[i] - rows.start)
        margin = min(margin, rows.y[i] * rows.scores[i])
    trace.losses[t], trace.margins[t], trace.inner[t] = loss, margin, inner


@compiled_step
def look_at_held(rows, rule, factor, trace, t):
    """Mean loss of rows that nothing is learnt from, their scores times a factor."""
    loss = 0.0
    for i in range(len(rows.y)):
        loss += rows.weights[i] * loss_at(rule.number, rule.parameter, rows.y[i], factor * rows.scores[i])[0]
    trace.held_losses[t] = loss


@compiled_step
def slope_along(rows, rule, member, direction, step):
    """First and second derivative of the loss at a step along a member."""
    first, second = 0.0, 0.0
    for i in range(len(member)):
        h = direction * member[i]
        score = rows.scores[i] + step * h
        first += rows.weights[i] * h * loss_at(rule.number, rule.parameter, rows.y[i], score)[1]
        second += rows.weights[i] * h * h * loss_curvature(rule.number, rule.parameter, rows.y[i], score)
    return first, second


@compiled_step
def line_step(rows, rule, member, direction):
    """The step that minimises the loss along a member, by Newton's method within a bracket, and whether it exists."""
    at_zero, bend = slope_along(rows, rule, member, direction, 0.0)
    low, high = 0.0, -at_zero / bend if bend > 0.0 else 1.0
    first, second = slope_along(rows, rule, member, direction, high)
    while first < 0.0:
        if -first <= -_SPENT * at_zero:
            return high, False
        low, high = high, 2.0 * high
        first, second = slope_along(rows, rule, member, direction, high)
    step = high
    for _ in range(200):
        if first == 0.0 or high - low <= 1e-15 * high:
            break
        if first > 0.0:
            high = step
        else:
            low = step
        newton = step - first / second if second > 0.0 else low
        step = newton if low < newton < high else 0.5 * (low + high)
        first, second = slope_along(rows, rule, member, direction, step)
    return step, True


@compiled_step
def take_step(rows, rule, member, slope, trace, t):
    """Step 2(d): move against the slope; whether there is more to come."""
    direction = -1.0 if slope > 0.0 else 1.0
    step, more = rule.epsilon, True
    if rule.epsilon == 0.0:
        step, more = line_step(rows, rule, member, direction)
    trace.increments[t] = direction * step
    for i in range(len(member)):
        rows.scores[i] += trace.increments[t] * member[i]
    return more


@compiled_sums
def member_slopes(members, slopes, found):
    """Slope of the loss in every coefficient."""
    for j in range(len(members)):
        total = 0.0
        for i in range(len(slopes)):
            total += members[j, i] * slopes[i]
        found[j] = total


@compiled_step
def steepest_of(slopes):
    """Step 2(c): the member of largest slope, the first of equals; -1 where all are level."""
    best, where = 0.0, -1
    for j in range(len(slopes)):
        if abs(slopes[j]) > best * _TIE:
            best, where = abs(slopes[j]), j
    return where


@compiled_step
def steepest_by_ratio(slopes, coef, members, rows, rule, loss):
    """Step 2(c)* of Section 7.1.1: the largest slope relative to the coefficient, those at zero first.

    A coefficient near zero has the largest ratio even where a step only overshoots its best value, and would be moved
    to and fro for ever; so a step must lower the loss, which the paper does not say.
    """
    size = np.empty(len(slopes))
    for j in range(len(slopes)):
        size[j] = abs(slopes[j]) / abs(coef[j]) if coef[j] != 0.0 else abs(slopes[j])
    while True:
        new, best, where = False, 0.0, -1
        for j in range(len(slopes)):
            untouched = coef[j] == 0.0 and size[j] > 0.0
            if (untouched and not new) or (untouched == new and size[j] > best * _TIE):
                new, best, where = untouched, size[j], j
        if where < 0 or rule.epsilon == 0.0:
            return where
        step = -rule.epsilon if slopes[where] > 0.0 else rule.epsilon
        found = 0.0
        for i in range(len(rows.y)):
            score = rows.scores[i] + step * members[where, i]
            found += rows.weights[i] * loss_at(rule.number, rule.parameter, rows.y[i], score)[0]
        if found < loss:
            return where
        size[where] = 0.0


@compiled
def boost_columns(members, coef, rows, rule, by_ratio, held_members, held, held_rule, held_factor, trace):
    """Steps over a dictionary held as a matrix, one member a row; gives the number of steps taken."""
    slopes, found = np.empty(len(rows.y)), np.empty(len(members))
    more = True
    for t in range(len(trace.losses)):
        look(rows, rule, slopes, trace, t)
        look_at_held(held, held_rule, held_factor, trace, t)
        member_slopes(members, slopes, found)
        trace.steepest[t] = np.abs(found).max() if len(found) else 0.0
        if not more or t == len(trace.chosen):
            return t
        if by_ratio:
            j = steepest_by_ratio(found, coef, members, rows, rule, trace.losses[t])
        else:
            j = steepest_of(found)
        if j < 0:
            return t
        more = take_step(rows, rule, members[j], found[j], trace, t)
        trace.chosen[t] = j
        coef[j] += trace.increments[t]
        for i in range(len(held.scores)):
            held.scores[i] += trace.increments[t] * held_members[j, i]
    return len(trace.chosen)


@compiled
def boost_gram(gram, cross, coef, rule, held_gram, held_cross, trace):
    """As above for half the squared error, from products of members alone: J operations a step whatever the rows.

    ``cross`` holds the products of the members with the residuals, and ``trace.losses[0]`` the loss to begin with.
    """
    for t in range(len(trace.losses)):
        trace.inner[t] = -np.dot(cross, coef)
        trace.steepest[t] = np.abs(cross).max() if len(cross) else 0.0
        if t == len(trace.chosen):
            return t
        j = steepest_of(cross)
        if j < 0:
            return t
        step = (1.0 if cross[j] > 0.0 else -1.0) * rule.epsilon if rule.epsilon > 0.0 else cross[j] / gram[j, j]
        trace.chosen[t], trace.increments[t] = j, step
        trace.losses[t + 1] = trace.losses[t] - step * (cross[j] - 0.5 * step * gram[j, j])
        trace.held_losses[t + 1] = trace.held_losses[t] - step * (held_cross[j] - 0.5 * step * held_gram[j, j])
        coef[j] += step
        for k in range(len(cross)):
            cross[k] -= step * gram[j, k]
            held_cross[k] -= step * held_gram[j, k]
    return len(trace.chosen)


@compiled_step
def steepest_stump(order, last, slopes, constant):
    """Step 2(c) over all stumps, 1 above a threshold and -1 below: column, number of rows below, and slope.

    The constant, where it is a member, is the stump of the first column with no row below.
    """
    total = slopes.sum()
    slope = total if constant else 0.0
    best, column, n_below = abs(slope), 0 if slope != 0.0 else -1, 0
    for j in range(len(order)):
        below = 0.0
        for k in range(order.shape[1]):
            below += slopes[order[j, k]]
            if last[j, k]:
                signed = total - 2.0 * below
                if abs(signed) > best * _TIE:
                    best, column, n_below, slope = abs(signed), j, k + 1, signed
    return column, n_below, slope


@compiled_step
def threshold_between(low, high):
    """A number that is not below the first and below the second, in the middle if rounding lets it."""
    middle = low + 0.5 * (high - low)
    return middle if low <= middle < high else low


@compiled
def boost_stumps(columns, order, last, constant, rows, rule, held_columns, held, held_rule, held_factor, trace):
    """Steps over all stumps of all columns; the key of one is its column times the rows, plus the rows below."""
    n = len(rows.y)
    slopes, member = np.empty(n), np.empty(n)
    more = True
    for t in range(len(trace.losses)):
        look(rows, rule, slopes, trace, t)
        look_at_held(held, held_rule, held_factor, trace, t)
        j, n_below, slope = steepest_stump(order, last, slopes, constant)
        trace.steepest[t] = abs(slope)
        if j < 0 or not more or t == len(trace.chosen):
            return t
        for k in range(n):
            member[order[j, k]] = 1.0 if k >= n_below else -1.0
        more = take_step(rows, rule, member, slope, trace, t)
        trace.chosen[t] = j * n + n_below
        threshold = -math.inf
        if n_below > 0:
            threshold = threshold_between(columns[j, order[j, n_below - 1]], columns[j, order[j, n_below]])
        for i in range(len(held.scores)):
            held.scores[i] += trace.increments[t] if held_columns[j, i] > threshold else -trace.increments[t]
    return len(trace.chosen)
