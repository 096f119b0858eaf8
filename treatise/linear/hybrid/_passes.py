"""Passes over shards: each shard on its own, their results summed in one fixed tree.

The tree depends on the number of shards alone, so that the sums are the same to the last bit whatever the number of
threads, and on a cluster.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io import Chunk
from treatise.linear.hybrid import _batch_loops as loops
from treatise.linear.hybrid import _online_loops as online
from treatise.optimize import Loss

_WORDS_KEPT = 5

Report = Callable[[int, float, float], None]
"""Called with the number of examples, the summed loss and the summed importance, at powers of two."""

SEEN, LOSS, IMPORTANCE, COUNTED, POSITIVE = range(5)
"""What a pass counts: examples, their loss and importance, and those of positive weight, all and of label 1."""


@dataclass(frozen=True)
class Settings:
    """What a pass needs to know: the loss, the switches of the online update, and the penalties of the objective."""

    loss: Loss
    n_features: int
    classify: bool
    fit_intercept: bool = True
    learning_rate: float = 0.5
    adaptive: bool = True
    normalized: bool = False
    invariant: bool = True
    l2: float = 0.0
    l1: float = 0.0

    @property
    def constant(self) -> float:
        """The value of the constant feature."""
        return 1.0 if self.fit_intercept else 0.0


@dataclass
class OnlineState:
    """An online learner between two passes: its table, and the totals of the normalised update.

    The table holds unpenalised weights. ``share`` is the part of the penalties that they stand against: of one pass
    over one of four shards, a quarter; of two passes over it, a half.
    """

    table: np.ndarray
    totals: np.ndarray
    share: float = 1.0

    @classmethod
    def fresh(cls, settings: Settings, squares: float, dtype: type) -> "OnlineState":
        """A learner that saw nothing yet; ``squares`` is the paper's initial G."""
        table: np.ndarray = np.zeros((settings.n_features + 1, 3), dtype)
        table[:, online.SQUARES] = squares
        return cls(table, np.zeros(2))

    def weights(self, settings: Settings) -> np.ndarray:
        """The weights as the penalties leave them, the intercept last."""
        weight = self.table[:, online.WEIGHT].astype(np.float64)
        if settings.l2 > 0 or settings.l1 > 0:
            rate, pace = self._rates(settings)
            l2, l1 = self.share * settings.l2, self.share * settings.l1
            online.pull(weight[:-1], rate, pace, l2, l1, len(rate), np.empty_like(rate))
        return weight

    def restart_from(self, weights: np.ndarray, settings: Settings) -> None:
        """Take the unpenalised weights that the penalties turn into these."""
        rate, pace = self._rates(settings)
        w = weights[:-1]
        self.table[:-1, online.WEIGHT] = (
            w + pace * rate * self.share * (settings.l2 * w + settings.l1 * np.sign(w))
        )  # fmt: skip
        self.table[-1, online.WEIGHT] = weights[-1]

    def _rates(self, settings: Settings) -> tuple[np.ndarray, float]:
        """The diagonal of A without the intercept's, and the pace that multiplies it."""
        squares, scale = (self.table[:-1, column].astype(np.float64) for column in (online.SQUARES, online.SCALE))
        rate = np.empty_like(squares)
        online.set_rates(squares, scale, len(rate), settings.adaptive, settings.normalized, rate)
        pace = settings.learning_rate
        if settings.normalized and self.totals[1] > 0:
            pace *= float(self.totals[0] / self.totals[1]) ** (0.5 if settings.adaptive else 1.0)
        return rate, pace

    def refuse_divergence(self) -> None:
        """Raise where steps were so long that weights grew beyond all numbers."""
        if not np.isfinite(self.table).all():
            raise ValueError(
                "the online steps diverge: choose a smaller learning_rate, adaptive or invariant steps, or "
                "normalized=True for features on unlike scales"
            )

    def copy(self) -> "OnlineState":
        """The same, to learn on without touching this one."""
        return OnlineState(self.table.copy(), self.totals.copy(), self.share)


class Moments(Protocol):
    """Where a shard's learner stands within a pass, kept now and then."""

    def load(self, state: OnlineState) -> np.ndarray | None:
        """The counts of the pass at the last moment that was kept, which the state is brought to; None for none."""

    def keep(self, state: OnlineState, counts: np.ndarray) -> None:
        """Called after every chunk; keeps it where it is time to."""


MomentsOf = Callable[[int], Moments]
"""The moments of a shard, by its number."""


class Shard(Protocol):
    """Examples that are passed over again and again, and the lines that the last pass left out."""

    skipped: int
    complaints: list[str]

    def __iter__(self) -> Iterator[Chunk]: ...


class Omitted(NamedTuple):
    """Lines that a pass left out: how many, and what was wrong with the first of them."""

    number: int = 0
    complaints: tuple[str, ...] = ()

    @classmethod
    def by(cls, shard: Shard) -> "Omitted":
        """Those of a shard's last pass."""
        return cls(shard.skipped, tuple(shard.complaints))

    def and_those_of(self, other: "Omitted") -> "Omitted":
        """Both together."""
        return Omitted(self.number + other.number, (*self.complaints, *other.complaints)[:_WORDS_KEPT])


