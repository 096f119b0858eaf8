"""Algorithm 2: online passes, averaging, then preconditioned L-BFGS."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treatise.linear.hybrid._checkpoint import Checkpoint
from treatise.linear.hybrid._passes import COUNTED, IMPORTANCE, LOSS, POSITIVE, Omitted, OnlineState, Passes, Report
from treatise.optimize import LBFGSState, least_subgradient, minimize_lbfgs

# From here on the pairs of L-BFGS, which are most of its memory, are kept in single precision.
_LARGE = 1 << 17
# Share of the objective below which what is left to gain is rounding.
_NO_GAIN = 1e-10


@dataclass(frozen=True)
class Plan:
    """How much of each phase."""

    online_passes: int
    max_iter: int
    tol: float
    memory: int


@dataclass
class Fitted:
    """The weights, with the intercept last, and how they were come by."""

    w: np.ndarray
    state: OnlineState
    path: list[float]
    n_iter: int
    status: str
    converged: bool
    slope: float
    progressive_loss: float
    omitted: Omitted


def fit_hybrid(
    passes: Passes,
    plan: Plan,
    start: OnlineState,
    *,
    two_classes: bool = False,
    checkpoint: Checkpoint | None = None,
    report: Callable[[int], Report | None] | None = None,
    watch: Callable[[LBFGSState], None] | None = None,
) -> Fitted:
    """Run both phases, or what a checkpoint says is left of them; ``two_classes`` refuses data of one class."""
    state, done, progressive, omitted = start, 0, float("nan"), Omitted()
    saved = checkpoint.load_online(start) if checkpoint is not None else None
    if saved is not None:
        done, state, progressive, omitted = saved
    for number in range(done, plan.online_passes):
        # Every pass and every shard meets its share of the penalties, as it does of the losses.
        state.share = (number + 1) / len(passes.shards)
        state, counts = passes.online(
            state,
            report(number) if report is not None else None,
            checkpoint.moments_of(number) if checkpoint is not None else None,
        )
        _check(counts, two_classes)
        progressive, omitted = float(counts[LOSS] / counts[IMPORTANCE]), passes.omitted
        state.refuse_divergence()
        if checkpoint is not None:
            checkpoint.save_online(number + 1, state, progressive, omitted)
    w = state.weights(passes.settings)
    if plan.max_iter == 0:
        return Fitted(w, state, [], 0, "online", True, float("nan"), progressive, omitted)
    end, converged, slope, omitted = _batch(passes, plan, w, two_classes, checkpoint, watch)
    # Learning on online starts from the optimum.
    state.restart_from(end.w, passes.settings)
    return Fitted(end.w, state, end.path, end.iteration, end.status, converged, slope, progressive, omitted)


def _check(counts: np.ndarray, two_classes: bool) -> None:
    """Refuse data from which there is nothing to learn."""
    if not counts[IMPORTANCE] > 0:
        raise ValueError("there is no example of positive weight to learn from")
    if two_classes and counts[POSITIVE] in (0, counts[COUNTED]):
        only = "1" if counts[POSITIVE] else "-1 (or 0)"
        raise ValueError(
            f"all {int(counts[COUNTED])} examples are of one class, {only}; a classifier needs examples of both"
        )


def _batch(
    passes: Passes, plan: Plan, w: np.ndarray, two_classes: bool, checkpoint: Checkpoint | None, watch: Any
) -> tuple[LBFGSState, bool, float, Omitted]:
    """Algorithm 2, second half. The penalty is added once, after the sum, and spares the intercept.

    Where it ended, whether that is the optimum as far as anyone can see, and the largest entry of the mean gradient.
    """
    l2, l1 = passes.settings.l2, passes.settings.l1
    penalised = np.ones(len(w), bool)
    penalised[-1] = False
    saved = checkpoint.load_batch(len(w)) if checkpoint is not None else None
    if saved is None:
        before = None
        counts, diagonal = passes.diagonal(w)
        _check(counts, two_classes)
        importance = float(counts[IMPORTANCE])
        omitted = passes.omitted
        diagonal[:-1] += l2
        # A feature that never occurs has no curvature and no gradient: any rate will do.
        diagonal[diagonal <= 0] = 1.0
    else:
        before, importance, diagonal, omitted = saved

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = passes.gradient(w)
        gradient[:-1] += l2 * w[:-1]
        return value + 0.5 * l2 * float(w[:-1] @ w[:-1]), gradient

    def curvature(w: np.ndarray, direction: np.ndarray) -> float:
        return passes.curvature(w, direction) + l2 * float(direction[:-1] @ direction[:-1])

    def after(state: LBFGSState) -> None:
        if checkpoint is not None:
            checkpoint.save_batch(state, importance, diagonal, omitted)
        if watch is not None:
            watch(state)

    weights_of_l1 = l1 * penalised if l1 > 0 else 0.0
    end = minimize_lbfgs(
        objective, w, diagonal=diagonal, l1=weights_of_l1, curvature=curvature,
        memory=plan.memory, max_iter=plan.max_iter, gradient_tolerance=plan.tol * importance,
        history_dtype=np.float32 if len(w) > _LARGE else np.float64, state=before, callback=after,
    )  # fmt: skip
    slope = least_subgradient(end.w, end.gradient, weights_of_l1)
    # What a step of Newton's method on the diagonal would still gain.
    gain = 0.5 * float(np.sum(slope * slope / diagonal))
    converged = end.status == "gradient" or gain <= _NO_GAIN * abs(end.value)
    return end, converged, float(np.abs(slope).max()) / importance, omitted
