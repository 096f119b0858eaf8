"""What a contest adds to the record: who may be a member of a blend."""

from types import SimpleNamespace

import pytest

from treatise.compare.contest import outcome
from treatise.compare.contest.ending import Ending
from treatise.compare.contest.requests import Requests


@pytest.mark.parametrize(
    ("folds", "failed", "members"),
    [
        ({"a": 10, "b": 10, "slow": 2}, (), ["a", "b"]),
        ({"a": 7, "b": 6}, (), ["a", "b"]),
        ({"quick": 50, "a": 10, "b": 9}, (), ["quick", "a", "b"]),
        ({"a": 10, "b": 9, "stopped": 9}, ("stopped",), ["a", "b"]),
        ({}, (), []),
    ],
)
def test_one_that_was_stopped_early_takes_no_folds_from_a_blend(monkeypatch, folds, failed, members):
    board = [SimpleNamespace(key=key, stage="folds", form="kernel") for key in folds]
    board.append(SimpleNamespace(key="guess", stage="folds", form="constant"))
    monkeypatch.setattr(outcome, "leaderboard", lambda entries: board)
    records = {key: [SimpleNamespace(stage="fold")] * count for key, count in folds.items()}
    contest = SimpleNamespace(
        entries=None, failures=[SimpleNamespace(key=key) for key in failed], race=SimpleNamespace(records=records),
        folder=SimpleNamespace(predictions=lambda record: object()),
    )  # fmt: skip
    found = outcome._members(contest)
    assert list(found) == members
    assert [len(parts) for parts in found.values()] == [folds[key] for key in members]


@pytest.mark.parametrize(
    ("chosen", "keep", "saved"),
    [
        ("Greedy", 2, ["Machine"]),
        ("Greedy", 3, ["Machine", "FlipFlop"]),
        ("Machine", 2, ["Greedy"]),
        ("Machine", 5, ["Greedy", "FlipFlop", "Line", "Guess"]),
        ("Machine", 1, []),
    ],
)
def test_the_best_of_the_other_kind_is_kept_first_and_guessing_last(tmp_path, chosen, keep, saved):
    forms = {"Greedy": "blend", "FlipFlop": "blend", "Guess": "constant", "Machine": "kernel", "Line": "linear"}
    board = {name: SimpleNamespace(key=name, label=name, form=form) for name, form in forms.items()}
    fitted = []

    class Kept(Ending):
        def _fit(self, run, entry, name):
            fitted.append(entry.label)

    contest = SimpleNamespace(
        folder=SimpleNamespace(path=tmp_path), watch=SimpleNamespace(finishing=lambda label: None)
    )  # fmt: skip
    Kept(contest, None, None, keep, False, None, Requests())._fit_others(
        SimpleNamespace(leaderboard=[*board.values()]), board[chosen]
    )
    assert fitted == saved
