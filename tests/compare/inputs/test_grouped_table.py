"""Tables whose rows belong to groups: what is held out, who is shown the groups, what saved models make of new rows."""

import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import Ridge

from treatise._core.errors import TreatiseError
from treatise.bayes import VariationalGLMM
from treatise.compare import FittedModel, fit_method
from treatise.compare.candidates import find_candidate
from treatise.compare.inputs import Request, read_input
from treatise.compare.inputs.encoding import TableEncoder
from treatise.compare.inputs.encoding.groups import BesideGroups, WithGroups, names_of
from treatise.io import ModelFile, Table, load_model, save_model

GROUPS, ROWS = 30, 10


@pytest.fixture(scope="module")
def pupils():
    """Thirty schools of ten pupils; the school tells more than the columns do."""
    rng = np.random.default_rng(1)
    school = rng.permutation(np.repeat(np.arange(GROUPS), ROWS))
    x, z = rng.normal(size=(2, GROUPS * ROWS))
    level = x + 2.0 * rng.normal(size=GROUPS)[school]
    return pl.DataFrame(
        {
            "school": [f"s{number}" for number in school], "x": x, "z": z,
            "mark": level + rng.normal(size=len(x)), "errors": rng.poisson(np.exp(1 + 0.3 * level)),
            "passed": np.where(rng.random(len(x)) < 1 / (1 + np.exp(-level)), "yes", "no"),
            "stream": np.digitize(level, [-1.0, 1.0]),
        }
    )  # fmt: skip


def asked(frame, target, **wishes):
    others = [name for name in ("mark", "errors", "passed", "stream") if name != target and name in frame.columns]
    return read_input(Request(frame.drop(others), target, group="school", **wishes))


def takers(given):
    return [candidate.label for candidate in given.candidates() if candidate.compare.takes_groups]


def named(given, name):
    return find_candidate(name, given.candidates(), given.task)


@pytest.mark.parametrize(
    ("target", "task", "expected"),
    [
        ("mark", None, ["VariationalGLMM (gaussian)"]),
        ("errors", "regression", ["VariationalGLMM (gaussian)", "VariationalGLMM (poisson)"]),
        ("passed", None, ["GroupedClassifier", "VariationalGLMM (binomial)"]),
        ("stream", "multiclass", ["GroupedClassifier"]),
    ],
)
def test_every_task_gets_the_methods_that_learn_from_groups_beside_all_others(pupils, target, task, expected):
    given = asked(pupils, target, task=task)
    assert sorted(takers(given)) == expected
    plain = read_input(Request(pupils.select("x", "z", target), target, task))
    assert len(given.candidates()) == len(plain.candidates()) + len(expected)
    assert [candidate.label for candidate in given.candidates() if given.suits(candidate)] == takers(given)
    assert takers(plain) == []
    keys = [candidate.key for candidate in given.candidates()]
    assert len(set(keys)) == len(keys)


def test_forms_of_one_method_are_told_apart_and_named_together(pupils):
    given = asked(pupils, "errors", task="regression")
    assert named(given, "v15-1351/VariationalGLMM-poisson").method(0).family == "poisson"
    with pytest.raises(TreatiseError, match="VariationalGLMM-gaussian, v15-1351/VariationalGLMM-poisson; name one"):
        named(given, "VariationalGLMM")


def test_whole_groups_are_held_out_and_no_column_is_the_group(pupils):
    given = asked(pupils, "mark")
    assert given.features == ["x", "z"] and "school" not in given.X.columns and given.width == 2
    assert given.describe().features == 2
    assert [fact.value for fact in given.describe().facts[:2]] == ["300", "30"]
    for fold in range(5):
        training, held_out = given.divide(5, 0, fold, 0)
        assert not set(training.roles.names) & set(held_out.X["school"])
        assert held_out.X["school"].to_list() == pupils["school"].gather(held_out.numbers).to_list()


