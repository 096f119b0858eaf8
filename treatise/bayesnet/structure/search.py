"""The search for the best network over parent sets: parts in turn, bounds over time, stops."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from treatise._core.progress import progress
from treatise.bayesnet.structure._branch_and_bound import BranchAndBound
from treatise.bayesnet.structure._cluster_program import ClusterProgram
from treatise.bayesnet.structure._parent_sets import ParentSetBuilder, ParentSets
from treatise.bayesnet.structure._part_search import PartSearch
from treatise.bayesnet.structure._set_lists import SetLists, separate
from treatise.bayesnet.structure._subset_search import SubsetSearch
from treatise.bayesnet.structure.rules import ParentLimits
from treatise.statistics.family_scores import FamilyScores

METHODS = ("auto", "cutting-planes", "branch-and-bound", "dynamic-programming")

_FEW_VARIABLES = 18
"""Variables of a part up to which dynamic programming takes less than a second."""

_TICKS = 1000


@dataclass(frozen=True)
class SearchState:
    """Where a search for a structure stands.

    Attributes
    ----------
    phase : {"scoring", "searching"}
        Parent sets are scored, or combined.
    seconds : float
        Since the start.
    score : float
        Of the best network so far; -inf if there is none.
    upper_bound : float
        No network that obeys the rules scores more; inf while parent sets are scored.
    n_scores_evaluated : int
        Parent sets scored.
    n_steps : int
        Steps of the search.
    """

    phase: str
    seconds: float
    score: float
    upper_bound: float
    n_scores_evaluated: int
    n_steps: int

    @property
    def gap(self) -> float:
        """Distance from the upper bound, as a share of the score."""
        return relative_gap(self.score, self.upper_bound)


def relative_gap(score: float, upper_bound: float) -> float:
    """(upper bound - score) / |score|; infinite without a score."""
    if not math.isfinite(score):
        return math.inf
    return max(0.0, upper_bound - score) / max(abs(score), 1e-300)


@dataclass
class Watch:
    """Time, and whoever wants to know how things stand or to stop.

    Parameters
    ----------
    time_limit : float or None
        Seconds for everything.
    gap_tolerance : float
        Gap to stop at.
    callback : callable or None
        Called with each new :class:`SearchState`; stops everything by returning True.
    """

    time_limit: float | None = None
    gap_tolerance: float = 0.0
    callback: Callable[[SearchState], bool | None] | None = None
    stopped: bool = False
    history: list[tuple[float, float, float]] = field(default_factory=list)
    _started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    def left(self, share: float = 1.0) -> float | None:
        """Seconds until that share of the time limit is over; None without a limit."""
        return None if self.time_limit is None else share * self.time_limit - self.seconds

    def stop_scoring(self, n_evaluated: int) -> bool:
        """Whether to leave off scoring parent sets: three fifths of the time may go into them."""
        left = self.left(0.6)
        self._tell(SearchState("scoring", self.seconds, -math.inf, math.inf, n_evaluated, 0))
        return self.stopped or (left is not None and left <= 0)

    def stop_searching(self, score: float, upper_bound: float, n_evaluated: int, n_steps: int) -> bool:
        """Note how a search stands; returns whether to leave off."""
        self.history.append((self.seconds, score, upper_bound))
        self._tell(SearchState("searching", self.seconds, score, upper_bound, n_evaluated, n_steps))
        left = self.left()
        close = relative_gap(score, upper_bound) <= self.gap_tolerance
        return self.stopped or close or (left is not None and left <= 0)

    def _tell(self, state: SearchState) -> None:
        if self.callback is not None and self.callback(state):
            self.stopped = True


class StructureSearch:
    """Puts the parts of a problem together.

    Parameters
    ----------
    parent_sets : ParentSets
        What to choose from.
    method : str
        One of ``METHODS``.
    bottom_every : int
        For branch and bound.
    random_state : RandomState
        For the first orders.

    Attributes
    ----------
    parent_sets : ParentSets
        As given.
    score, upper_bound : float
        Of the whole; the bound holds for parent sets that were not looked at, too.
    """

    def __init__(
        self, parent_sets: ParentSets, method: str, bottom_every: int, random_state: np.random.RandomState
    ) -> None:
        self.parent_sets = parent_sets
        self._parts: list[PartSearch] = []
        self._fixed: list[tuple[int, int]] = []
        for lists in separate(parent_sets.sets, parent_sets.scores):
            if len(lists) == 1:
                self._fixed.append((int(lists.variables[0]), int(lists.origins[0])))
            else:
                self._parts.append(_search(lists, method, bottom_every, random_state))
        self._alone = sum(float(parent_sets.scores[child][number]) for child, number in self._fixed)
        best = np.array([scores[0] for scores in parent_sets.scores])
        unseen = parent_sets.open_bounds > -math.inf
        self._unseen_bound = float(np.maximum(best, parent_sets.open_bounds).sum()) if unseen.any() else None

    @property
    def score(self) -> float:
        return self._alone + sum(part.score for part in self._parts)

    @property
    def upper_bound(self) -> float:
        if self._unseen_bound is not None:
            return max(self.score, self._unseen_bound)
        return self._alone + sum(part.upper_bound for part in self._parts)

    @property
    def optimal(self) -> bool:
        """Whether no network scores more."""
        return self._unseen_bound is None and all(part.finished for part in self._parts)

    @property
    def n_steps(self) -> int:
        return sum(part.n_steps for part in self._parts)

    def parents(self) -> list[tuple[int, ...]]:
        """Parents of every variable in the best network."""
        found: list[tuple[int, ...]] = [()] * len(self.parent_sets.sets)
        for child, number in self._fixed:
            found[child] = self.parent_sets.sets[child][number]
        for part in self._parts:
            for vertex, row in enumerate(part.choice.tolist()):
                child = int(part.lists.variables[vertex])
                found[child] = self.parent_sets.sets[child][int(part.lists.origins[row])]
        return found

    def run(self, watch: Watch, show: bool | None) -> bool:
        """Work on the part with the widest gap, again and again; returns whether the user interrupted it."""
        with _gap_closed(show) as closed:
            try:
                while not watch.stop_searching(
                    self.score, self.upper_bound, self.parent_sets.n_evaluated, self.n_steps
                ):
                    closed(self.score, self.upper_bound)
                    waiting = [part for part in self._parts if not part.finished]
                    if not waiting:
                        return False
                    max(waiting, key=lambda part: part.upper_bound - part.score).advance(watch.left())
            except KeyboardInterrupt:
                return True
        return False


def _search(lists: SetLists, method: str, bottom_every: int, random_state: np.random.RandomState) -> PartSearch:
    if method == "branch-and-bound":
        return BranchAndBound(lists, random_state, bottom_every)
    if method == "dynamic-programming" or (method == "auto" and len(lists) <= _FEW_VARIABLES):
        return SubsetSearch(lists, random_state)
    return ClusterProgram(lists, random_state)


@contextmanager
def _gap_closed(show: bool | None) -> Iterator[Callable[[float, float], None]]:
    """Progress as the share of the first gap that is closed."""
    first, done = [math.nan], [0]
    with progress("closing the gap to the upper bound", _TICKS, show=show) as advance:

        def closed(score: float, upper_bound: float) -> None:
            gap = upper_bound - score
            if not math.isfinite(gap):
                return
            first[0] = gap if math.isnan(first[0]) else first[0]
            ticks = int(_TICKS * (1.0 - gap / first[0])) if first[0] > 0 else _TICKS
            advance(max(0, ticks - done[0]))
            done[0] = max(done[0], ticks)

        yield closed


def best_structure(
    scores: FamilyScores, limits: Sequence[ParentLimits], names: Sequence, *, method: str, bottom_every: int,
    random_state: np.random.RandomState, watch: Watch, show: bool | None,
) -> tuple[StructureSearch, bool]:  # fmt: skip
    """The search for the best network within the limits, run until it may stop, and whether the user interrupted it."""
    builder, done = ParentSetBuilder(scores, limits), [0]
    with progress("scoring parent sets", builder.n_possible, show=show) as advance:

        def stop(n_evaluated: int) -> bool:
            advance(n_evaluated - done[0])
            done[0] = n_evaluated
            return watch.stop_scoring(n_evaluated)

        parent_sets = builder.build(stop)
    _check_feasible(parent_sets, names)
    search = StructureSearch(parent_sets, method, bottom_every, random_state)
    interrupted = parent_sets.interrupted or search.run(watch, show)
    if not math.isfinite(search.score):
        raise ValueError(
            "no acyclic network obeys the rules; loosen them" if search.optimal else
            "no network that obeys the rules was found in time; give a longer time_limit, or looser rules"
        )  # fmt: skip
    return search, interrupted


def _check_feasible(parent_sets: ParentSets, names: Sequence) -> None:
    """An error that names a variable without parent sets."""
    for child, own in enumerate(parent_sets.sets):
        if own:
            continue
        if parent_sets.open_bounds[child] > -math.inf:
            raise ValueError(
                f"time ran out before any parents of {names[child]!r} that obey the rules were scored; "
                f"give a longer time_limit or smaller max_parents"
            )
        raise ValueError(f"no parents of {names[child]!r} obey the rules; loosen those about {names[child]!r}")
