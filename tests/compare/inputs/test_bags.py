"""Bags of rows as an input: what is read, how bags are divided and judged, what a model file answers."""

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import treatise
from treatise._core.errors import TreatiseError
from treatise.cli import app
from treatise.compare import fit_method, predict_bags
from treatise.compare.candidates import chosen_candidates, find_candidate
from treatise.compare.inputs import Request, read_input
from treatise.compare.inputs.bags import BagsInput
from treatise.datasets import make_concept_bags
from treatise.io import Table, load_model, save_model


def photographs(n=40, seed=0, n_concepts=1):
    """A row for each region: two numbers, a word that says nothing, and the label of its photograph."""
    bags, y = make_concept_bags(n, n_concepts=n_concepts, random_state=seed)
    rng = np.random.default_rng(seed)
    sizes = [len(bag) for bag in bags]
    rows = np.vstack(bags)
    return pl.DataFrame(
        {
            "photo": np.repeat([f"p{i}" for i in range(n)], sizes), "u": rows[:, 0], "v": rows[:, 1],
            "camera": rng.choice(["old", "new"], len(rows)), "dog": np.repeat(np.where(y == 1, "yes", "no"), sizes),
        }
    )  # fmt: skip


def given(frame=None, **wishes):
    table = Table("photographs", photographs() if frame is None else frame, True, ())
    return read_input(Request(table, **{"target": "dog", "bag": "photo", **wishes}))


def model_of(frame, method="MISVM", tmp_path=None):
    pipeline, about, _ = fit_method(method, Table("photographs", frame, True, ()), "dog", bag="photo")
    save_model(pipeline, tmp_path / "model.skops", metadata=about)
    return load_model(tmp_path / "model.skops")


def test_a_bag_is_a_row_with_lists_and_one_label():
    data, frame = given(), photographs()
    assert isinstance(data, BagsInput) and data.size == (40, 4, 2)
    assert data.X.columns == ["u", "v", "camera"] and data.X.height == 40
    assert data.X["u"][7].to_list() == frame.filter(pl.col("photo") == "p7")["u"].to_list()
    assert data.y[7] == frame.filter(pl.col("photo") == "p7")["dog"][0]
    about = data.describe()
    assert about.question == "target 'dog' of each 'photo': binary" and about.rows == 40
    assert about.size == "40 bags of 200 rows, 3 columns to predict from (2 numeric, 1 categorical)"
    assert data.options() == {"target": "dog", "task": "binary", "bag": "photo"}
    assert any("40 bags of 5 rows: a bag is held out whole" in note for note in about.notes)


def test_rows_of_a_bag_need_not_stand_together_and_their_order_is_another_content_only():
    frame = photographs()
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=1)
    data = given(mixed)
    names = mixed["photo"].unique(maintain_order=True)
    for place in (0, 13, 39):
        expected = mixed.filter(pl.col("photo") == names[place])
        assert data.X["v"][place].to_list() == expected["v"].to_list() and data.y[place] == expected["dog"][0]


def test_folds_hold_whole_bags_of_both_classes():
    data = given()
    seen = []
    for fold in range(5):
        train, held_out = data.divide(5, 0, fold, 0)
        assert train.n_rows + len(held_out.numbers) == 40
        assert set(held_out.actual) == {"no", "yes"} and len(held_out.X) == 8
        seen += held_out.numbers.tolist()
    assert sorted(seen) == list(range(40))


def test_bags_with_the_same_rows_stay_in_one_fold_in_any_order():
    frame = photographs(20)
    copy = frame.filter(pl.col("photo") == "p3").reverse().with_columns(photo=pl.lit("again"))
    data = given(pl.concat([frame, copy]))
    assert data.groups[20] == data.groups[3] and any("1 bags hold the same rows" in note for note in data.notes)
    for fold in range(5):
        held_out = data.divide(5, 0, fold, 0)[1]
        assert (3 in held_out.numbers) == (20 in held_out.numbers)


def test_methods_of_bags_and_the_usual_ones_on_summaries_take_part():
    labels = [candidate.label for candidate in given().candidates()]
    assert {"DDSVM", "MISVM", "miSVM", "DiverseDensity", "EMDD"} <= set(labels)
    assert {"DummyClassifier", "LogisticRegression", "RandomForestClassifier", "SVC"} <= set(labels)
    three = photographs(30).with_columns(
        dog=pl.col("photo").str.slice(1).cast(pl.Int64).mod(3).replace_strict({0: "a", 1: "b", 2: "c"})
    )
    several = [candidate.label for candidate in given(three).candidates()]
    assert "DDSVM" in several and "DiverseDensity" not in several