def targets(chunk: Chunk, settings: Settings) -> np.ndarray:
    """Labels as the loss takes them: -1 and 1 for classes, which a file may also call 0 and 1."""
    labels = chunk.labels
    if settings.classify:
        classes, three = loops.signs(labels)
        if three:
            raise TreatiseError("labels must be -1 and 1, or 0 and 1, to tell two classes apart; both 0 and -1 occur")
        return classes
    if settings.loss.name == "poisson" and np.any(labels < 0):
        raise TreatiseError(f"labels must be from 0 on for the Poisson loss; found {labels.min():g}")
    return labels


def _arrays(chunk: Chunk, settings: Settings) -> tuple[np.ndarray, ...]:
    return chunk.indptr, chunk.indices, chunk.values, targets(chunk, settings), chunk.weights


def learn_online(
    shard: Shard,
    state: OnlineState,
    settings: Settings,
    report: Report | None = None,
    moments: Moments | None = None,
) -> tuple[OnlineState, np.ndarray]:
    """One online pass over a shard; returns the state and what it counted.

    A pass that was broken off is taken up where it was last kept: what comes before is read once more, and left.
    """
    counts = moments.load(state) if moments is not None else None
    counts = np.zeros(5) if counts is None else counts
    before, mark = int(counts[SEEN]), 1
    while mark <= before:
        mark *= 2
    options = (
        settings.loss.number, settings.loss.parameter, settings.learning_rate, settings.constant, settings.adaptive,
        settings.normalized, settings.invariant, state.share * settings.l2, state.share * settings.l1,
    )  # fmt: skip
    for chunk in shard:
        if before >= len(chunk):
            before -= len(chunk)
            continue
        _refuse_half(before)
        indptr, indices, values, labels, weights = _arrays(chunk, settings)
        first = 0
        while first < len(labels):
            past = min(first + mark - int(counts[SEEN]), len(labels)) if report is not None else len(labels)
            counts[LOSS] += online.online_pass(
                indptr[first : past + 1], indices, values, labels[first:past], weights[first:past], state.table,
                state.totals, *options,
            )  # fmt: skip
            counts[IMPORTANCE] += float(weights[first:past].sum(dtype=np.float64))
            counts[SEEN] += past - first
            first = past
            if report is not None and counts[SEEN] == mark:
                report(mark, counts[LOSS], counts[IMPORTANCE])
                mark *= 2
        counts[COUNTED:] += loops.census(labels, weights)
        if moments is not None:
            moments.keep(state, counts)
    _refuse_half(before)
    seen = int(counts[SEEN])
    if report is not None and seen and 2 * seen != mark:
        report(seen, counts[LOSS], counts[IMPORTANCE])
    return state, counts


def _refuse_half(before: int) -> None:
    """Chunks are the same in every reading, and moments are kept between two of them."""
    if before > 0:
        raise TreatiseError("the checkpoint was taken at no end of a chunk; it is damaged: delete it to start anew")


def online_shares(
    shard: Shard,
    state: OnlineState,
    settings: Settings,
    report: Report | None = None,
    moments: Moments | None = None,
):
    """What a shard's learner adds to the averages: G, G w and G^2 (equation 2), its scale, totals and counts."""
    learned, counts = learn_online(shard, state.copy(), settings, report, moments)
    squares = learned.table[:, online.SQUARES].astype(np.float64)
    weight = learned.table[:, online.WEIGHT].astype(np.float64)
    return [squares, squares * weight, squares * squares, learned.table[:, online.SCALE], learned.totals, counts]


def averaged(shares: list[np.ndarray], dtype: type, share: float = 1.0) -> tuple[OnlineState, np.ndarray]:
    """The confidence-weighted average of all learners, and of their confidences, from summed shares (equation 2)."""
    squares, weighted, squared, scale, totals, counts = shares
    table: np.ndarray = np.zeros((len(squares), 3), dtype)
    table[:, online.WEIGHT] = weighted / squares
    table[:, online.SQUARES] = squared / squares
    table[:, online.SCALE] = scale
    return OnlineState(table, totals, share), counts


def combine_shares(left: list[np.ndarray], right: list[np.ndarray]) -> list[np.ndarray]:
    """The shares of two groups of learners together: scales by the larger, all else summed."""
    return [np.maximum(a, b) if i == 3 else a + b for i, (a, b) in enumerate(zip(left, right))]


def gradient_share(shard: Shard, w: np.ndarray, settings: Settings) -> np.ndarray:
    """Gradient of the summed loss over a shard, and the loss at its end."""
    share, loss = np.zeros(len(w) + 1), settings.loss
    gradient = share[:-1]
    for chunk in shard:
        arrays = _arrays(chunk, settings)
        share[-1] += loops.gradient_pass(*arrays, w, gradient, loss.number, loss.parameter, settings.constant)
    return share


