"""Rows without a label: who learns from them, that they judge nobody, and what the report says they were worth."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy import stats

import treatise
from treatise._core.errors import TreatiseError
from treatise.catalog import ComparisonEntry, Cost
from treatise.compare.candidates import all_candidates, find_candidate, unlabelled_candidates
from treatise.compare.contest.evidence import ENLARGEMENT
from treatise.compare.explaining.unlabelled import worth_of_unlabelled
from treatise.compare.inputs import FoldPredictions, Request, read_input
from treatise.compare.unlabelled import SelfTrainedLogistic, WithUnlabelled
from treatise.io import load_model


def people(labelled=60, others=300, seed=0):
    """Two clouds, of whose rows few have a label; a category with gaps."""
    rng = np.random.default_rng(seed)
    n = labelled + others
    which = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3)) + np.outer(which - 0.5, [3.0, 1.0, 0.0])
    label = pl.Series(np.where(which == 1, "yes", "no").tolist())
    known = rng.permutation(n) < labelled
    return pl.DataFrame(
        {
            "x0": X[:, 0], "x1": X[:, 1], "x2": X[:, 2], "town": rng.choice(["Bern", "Chur"], n),
            "label": label.scatter(np.flatnonzero(~known), None),
        }
    )  # fmt: skip


def read(frame, **wishes):
    return read_input(Request(frame, wishes.pop("target", "label"), **wishes))


def test_rows_without_a_label_are_kept_apart_and_never_held_out():
    given = read(people())
    assert (given.n_rows, given.unlabelled_rows) == (60, 300)
    assert given.unlabelled.columns == given.X.columns
    assert any("300 rows without a value in 'label' are learned from" in note for note in given.notes)
    assert any(fact.name == "Rows without a label" and fact.value == "300" for fact in given.describe().facts)
    held = np.concatenate([given.divide(5, 0, fold, 0)[1].numbers for fold in range(5)])
    assert sorted(held) == list(range(60))
    training, _ = given.divide(5, 0, 0, 0)
    assert training.unlabelled_rows == 300
    part = given.sample(20, 0)
    assert (part.n_rows, part.unlabelled_rows) == (20, 100)


def test_methods_for_them_take_part_where_there_are_such_rows_alone():
    # Without those for words alone, of which the table has none.
    usual = {each.key for each in all_candidates("binary") if "dense" in each.compare.input}
    more = {candidate.key: candidate.compare.unlabelled for candidate in unlabelled_candidates("binary")}
    assert {"treatise/SelfTrainedLogistic", "sklearn/LabelSpreading"} <= more.keys()
    assert usual & more.keys() == {key for key, takes_part in more.items() if takes_part == "also"}
    assert {candidate.key for candidate in read(people()).candidates()} == usual | more.keys()
    whole = read(people().drop_nulls())
    assert {candidate.key for candidate in whole.candidates()} == usual and whole.unlabelled is None
    given = read(people())
    assert {candidate.key for candidate in given.candidates() if given.suits(candidate)} == more.keys()
    assert not any(map(whole.suits, whole.candidates()))


def test_few_such_rows_and_amounts_are_left_out_and_counted():
    few = read(people(100, 5))
    assert few.unlabelled is None and "5 rows without a value in 'label' are left out" in few.notes
    amounts = people().with_columns(pl.when(pl.col("label") == "yes").then(pl.col("x1")).alias("y"))
    left = read(amounts, target="y")
    assert left.unlabelled is None
    assert any("no method here learns amounts from such rows" in note for note in left.notes)


def test_their_cost_counts_all_rows():
    given = read(people())
    law = ComparisonEntry(("binary",), Cost(1.0, n=1.0), Cost(1.0, n=1.0), unlabelled="only")
    learner = SimpleNamespace(compare=law)
    assert given.rows_learned(learner, 60) == 360 and given.rows_learned(learner, 30) == 180
    spreading = find_candidate("LabelSpreading", given.candidates(), "binary")
    assert "memory" in given.why_not(spreading, 1e9, 1e6, 60)


def test_labels_come_back_as_they_were_and_the_method_sees_minus_one():
    class Recorder(SelfTrainedLogistic):
        def fit(self, X, y):
            self.seen = np.asarray(y)
            return super().fit(X, y)

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.array(["b", "a", "c"] * 10)
    model = WithUnlabelled(Recorder()).fit(X, y, rng.normal(size=(7, 2)))
    assert model.estimator_.seen.tolist() == [1, 0, 2] * 10 + [-1] * 7
    assert set(model.predict(X)) <= {"a", "b", "c"} and model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_a_row_that_no_label_reaches_has_the_shares_of_the_classes():
    class Silent(SelfTrainedLogistic):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    X, y = np.arange(8.0)[:, None], np.array(["no"] * 6 + ["yes"] * 2)
    np.testing.assert_allclose(WithUnlabelled(Silent()).fit(X, y).predict_proba(X[:2]), [[0.75, 0.25]] * 2)


def entry(key, form="linear"):
    return SimpleNamespace(key=key, label=key.title(), form=form)


def test_worth_is_the_difference_in_log_loss_row_by_row():
    rng = np.random.default_rng(0)
    actual = rng.choice(["no", "yes"], 200)
    truth = np.stack([actual == "no", actual == "yes"], axis=1)
    said = {}
    for key, sure in (("semi", 0.8), ("other", 0.7), ("plain", 0.6), ("worse", 0.55)):
        p = np.where(truth, sure, 1 - sure) * rng.uniform(0.9, 1.1, (200, 1))
        said[key] = [FoldPredictions(np.arange(200), actual, actual, np.stack([p[:, 0], 1 - p[:, 0]], axis=1))]
    data = SimpleNamespace(classes=np.array(["no", "yes"]), units=None, unlabelled_rows=99)
    board = [entry("guess", "constant"), entry("worse"), entry("other"), entry("plain"), entry("semi")]
    said["guess"] = said["semi"]
    found = worth_of_unlabelled(data, board, {"semi", "other"}, said.__getitem__)
    assert (found.key, found.beside, found.judged, found.rows) == ("semi", "plain", 200, 99)
    column = (actual == "yes").astype(int)
    losses = {key: -np.log(said[key][0].probabilities[np.arange(200), column]) for key in ("semi", "plain")}
    gains = losses["plain"] - losses["semi"]
    assert found.gain == pytest.approx(gains.mean())
    half = stats.t.ppf(0.975, 199) * np.sqrt(ENLARGEMENT * gains.var(ddof=1) / 200)
    assert (found.low, found.high) == pytest.approx((gains.mean() - half, gains.mean() + half))
    assert found.words.endswith("they were worth having.")
    # Copies of rows are no new evidence.
    pairs = SimpleNamespace(classes=data.classes, units=np.arange(200) // 20, unlabelled_rows=99)
    grouped = worth_of_unlabelled(pairs, board, {"semi", "other"}, said.__getitem__)
    assert grouped.gain == found.gain and grouped.low != found.low
    assert worth_of_unlabelled(data, board, {"nobody"}, said.__getitem__) is None


def test_a_run_says_what_they_were_worth_and_its_model_predicts(tmp_path, contestants, monkeypatch):
    contestants("LogisticRegression")
    learner = find_candidate("SelfTrainedLogistic", unlabelled_candidates("binary"), "binary")
    learner = replace(learner, compare=replace(learner.compare, search={}))
    monkeypatch.setattr("treatise.compare.inputs.rows.unlabelled_candidates", lambda task: [learner])
    frame = people()
    comparison = treatise.compare(frame, "label", budget=120, jobs=1, folds=3, output=tmp_path / "run", keep=4)
    worth = comparison.run.unlabelled
    assert (worth.key, worth.beside, worth.rows) == ("treatise/SelfTrainedLogistic", "sklearn/LogisticRegression", 300)
    assert worth.judged == 60 and worth.low < worth.gain < worth.high
    assert worth.words in comparison.run.verdict
    assert "Rows without a label" in (tmp_path / "run" / "report.html").read_text()
    models = comparison.models
    assert {"SelfTrainedLogistic", "LogisticRegression"} <= set(models)
    said = models["SelfTrainedLogistic"].predict(frame)
    known = frame["label"].is_not_null()
    assert (said["prediction"] == frame["label"]).filter(known).mean() > 0.85
    assert set(said["prediction"]) == {"no", "yes"}
    assert load_model(tmp_path / "run" / "best.skops").metadata["kind"] == "table"


def test_a_row_of_the_catalogue_says_it_for_classes_alone():
    from treatise.catalog import CatalogueError
    from treatise.catalog._schema import _read_comparison

    law = {"seconds": {"scale": 1.0}, "bytes": {"scale": 1.0}, "unlabelled": "only"}
    assert _read_comparison({**law, "tasks": ["binary"]}, "row").unlabelled
    with pytest.raises(CatalogueError, match="predictors of classes"):
        _read_comparison({**law, "tasks": ["regression"]}, "row")
    assert issubclass(CatalogueError, TreatiseError)
