"""What the learners of a fixed-rank matrix share: parameters, starts, restarts, online state."""

import warnings
from abc import ABC
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import finite, is_array, is_count, is_number
from treatise.metric.fixed_rank._descent import (
    Schedule,
    Targets,
    batch_descent,
    cost_of,
    online_pass,
    plan_schedule,
)
from treatise.metric.fixed_rank._geometry import GEOMETRIES, geometry_named


class FixedRankLearner(InheritsDocumentation, BaseEstimator, ABC):
    """Finds ``W = G G'`` of a fixed rank for quadratic measurements with targets.

    Parameters
    ----------
    geometry : {"flat", "polar", "affine", "logdet", "log_euclidean"}, default="flat"
        In which metric descent is steepest. "flat": of the factor G, cheapest. "polar": of a subspace and of the metric
        in it, indifferent to the scale of the targets. The others leave the subspace where it starts and learn the
        metric in it: "affine" the affine-invariant one, "logdet" the same by first-order steps, "log_euclidean" its
        logarithm.
    subspace_weight : float, default=0.5
        Weight lambda of the subspace in the polar geometry: 0 learns only the metric in it, 1 only the subspace.
    solver : {"batch", "online"}, default="batch"
        All measurements (rows or pairs) in every step, or passes of one step for every `batch_size` of them: better
        from some ten thousand.
    n_init : int, default=1
        Random starts, of which the one of least cost is kept.
    tol : float, default=1e-5
        Batch descent ends once the root mean squared residual in units of that of the targets, the relative decrease of
        the cost or the relative change of G is as small.
    max_iter : int, default=1000
        Most steps of a batch descent.
    batch_size : int, default=32
        Measurements of an online step.
    epochs : int, default=5
        Online passes.
    shuffle : bool, default=True
        Whether an online pass draws the order of the measurements.
    step : float or "auto", default="auto"
        First online step, as a multiple of the reciprocal mean gradient norm. "auto" tries 1/8 to 8 on the first twenty
        batches, in the flat geometry times the size of an entry of the first G.
    annealing : float or "auto", default="auto"
        Number of passes after which online steps are halved. "auto" tries 1/8 to 8 likewise.
    random_state : int, RandomState or None, default=None
        Draws starts and orders.

    Attributes
    ----------
    subspace_ : ndarray of shape (dimension, rank)
        Orthonormal basis U of the range of W.
    inner_metric_ : ndarray of shape (rank, rank)
        W within that basis: ``W = U inner_metric_ U'``.
    cost_history_ : ndarray
        Half the mean squared residual at the start and after every batch step or online pass.
    n_iter_ : int
        Batch steps or online passes.
    converged_ : bool
        Whether batch descent met its criterion; whether the last online pass lowered the cost by less than a tenth. A
        ConvergenceWarning tells where not. Set by fits, not by `partial_fit`.
    n_samples_seen_ : int
        Measurements that online passes went through.
    """

    _parameter_constraints: dict = {
        "rank": [Interval(Integral, 1, None, closed="left"), None],
        "geometry": [StrOptions(set(GEOMETRIES))],
        "subspace_weight": [Interval(Real, 0, 1, closed="both")],
        "solver": [StrOptions({"batch", "online"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "step": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "annealing": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        rank=None,
        *,
        geometry="flat",
        subspace_weight=0.5,
        solver="batch",
        init="random",
        n_init=1,
        tol=1e-5,
        max_iter=1000,
        batch_size=32,
        epochs=5,
        shuffle=True,
        step="auto",
        annealing="auto",
        random_state=None,
    ):
        self.rank = rank
        self.geometry = geometry
        self.subspace_weight = subspace_weight
        self.solver = solver
        self.init = init
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.epochs = epochs
        self.shuffle = shuffle
        self.step = step
        self.annealing = annealing
        self.random_state = random_state

    def _rank_within(self, dimension):
        if self.rank is None:
            return dimension
        if self.rank > dimension:
            raise ValueError(f"rank={self.rank} exceeds the dimension {dimension} of the matrix")
        return self.rank

    def _checked_start(self, dimension, rank):
        """The factor given as ``init``."""
        G = np.array(self.init, dtype=np.float64)
        if G.shape != (dimension, rank):
            raise ValueError(f"init has shape {G.shape}; a factor of shape {(dimension, rank)} is needed")
        if not np.isfinite(G).all() or np.linalg.matrix_rank(G) < rank:
            raise ValueError(f"init must be finite and of full column rank {rank}: descent never raises the rank")
        return G

    def _start(self, dimension, rank, random):
        """A factor to start from, drawn anew at every call where it is random."""
        if not isinstance(self.init, str):
            return self._checked_start(dimension, rank)
        if self.init == "identity":
            return np.eye(dimension, rank)
        return random.standard_normal((dimension, rank))

    def _scaled_start(self, measurements, targets, rank, random):
        """A start whose values are as large as the targets where it is random: units then change nothing else."""
        G = self._start(measurements.dimension, rank, random)
        if isinstance(self.init, str) and self.init == "random":
            G = G * np.sqrt(targets.unit(measurements.values(measurements.project(G))))
        return G

    def _learn(self, measurements, targets):
        """From scratch: the best of the restarts."""
        random = check_random_state(self.random_state)
        geometry = geometry_named(self.geometry, self.subspace_weight)
        rank = self._rank_within(measurements.dimension)
        restarts = self.n_init if isinstance(self.init, str) and self.init == "random" else 1
        best = None
        for _ in range(restarts):
            point = geometry.start(self._scaled_start(measurements, targets, rank, random))
            found = (self._batch if self.solver == "batch" else self._online)(
                measurements, targets, geometry, point, random
            )
            if best is None or found[1][-1] < best[1][-1]:
                best = found
        point, self.cost_history_, self.n_iter_, self._schedule, self.n_samples_seen_, self.converged_ = best
        self.cost_history_ = np.array(self.cost_history_)
        self._keep(point)
        if not self.converged_:
            batch = f"steps; raise it, or tol={self.tol:g}"
            told = f"max_iter={self.max_iter} {batch}" if self.solver == "batch" else f"epochs={self.epochs}; raise it"
            warnings.warn(f"the cost still falls after {told}", ConvergenceWarning, stacklevel=4)
        return self

    def _batch(self, measurements, targets, geometry, point, random):
        found = batch_descent(measurements, targets, geometry, point, tol=self.tol, max_iter=self.max_iter)
        return found.point, found.costs, len(found.costs) - 1, None, 0, found.converged

    def _online(self, measurements, targets, geometry, point, random):
        n = len(measurements)
        orders = [random.permutation(n) if self.shuffle else np.arange(n) for _ in range(self.epochs)]
        schedule = self._planned(measurements.take(orders[0]), targets.take(orders[0]), geometry, point)
        start, costs = point, [cost_of(measurements, targets, point)]
        while len(costs) <= self.epochs:
            seen, order = (len(costs) - 1) * n, orders[len(costs) - 1]
            try:
                point = self._pass(measurements, targets, geometry, point, schedule, seen, order)
                costs.append(cost_of(measurements, targets, point))
                if not costs[-1] <= 10 * costs[0]:
                    raise FloatingPointError
            except (FloatingPointError, np.linalg.LinAlgError):
                if self.step != "auto":
                    raise ValueError(f"the online steps with step={self.step} diverged; give a smaller one") from None
                # What went well on the first batches need not later: begin again with steps half as long.
                schedule = Schedule(schedule.scale / 2.0, schedule.n_t0)
                point, costs = start, costs[:1]
        settled = costs[-1] >= 0.9 * costs[-2]
        return point, costs, self.epochs, (schedule.scale, schedule.n_t0), self.epochs * n, settled

    def _advance(self, measurements, targets):
        """One pass in the order given, from where the last one ended; the first call plans the steps."""
        geometry = geometry_named(self.geometry, self.subspace_weight)
        if getattr(self, "components_", None) is None:
            random = check_random_state(self.random_state)
            rank = self._rank_within(measurements.dimension)
            point = geometry.start(self._scaled_start(measurements, targets, rank, random))
            self.n_iter_, self.n_samples_seen_, self._schedule = 0, 0, None
        else:
            point = geometry.start(self.components_.T)
        if self._schedule is None:
            schedule = self._planned(measurements, targets, geometry, point)
            self._schedule = (schedule.scale, schedule.n_t0)
        order = np.arange(len(measurements))
        schedule = Schedule(*self._schedule)
        try:
            point = self._pass(measurements, targets, geometry, point, schedule, self.n_samples_seen_, order)
            cost = cost_of(measurements, targets, point)
        except (FloatingPointError, np.linalg.LinAlgError):
            cost = np.inf
        if not np.isfinite(cost):
            raise ValueError(f"the online steps with step={self.step} diverged; give a smaller one")
        self.n_samples_seen_ += len(measurements)
        self.n_iter_ += 1
        self.cost_history_ = np.append(getattr(self, "cost_history_", np.empty(0)), cost)
        self._keep(point)
        return self

    def _planned(self, measurements, targets, geometry, point):
        return plan_schedule(
            measurements, targets, geometry, point,
            batch_size=self.batch_size, step=self.step, annealing=self.annealing,
        )  # fmt: skip

    def _pass(self, measurements, targets, geometry, point, schedule, seen, order):
        with np.errstate(over="ignore", invalid="ignore"):
            return online_pass(measurements, targets, geometry, point, schedule, seen, order, self.batch_size)

    def _invariants(self):
        # Those of objects have a column for each of them; of rows, one for each of theirs.
        columns = getattr(self, "n_features_in_", None)
        yield "components are rows of numbers", is_array(self.components_, np.float64, None, columns)
        yield "there are components, all finite", len(self.components_) > 0 and finite(self.components_)
        yield "rows seen are counted", is_count(self.n_samples_seen_) and is_count(self.n_iter_)
        yield (
            "steps are planned, or not yet",
            self._schedule is None or all(map(is_number, vars(Schedule(*self._schedule)).values())),
        )

    def _keep(self, point):
        self.components_ = np.ascontiguousarray(point.factor.T)
        polar = geometry_named("polar", 0.5).start(point.factor)
        self.subspace_ = polar.frame
        self.inner_metric_ = polar.core @ polar.core


def checked_targets(y, sense, sample_weight):
    """Targets with their senses and weights, checked."""
    n = len(y)
    sense = np.zeros(n) if sense is None else np.asarray(sense, dtype=np.float64)
    if sense.shape != (n,) or not np.isin(sense, (-1, 0, 1)).all():
        raise ValueError(f"sense must hold {n} numbers: 0 for equal to y, 1 for at most y, -1 for at least y")
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(f"sample_weight must hold {n} numbers that are not negative, some of them positive")
    return Targets(np.asarray(y, dtype=np.float64), sense, weights)


def checked_pairs(pairs, n_objects):
    """Pairs of positions, checked."""
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) == 0 or not np.issubdtype(pairs.dtype, np.integer):
        raise ValueError(f"pairs must be integers of shape (n_pairs, 2); got {pairs.dtype} of shape {pairs.shape}")
    if pairs.min() < 0 or pairs.max() >= n_objects:
        raise ValueError(f"pairs name the objects {pairs.min()} to {pairs.max()}; there are 0 to {n_objects - 1}")
    return pairs.astype(np.int64)
