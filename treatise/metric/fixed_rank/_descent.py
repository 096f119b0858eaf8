"""Batch and online descent over positive semi-definite matrices of fixed rank (Figure 2 of JMLR 12:593)."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from treatise.metric.fixed_rank._geometry import Point
from treatise.optimize.riemannian import armijo_step

FIRST_STEP = 100.0
"""s0 of Section 7.4.1: the longest step has this length in the metric of the geometry, in the unit of the factor."""
REFRESH = 50
"""Steps after which projections are computed afresh, so that rounding does not build up."""
TRIED = tuple(2.0**k for k in range(-3, 4))
"""Values of s and t0 tried before an online run (Section 7.4.2)."""
PRETRAINING_BATCHES = 20
_SHORTEST = 1e-12
"""Share of the first step below which halving it further leads nowhere."""


@dataclass(frozen=True)
class Targets:
    """What the values should be: equal to y, at most y (sense 1) or at least y (sense -1), each with a weight."""

    y: np.ndarray
    sense: np.ndarray
    weights: np.ndarray

    def take(self, chosen):
        """Some of the targets."""
        return Targets(self.y[chosen], self.sense[chosen], self.weights[chosen])

    def residual(self, values):
        """``value - y`` where the target is missed, 0 where an inequality holds (Section 8.2)."""
        residual = values - self.y
        residual[self.sense * residual < 0] = 0.0
        return residual

    def cost(self, residual):
        """Half the weighted mean of the squared residuals."""
        return 0.5 * float(np.dot(self.weights, residual**2) / self.weights.sum())

    def unit(self, values):
        """By what to multiply values so that they are as large as the targets; 1 where either are zero."""
        own, wanted = self.cost(values), self.cost(self.y)
        return float(np.sqrt(wanted / own)) if own > 0 and wanted > 0 else 1.0


@dataclass(frozen=True)
class Descent:
    """Where a descent ended, the cost after every step (or epoch), and whether it met its criterion."""

    point: Point
    costs: list
    converged: bool


def batch_descent(measurements, targets, geometry, point, *, tol, max_iter):
    """Steepest descent with Armijo steps, until residuals, the decrease of the cost or the change are small (24).

    All three are relative, so that the units of the targets do not matter; the paper's bound of the cost is absolute.
    """
    shares = targets.weights / targets.weights.sum()
    projected = measurements.project(point.frame)
    residual = targets.residual(measurements.values(_times(projected, point.core)))
    costs = [targets.cost(residual)]
    # Bounds that hold anyway may be far larger than what is missed.
    floor = tol**2 * min(targets.cost(targets.y) or np.inf, costs[0])
    for iteration in range(1, max_iter + 1):
        if costs[-1] <= floor:
            return Descent(point, costs, True)
        direction = geometry.direction(point, measurements.weighted_sum(shares * residual, projected))
        if direction.norm == 0:
            return Descent(point, costs, True)
        leaning = None if direction.tangent is None else measurements.project(direction.tangent)
        along = _Line(measurements, targets, direction, projected, leaning)
        step, cost = armijo_step(along, costs[-1], direction.slope, FIRST_STEP * direction.unit / direction.norm)
        if step == 0:
            return Descent(point, costs, True)
        landing = direction.land(step)
        moved = geometry.move(point, direction, landing)
        change = np.linalg.norm(moved.factor - point.factor) / np.linalg.norm(point.factor)
        point = moved
        projected = measurements.project(point.frame) if iteration % REFRESH == 0 else along.frame_at(landing)
        residual = targets.residual(measurements.values(_times(projected, point.core)))
        costs.append(cost)
        if costs[-2] - cost <= tol * costs[-2] or change <= tol:
            return Descent(point, costs, True)
    return Descent(point, costs, costs[-1] <= floor)


class _Line:
    """Cost along a direction, from the projections on frame and tangent."""

    def __init__(self, measurements, targets, direction, projected, leaning):
        self.measurements, self.targets, self.direction = measurements, targets, direction
        self.projected, self.leaning = projected, leaning
        self.quadratic = None

    def __call__(self, step):
        landing = self.direction.land(step)
        if landing is None:
            return np.inf
        with np.errstate(over="ignore", invalid="ignore"):
            return self.targets.cost(self.targets.residual(self._values(landing)))

    def _values(self, landing):
        mixed = landing.core if landing.mix is None else _times(landing.mix, landing.core)
        if mixed is not None:
            return self.measurements.values(_times(self._shifted(landing), mixed))
        # A straight line: the values are a polynomial of the step, and a trial costs one pass over n numbers.
        if self.quadratic is None:
            value, P, Q = self.measurements.values, self.projected, self.leaning
            self.quadratic = value(P), value(P, Q), value(Q)
        constant, linear, square = self.quadratic
        return constant + landing.shift * (landing.shift * square - 2.0 * linear)

    def frame_at(self, landing):
        """The data projected on the frame where a step leads."""
        return _times(self._shifted(landing), landing.mix)

    def _shifted(self, landing):
        return self.projected if self.leaning is None else self.projected - landing.shift * self.leaning


def _times(A, core):
    return A if core is None else A @ core


@dataclass(frozen=True)
class Schedule:
    """Steps ``scale * n t0 / (n t0 + t)`` after t measurements (23); ``n_t0`` is their product."""

    scale: float
    n_t0: float

    def step(self, seen):
        """The step after ``seen`` measurements."""
        return self.scale * self.n_t0 / (self.n_t0 + seen)


def plan_schedule(measurements, targets, geometry, point, *, batch_size, step, annealing):
    """Steps of an online run: the mean gradient norm at the start, and the best s and t0 on the first batches.

    The trial is the beginning of the run itself, with t0 in units of the whole pass: in units of the trial, long steps
    that soon shrink would win, and would not shrink in the run.
    """
    n = len(measurements)
    trial = min(n, PRETRAINING_BATCHES * batch_size)
    measurements, targets = measurements.take(slice(0, trial)), targets.take(slice(0, trial))
    directions = [
        _direction(measurements.take(batch), targets.take(batch), geometry, point)
        for batch in batches(np.arange(trial), batch_size)
    ]
    mean_norm = float(np.mean([direction.norm for direction in directions]))
    if mean_norm == 0:
        return Schedule(0.0, 1.0)
    scales = [directions[0].unit * s for s in TRIED] if step == "auto" else [step]
    rates = TRIED if annealing == "auto" else (annealing,)
    pairs = list(product(scales, rates))
    if len(pairs) == 1:
        return Schedule(pairs[0][0] / mean_norm, pairs[0][1] * n)

    def cost_after(pair):
        plan = Schedule(pair[0] / mean_norm, pair[1] * n)
        with np.errstate(all="ignore"):
            try:
                ended = online_pass(measurements, targets, geometry, point, plan, 0, np.arange(trial), batch_size)
            except (FloatingPointError, np.linalg.LinAlgError):
                return np.inf
            cost = cost_of(measurements, targets, ended)
        return cost if np.isfinite(cost) else np.inf

    best = min(pairs, key=cost_after)
    return Schedule(best[0] / mean_norm, best[1] * n)


def online_pass(measurements, targets, geometry, point, schedule, seen, order, batch_size):
    """One pass over the measurements in an order, a step after every batch."""
    for batch in batches(order, batch_size):
        direction = _direction(measurements.take(batch), targets.take(batch), geometry, point)
        if direction.norm > 0:
            step = schedule.step(seen)
            landing = direction.land(step)
            while landing is None:
                # Outside the cone, or beyond the largest number: the same way, less far.
                step /= 2.0
                if step < _SHORTEST * schedule.scale:
                    raise FloatingPointError
                landing = direction.land(step)
            point = geometry.move(point, direction, landing)
            if not np.isfinite(point.frame).all():
                raise FloatingPointError
        seen += len(batch)
    return point


def cost_of(measurements, targets, point):
    """The cost at a point."""
    return targets.cost(targets.residual(measurements.values(measurements.project(point.factor))))


def batches(order, batch_size):
    """An order cut into batches."""
    return (order[start : start + batch_size] for start in range(0, len(order), batch_size))


def _direction(measurements, targets, geometry, point):
    projected = measurements.project(point.frame)
    residual = targets.residual(measurements.values(_times(projected, point.core)))
    weights = targets.weights * residual / len(targets.y)
    return geometry.direction(point, measurements.weighted_sum(weights, projected))