def test_known_groups_hold_out_rows_of_groups_that_are_learned_from(pupils):
    given = asked(pupils, "mark").known_groups
    seen = []
    for fold in range(5):
        training, held_out = given.divide(5, 0, fold, 0)
        assert set(held_out.X["school"]) <= set(training.roles.names)
        assert training.n_rows == 240
        seen += held_out.numbers.tolist()
    assert sorted(seen) == list(range(300))
    assert given.known_groups is None
    np.testing.assert_array_equal(given.units, asked(pupils, "mark").units)


def test_rows_that_are_alone_in_their_group_are_never_rows_of_a_known_one(pupils):
    alone = pupils.with_columns(pl.when(pl.col("z") > 1).then(None).otherwise(pl.col("school")).alias("school"))
    given = asked(alone, "mark").known_groups
    missing = set(np.flatnonzero(alone["school"].is_null().to_numpy()))
    judged = {row for fold in range(5) for row in given.divide(5, 0, fold, 0)[1].numbers.tolist()}
    assert missing and judged == set(range(300)) - missing


def test_copies_of_a_row_stay_in_one_fold_of_known_groups(pupils):
    twice = pl.concat([pupils, pupils.head(20)])
    given = asked(twice, "mark").known_groups
    for fold in range(5):
        held_out = set(given.divide(5, 0, fold, 0)[1].numbers.tolist())
        assert all((row in held_out) == (300 + row in held_out) for row in range(20))


def test_groups_of_one_row_each_get_no_methods_of_groups_and_no_word_on_known_ones(pupils):
    single = pupils.with_columns(school=pl.int_range(pl.len()))
    given = asked(single, "mark")
    assert takers(given) == [] and given.known_groups is None
    assert given.number_of_folds() == 5


def test_one_group_is_refused(pupils):
    with pytest.raises(TreatiseError, match="all rows have the same 'school'; there is nothing to hold out by it"):
        asked(pupils.with_columns(school=pl.lit("s1")), "mark")


def test_other_methods_never_see_the_group(pupils):
    given = asked(pupils, "mark")
    ridge = named(given, "Ridge")
    fitted = given.fit(given.pipeline(ridge, {}, 0))
    assert fitted["table"].columns_ == ["x", "z"]
    training, held_out = given.divide(5, 0, 0, 0)
    model = training.fit(given.pipeline(ridge, {}, 0))
    other = held_out.X.with_columns(school=pl.lit("s1"))
    np.testing.assert_array_equal(given.apply(model, held_out.X).values, given.apply(model, other).values)
    assert "group" not in given.metadata(ridge)


def test_the_mixed_model_is_that_of_the_paper_on_the_same_rows(pupils):
    given = asked(pupils, "mark")
    mixed = named(given, "VariationalGLMM")
    fitted = given.fit(given.pipeline(mixed, {}, 0))
    X = pupils.select("x", "z").to_numpy()
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    groups = pupils["school"].to_numpy().astype(str)
    alone = VariationalGLMM("gaussian", sigma_beta=mixed.compare.params["sigma_beta"])
    alone.fit(scaled, pupils["mark"].to_numpy(), groups=groups)
    shown = pupils.select("x", "z", "school")
    np.testing.assert_allclose(fitted.predict(shown), alone.predict(scaled, groups=groups), rtol=1e-8)
    new = shown.with_columns(school=pl.lit("nowhere"))
    np.testing.assert_allclose(fitted.predict(new), alone.predict(scaled), rtol=1e-8)
    none = shown.with_columns(school=pl.lit(None, pl.String))
    np.testing.assert_array_equal(fitted.predict(none), fitted.predict(new))