def diagonal_share(shard: Shard, w: np.ndarray, settings: Settings) -> np.ndarray:
    """Diagonal of the Hessian over a shard, and the counts of a pass without loss at its end."""
    share, loss = np.zeros(len(w) + 5), settings.loss
    diagonal, counts = share[:-5], share[-5:]
    for chunk in shard:
        arrays = _arrays(chunk, settings)
        counts[SEEN] += len(chunk)
        counts[IMPORTANCE] += loops.diagonal_pass(
            *arrays, w, diagonal, loss.number, loss.parameter, loss.smooth, settings.constant
        )
        counts[COUNTED:] += loops.census(*arrays[-2:])
    return share


def curvature_share(shard: Shard, w: np.ndarray, direction: np.ndarray, settings: Settings) -> np.ndarray:
    """Second derivative of the summed loss along a direction, over a shard."""
    total, loss = 0.0, settings.loss
    for chunk in shard:
        arrays = _arrays(chunk, settings)
        total += loops.curvature_pass(
            *arrays, w, direction, loss.number, loss.parameter, loss.smooth, settings.constant
        )
    return np.array([total])


def tree_reduce(shares: Iterable[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Combine results pairwise, neighbours first, holding only a logarithmic number of them."""
    waiting: list[tuple[int, Any]] = []
    for share in shares:
        size = 1
        while waiting and waiting[-1][0] == size:
            share = combine(waiting.pop()[1], share)
            size *= 2
        waiting.append((size, share))
    result = waiting.pop()[1]
    while waiting:
        result = combine(waiting.pop()[1], result)
    return result


class Passes(Protocol):
    """What a fit asks of the data, wherever they lie."""

    settings: Settings
    shards: Sequence[Shard]

    @property
    def omitted(self) -> Omitted:
        """Lines that the last pass left out."""

    def online(
        self, state: OnlineState, report: Report | None = None, moments_of: MomentsOf | None = None
    ) -> tuple[OnlineState, np.ndarray]:
        """An online pass of every shard's own learner from the same start, averaged; with its counts."""

    def gradient(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Summed loss and its gradient."""

    def diagonal(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the pass counted, and the diagonal of the Hessian."""

    def curvature(self, w: np.ndarray, direction: np.ndarray) -> float:
        """Second derivative along a direction."""


class LocalPasses:
    """Shards on this machine, by threads that share the weights' memory."""

    def __init__(self, shards: Sequence[Shard], settings: Settings, n_jobs: int = 1, dtype: type = np.float64) -> None:
        self.shards, self.settings, self.dtype = shards, settings, dtype
        self.n_jobs = min(n_jobs, len(shards))

    @property
    def omitted(self) -> Omitted:
        """Lines that the last pass left out."""
        return reduce(Omitted.and_those_of, map(Omitted.by, self.shards))

    def online(
        self, state: OnlineState, report: Report | None = None, moments_of: MomentsOf | None = None
    ) -> tuple[OnlineState, np.ndarray]:
        """An online pass of every shard's own learner from the same start, averaged; a lone learner just learns."""
        own = [moments_of(number) if moments_of is not None else None for number in range(len(self.shards))]
        if len(self.shards) == 1:
            return learn_online(self.shards[0], state.copy(), self.settings, report, own[0])
        reports = [report] + [None] * (len(self.shards) - 1)
        shares = self._each(online_shares, combine_shares, state, self.settings, of_each=list(zip(reports, own)))
        return averaged(shares, self.dtype, state.share)

    def gradient(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Summed loss and its gradient."""
        share = self._each(gradient_share, np.add, w, self.settings)
        return float(share[-1]), share[:-1]

    def diagonal(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the pass counted, and the diagonal of the Hessian."""
        share = self._each(diagonal_share, np.add, w, self.settings)
        return share[-5:], share[:-5]

    def curvature(self, w: np.ndarray, direction: np.ndarray) -> float:
        """Second derivative along a direction."""
        return float(self._each(curvature_share, np.add, w, direction, self.settings)[0])

    def _each(
        self, work: Callable[..., Any], combine: Callable[[Any, Any], Any], *arguments: Any, of_each: Any = None
    ) -> Any:
        calls = [(shard, *arguments, *(of_each[i] if of_each else ())) for i, shard in enumerate(self.shards)]
        if self.n_jobs == 1:
            return tree_reduce((work(*call) for call in calls), combine)
        with ThreadPoolExecutor(self.n_jobs) as pool:
            return tree_reduce(_in_order(pool, work, calls, self.n_jobs), combine)


def _in_order(pool: ThreadPoolExecutor, work: Callable[..., Any], calls: list[Any], ahead: int) -> Iterator[Any]:
    """Results in the order of the calls, no more than a few of them at once in memory."""
    running: list[Future[Any]] = []
    for call in calls:
        running.append(pool.submit(work, *call))
        if len(running) > ahead:
            yield running.pop(0).result()
    for future in running:
        yield future.result()
