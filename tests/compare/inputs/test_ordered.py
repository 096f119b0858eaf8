"""Classes with an order: how it is told, who takes part, what ranks."""

import numpy as np
import polars as pl
import pytest

import treatise
from treatise._core.errors import TreatiseError
from treatise.compare.inputs import FoldPredictions, Request, read_input
from treatise.compare.metrics import Predictions
from treatise.io import Table

ORDER = ("early", "middle", "late")


def stages(n=150, seed=0):
    rng = np.random.default_rng(seed)
    size, age = rng.normal(size=n), rng.normal(size=n)
    stage = np.array(ORDER)[np.digitize(size + 0.4 * rng.normal(size=n), [-0.5, 0.5])]
    return pl.DataFrame({"size": size, "age": age, "stage": stage})


def given(source=None, **wishes):
    source = Table("stages", stages(), True, ()) if source is None else source
    return read_input(Request(source, "stage", **wishes))


def test_order_is_told_by_the_user_or_by_the_column():
    assert given(ordered=ORDER).judging.levels == ORDER
    assert given(ordered=True).judging.levels == ("early", "late", "middle")
    assert given().judging.levels == ()
    assert given(stages().with_columns(pl.col("stage").cast(pl.Enum(ORDER)))).judging.levels == ORDER
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(stages().to_dict(as_series=False))
    frame["stage"] = pandas.Categorical(frame["stage"], ORDER, ordered=True)
    assert given(frame).judging.levels == ORDER


def test_order_is_told_by_a_file_that_keeps_it(tmp_path):
    polars, pandas = tmp_path / "polars.parquet", tmp_path / "pandas.parquet"
    stages().with_columns(pl.col("stage").cast(pl.Enum(ORDER))).write_parquet(polars)
    assert given(polars).judging.levels == ORDER
    frame = pytest.importorskip("pandas").DataFrame(stages().to_dict(as_series=False))
    for ordered in (True, False):
        frame["stage"] = frame["stage"].astype("category").cat.set_categories(ORDER, ordered=ordered)
        frame.to_parquet(pandas)
        data = given(pandas)
        assert data.judging.levels == ()
        assert any("name its classes" in note for note in data.notes) == ordered
    assert given(pandas, ordered=ORDER).judging.levels == ORDER


def test_learners_of_order_take_part_only_where_there_is_one():
    names = [candidate.label for candidate in given(ordered=ORDER).candidates()]
    assert "MinlipOrdinal" in names and "LogisticRegression" in names
    assert "MinlipOrdinal" not in [candidate.label for candidate in given().candidates()]
    data = given(ordered=ORDER)
    ordinal = next(c for c in data.candidates() if c.label == "MinlipOrdinal")
    assert data.pipeline(ordinal, {}, 0)[-1].levels == list(ORDER)
    assert [c.label for c in data.candidates() if data.suits(c)] == ["MinlipOrdinal"]


def test_mean_distance_in_levels_ranks():
    data = given(ordered=ORDER)
    assert data.choose_metric(None).name == "level_error"
    _, held_out = data.divide(3, 0, 0, 0)
    told = Predictions(np.full(len(held_out.actual), "early"))
    distance = np.array([ORDER.index(label) for label in held_out.actual])
    assert data.judge(held_out, told)["level_error"] == pytest.approx(distance.mean())
    np.testing.assert_allclose(data.merits(data.metrics[0], held_out, told), -distance)


def test_mistakes_are_shown_in_the_order_of_the_levels():
    """In the order of the alphabet, near mistakes stood far from the diagonal."""
    data = given(ordered=ORDER)
    _, held_out = data.divide(3, 0, 0, 0)
    told = np.where(held_out.actual == "late", "middle", held_out.actual)
    found = data.explain([FoldPredictions(held_out.numbers, held_out.actual, told, None, None)]).confusion
    counts = [int(np.sum(held_out.actual == level)) for level in ORDER]
    assert found.labels == ORDER
    assert found.matrix == ((counts[0], 0, 0), (0, counts[1], 0), (0, counts[2], 0))
    plain = given().explain([FoldPredictions(held_out.numbers, held_out.actual, told, None, None)]).confusion
    assert plain.labels == tuple(sorted(ORDER))


def of_levels(levels, **wishes):
    frame = stages().with_columns(level=pl.Series([levels[row % len(levels)] for row in range(150)]))
    return read_input(Request(Table("levels", frame, True, ()), "level", ordered=True, **wishes))


def test_numbers_are_sorted_as_numbers():
    assert of_levels([10.5, 2.5, -1.5, -0.5], task="multiclass").judging.levels == ("-1.5", "-0.5", "2.5", "10.5")
    assert of_levels(["10", "9", "1"]).judging.levels == ("1", "9", "10")
    assert of_levels([3, 10, 1]).judging.levels == (1, 3, 10)


def test_an_order_makes_levels_of_whole_numbers_that_look_like_counts():
    grades = [0] * 60 + [1] * 40 + [2] * 25 + [3] * 15 + [4] * 8 + [5] * 2
    table = Table("grades", stages().with_columns(grade=pl.Series(grades)), True, ())
    assert read_input(Request(table, "grade")).task == "regression"
    data = read_input(Request(table, "grade", ordered=True))
    assert data.task == "multiclass" and data.judging.levels == tuple(range(6))
    assert data.choose_metric(None).name == "level_error"


def test_a_level_without_a_row_is_told():
    data = given(ordered=("none", *ORDER))
    assert data.judging.levels == ORDER
    assert "no row of 'stage' is 'none': levels are counted without it" in data.notes


def test_an_order_is_heeded_or_refused_whatever_the_data_are(tmp_path):
    table, words = tmp_path / "stages.csv", tmp_path / "words.conll"
    stages().with_columns(days=pl.col("age").abs()).write_csv(table)
    words.write_text("a A\nb B\n\n" * 10)
    for complaint, request in {
        "survival times.*do not go with ordered classes": Request(table, lifetime="days", ordered=True),
        "survival times.*do not go with several targets": Request(table, lifetime="days", targets=("size", "age")),
        "--ordered is for tables": Request(words, ordered=True),
        "--ordered needs the table in memory": Request(table, "stage", ordered=ORDER, limit=100.0),
    }.items():
        with pytest.raises(TreatiseError, match=complaint):
            read_input(request)


@pytest.mark.parametrize(
    ("target", "ordered", "complaint"),
    [
        ("stage", (*ORDER, "early"), "--ordered names 'early' twice"),
        ("stage", ("early", "late"), "'middle', which --ordered does not name"),
        ("size", True, "has an order anyhow"),
        ("two", True, "it has two classes: leave it out"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(target, ordered, complaint):
    frame = stages().with_columns(two=pl.col("age") > 0)
    with pytest.raises(TreatiseError, match=complaint):
        read_input(Request(Table("stages", frame, True, ()), target, ordered=ordered))


def test_a_comparison_with_an_order_has_the_learner_and_its_measure(tmp_path, contestants):
    comparison = treatise.compare(
        stages(), "stage", ordered=ORDER, budget=120, jobs=1, folds=2, output=tmp_path / "run", include="MinlipOrdinal",
    )  # fmt: skip
    assert comparison.run.metric.name == "level_error"
    assert comparison.run.leaderboard[0].label == "MinlipOrdinal"
    best = comparison.best
    assert set(best.predict(stages(20, seed=1))["prediction"]) <= set(ORDER)
    score = best.score(stages(200, seed=2))
    assert score.measurements[0].metric.name == "level_error" and score.measurements[0].score < 0.4
