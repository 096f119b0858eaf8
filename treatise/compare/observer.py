"""What a comparison tells whoever watches it. The base class watches in silence."""

from collections.abc import Sequence
from typing import Self

from treatise.compare.candidates import Candidate
from treatise.report.record import DataRecord, Failure, LeaderboardEntry, Metric


class Observer:
    """Override what you want to hear of. As a context, it is open while the comparison runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def streaming(self, sentence: str) -> None:
        """The table is too large for the memory; the sentence says so and what is done. Its reading begins."""

    def understood(self, data: DataRecord, metric: Metric) -> None:
        """The data were read and the task is known; nothing has run yet."""

    def planned(self, candidates: list[Candidate], failures: Sequence[Failure], resumed: int) -> None:
        """The methods that take part, those that cannot, and the folds taken over from an earlier run."""

    def fold_done(
        self, label: str, score: float, board: Sequence[LeaderboardEntry], elapsed: float, left: float
    ) -> None:
        """A fold is done; ``left`` estimates the seconds until the end."""

    def failed(self, failure: Failure) -> None:
        """A method was given up, with the reason."""

    def finishing(self, label: str) -> None:
        """The winner is being fitted on the whole table."""
