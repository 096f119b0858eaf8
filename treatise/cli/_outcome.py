"""A leaderboard and its failures in few lines: what a person looks for first."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treatise.report import Failure, LeaderboardEntry

ROWS = 10
BASELINES = 5
NAMES = 5
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def in_sight(board: "Sequence[LeaderboardEntry]", rows: int = ROWS) -> "list[LeaderboardEntry]":
    """The best of a board that is sorted, with the best baselines among them even where others are ahead.

    Ten rows at most: the last of the best make room for baselines that stand further down.
    """
    below = [entry for entry in board[rows:] if entry.baseline]
    ahead = sum(entry.baseline for entry in board[:rows])
    wanted = min(len(below), max(0, BASELINES - ahead))
    if not wanted:
        return list(board[:rows])
    top = [entry for place, entry in enumerate(board[:rows]) if entry.baseline or place < rows - wanted]
    return [*top, *below[: rows - len(top)]]


def by_reason(failures: "Sequence[Failure]") -> list[str]:
    """A line for each reason, with the methods that it stopped; reasons that differ in numbers alone are one."""
    alike: dict[tuple[str, ...], list[Failure]] = {}
    for failure in failures:
        alike.setdefault((failure.kind, *_NUMBER.split(failure.reason)), []).append(failure)
    return [_line(group) for group in sorted(alike.values(), key=len, reverse=True)]


def _line(group: "list[Failure]") -> str:
    labels = list(dict.fromkeys(failure.label for failure in group))
    more = f" and {len(labels) - NAMES} more" if len(labels) > NAMES else ""
    named = ", ".join(labels[:NAMES]) + more
    if len(group) == 1:
        return f"{named} ({group[0].kind}): {group[0].reason}"
    return f"{len(group)} methods ({group[0].kind}): {_merged([failure.reason for failure in group])} [{named}]"


def _merged(reasons: list[str]) -> str:
    """Reasons that differ in numbers alone as one, with the range of each number."""
    words = _NUMBER.split(reasons[0])
    columns = zip(*(_NUMBER.findall(reason) for reason in reasons))
    spans = [sorted(set(column), key=float) for column in columns]
    numbers = [span[0] if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans]
    return "".join(word + number for word, number in zip(words, [*numbers, ""]))