def test_a_method_of_rows_sees_mean_least_and_largest():
    data = given()
    candidate = find_candidate("LogisticRegression", data.candidates(), data.task)
    encoder = data.pipeline(candidate, {}, 0).named_steps["table"]
    summed = encoder.fit_transform(data.X, data.y)
    names = list(encoder.get_feature_names_out())
    for word, of in (("mean of", np.mean), ("least", np.min), ("largest", np.max)):
        column = summed[:, names.index(f"{word} u")]
        np.testing.assert_allclose(column, [of(cell.to_numpy()) for cell in data.X["u"]], rtol=1e-12)
    assert summed.shape == (40, data.columns_for(candidate))


def test_a_method_of_bags_is_judged_by_bags_and_its_cost_is_that_of_rows():
    data = given(photographs(60))
    candidate = find_candidate("DDSVM", data.candidates(), data.task)
    train, held_out = data.divide(3, 0, 0, 0)
    model = train.fit(train.pipeline(candidate, {"C": 2.0}, 0))
    assert model[-1].C == 2.0
    measures = data.judge(held_out, train.apply(model, held_out.X))
    assert measures["roc_auc"] > 0.8 and measures["accuracy"] > 0.7
    assert data.rows_learned(candidate, 60) == 300
    assert data.rows_learned(find_candidate("SVC", data.candidates(), data.task), 60) == 60
    assert "would take about" in data.why_not(candidate, 1e-4, 1e12, 60)


def test_shuffling_a_column_deals_its_values_out_among_all_rows():
    data = given()
    other = data.shuffled(data.X, "u", np.random.default_rng(0))
    assert other.columns == data.X.columns and other["v"].to_list() == data.X["v"].to_list()
    assert other["u"].list.len().to_list() == data.X["u"].list.len().to_list()
    assert (
        sorted(other["u"].explode()) == sorted(data.X["u"].explode()) and other["u"].to_list() != data.X["u"].to_list()
    )


