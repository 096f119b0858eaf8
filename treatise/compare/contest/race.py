"""Who runs next: everybody is looked at, the field narrows, and a handful is tuned on ten folds or more.

The race sees nothing but candidates, the size of the data, records and merits; it has no clock of its own and starts
nothing. Whoever wants another order of folds replaces this class.

Looks come in rounds: the first at a sample of the rows for every method; the next ones, at other folds or at more rows,
for those that are not yet behind the best beyond doubt. Near copies of a method share its place. Then contenders, the
best places first, get folds in turn, each in as many rows and with as long a search as let them all have ten. When they
have, whoever is open is looked at on the folds that are left, since a method seen on a part of the rows can seldom be
told from the winner, and on those of the repeats that contenders have; then the next in line follow; then those who
are behind are looked at on the rest of the rows; in the end more repeats.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from treatise.catalog import FORMS
from treatise.compare.candidates import Candidate
from treatise.compare.contest.evidence import Evidence, Place
from treatise.compare.contest.fold import MOST_JUDGED, Turn
from treatise.compare.inputs import Size
from treatise.report.record import FoldRecord

LOOK_ROWS = 2000
ROWS_GROW = 8
JUDGED_ENOUGH = 10_000
"""Rows that looks are judged on: as many folds of the first size as give so many."""
PLACES, FEWEST = 6, 3
"""Places that contend, as far as methods are worth it, and how many do in any case."""
FOLDS_WANTED = 10
# Shares of the processor time that the budget grants: one look, one at a baseline where that is less than some seconds,
# since no answer should miss the forest because its trees are slow to grow, and all looks after the first round.
LOOK_SHARE = 0.015
BASELINE_SHARE, BASELINE_SECONDS = 0.05, 5.0
LOOKS_SHARE = 0.3
RACE_SHARE, PACE_SHARE, LATE_SHARE = 0.8, 0.9, 0.5
"""Of the time left: what contenders' folds are planned to take, what the search must not carry them beyond, and what
those of one that joins them late may take: nothing after it would make room if they took longer."""
DECIDING_SHARE = 0.25
"""Of the time left to contenders: what they leave at most to looks at the others, on rows not seen so far."""
LEAST_LOOK = 0.5
LONGEST_SEARCH = 30.0
"""The search for parameters takes at most so many times as long as a fit."""
HEAVY = 3.0
"""A contender's fold may cost so many times an equal share; beyond that it is fitted with fewer rows."""
DROPPING_LEVEL = 0.01
"""Of the tests that narrow the field; those of the verdict come at the end, with all rows."""
INTERIM_ROWS = 4000
NEWS = 0.25
"""The field is judged anew when so large a part of it has been looked at since."""
SHORTEST_SEARCH = 2.0