@pytest.mark.parametrize(("target", "task"), [("mark", None), ("errors", "regression"), ("passed", None)])
def test_mixed_models_gain_by_known_groups_and_nothing_by_new_ones(pupils, target, task):
    given = asked(pupils, target, task=task)
    mixed = next(c for c in reversed(given.candidates()) if c.entry.name == "VariationalGLMM")
    plain = named(given, "LogisticRegression" if target == "passed" else "Ridge")
    measure = given.metrics[0].name

    def score(data, candidate):
        found = []
        for fold in range(5):
            training, held_out = data.divide(5, 0, fold, 0)
            model = training.fit(data.pipeline(candidate, {}, 0))
            found.append(data.judge(held_out, data.apply(model, held_out.X))[measure])
        return np.mean(found)

    # The schools' levels have four times the variance of the column that predicts; areas under the curve gain least.
    assert score(given.known_groups, mixed) > score(given.known_groups, plain) + 0.07
    assert abs(score(given, mixed) - score(given, plain)) < 0.05


def test_a_small_model_for_each_group_beside_the_global_one(pupils):
    given = asked(pupils, "stream", task="multiclass")
    fitted = given.fit(given.pipeline(named(given, "GroupedClassifier"), {}, 0))
    groups = fitted[-1].estimator_
    assert len(groups.groups_) == GROUPS and len(groups.models_) > GROUPS / 2
    shown = pupils.select("x", "z", "school")
    assert fitted.predict_proba(shown).shape == (300, 3)
    new = shown.with_columns(school=pl.lit("nowhere"))
    assert np.mean(fitted.predict(new) != fitted.predict(shown)) > 0.1
    np.testing.assert_array_equal(fitted.classes_, given.classes)


def test_two_classes_of_a_mixed_model_are_the_labels_in_their_order(pupils):
    given = asked(pupils, "passed")
    fitted = given.fit(given.pipeline(named(given, "VariationalGLMM"), {}, 0))
    found = given.apply(fitted, pupils.select("x", "z", "school"))
    assert set(found.values) == {"no", "yes"}
    passed = pupils["passed"].to_numpy() == "yes"
    assert found.probabilities[passed, 1].mean() > found.probabilities[~passed, 1].mean() + 0.2
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)


def test_a_row_without_a_group_is_one_by_itself_while_fitting():
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "g": ["b", None, "a", None]})
    encoder = BesideGroups("g", _pipeline())
    np.testing.assert_array_equal(encoder.fit_transform(frame), [[1, 1], [2, 2], [3, 0], [4, 3]])
    np.testing.assert_array_equal(encoder.transform(frame), [[1, 1], [2, -1], [3, 0], [4, -1]])
    new = pl.DataFrame({"g": ["c", None, "a"], "x": [1.0, 1.0, 1.0]})
    np.testing.assert_array_equal(encoder.transform(new)[:, -1], [-1, -1, 0])
    assert encoder.unseen(new) == {"g": 1}


def _pipeline():
    from sklearn.pipeline import Pipeline

    return Pipeline([("table", TableEncoder())])


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([7, 8, None], ["7", "8", None]),
        ([7.0, 8.0, float("nan")], ["7", "8", None]),
        ([7.5, 8.0, None], ["7.5", "8.0", None]),
        (["a", " a", None], ["a", " a", None]),
        ([True, False, None], ["true", "false", None]),
    ],
)
def test_groups_have_one_name_however_numbers_are_written(values, names):
    assert names_of(pl.Series(values, strict=False)).to_list() == names


