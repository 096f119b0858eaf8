"""Selectors in the report: which columns they keep in how many folds."""

import numpy as np
import polars as pl
import pytest

import treatise
from treatise.compare.explaining.selections import selection_of
from treatise.compare.inputs import FoldPredictions
from treatise.statistics import selection_stability


def fold(kept, offered=10):
    names = None if kept is None else np.array(kept, dtype=str)
    return FoldPredictions(np.arange(2), np.zeros(2), np.zeros(2), None, kept=names, offered=offered)


def test_shares_are_counted_over_folds_and_stability_over_all_columns():
    found = selection_of("a/B", "B", [fold(["x", "y"]), fold(["x", "z"]), fold(["x"]), fold([])])
    assert [(row.column, row.share) for row in found.columns] == [("x", 0.75), ("y", 0.25), ("z", 0.25)]
    assert (found.folds, found.offered, found.kept, found.ever_kept) == (4, 10, 1.25, 3)
    kept = np.zeros((4, 10))
    kept[:3, 0] = kept[0, 1] = kept[1, 2] = 1
    assert (found.stability, found.low, found.high) == pytest.approx(tuple(selection_stability(kept)))


def test_what_selects_nothing_or_had_one_fold_has_none():
    assert selection_of("a/B", "B", [fold(None), fold(None)]) is None
    assert selection_of("a/B", "B", [fold(["x"])]) is None
    assert selection_of("a/B", "B", [fold([]), fold([])]).stability is None


def test_a_run_tells_what_a_selector_keeps(tmp_path, contestants):
    contestants("FCBF", "LogisticRegression")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    label = np.where(X[:, 0] + 0.2 * rng.normal(size=150) > 0, "yes", "no")
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(4)} | {"label": label})
    run = treatise.compare(frame, "label", budget=120, jobs=1, folds=3, output=tmp_path / "run").run
    (selection,) = run.selections
    assert selection.key.endswith("/FCBF") and selection.offered == 4 and selection.folds >= 2
    assert (selection.columns[0].column, selection.columns[0].share) == ("x0", 1.0)
    page = (tmp_path / "run" / "report.html").read_text()
    assert "What the selectors keep" in page and "stability" in page
