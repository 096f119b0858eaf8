"""What a comparison shows on the way and in the end: the best, the baselines, and failures by their reason."""

import re
from dataclasses import dataclass, field

import pytest
from rich.console import Console

from treatise.cli._compare import is_complete
from treatise.cli._outcome import by_reason, in_sight
from treatise.cli._watching import Lines, LiveTable
from treatise.report import Failure


@dataclass
class Entry:
    label: str
    baseline: bool = False
    rank: int = 0
    score: float = 0.5
    low: float | None = 0.4
    high: float | None = 0.6
    folds: int = 5
    fit_seconds: float = 0.1
    standing: str = "undecided"


def board(kinds):
    """One entry for each letter: b for a baseline, p for a paper's method."""
    return [Entry(f"{kind}{place}", kind == "b", place) for place, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ("ppb", "p0 p1 b2"),
        ("p" * 10 + "p", "p0 p1 p2 p3 p4 p5 p6 p7 p8 p9"),
        ("p" * 12 + "b" * 3, "p0 p1 p2 p3 p4 p5 p6 b12 b13 b14"),
        ("b" * 5 + "p" * 8 + "b" * 3, "b0 b1 b2 b3 b4 p5 p6 p7 p8 p9"),
        ("p" * 8 + "bb" + "p" * 5 + "b" * 9, "p0 p1 p2 p3 p4 p5 p6 b8 b9 b15"),
    ],
)
def test_ten_rows_in_order_with_the_best_baselines_among_them(kinds, shown):
    assert " ".join(entry.label for entry in in_sight(board(kinds))) == shown


def failure(label, kind, reason):
    return Failure(label, label, None, kind, reason, 0)


def test_failures_are_one_line_for_each_reason():
    ended = "the budget ended before its turn; give it more with --budget"
    failures = [failure(f"m{i}", "time", ended) for i in range(12)]
    failures += [
        failure("a", "not applicable", "one fit would take about 312 s of this budget"),
        failure("b", "not applicable", "one fit would take about 90 s of this budget"),
        failure("c", "error", "ValueError: the matrix is singular"),
    ]
    lines = by_reason(failures)
    assert lines[0] == f"12 methods (time): {ended} [m0, m1, m2, m3, m4 and 7 more]"
    assert lines[1] == "2 methods (not applicable): one fit would take about 90 to 312 s of this budget [a, b]"
    assert lines[2] == "c (error): ValueError: the matrix is singular"
    assert len(lines) == 3 and by_reason([]) == []


def test_the_live_table_shows_the_best_the_baselines_and_counts_the_rest():
    table = LiveTable()
    table.__enter__()
    entries = board("p" * 12 + "b")
    table._names = [entry.label for entry in entries] + ["late", "lost", "large"]
    table.fold_done("p0", 0.5, entries, 1.0, 30.0)
    table.failed(failure("lost", "error", "broken"))
    table.failed(failure("large", "memory", "too large"))
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(table._draw())
    text = console.export_text()
    rows = re.findall(r"^ *([pb]\d+)", text, re.MULTILINE)
    assert rows == [f"p{place}" for place in range(9)] + ["b12"]
    assert "b12 (baseline)" in text
    assert "3 more; 1 waiting; given up: 1 (error), 1 (memory)" in text


@dataclass
class Best:
    model: str | None


@dataclass
class Race:
    complete: bool


@dataclass
class Run:
    best: object
    race: Race = field(default_factory=lambda: Race(True))


def test_a_run_without_a_model_or_of_half_a_field_is_no_success():
    assert is_complete(Run(Best("best.skops"))) and is_complete(Run(Best("best.skops"), Race(True)))
    assert not is_complete(Run(None)) and not is_complete(Run(Best(None)))
    assert not is_complete(Run(Best("best.skops"), Race(False)))


def test_lines_count_on_where_a_board_still_shows_the_looks_of_a_method(capsys):
    lines, entries = Lines(), board("pb")
    shown = entries[0].folds
    for _ in range(3):
        lines.fold_done("p0", 0.5, entries, 1.0, 30.0)
    told = [int(number) for number in re.findall(r"p0  fold (\d+)", capsys.readouterr().err)]
    assert told == [shown, shown + 1, shown + 2]
