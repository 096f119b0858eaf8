"""What the held-out rows say of the methods: merits row by row, compared where methods were judged on the same rows."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from treatise.report.record import FoldRecord
from treatise.theory import ComparisonsWithBest, comparisons_with_best

Place = tuple[str, int, int, int]
"""Stage, rows of a look's sample (0 for all), repeat, fold: who is judged at one place is judged on the same rows."""


ENLARGEMENT = 1.25
"""Of the variance of a difference, for what other training rows would have changed; chosen by ``python -m benchmarks
verdict``, where equal trees are told apart too often without it."""
COPIES_SHARE = 0.1
"""Near copies: the squares of the differences of their merits are less than this share of what the merits vary by."""


def place_of(record: FoldRecord) -> Place:
    """Where a fold was judged."""
    return record.stage, record.sample, record.repeat, record.fold


@dataclass
class Evidence:
    """Merits of methods by place; ``units`` numbers the rows that depend on each other, if some do."""

    units: np.ndarray | None = None
    _numbers: dict[Place, np.ndarray] = field(default_factory=dict)
    _merits: dict[Place, dict[str, np.ndarray]] = field(default_factory=dict)
    _sums: dict[tuple[Place, str], tuple[float, int]] = field(default_factory=dict)

    def add(self, key: str, place: Place, numbers: np.ndarray, merits: np.ndarray) -> None:
        """Keep what a method was worth on each held-out row of a place."""
        self._numbers.setdefault(place, numbers)
        self._merits.setdefault(place, {})[key] = merits
        self._sums[place, key] = float(merits.sum()), len(merits)

    def with_folds(self) -> "Evidence":
        """The same evidence, in which looks at all rows show contenders as they were, tuned, on the same held-out rows.

        Those who were only looked at can then be compared with the winner itself, and not with what it was as it comes.
        """
        shown = Evidence(self.units, dict(self._numbers), {p: dict(found) for p, found in self._merits.items()})
        shown._sums = dict(self._sums)
        for (stage, _, repeat, fold), found in self._merits.items():
            look: Place = ("look", 0, repeat, fold)
            if stage == "fold" and look in self._merits:
                for key, merits in found.items():
                    shown.add(key, look, self._numbers[look], merits)
        return shown

    def has(self, key: str, place: Place) -> bool:
        """Whether a method was judged at a place."""
        return key in self._merits.get(place, {})

    def places(self, key: str, stage: str) -> list[Place]:
        """Where a method was judged, in order."""
        return sorted(place for place, found in self._merits.items() if place[0] == stage and key in found)

    def common(self, keys: Iterable[str], stage: str) -> list[Place]:
        """Where all of these were judged."""
        wanted = set(keys)
        return sorted(place for place, found in self._merits.items() if place[0] == stage and wanted <= found.keys())

    def at(self, place: Place) -> set[str]:
        """Who was judged at a place."""
        return set(self._merits.get(place, {}))

    def at_all(self, places: Sequence[Place]) -> list[str]:
        """Who was judged at every one of some places, by name."""
        return sorted(set.intersection(*map(self.at, places)))

    def mean(self, key: str, places: Sequence[Place]) -> float:
        """Mean merit over the rows of some places."""
        sums = [self._sums[place, key] for place in places]
        return sum(total for total, _ in sums) / sum(count for _, count in sums)

    def leads(self, places: Sequence[Place]) -> dict[str, float]:
        """How far each method that was judged at some of these places is ahead of the best of them: at most zero.

        Not all were judged at all of them. What a method is worth and what rows are easy are told apart by least
        squares, since alone at a place, or among few, anybody would lead.
        """
        cells = [(key, place) for place in places for key in sorted(self.at(place))]
        keys = sorted({key for key, _ in cells})
        if not keys:
            return {}
        columns = {each: i for i, each in enumerate([*keys, *places])}
        design = np.zeros((len(cells), len(columns)))
        for row, cell in enumerate(cells):
            design[row, [columns[each] for each in cell]] = 1.0
        worth = np.linalg.lstsq(design, np.array([self.mean(key, [place]) for key, place in cells]))[0][: len(keys)]
        return {key: float(value) for key, value in zip(keys, worth - worth.max())}

    def matrix(self, keys: Sequence[str], places: Sequence[Place]) -> tuple[np.ndarray, np.ndarray]:
        """Merits with a column for each method, and the unit of each row."""
        merits = np.concatenate([np.column_stack([self._merits[p][key] for key in keys]) for p in places])
        numbers = np.concatenate([self._numbers[place] for place in places])
        return merits, numbers if self.units is None else self.units[numbers]

    def compared(
        self, keys: Sequence[str], places: Sequence[Place], margin: float, level: float, *,
        asked: Collection[str] | None = None, most_rows: int | None = None,
    ) -> ComparisonsWithBest | None:  # fmt: skip
        """How far each, or each of those asked about, is behind the best of these; None where rows are too few to tell.

        A row that was judged in several repeats counts once, with the mean of its merits.
        """
        merits, units = self.matrix(keys, places)
        if most_rows is not None and len(merits) > most_rows:
            chosen = np.random.default_rng(0).permutation(len(merits))[:most_rows]
            merits, units = merits[chosen], units[chosen]
        if len(np.unique(units)) < 2:
            return None
        return comparisons_with_best(
            merits, margin=margin, level=level, groups=units, enlargement=ENLARGEMENT,
            asked=None if asked is None else np.array([key in asked for key in keys]),
            n_draws=1000 if most_rows is not None else 4000,
        )  # fmt: skip

    def copies(self, ranked: Sequence[str], places: Sequence[Place]) -> dict[str, str]:
        """Near copies of a method that ranks before them, and which that is; ``places`` are common to all."""
        if not ranked:
            return {}
        merits, _ = self.matrix(ranked, places)
        variance = merits.var(axis=0)
        squares = np.square(merits).mean(axis=0)
        apart = squares[:, None] + squares[None, :] - 2.0 * (merits.T @ merits) / len(merits)
        # Methods that err nowhere do not vary, and are copies of each other; rounding leaves a little of their squares.
        rounding = 1e-12 * (squares[:, None] + squares[None, :])
        alike = apart <= COPIES_SHARE * (variance[:, None] + variance[None, :]) + rounding
        found: dict[str, str] = {}
        for i, key in enumerate(ranked):
            first = next((j for j in range(i) if alike[i, j] and ranked[j] not in found), None)
            if first is not None:
                found[key] = ranked[first]
        return found
