"""What a contest adds to the record: who may be a member of a blend."""

from types import SimpleNamespace

import pytest

from treatise.compare.contest import outcome


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