@dataclass(frozen=True)
class Course:
    """What the race is run over: the size of the data, folds of a repeat, repeats, processors, budget, margin.

    ``made_for_it`` names the methods that use what these data have and others have not, such as an order of classes.
    """

    size: Size
    k: int
    repeats: int
    jobs: int
    budget: float
    margin: float
    made_for_it: frozenset[str] = frozenset()

    @property
    def training_rows(self) -> int:
        """Rows that are not held out in a fold."""
        return self.size.rows * (self.k - 1) // self.k

    @property
    def repeats_wanted(self) -> int:
        """Repeats in which a contender has its folds."""
        return max(1, min(self.repeats, math.ceil(FOLDS_WANTED / self.k)))

    @property
    def looks(self) -> list[Place]:
        """The rounds of looks, in order."""
        if self.training_rows <= 2 * LOOK_ROWS:
            return [("look", 0, repeat, fold) for repeat in range(self.repeats_wanted) for fold in range(self.k)]
        judged = min(MOST_JUDGED, self.size.rows // self.k)
        folds = min(self.k, math.ceil(JUDGED_ENOUGH / judged))
        rounds: list[Place] = [("look", LOOK_ROWS, 0, fold) for fold in range(folds)]
        rows = LOOK_ROWS * ROWS_GROW
        while rows <= self.training_rows / 2:
            rounds.append(("look", rows, 0, 0))
            rows *= ROWS_GROW
        return rounds


class Race:
    """The order of turns, as records come in."""

    def __init__(self, field: Sequence[Candidate], course: Course, evidence: Evidence) -> None:
        self.field = {candidate.key: candidate for candidate in field}
        self.course, self.evidence = course, evidence
        self.looks = course.looks
        self.records: dict[str, list[FoldRecord]] = {key: [] for key in self.field}
        self.copy_of: dict[str, str] = {}
        self._running: Counter[tuple[str, Place]] = Counter()
        self._out: set[str] = set()
        self._worse: set[str] = set()
        self._contenders: list[str] = []
        self._lined_up_at: tuple[int, ...] = ()
        self.search = 0.0
        self._longest_fit = 0.0
        self._deciding = False
        self._judged_at: tuple[int, ...] = ()
        self._ranking: list[str] = []
        self._rows: dict[str, int | None] = {}

    # ------------------------------------------------------------------ hearing

    def saw(self, record: FoldRecord) -> None:
        """Hear of a fold that is done; its merits are in the evidence."""
        self.records.setdefault(record.key, []).append(record)

    def began(self, turn: Turn) -> None:
        """Hear that a turn has been taken."""
        self._running[turn.key, turn.place] += 1

    def ended(self, turn: Turn) -> None:
        """Hear that it is over, however it ended."""
        self._running[turn.key, turn.place] -= 1
        self._running += Counter()

    def gave_up(self, key: str) -> None:
        """Hear that a method takes no further part."""
        self._out.add(key)

    @property
    def idle(self) -> bool:
        """Whether no turn is being taken."""
        return not self._running

    # ------------------------------------------------------------------ choosing

    def next(self, left: float) -> Turn | None:
        """The next turn, with ``left`` seconds of each processor for folds; None where there is none to give now."""
        if left <= 0:
            return None
        turn = self._first_look() or (None if self._contended else self._further_look(left))
        if turn is not None:
            return turn
        self._judge_looks(now=not self._deciding)
        if not self._deciding and len(self.line()) < PLACES and any(place[0] == "look" for _, place in self._running):
            return None  # too few are known to choose among them; a look takes little
        if self._lined_up_at != self._judged_at:
            self._line_up(left)
        return self._contention(left)

    def _alive(self) -> list[str]:
        return [key for key in self.field if key not in self._out]

    def _depth(self, key: str) -> int:
        """Rounds of looks that a method has had."""
        return sum(self.evidence.has(key, place) for place in self.looks)

    def _look(self, key: str, place: Place) -> Turn:
        granted = self.course.budget * self.course.jobs
        seconds = max(LEAST_LOOK, LOOK_SHARE * granted)
        if self.field[key].paper is None:
            seconds = max(seconds, min(BASELINE_SHARE * granted, BASELINE_SECONDS))
        _, rows, repeat, fold = place
        return Turn(key, "look", repeat, fold, rows or None, 0.0, seconds)

    def _first_look(self) -> Turn | None:
        """Baselines first, in the order in which a practitioner would try them, what suits the data, the cheapest."""
        first = self.looks[0]
        waiting = [k for k in self._alive() if not self.evidence.has(k, first) and not self._running[k, first]]
        if not waiting:
            return None
        order = list(self.field)

        def promise(key: str) -> tuple[int, float]:
            candidate = self.field[key]
            if candidate.paper is None:
                return 0, order.index(key)
            seconds = candidate.compare.seconds.at(min(self.course.size.rows, LOOK_ROWS), *self.course.size[1:])
            return 1 if key in self.course.made_for_it else 2, seconds

        return self._look(min(waiting, key=promise), first)

    def _further_look(self, left: float) -> Turn | None:
        """One of those that narrow the field, as long as they have taken no more than their share."""
        spent = sum(record.seconds for records in self.records.values() for record in records)
        granted = LOOKS_SHARE * (spent + left * self.course.jobs)
        self._judge_looks()
        for place, key in self._looks_to_come(set(self._alive()) - self._worse):
            cost = self.expected(key, place[1] or self.course.training_rows)
            look = self._look(key, place)
            if spent + cost <= granted and cost <= look.seconds:
                return look
        return None

    def _deciding_look(self, left: float, *, behind: bool = False) -> Turn | None:
        """A look at whoever does not contend, on rows that it was not yet seen on."""
        for cost, look in self._deciding_looks(self._contended, behind=behind):
            if cost <= left:
                self._deciding = True
                return look
        return None

    def _deciding_looks(self, apart: Sequence[str], *, behind: bool = False) -> list[tuple[float, Turn]]:
        """Looks at rows of the first size that are left to take, with their costs, of everybody but some.

        The cheapest come first, since each of them tells one more method from the winner for the least time; further
        repeats when every row has been held out once; near copies of another last. Those who seem ``behind`` beyond
        doubt are asked for apart, and once on every row: the verdict tells nearly all of them by what was seen.
        """
        found: list[tuple[bool, int, float, str, Turn]] = []
        for key in {key for key in self._alive() if (key in self._worse) == behind} - set(apart):
            cost = self.expected(key, self.looks[0][1] or self.course.training_rows)
            for place in self.looks if self._depth(key) else ():
                look = self._look(key, place)
                unseen = not self.evidence.has(key, place) and not self._running[key, place]
                wanted = place[1] <= LOOK_ROWS and not (behind and place[2])
                if unseen and wanted and cost <= look.seconds:
                    found.append((key in self.copy_of, place[2], cost, key, look))
        return [(cost, look) for _, _, cost, _, look in sorted(found, key=lambda each: each[:4])]

    def _kept_for_looks(self, left: float, apart: Sequence[str]) -> float:
        """Processor seconds that contenders leave to the looks that decide about the others."""
        wanted = [
            cost for cost, look in self._deciding_looks(apart) if look.key not in self.copy_of and not look.repeat
        ]
        return min(sum(wanted), DECIDING_SHARE * left * self.course.jobs)

    def _looks_to_come(self, keys: Set[str]) -> Iterator[tuple[Place, str]]:
        """Where and which of some methods: the least looked at first, the better ones before the others."""
        for depth, place in enumerate(self.looks):
            if depth == 0 or place[2] > 0:
                continue
            ready = [key for key in keys if self._depth(key) == depth and not self._running[key, place]]
            if place[1] > LOOK_ROWS:
                # More rows cost more: those of the better half alone.
                ready = [key for key in ready if key in self._ranking[: max(PLACES, len(self.field) // 2)]]
            for key in sorted(ready, key=lambda key: (self._place_in_line(key), key)):
                yield place, key

    def _judge_looks(self, *, now: bool = False) -> None:
        """Who is behind beyond doubt, once looks have brought enough news, or any where it is asked for now."""
        counts = tuple(len(self.evidence.at(place)) for place in self.looks)
        news = sum(counts) - sum(self._judged_at)
        if news == 0 or not (now or news >= NEWS * len(self.field)):
            return
        self._judged_at = counts
        self._ranking = self._rank()
        for depth in range(1, len(self.looks) + 1):
            places = self.looks[:depth]
            keys = self.evidence.at_all(places)
            if len(keys) < 2:
                return
            found = self.evidence.compared(
                keys, places, self.margin(keys, places), DROPPING_LEVEL, most_rows=INTERIM_ROWS
            )
            if found is not None:
                self._worse |= {key for key, standing in zip(keys, found.standing) if standing == "worse"}

    def margin(self, keys: Sequence[str], places: Sequence[Place], evidence: Evidence | None = None) -> float:
        """What does not matter: a share of the way from guessing to the best, in the unit of the merits."""
        means = {key: (evidence or self.evidence).mean(key, places) for key in keys}
        guesses = [means[key] for key in keys if key in self.field and self.field[key].form == "constant"] or [
            min(means.values())
        ]
        return self.course.margin * max(0.0, max(means.values()) - max(guesses))

    def _place_in_line(self, key: str) -> int:
        return self._ranking.index(key) if key in self._ranking else len(self._ranking)

    def _rank(self) -> list[str]:
        """Those looked at, best first."""
        leads: dict[str, float] = {}
        for size in sorted({place[1] for place in self.looks}):
            # Of who was looked at with more rows, those looks count.
            leads |= self.evidence.leads([place for place in self.looks if place[1] == size])
        return sorted(leads, key=lambda key: (-leads[key], key))

    # ------------------------------------------------------------------ contending

    def expected(self, key: str, rows: int) -> float:
        """Processor seconds of a fit and its predictions, from what was seen and the catalogue's exponent."""
        seen = self.records[key]
        # What is tuned may take longer than it did as it comes.
        return self._expected_from(key, [record for record in seen if record.stage == "fold"] or seen, rows)

    def _expected_from(self, key: str, seen: Sequence[FoldRecord], rows: int) -> float:
        if not seen:
            return self.field[key].compare.seconds.at(rows, *self.course.size[1:])
        last = max(seen, key=lambda record: record.rows)
        same = [r.fit_seconds + r.predict_seconds for r in seen if r.rows == last.rows]
        return sum(same) / len(same) * (rows / max(1, last.rows)) ** min(3.0, self.field[key].compare.seconds.n)

    def _fold_rows(self, key: str) -> int | None:
        """Rows of a contender's folds, the same for all of them; None for all rows."""
        if key not in self._rows:
            self._rows[key] = self.rows_for(key, self._longest_fit)
        return self._rows[key]

    def search_for(self, key: str, rows: int | None) -> float:
        """Processor seconds that the search for a method's parameters has before a fit with so many rows."""
        if not self.field[key].compare.search:
            return 0.0
        expected = self.expected(key, rows or self.course.training_rows)
        return min(self.search, max(SHORTEST_SEARCH, LONGEST_SEARCH * expected))

    def rows_for(self, key: str, seconds: float, most: int | None = None) -> int | None:
        """Rows that a fit may have to take so many seconds; None for all, which ``most`` counts."""
        most = self.course.training_rows if most is None else most
        if self.expected(key, most) <= seconds:
            return None
        power = max(0.5, min(3.0, self.field[key].compare.seconds.n))
        return max(min(most, LOOK_ROWS), int(most * (seconds / self.expected(key, most)) ** (1.0 / power)))

    def _line_up(self, left: float) -> None:
        """Choose the contenders, and how long their folds may take; whoever has folds already stays."""
        self._lined_up_at = self._judged_at
        first = [k for k in self._ranking if k not in self._out and self.evidence.has(k, self.looks[0])]
        self.copy_of = self.evidence.copies(first, self.looks[:1])
        line = self.line()
        kept = self._kept_for_looks(left, [*self._contended, *line[:PLACES]])
        granted = RACE_SHARE * (left * self.course.jobs - kept)
        places = min(PLACES, max(2, len(line)))
        # None may take more than half of the time, however few they are.
        self._longest_fit = min(HEAVY / places, 0.5) * granted / FOLDS_WANTED
        guesses = [key for key in self._alive() if self.field[key].form == "constant"]
        chosen = [key for key in self._contended if key not in guesses]
        cost = sum(self._missing(key, self.course.repeats_wanted) * self._fold_cost(key) for key in chosen)
        for key in (key for key in line if key not in chosen):
            more = FOLDS_WANTED * self._fold_cost(key)
            if len(chosen) >= 2 and (cost + more > granted or len(chosen) >= PLACES):
                break
            cost += more
            chosen.append(key)
        self._contenders = [*guesses, *chosen]
        self.search = max(0.0, granted - cost) / (FOLDS_WANTED * max(PLACES // 2, len(chosen)))

    def _fold_cost(self, key: str) -> float:
        """Processor seconds of a contender's fold, without the search for its parameters."""
        return self.expected(key, self._fold_rows(key) or self.course.training_rows)

    def line(self) -> list[str]:
        """Who may contend, in order: those not behind beyond doubt, and the few best in any case.

        Looks are at the defaults: one that is behind there may lead once it is tuned, and adds to a blend.
        Of near copies the best comes in its place, with the simplest of them beside it where that is simpler; the
        others come after everybody else.
        """
        able = [k for k in self._ranking if k not in self._out and self.field[k].form != "constant"]
        hopeful = [key for place, key in enumerate(able) if place < FEWEST or key not in self._worse]
        first: list[str] = []
        for key in (key for key in hopeful if key not in self.copy_of):
            place = [key, *(copy for copy in hopeful if self.copy_of.get(copy) == key)]
            first += dict.fromkeys([key, min(place, key=self._simplicity)])
        return first + [key for key in hopeful if key not in first]

    def _simplicity(self, key: str) -> tuple[int, float]:
        return FORMS.index(self.field[key].form), self.expected(key, self.course.training_rows)

    def _contention(self, left: float) -> Turn | None:
        repeats = self.course.repeats_wanted
        self._keep_pace(repeats, left)
        turn = self._fold_among(self._contenders, repeats, left) or self._deciding_look(left)
        if turn is None:
            for key in self.line():
                # One that could not have all its folds would leave nothing but a mean of easy ones; some take longer
                # than expected.
                if key not in self._contenders and self._whole_cost(key) <= LATE_SHARE * left * self.course.jobs:
                    self._contenders.append(key)
                    turn = self._fold_among([key], repeats, left)
                    if turn is not None:
                        return turn
        turn = turn or self._deciding_look(left, behind=True)
        return turn or self._fold_among(self._contenders, self.course.repeats, left)

    def _keep_pace(self, repeats: int, left: float) -> None:
        """Search for less long where folds took more than was expected, so that all contenders still have theirs."""
        missing = {key: self._missing(key, repeats) for key in self._contenders if key not in self._out}
        fits = sum(count * self._fold_cost(key) for key, count in missing.items())
        searches = sum(count for key, count in missing.items() if self.field[key].compare.search)
        if searches:
            folds = PACE_SHARE * (left * self.course.jobs - self._kept_for_looks(left, self._contenders))
            # The last folds leave processors idle: those that search cannot have what these would have had.
            idle = -searches % self.course.jobs
            self.search = min(self.search, max(0.0, folds - fits) / (searches + idle))

    def _missing(self, key: str, repeats: int) -> int:
        """Folds of so many repeats that a method has not had and is not at."""
        running = sum(1 for name, place in self._running if name == key and place[0] == "fold")
        return max(0, repeats * self.course.k - len(self.evidence.places(key, "fold")) - running)

    def _whole_cost(self, key: str) -> float:
        """Processor seconds of the folds that a contender should have."""
        turn = self._next_fold(key, 1)
        return 0.0 if turn is None else FOLDS_WANTED * (turn.tuning + self._slowdown * self._expected_of(turn))

    @property
    def _slowdown(self) -> float:
        """How many times as long as their looks let expect the fits of contenders take, which are tuned."""
        ratios = []
        for key in filter(self._has_folds, self.records):
            looks = [record for record in self.records[key] if record.stage == "look"]
            for record in self.records[key] if looks else ():
                if record.stage == "fold":
                    taken = record.fit_seconds + record.predict_seconds
                    ratios.append(taken / max(1e-9, self._expected_from(key, looks, record.rows)))
        return max(1.0, statistics.median(ratios)) if ratios else 1.0

    def _expected_of(self, turn: Turn) -> float:
        return self.expected(turn.key, turn.rows or self.course.training_rows)

    def _fold_among(self, keys: Sequence[str], repeats: int, left: float) -> Turn | None:
        """The next fold of whoever has the fewest, the better ones first."""
        waiting = []
        for rank, key in enumerate(keys):
            if key in self._out:
                continue
            turn = self._next_fold(key, repeats)
            if turn is not None and self._expected_of(turn) + turn.tuning <= left:
                waiting.append((turn.repeat, turn.fold, rank, turn))
        return min(waiting, key=lambda each: each[:3])[3] if waiting else None

    def _next_fold(self, key: str, repeats: int) -> Turn | None:
        rows = self._fold_rows(key)
        expected = self.expected(key, rows or self.course.training_rows)
        tuning = self.search_for(key, rows)
        for repeat in range(repeats):
            for fold in range(self.course.k):
                turn = Turn(key, "fold", repeat, fold, rows, tuning, tuning + 5.0 * expected + 2.0)
                if not self.evidence.has(key, turn.place) and not self._running[key, turn.place]:
                    return turn
        return None

    @property
    def _contended(self) -> list[str]:
        """Those with folds of their own, done or running."""
        running = {key for key, place in self._running if place[0] == "fold"}
        return [key for key in self.records if key in running or self.evidence.places(key, "fold")]

    def _has_folds(self, key: str) -> bool:
        """Whether a method, unlike guessing, which is over in no time, was judged on a fold."""
        return self.field[key].form != "constant" and bool(self.evidence.places(key, "fold"))

    @property
    def leader(self) -> str | None:
        """The best method so far, of those with folds if there are any."""
        with_folds = [key for key in self._alive() if self._has_folds(key)]
        if with_folds:
            return max(with_folds, key=lambda key: self.evidence.mean(key, self.evidence.places(key, "fold")))
        return next(iter(self.line()), None)
