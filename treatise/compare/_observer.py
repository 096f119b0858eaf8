"""What a comparison tells whoever watches it. The base class watches in silence."""

from typing import Any, Self

from treatise.compare._candidates import Candidate
from treatise.compare._metrics import Metric
from treatise.compare._problem import Problem


class Observer:
    """Override what you want to hear of. As a context, it is open while the comparison runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def streaming(self, sentence: str) -> None:
        """The table is too large for the memory; the sentence says so and what is done. Its reading begins."""

    def understood(self, problem: Problem, metric: Metric) -> None:
        """The table was read and its task is known; nothing has run yet."""

    def planned(self, candidates: list[Candidate], failures: list[dict[str, Any]], resumed: int) -> None:
        """The methods that take part, those that cannot, and the folds taken over from an earlier run."""

    def fold_done(self, label: str, score: float, board: list[dict[str, Any]], elapsed: float, left: float) -> None:
        """A fold is done; ``left`` estimates the seconds until the end."""

    def failed(self, failure: dict[str, Any]) -> None:
        """A method was given up, with the reason."""

    def finishing(self, label: str) -> None:
        """The winner is being fitted on the whole table."""
