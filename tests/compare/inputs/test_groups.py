"""Groups without a target: clusterers as models, the judgement of groups, and a comparison from end to end."""

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture

from treatise._core.errors import TreatiseError
from treatise.cluster import LevelSetSpectralClustering
from treatise.compare import compare_methods, predict_groups
from treatise.compare.candidates import all_candidates, instance
from treatise.compare.groups import Grouped, OneGroup, gain_over_one_cloud, likely_count
from treatise.compare.inputs import HeldOut, Request, read_input
from treatise.compare.inputs.groups import GroupsInput, agreement, overlap_of_groups, traits
from treatise.compare.metrics import Predictions
from treatise.io import load_model, read_table, save_model
from treatise.report.record import Decision


def three_groups(n=180, seed=0):
    """Rows around three points, the first as many as the others together."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], [n // 2, n // 3, n - n // 2 - n // 3])
    return rng.normal(size=(n, 3)) + 20.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])[truth], truth


def as_frame(X, truth=None):
    frame = pl.DataFrame(X, schema=["length", "width", "height"])
    return frame if truth is None else frame.with_columns(ward=pl.Series(np.array(["north", "south", "south"])[truth]))


# Clusterers as models.


@pytest.mark.parametrize("clusterer", [KMeans(3, n_init=3), AgglomerativeClustering(3), GaussianMixture(3)])
def test_groups_are_numbered_by_size_and_new_rows_join_them(clusterer):
    X, truth = three_groups()
    model = Grouped(clusterer).fit(X)
    assert np.array_equal(model.predict(X), truth + 1)
    other, expected = three_groups(seed=1)
    assert np.array_equal(model.predict(other), expected + 1)


def test_rows_that_a_clusterer_leaves_out_are_group_zero():
    X, _ = three_groups()
    X[0] = 90.0
    model = Grouped(DBSCAN(eps=3.0)).fit(X)
    assert model.predict(X[:1]).tolist() == [0]
    assert set(model.predict(X[1:]).tolist()) == {1, 2, 3}


def test_the_count_is_told_only_where_it_is_asked_for():
    X, _ = three_groups()
    assert likely_count(X, 0) == 3
    assert Grouped(KMeans(5, n_init=1), count=True, random_state=0).fit(X).n_groups_ == 3
    assert Grouped(KMeans(5, n_init=1), count=False).fit(X).n_groups_ == 5


def test_a_clusterer_that_counts_for_itself_is_not_told():
    rng = np.random.default_rng(0)
    angles, which = rng.uniform(0.0, 2 * np.pi, 600), np.arange(600) % 2
    # Two rings, one within the other: a mixture takes many components, the level set has two.
    rings = np.stack([np.cos(angles), np.sin(angles)], axis=1) * (1.0 + 3.0 * which)[:, np.newaxis]
    rings += 0.1 * rng.normal(size=rings.shape)
    assert likely_count(rings, 0) > 2
    model = Grouped(LevelSetSpectralClustering(), count=True, random_state=0).fit(rings)
    assert model.n_groups_ == 2
    found = model.predict(rings)
    for ring in (0, 1):
        groups = np.unique(found[(which == ring) & (found > 0)])
        assert len(groups) == 1


def test_density_is_that_of_the_mixture_and_absent_elsewhere():
    X, _ = three_groups()
    mixture = GaussianMixture(3, random_state=0)
    np.testing.assert_allclose(Grouped(mixture).fit(X).log_density(X), mixture.fit(X).score_samples(X), rtol=1e-9)
    assert Grouped(KMeans(3)).fit(X).log_density(X) is None


# Whether there are groups.


def test_single_clouds_are_not_divided():
    seen = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 3))
        gain = gain_over_one_cloud((X - X.mean(axis=0)) / X.std(axis=0))
        assert gain is not None
        seen += gain.groups
    # At five in a hundred, two of eight come once in twenty, three once in 170.
    assert seen <= 2


def test_a_skewed_cloud_is_one_cloud():
    X = np.exp(np.random.default_rng(0).normal(size=(250, 2)))
    gain = gain_over_one_cloud((X - X.mean(axis=0)) / X.std(axis=0))
    assert gain is not None
    assert not gain.groups


def test_clouds_apart_are_seen():
    X, _ = three_groups()
    gain = gain_over_one_cloud((X - X.mean(axis=0)) / X.std(axis=0))
    assert gain is not None
    assert gain.groups
    assert gain.mean > 5 * gain.error
    assert gain_over_one_cloud(X[:12]) is None


# Judging.


def held(n):
    return HeldOut(np.arange(n), np.zeros((n, 1)), np.zeros(n, dtype=bool))


def test_stability_is_the_adjusted_rand_index_of_the_halves_and_nothing_for_one_group():
    assert agreement(np.array([1, 1, 2, 2]), np.array([2, 2, 1, 1])) == 1.0
    assert agreement(np.ones(4), np.ones(4)) == 0.0
    assert agreement(np.ones(4), np.array([1, 1, 2, 2])) == 0.0
    assert agreement(np.array([1, 1, 0, 0]), np.array([1, 1, 0, 0])) == 0.0, "noise around one group divides nothing"
    data = read_input(Request(as_frame(three_groups()[0]), task="cluster"))
    told = np.column_stack([[1, 1, 2, 2], [1, 1, 2, 1], [-1.0, -2.0, -3.0, -2.0], [0.25] * 4])
    measures = data.judge(held(4), Predictions(np.array([1, 1, 2, 2]), scores=told))
    assert measures["stability"] == pytest.approx(agreement(told[:, 0], told[:, 1]))
    assert measures["log_density"] == -2.0
    assert measures["overlap"] == 0.25
    told[:, 2:] = np.nan
    measures = data.judge(held(4), Predictions(np.array([1, 1, 2, 2]), scores=told))
    assert measures["log_density"] is None
    assert measures["overlap"] is None


def test_a_fold_is_judged_by_models_of_two_halves_that_share_no_row():
    X, _ = three_groups()
    data = read_input(Request(as_frame(X), task="cluster"))
    assert isinstance(data, GroupsInput)
    training, held_out = data.divide(3, 0, 0, 0)
    candidate = next(each for each in data.candidates() if each.label == "AgglomerativeClustering")
    fitted = training.fit(data.pipeline(candidate, {}, 0))
    halves = [half[-1].rows_ for half in fitted.halves_]
    assert sum(map(len, halves)) == training.size.rows
    assert data.judge(held_out, data.apply(fitted, held_out.X))["stability"] == pytest.approx(1.0, abs=1e-12)
    whole = data.fit(data.pipeline(candidate, {}, 0))
    assert not hasattr(whole, "halves_"), "what is saved needs no halves"


def test_halves_are_told_the_number_of_groups_that_all_rows_have():
    """Halves of 71 rows that count for themselves mostly see two of the three cultivars of the wines."""
    data = read_input(Request(pl.from_numpy(load_wine().data), task="cluster"))
    candidate = next(each for each in data.candidates() if each.label == "KMeans")
    scores = []
    for fold in range(3):
        training, held_out = data.divide(5, 0, fold, 0)
        fitted = training.fit(data.pipeline(candidate, {}, 0))
        assert {half[-1].n_groups_ for half in fitted.halves_} == {fitted[-1].n_groups_}
        scores.append(data.judge(held_out, data.apply(fitted, held_out.X))["stability"])
    assert np.mean(scores) > 0.7


def test_overlap_needs_two_groups_with_rows_enough():
    X, truth = three_groups()
    found = overlap_of_groups(X, truth + 1)
    assert found is not None
    assert found.maximum < 1e-4
    assert overlap_of_groups(X, np.ones(len(X))) is None
    assert overlap_of_groups(X, np.append(np.ones(len(X) - 1), 2)) is None


def test_what_sets_a_group_apart_is_named_with_its_direction():
    X, truth = three_groups()
    found = traits(as_frame(X, truth), truth == 1)
    assert found[0].column == "length"
    assert found[0].higher
    by_name = {trait.column: trait for trait in found}
    assert "height" not in by_name
    assert by_name["ward"].words == "south: 100%, elsewhere 25%"
    assert traits(as_frame(X, truth), np.ones(len(X), dtype=bool)) == ()


# Reading.


def test_the_tables_own_target_takes_no_part():
    data = read_input(Request("iris", task="cluster"))
    assert "species" not in data.features
    assert ("species" in dict(data.dropped)) and data.describe().target is None
    assert data.describe().question == "no target: groups"


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"target": "width"}, "do not go with a target; leave 'width' out"),
        (
            {"group": "width"},
            "has 1 position; one needs 2 at least .--group names the column that tells sequences apart.",
        ),
        ({"weight": "width"}, "weights"),
    ],
)
def test_wishes_of_other_tasks_are_refused(wish, message):
    with pytest.raises(TreatiseError, match=message):
        read_input(Request(as_frame(three_groups()[0]), task="cluster", **wish))


def test_tables_without_rows_or_columns_to_group_by_are_refused():
    with pytest.raises(TreatiseError, match="4 rows are too few"):
        read_input(Request(pl.DataFrame({"a": [1.5, 2.5, 0.5, 9.1]}), task="cluster"))
    with pytest.raises(TreatiseError, match="no column is left to group the rows by"):
        read_input(Request(pl.DataFrame({"a": [1.0] * 30}), task="cluster"))


def test_without_amounts_the_page_says_that_nothing_can_be_tested():
    kinds = pl.DataFrame({"a": ["x", "y", "z"] * 20, "b": ["u", "v"] * 30})
    data = read_input(Request(kinds, task="cluster"))
    assert isinstance(data, GroupsInput)
    assert data.gain is None


def test_few_rows_without_groups_are_said_to_be_few():
    decision = Decision(
        "a/A", "A", "Take A.", (), prefer="simple", margin=0.0, margin_share=0.01, equivalent=0, undecided=0, worse=0,
        unjudged=0, fit_seconds=1.0, predict_seconds=1.0, to_decide="", alternatives=(),
    )  # fmt: skip
    board = [SimpleNamespace(form="other", label="A", score=0.4, key="a/A")]
    few = as_frame(np.random.default_rng(0).normal(size=(12, 3)))
    [told] = read_input(Request(few, task="cluster")).decided(decision, board).reasons
    assert told.endswith("that takes columns of measured amounts, and 20 rows or more without a gap.")
    for n, words in (
        (40, "The 40 rows show no groups; so few would show clear ones only."),
        (150, "There are no groups"),
    ):
        frame = as_frame(np.random.default_rng(0).normal(size=(n, 3)))
        data = read_input(Request(frame, task="cluster"))
        assert data.decided(decision, board).headline.startswith(words)


# From end to end.


@pytest.fixture(scope="module")
def runs(tmp_path_factory, shared_contestants):
    """Comparisons on three groups and on a single cloud."""
    folder = tmp_path_factory.mktemp("groups")
    X, truth = three_groups()
    as_frame(X, truth).write_csv(folder / "three.csv")
    as_frame(np.random.default_rng(3).normal(size=(150, 3))).write_csv(folder / "one.csv")

    def compared(name):
        return compare_methods(
            folder / f"{name}.csv", task="cluster", budget=30, jobs=1, folds=2, output=folder / name
        )  # fmt: skip

    methods = ("OneGroup", "KMeans", "AgglomerativeClustering", "LevelSetSpectralClustering")
    found = {
        name: shared_contestants(lambda name=name: compared(name), *methods, task="cluster")
        for name in ("three", "one")
    }
    return folder, found


def test_the_groups_are_found_shown_and_predicted(runs):
    folder, found = runs
    run, (_, truth) = found["three"].run, three_groups()
    assert run.best.groups is not None
    assert [group.rows for group in run.best.groups.groups] == [90, 60, 30]
    assert run.best.groups.groups[1].traits[0].column == "length"
    assert any("more than one cloud" in sentence for sentence in run.verdict)
    assert any("finds 3 groups of 90, 60, 30 rows" in sentence for sentence in run.verdict)
    page = (folder / "three" / "report.html").read_text()
    assert 'id="groups"' in page
    assert "What sets it apart" in page
    assert "How they overlap" in page
    assert 'id="effects"' not in page
    again = json.loads((folder / "three" / "run.json").read_text())
    assert len(again["best"]["groups"]["of"]) == 180
    answer = predict_groups(found["three"].best, read_table(folder / "three.csv"), keep=["ward"])
    assert answer.columns == ["ward", "group"]
    assert np.array_equal(answer["group"].to_numpy(), truth + 1)


def test_the_catalogues_own_clusterer_takes_part(runs):
    _, found = runs
    entry = next(entry for entry in found["three"].run.leaderboard if entry.label == "LevelSetSpectralClustering")
    assert entry.paper == "v12-0385" and entry.stage == "folds"


def test_level_sets_of_clear_groups_are_as_stable_as_they_are_right():
    """In the halves of 144 rows each group is dense enough to be seen; what lies at their rims may be noise in one."""
    X, truth = three_groups(360)
    data = read_input(Request(pl.from_numpy(X), task="cluster"))
    candidate = next(each for each in data.candidates() if each.label == "LevelSetSpectralClustering")
    scores = []
    for fold in range(3):
        training, held_out = data.divide(5, 0, fold, 0)
        fitted = training.fit(data.pipeline(candidate, {}, 0))
        scores.append(data.judge(held_out, data.apply(fitted, held_out.X))["stability"])
        found = fitted.predict(held_out.X)
        inside = found > 0
        assert np.mean(inside) > 0.75
        assert np.array_equal(found[inside], truth[held_out.numbers][inside] + 1)
    assert np.mean(scores) > 0.85


def test_a_single_cloud_is_said_to_have_no_groups(runs):
    folder, found = runs
    run = found["one"].run
    assert run.decision.headline.startswith("There are no groups here")
    assert run.decision.label == "OneGroup"
    assert [group.rows for group in run.best.groups.groups] == [150]
    assert "No groups" in (folder / "one" / "report.html").read_text()
    answer = predict_groups(found["one"].best, read_table(folder / "one.csv"))
    assert set(answer["group"].to_list()) == {1}


def test_one_group_is_what_it_says():
    assert OneGroup().fit_predict(np.zeros((3, 2))).tolist() == [0, 0, 0]
    assert Grouped(OneGroup()).fit(np.ones((4, 1))).predict(np.zeros((2, 1))).tolist() == [1, 1]


@pytest.mark.parametrize("name", sorted(candidate.entry.path for candidate in all_candidates("cluster")))
def test_whatever_clusterer_wins_can_be_saved_and_loaded(name, tmp_path):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(20, 2)) + 6.0])
    candidate = next(candidate for candidate in all_candidates("cluster") if candidate.entry.path == name)
    model = Grouped(instance(name, candidate.compare.params, 0), count=True, random_state=0).fit(X)
    save_model(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "model.skops").model.predict(X), model.predict(X))


def test_every_clusterer_of_tables_in_the_catalogue_takes_part():
    taking_part = {candidate.entry.path.rsplit(".", 1)[1] for candidate in all_candidates("cluster")}
    assert taking_part >= {
        "LevelSetSpectralClustering", "LogisticStickBreaking", "ClusterFeatureSelector", "MergeGaussianMixture",
        "DoublingKCenter", "OnlineClusteringExperts",
    }  # fmt: skip


def test_copies_of_the_rows_of_one_cloud_are_no_groups():
    seen = 0
    for seed in range(8):
        X = np.repeat(np.random.default_rng(seed).normal(size=(100, 3)), 3, axis=0)
        seen += gain_over_one_cloud((X - X.mean(axis=0)) / X.std(axis=0)).groups
    assert seen == 0
