"""Columns that keep rows together, order them in time or weigh them."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import all_candidates, find_candidate
from treatise.compare.inputs import Request, read_input
from treatise.compare.inputs.roles import split_by_time, unweighted


@pytest.fixture(scope="module")
def visits():
    """Visits of forty patients, each of whom has a label of their own."""
    rng = np.random.default_rng(0)
    patient = rng.integers(0, 40, 200)
    label = np.where(np.isin(patient, rng.permutation(40)[:15]), "ill", "well")
    day = rng.permutation(200)
    return pl.DataFrame(
        {
            "patient": patient, "day": day, "x": rng.normal(size=200), "z": rng.normal(size=200),
            "w": rng.uniform(0, 2, 200), "label": label,
        }
    )  # fmt: skip


def asked(frame, **wishes):
    return read_input(Request(frame, "label", **wishes))


def test_rows_of_a_group_stay_together_and_the_column_predicts_nothing(visits):
    given = asked(visits, group="patient")
    assert given.grouped and given.features == ["x", "z", "w"]
    count = visits["patient"].n_unique()
    assert any(f"same 'patient' stay in one fold ({count} of them)" in note for note in given.describe().notes)
    patients, seen = visits["patient"].to_numpy(), []
    for fold in range(5):
        _, held_out = given.divide(5, 0, fold, 0)
        others = np.setdiff1d(np.arange(200), held_out.numbers)
        assert not set(patients[held_out.numbers]) & set(patients[others])
        assert 0.1 < np.mean(held_out.actual == "ill") < 0.7  # stratified by the groups' labels: 0.37 in all
        seen += held_out.numbers.tolist()
    assert sorted(seen) == list(range(200))
    assert given.options()["group"] == given.identity()["group"] == "patient"
    assert given.number_of_folds(50) == count
    assert given.metadata(given.candidates()[0])["table"] == tuple(visits.columns)


def test_rows_without_a_group_stand_alone(visits):
    some = visits.with_columns(pl.when(pl.col("patient") < 20).then(pl.col("patient")).alias("patient"))
    given = asked(some, group="patient")
    alone = some["patient"].is_null().to_numpy()
    assert len(np.unique(given.groups[alone])) == alone.sum()
    assert len(np.unique(given.groups)) == alone.sum() + some["patient"].drop_nulls().n_unique()


def test_by_time_every_fold_learns_from_the_past_alone(visits):
    given = asked(visits, time="day")
    assert given.repeats == 1 and "day" not in given.features and asked(visits).repeats == 10
    day, before = visits["day"].to_numpy(), -1
    for fold in range(5):
        training, held_out = given.divide(5, 0, fold, 0)
        assert training.roles.times.max() - 1 < day[held_out.numbers].min()
        assert len(training.y) == (day < day[held_out.numbers].min()).sum()
        assert day[held_out.numbers].min() == before + 1 or fold == 0
        before = day[held_out.numbers].max()
    assert before == 199  # the last fold reaches the end
    inner, shown = training.divide(3, 0, 2, 0)  # as the choice of parameters divides
    assert inner.roles.times.max() < training.roles.times[shown.numbers].min()


@pytest.mark.parametrize("counts", [[1] * 30, [10, 1, 1, 1, 10], [1, 1, 50, 1, 1, 1], [40, 1, 1, 1], [1, 1, 1, 40]])
@pytest.mark.parametrize("k", [2, 3])
def test_a_moment_is_never_divided_and_no_block_is_empty(counts, k):
    times = np.repeat(np.arange(len(counts)), counts)
    times = times[np.random.default_rng(0).permutation(len(times))]
    last = -1
    for train, test in split_by_time(times, k):
        assert len(train) and len(test)
        assert times[train].max() < times[test].min()
        assert times[train].max() > last
        last = times[train].max()
    assert times[test].max() == times.max()


def test_the_past_goes_on_until_it_holds_two_classes():
    times = np.arange(100)
    y = np.where(times == 60, "event", "none")
    folds = list(split_by_time(times, 3, y))
    assert [len(train) for train, _ in folds] == [61, 74, 87]
    assert [len(train) for train, _ in split_by_time(times, 3, np.where(times == 5, "event", "none"))] == [25, 50, 75]
    # Too late to leave a block each: the blocks are what they would have been.
    assert [len(train) for train, _ in split_by_time(times, 3, np.where(times == 98, "event", "none"))] == [25, 50, 75]


def test_a_sample_with_fewer_moments_than_blocks_still_goes_forward():
    times = np.array([1, 0, 0, 1, 0, 1])
    folds = list(split_by_time(times, 3))
    assert all(len(train) and len(test) for train, test in folds)
    assert all(times[train].max() <= times[test].min() for train, test in folds)


@pytest.mark.parametrize(
    ("column", "order"),
    [
        (["2024-03-01", "2023-12-31", "2024-01-15", "2025-01-01"], [2, 0, 1, 3]),
        (["2024-03-01 10:00", "2024-03-01 09:30", "2024-02-28 23:59", "2024-03-02 00:00"], [2, 1, 0, 3]),
        ([3.5, -1.0, 2.0, 10.0], [2, 0, 1, 3]),
    ],
)
def test_times_are_numbers_or_dates(column, order):
    frame = pl.DataFrame({"x": np.arange(40.0) % 7, "when": column * 10, "label": np.arange(40.0) % 9 / 7})
    given = asked(frame, time="when")
    assert (given.roles.times - given.roles.times.min()).tolist() == order * 10


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"group": "pateint"}, "did you mean 'patient'"),
        ({"group": "patient", "time": "day"}, "not by both"),
        ({"group": "label"}, "label"),
        ({"weight": "w", "time": "w"}, "cannot have two roles"),
        ({"time": "words"}, "such as 'soon'"),
        ({"time": "gaps"}, "have no 'gaps'"),
        ({"time": "two"}, "2 different values"),
        ({"group": "same"}, "all rows have the same"),
        ({"weight": "words"}, "weights are numbers"),
        ({"weight": "minus"}, "weights are 0 or more"),
        ({"weight": "gaps"}, "weights are 0 or more"),
        ({"time": "late"}, "are all 'ill'"),
    ],
)
def test_a_column_that_cannot_have_its_role_is_refused_in_a_sentence(visits, wishes, sentence):
    awkward = visits.with_columns(
        words=pl.lit("soon"), gaps=pl.when(pl.col("x") > 0).then(pl.col("x")), two=pl.col("patient") % 2,
        same=pl.lit(1), minus=-pl.col("w"), late=pl.when(pl.col("label") == "ill").then(pl.col("day")).otherwise(1000),
    )  # fmt: skip
    with pytest.raises(TreatiseError, match=sentence):
        asked(awkward, **wishes)


def test_weights_reach_the_methods_that_take_them_and_the_judging(visits):
    given = asked(visits, weight="w")
    candidate = find_candidate("LogisticRegression", given.candidates(), "binary")
    fitted = given.fit(given.pipeline(candidate, {}, 0))
    plain = asked(visits).fit(given.pipeline(candidate, {}, 0))
    X = given.pipeline(candidate, {}, 0)[:-1].fit_transform(given.X)
    expected = LogisticRegression(max_iter=1000).fit(X, given.y, sample_weight=visits["w"].to_numpy())
    np.testing.assert_allclose(fitted[-1].coef_, expected.coef_, atol=1e-4)
    assert np.abs(fitted[-1].coef_ - plain[-1].coef_[:, :3]).max() > 1e-3
    training, held_out = given.divide(5, 0, 1, 0)
    np.testing.assert_allclose(held_out.weights, visits["w"].to_numpy()[held_out.numbers])
    found = given.apply(training.fit(given.pipeline(candidate, {}, 0)), held_out.X)
    right = found.values == held_out.actual
    assert given.judge(held_out, found)["accuracy"] == pytest.approx(np.average(right, weights=held_out.weights))
    for metric in given.metrics:
        score = given.judge(held_out, found)[metric.name]
        assert given.merits(metric, held_out, found).mean() == pytest.approx(metric.merit(score), abs=1e-10)


def test_those_that_take_no_weights_are_named_once():
    both = [find_candidate(name, all_candidates("binary"), "binary") for name in ("LogisticRegression", "SVMPathCV")]
    (note,) = unweighted(both)
    assert note.startswith("1 of 2 methods take no weights") and "SVMPathCV" in note
    assert unweighted(both[:1]) == []


def test_a_step_that_takes_no_weights_is_not_given_any(visits):
    given = asked(visits, weight="w")
    from sklearn.neighbors import KNeighborsClassifier

    assert given.roles.fit_params(Pipeline([("method", KNeighborsClassifier())])) == {}
