"""Folds that leak nothing, and tuning that stays inside the training rows and its time."""

import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from treatise.catalog import Cost, SearchRange
from treatise.compare import understand
from treatise.compare.candidates import all_candidates, find_candidate
from treatise.compare.contest.tuning import draw_settings, tune
from treatise.compare.inputs.rows import split
from treatise.compare.metrics import METRICS
from treatise.io import Table


def problem(n=300, seed=0, copies=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=n) > 0.8, "yes", "no")
    x, y = np.vstack([x, x[:copies]]), np.concatenate([y, y[:copies]])
    frame = pl.DataFrame(x, schema=["a", "b", "c"]).with_columns(y=pl.Series(y))
    return understand(Table("points", frame, True, ()), "y")


def split_problem(data, k, repeat, fold, seed):
    """Numbers of the training and test rows of a fold, whose rows are all different or copies."""
    training, held_out = data.divide(k, repeat, fold, seed)
    train = np.setdiff1d(np.arange(data.n_rows), held_out.numbers)
    assert training.n_rows == len(train)
    np.testing.assert_array_equal(training.y, data.y[train])
    return train, held_out.numbers


def test_folds_partition_the_rows_and_keep_class_shares():
    data = problem()
    tested = []
    for fold in range(5):
        train, test = split_problem(data, 5, 0, fold, 0)
        assert np.intersect1d(train, test).size == 0
        assert len(train) + len(test) == data.n_rows
        tested.append(test)
        # Stratified: no fold is off the table's share by more than one row of the class.
        assert abs((data.y[test] == "yes").sum() - (data.y == "yes").mean() * len(test)) <= 1
    np.testing.assert_array_equal(np.sort(np.concatenate(tested)), np.arange(data.n_rows))


def test_copies_of_a_row_never_stand_on_both_sides():
    data = problem(copies=80)
    for repeat in range(3):
        for fold in range(5):
            train, test = split_problem(data, 5, repeat, fold, 0)
            assert np.intersect1d(data.groups[train], data.groups[test]).size == 0


def test_a_part_of_a_table_with_copies_can_be_split_again():
    data = problem(copies=80)
    some = data.sample(200, seed=0)
    assert some.groups.max() + 1 == len(np.unique(some.groups))
    for train, test in split(some.y, some.groups, True, 3, 0):
        assert np.intersect1d(some.groups[train], some.groups[test]).size == 0


def test_repeats_differ_and_the_same_seed_gives_the_same_folds():
    data = problem()
    first, second = (split_problem(data, 5, repeat, 0, 0)[1] for repeat in (0, 1))
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, split_problem(data, 5, 0, 0, 0)[1])


def test_a_class_with_one_row_does_not_stop_the_folds():
    y = np.array(["a"] * 20 + ["b"] * 20 + ["rare"])
    folds = list(split(y, None, True, 5, 0))
    assert sum(len(test) for _, test in folds) == 41


def test_few_rows_get_few_folds():
    assert problem(n=300).number_of_folds() == 5
    tiny = replace(problem(), y=np.array(["a", "b"] * 3), groups=None)
    assert tiny.number_of_folds() == 3


def test_drawn_settings_cover_each_parameter_evenly():
    search = {"C": SearchRange(1e-3, 1e3, log=True), "kind": ("x", "y", "z"), "depth": SearchRange(1, 9, integer=True)}
    settings = draw_settings(search, 9, seed=3)
    assert len(settings) == 9
    exponents = np.log10([setting["C"] for setting in settings])
    # Latin hypercube: one draw in each ninth of the range of exponents.
    np.testing.assert_array_equal(np.sort(((exponents + 3) / 6 * 9).astype(int)), np.arange(9))
    assert sorted(setting["kind"] for setting in settings) == sorted("xyz" * 3)
    assert all(isinstance(setting["depth"], int) and 1 <= setting["depth"] <= 9 for setting in settings)


def test_a_small_grid_is_drawn_whole_without_repeats():
    settings = draw_settings({"a": (1, 2), "b": ("u", "v")}, 9, seed=0)
    assert sorted((s["a"], s["b"]) for s in settings) == [(1, "u"), (1, "v"), (2, "u"), (2, "v")]
    assert draw_settings({}, 9, seed=0) == []


def test_tuning_finds_the_setting_that_matters():
    """A nearest-neighbour-like SVC with a uselessly small gamma is repaired by the search."""
    data = problem(n=400)
    svc = find_candidate("SVC", all_candidates("binary"), "binary")
    poor = replace(
        svc, compare=replace(svc.compare, params={"gamma": 1e-9, "C": 1e-3}, search={"gamma": (1e-9, 0.3), "C": (1.0,)})
    )
    found = tune(poor, data, METRICS["accuracy"], seconds=20, seed=0)
    assert found == {"gamma": 0.3, "C": 1.0}


def test_tuning_keeps_to_its_time_and_then_takes_the_defaults():
    data = problem(n=2000)
    forest = find_candidate("RandomForestClassifier", all_candidates("binary"), "binary")
    start = time.process_time()
    found = tune(forest, data, METRICS["roc_auc"], seconds=0.2, seed=0)
    assert found == {}
    # One setting on one rung is the least unit of work.
    assert time.process_time() - start < 10


def test_settings_that_fail_lose_instead_of_stopping_the_search():
    data = problem()
    svc = find_candidate("SVC", all_candidates("binary"), "binary")
    risky = replace(svc, compare=replace(svc.compare, search={"C": (-1.0, 1.0)}))
    assert tune(risky, data, METRICS["roc_auc"], seconds=20, seed=0).get("C") != -1.0


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_every_baseline_of_the_plan_is_there(task):
    names = {candidate.entry.name for candidate in all_candidates(task) if candidate.paper is None}
    kind = "Regressor" if task == "regression" else "Classifier"
    assert {f"Dummy{kind}", f"RandomForest{kind}", f"HistGradientBoosting{kind}"} <= names
    assert ({"Ridge", "SVR"} if task == "regression" else {"LogisticRegression", "SVC"}) <= names


def test_cost_is_a_monomial_in_the_size():
    assert Cost(2.0, n=1, p=0.5, k=2).at(10, 16, 3) == 2.0 * 10 * 4 * 9