def test_the_same_rows_in_other_bags_are_another_run():
    frame = photographs()
    first_two = pl.col("photo").is_in(["p0", "p1"])
    alike = frame.with_columns(pl.when(first_two).then(pl.lit("no")).otherwise("dog").alias("dog"))
    sixth = pl.int_range(pl.len()) == 5  # the first row of the second bag
    moved = alike.with_columns(pl.when(sixth).then(pl.lit("p0")).otherwise("photo").alias("photo"))
    assert given(moved).identity()["data"] != given(alike).identity()["data"]
    assert given(alike).identity() == given(alike).identity()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dog": ["yes", "no"] * 10}, "bag 'p0' has two labels in 'dog', 'yes' and 'no'; a bag has one"),
        ({"dog": ["yes"] * 20}, "the target 'dog' has one value only"),
        ({"photo": [None, *["p0"] * 9, *["p1"] * 10]}, "row 1 has no value in 'photo'; every row belongs to a bag"),
        ({"u": [None] * 5 + [1.0] * 15, "v": [None] * 5 + [2.0] * 15, "camera": [None] * 5 + ["a", "b", "c"] * 5},
         "bag 'p0' is empty: none of its rows has a value in any column"),
        ({"dog": [0.5 + 0.01 * (i // 5) for i in range(20)]}, "the target 'dog' holds amounts"),
        ({"photo": ["p0"] * 10 + ["p1"] * 10, "dog": ["no"] * 10 + ["yes"] * 10}, "holds 2 bags; a comparison needs"),
        ({"dog": [None] * 20}, "the target 'dog' holds no value at all"),
    ],
    ids=["two labels", "one class", "no bag", "empty bag", "amounts", "two bags", "no label"],
)  # fmt: skip
def test_what_makes_no_bags_is_refused_in_a_sentence(change, message):
    frame = photographs(4).with_columns(**{name: pl.Series(values, strict=False) for name, values in change.items()})
    with pytest.raises(TreatiseError, match=message):
        given(frame)


@pytest.mark.parametrize(
    "wish",
    [{"group": "camera"}, {"time": "u"}, {"weight": "u"}, {"task": "regression"}, {"ordered": True}, {"lifetime": "u"}],
)
def test_wishes_that_bags_cannot_grant_are_refused(wish):
    with pytest.raises(TreatiseError, match="is not for bags"):
        given(**wish)


def test_the_two_columns_must_be_there_and_differ():
    with pytest.raises(TreatiseError, match="cannot both tell the bags apart and be the target"):
        given(bag="dog")
    with pytest.raises(TreatiseError, match="picture"):
        given(bag="picture")


def test_bags_without_a_label_are_left_out_and_one_row_may_speak_for_a_bag():
    frame = photographs(20).with_columns(
        pl.when(pl.int_range(pl.len()) % 5 == 2).then("dog").otherwise(None).alias("dog")
    )
    whole = given(photographs(20))
    np.testing.assert_array_equal(given(frame).y, whole.y)
    less = frame.with_columns(pl.when(pl.col("photo") == "p4").then(None).otherwise("dog").alias("dog"))
    data = given(less)
    assert data.n_rows == 19 and "1 bags without a value in 'dog' are left out" in data.notes


def test_a_saved_model_answers_a_row_for_each_bag(tmp_path):
    model = model_of(photographs(60), "DDSVM", tmp_path)
    new = photographs(30, seed=1)
    told = predict_bags(model, Table("new", new.drop("dog"), True, ()))
    assert told.columns[:2] == ["photo", "prediction"] and told["photo"].to_list() == [f"p{i}" for i in range(30)]
    mixed = predict_bags(model, Table("new", new.drop("dog").sample(fraction=1.0, shuffle=True, seed=0), True, ()))
    assert mixed.sort("photo").equals(told.sort("photo"))
    truth = new.group_by("photo", maintain_order=True).first()["dog"]
    accuracy = float((told["prediction"] == truth).mean())
    score = BagsInput.score_rows(model, Table("new", new, True, ()))
    found = {measurement.metric.name: measurement.score for measurement in score.measurements}
    assert score.rows == 30 and found["accuracy"] == pytest.approx(accuracy) and accuracy > 0.8
    with pytest.raises(TreatiseError, match="lacks the column 'photo' that tells its bags apart"):
        predict_bags(model, Table("new", new.drop("photo"), True, ()))
    with pytest.raises(TreatiseError, match="no column 'dog' to compare"):
        BagsInput.score_rows(model, Table("new", new.drop("dog"), True, ()))
    plain = fit_method("LogisticRegression", Table("rows", new.drop("photo"), True, ()), "dog")
    save_model(plain[0], tmp_path / "rows.skops", metadata=plain[1])
    with pytest.raises(TreatiseError, match="predicts no bags"):
        predict_bags(load_model(tmp_path / "rows.skops"), Table("new", new, True, ()))


def test_the_commands_fit_and_predict_bags(tmp_path):
    photographs(30).write_csv(tmp_path / "photos.csv")
    photographs(10, seed=1).drop("dog").write_csv(tmp_path / "new.csv")

    def invoke(*words):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return done

    fitted = invoke(
        "fit", "MISVM", tmp_path / "photos.csv", "--target", "dog", "--bag", "photo", "-o", tmp_path / "m.skops"
    )
    assert "target 'dog' of each 'photo': binary" in fitted.output
    invoke("predict", tmp_path / "m.skops", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    written = pl.read_csv(tmp_path / "out.csv")
    assert written.height == 10 and written.columns[0] == "photo"
    refused = CliRunner().invoke(app, ["compare", str(tmp_path / "photos.csv"), "--target", "dog", "--bag", "picture"])
    assert refused.exit_code != 0 and "picture" in refused.output


def test_methods_that_differ_in_capitals_are_told_apart_by_them():
    data = given()
    guess = ["DummyClassifier"]
    for name in ("MISVM", "miSVM", "v05-0913/miSVM"):
        assert find_candidate(name, data.candidates(), data.task).label == name.rpartition("/")[2]
        assert [c.label for c in chosen_candidates(data.candidates(), [name], guess)] == [name.rpartition("/")[2]]
    with pytest.raises(TreatiseError, match="could be"):
        find_candidate("misvm", data.candidates(), data.task)
    assert len(chosen_candidates(data.candidates(), ["misvm"], guess)) == 2


def test_a_comparison_of_bags_ranks_reports_saves_and_predicts(tmp_path, monkeypatch, contestants):
    frame = photographs(48, n_concepts=2)
    new = photographs(30, seed=5, n_concepts=2)
    comparison = treatise.compare(
        frame, "dog", bag="photo", budget=120, jobs=1, folds=2, output=tmp_path / "run", test=new,
        include=["DDSVM", "DummyClassifier"],
    )  # fmt: skip
    run = comparison.run
    best = run.leaderboard[0]
    assert best.label == "DDSVM" and best.score > 0.6
    assert run.data.kind == "bags" and run.test.rows == 30
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Predicting dog of 48 bags from 3 columns of their 240 rows" in page and "predict_bags" in page
    told = pl.read_csv(tmp_path / "run" / "out_of_fold.csv")
    assert told.height == 48
    assert comparison.best.predict(new).height == 30