def test_a_saved_mixed_model_finds_the_groups_of_new_files(pupils, tmp_path):
    table = Table("pupils", pupils.select("school", "x", "z", "mark"), True, ())
    pipeline, about, given = fit_method("VariationalGLMM", table, "mark", group="school")
    assert given.kind == about["kind"] == "grouped table" and about["group"] == "school"
    save_model(pipeline, tmp_path / "model.skops", metadata=about)
    model = FittedModel(**vars(load_model(tmp_path / "model.skops")))
    new = pl.DataFrame({"mark": [0.0] * 3, "z": [0.0] * 3, "school": ["s3", "s999", None], "x": [0.0] * 3})
    with pytest.warns(UserWarning, match="1 row holds a value of 'school' that the model has not seen"):
        found = model.predict(new)["prediction"].to_numpy()
    assert found[1] == found[2] != found[0]
    assert model.score(pupils).measurements[0].score > 0.8
    with pytest.raises(TreatiseError, match="lacks the column 'school', which tells the model the group of each row"):
        model.predict(new.drop("school"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bare = Table("bare", new.select("school", "x", "z").rename(dict(zip(["school", "x", "z"], "abc"))), False, ())
        with pytest.warns(UserWarning, match="'school'"):
            np.testing.assert_array_equal(model.predict(bare)["prediction"].to_numpy(), found)


def test_a_saved_model_of_another_method_needs_no_groups(pupils):
    table = Table("pupils", pupils.select("school", "x", "z", "mark"), True, ())
    pipeline, about, _ = fit_method("Ridge", table, "mark", group="school")
    found = FittedModel(pipeline, about, "").predict(pupils.select("x", "z"))
    assert found.height == 300 and isinstance(pipeline[-1], Ridge)


def test_numbers_of_groups_match_whatever_type_the_new_file_has(pupils):
    numbered = pupils.with_columns(pl.col("school").str.slice(1).cast(pl.Int64)).select("school", "x", "z", "mark")
    pipeline, about, _ = fit_method("VariationalGLMM", Table("pupils", numbered, True, ()), "mark", group="school")
    model = FittedModel(pipeline, about, "")
    whole = model.predict(numbered)["prediction"]
    for kind in (pl.Float64, pl.String):
        assert model.predict(numbered.with_columns(pl.col("school").cast(kind)))["prediction"].equals(whole)
    pandas = pytest.importorskip("pandas")
    gaps = pandas.DataFrame({"x": [0.0, 0.0], "z": [0.0, 0.0], "school": [3, None]})
    same = pl.DataFrame({"x": [0.0, 0.0], "z": [0.0, 0.0], "school": [3, 10**6]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(model.predict(gaps)["prediction"], model.predict(same)["prediction"])


def test_rows_to_test_on_need_the_groups(pupils):
    assert asked(pupils, "mark").judged_by == ("mark", "school")


def test_a_frame_with_other_groups_is_another_run(pupils):
    given, other = asked(pupils, "mark"), asked(pupils.with_columns(pl.col("school").reverse()), "mark")
    assert given.identity()["data"] != other.identity()["data"]
    assert given.identity() == asked(pupils, "mark").identity()


def test_rows_without_a_label_and_weights_go_with_groups(pupils):
    some = pupils.with_columns(
        pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise(pl.col("passed")).alias("passed"),
        w=pl.lit(1.0),
    )
    given = asked(some, "passed", weight="w")
    assert given.unlabelled_rows == 100 and len(given.roles.names) == 200
    learner = next(c for c in given.candidates() if c.compare.unlabelled and c.baseline)
    for candidate in (learner, named(given, "VariationalGLMM"), named(given, "LogisticRegression")):
        training, held_out = given.divide(5, 0, 0, 0)
        found = given.apply(training.fit(given.pipeline(candidate, {}, 0)), held_out.X)
        assert len(found.values) == len(held_out.numbers)


def test_a_regressor_of_amounts_gives_no_probabilities():
    assert not hasattr(WithGroups(VariationalGLMM("gaussian")), "predict_proba")
    assert hasattr(WithGroups(VariationalGLMM("binomial"), classes=True), "predict_proba")


def test_a_blend_reads_the_groups_if_one_of_its_members_does(pupils):
    from treatise.compare import BlendedRegressor

    given = asked(pupils, "mark")
    members = [named(given, "Ridge"), named(given, "VariationalGLMM")]
    models = [given.fit(given.pipeline(member, {}, 0)) for member in members]
    about = given.metadata(members[0]) | {"group": "school"}
    shown = pupils.select("z", "school", "x")
    blend = FittedModel(BlendedRegressor(models, [0.5, 0.5]), about, "")
    expected = np.mean([model.predict(shown) for model in models], axis=0)
    np.testing.assert_allclose(blend.predict(shown)["prediction"], expected)
    assert isinstance(blend, ModelFile) and replace(given, known=True).known_groups is None
