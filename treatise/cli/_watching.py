"""Following a comparison: a live table on a terminal, plain lines in a pipe."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from treatise.cli._console import STANDING_STYLES, counted, interval, printable, remark
from treatise.cli._outcome import in_sight
from treatise.compare import Candidate, Observer
from treatise.report import DataRecord, Failure, LeaderboardEntry, Metric

CLASSES_SHOWN = 12


class Lines(Observer):
    """One plain line for each event."""

    def __init__(self) -> None:
        self._done: Counter[str] = Counter()

    def streaming(self, sentence: str) -> None:
        remark(sentence)

    def understood(self, data: DataRecord, metric: Metric) -> None:
        for line in _introduction(data, metric):
            remark(line)

    def planned(self, candidates: list[Candidate], failures: Sequence[Failure], resumed: int) -> None:
        remark(_plan(candidates, resumed))

    def fold_done(
        self, label: str, score: float, board: Sequence[LeaderboardEntry], elapsed: float, left: float
    ) -> None:
        # A board shows a method by its looks or by its folds; here all are counted, those of earlier sittings too.
        shown = next(entry.folds for entry in board if entry.label == label)
        self._done[label] = max(self._done[label] + 1, shown)
        standing = f"leader: {board[0].label} {board[0].score:.4f}; about {max(0.0, left):.0f} s left"
        remark(f"{elapsed:6.1f} s  {label}  fold {self._done[label]}  {score:.4f}  ({standing})")

    def failed(self, failure: Failure) -> None:
        remark(f"given up: {failure.label}: {failure.reason}")

    def finishing(self, label: str) -> None:
        remark(f"the last fit: {label}")


class LiveTable(Observer):
    """The leaderboard on the terminal as it forms."""

    def __enter__(self) -> Self:
        self._console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        self._names: list[str] = []
        self._given_up: dict[str, str] = {}  # by label: what kind of failure
        self._board: Sequence[LeaderboardEntry] = ()
        self._status = "comparing"
        self._ends: float | None = None
        self._live = Live(console=self._console, get_renderable=self._draw, refresh_per_second=4, transient=True)
        return self

    def __exit__(self, *error: object) -> None:
        if self._live.is_started:
            self._live.stop()

    def streaming(self, sentence: str) -> None:
        self._console.print(printable(sentence))

    def understood(self, data: DataRecord, metric: Metric) -> None:
        for line in _introduction(data, metric):
            self._console.print(printable(line))

    def planned(self, candidates: list[Candidate], failures: Sequence[Failure], resumed: int) -> None:
        self._console.print(_plan(candidates, resumed))
        self._names = [candidate.label for candidate in candidates]
        self._live.start()

    def fold_done(
        self, label: str, score: float, board: Sequence[LeaderboardEntry], elapsed: float, left: float
    ) -> None:
        self._board, self._ends = board, time.monotonic() + left

    def failed(self, failure: Failure) -> None:
        self._given_up[failure.label] = failure.kind

    def finishing(self, label: str) -> None:
        self._status = f"the last fit: {label}"

    def _draw(self) -> Table:
        left = "" if self._ends is None else f", about {max(0.0, self._ends - time.monotonic()):.0f} s left"
        table = Table(title=self._status + left, title_justify="left", box=None)
        for heading in ("method", "folds", "score", "95 % interval", "fit s", "standing"):
            table.add_column(heading, justify="left" if heading in ("method", "standing") else "right")
        shown = in_sight(self._board)
        for entry in shown:
            numbers = (str(entry.folds), f"{entry.score:.4f}", interval(entry.low, entry.high))
            standing = "given up" if entry.label in self._given_up else entry.standing
            label = f"{entry.label} (baseline)" if entry.baseline else entry.label
            cells = (label, *numbers, f"{entry.fit_seconds:.3f}", standing)
            table.add_row(*(Text(cell) for cell in cells), style=STANDING_STYLES.get(entry.standing, ""))
        table.caption, table.caption_justify = self._rest(len(shown)), "left"
        return table

    def _rest(self, shown: int) -> str:
        """What the rows do not say: how many more there are, wait or were given up."""
        done = {entry.label for entry in self._board}
        waiting = sum(name not in done and name not in self._given_up for name in self._names)
        parts = [f"{len(self._board) - shown} more"] if len(self._board) > shown else []
        parts += [f"{waiting} waiting"] if waiting else []
        kinds = Counter(self._given_up.values())
        if kinds:
            parts.append(f"given up: {', '.join(f'{count} ({kind})' for kind, count in kinds.most_common())}")
        return "; ".join(parts)


def _introduction(data: DataRecord, metric: Metric) -> list[str]:
    """What was understood of the data, in lines."""
    lines = [f"{data.name}: {data.size}", f"{data.question}, judged by {metric.label}"]
    if data.classes:
        shown = [f"{label} ({count})" for label, count in zip(data.classes, data.counts)]
        more = f" and {len(shown) - CLASSES_SHOWN} more" if len(shown) > CLASSES_SHOWN else ""
        lines.append(f"classes: {', '.join(shown[:CLASSES_SHOWN])}{more}")
    lines += [f"column {drop.column!r} is left out: it {drop.reason}" for drop in data.dropped]
    return lines + [f"note: {note}" for note in data.notes]


def _plan(candidates: list[Candidate], resumed: int) -> str:
    again = f"; going on after {counted(resumed, 'fold')} of an earlier run" if resumed else ""
    return f"{counted(len(candidates), 'method')} to compare{again}"
