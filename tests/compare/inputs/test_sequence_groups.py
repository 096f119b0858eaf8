"""Sequences without a target: read from a long table, grouped by dynamics, or said to be one cloud."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score

import treatise
from treatise._core.errors import TreatiseError
from treatise.compare import fit_method, predict_sequence_groups
from treatise.compare.groups import GroupedSequences, summed_up
from treatise.compare.inputs import Request, read_input
from treatise.compare.inputs.encoding.sequences import SequenceEncoder
from treatise.compare.inputs.sequence_groups import SequenceGroupsInput
from treatise.io import Table, load_model, read_table

KINDS = ((0.9, 0.0), (-0.6, 0.0), (0.9, 4.0))
"""Persistence and level of three kinds of walk."""


def walks(number, kinds, seed=0, shortest=30):
    """A long table of walks, and the kind of each."""
    rng, parts = np.random.default_rng(seed), []
    for i in range(number):
        persistence, level = kinds[i % len(kinds)]
        length = rng.integers(shortest, 2 * shortest)
        values = np.zeros((length, 2))
        for t in range(1, length):
            values[t] = persistence * values[t - 1] + rng.normal(size=2)
        parts.append(
            pl.DataFrame(values + level, schema=["left", "right"]).with_columns(
                pl.lit(f"w{i}").alias("walk"), pl.Series("clock", 0.5 * np.arange(length))
            )
        )
    return pl.concat(parts), np.arange(number) % len(kinds)


@pytest.fixture(scope="module")
def three():
    return walks(45, KINDS)


def asked(frame, **wishes):
    return read_input(Request(frame, task="cluster", group="walk", **wishes))


def test_a_long_table_becomes_sequences_in_their_order(three):
    frame, _ = three
    given = asked(frame)
    assert isinstance(given, SequenceGroupsInput) and given.n_rows == 45
    assert given.X.columns == ["left", "right"]
    np.testing.assert_array_equal(given.X["left"][7].to_numpy(), frame.filter(walk="w7")["left"].to_numpy())
    about = given.describe()
    assert about.rows == 45 and f"{frame.height:,} positions" in about.size and about.target is None
    assert [(each.column, "as a clock does" in each.reason) for each in about.dropped] == [("clock", True)]
    assert given.options() == {"task": "cluster", "group": "walk"}


def test_folds_hold_whole_sequences_and_copies_stay_together(three):
    frame, _ = three
    again = frame.filter(walk="w3").with_columns(walk=pl.lit("copy"))
    given = asked(pl.concat([frame, again]))
    assert given.grouped
    for fold in range(3):
        training, held_out = given.divide(3, 0, fold, 0)
        assert training.n_rows + len(held_out.numbers) == 46
        assert len({3, 45} & set(held_out.numbers.tolist())) != 1


def test_sums_are_mean_spread_and_the_lag_one_autocorrelation():
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.normal(size=(50, 2)), axis=0)
    (row,) = summed_up([x])
    apart = x[:, 0] - x[:, 0].mean()
    expected = np.sum(apart[1:] * apart[:-1]) / np.sum(apart**2)
    np.testing.assert_allclose(row[[0, 2, 4]], [x[:, 0].mean(), x[:, 0].std(), expected])


def test_gaps_take_the_value_before_them_in_their_own_sequence():
    X = pl.DataFrame({"a": [[None, 1.0, None, 3.0], [float("nan"), 5.0], [None, None]]})
    encoder = SequenceEncoder().fit(X)
    found = [part[:, 0] * encoder.scales_ + encoder.means_ for part in encoder.transform(X)]
    np.testing.assert_allclose(found[0], [1, 1, 1, 3])
    np.testing.assert_allclose(found[1], [5, 5])
    np.testing.assert_allclose(found[2], [3, 3])  # the mean of 1, 3 and 5


@pytest.mark.parametrize("method", ["HMMMixture", "KMeans", "GaussianMixture"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_methods_of_sequences_and_of_rows_find_kinds_that_differ_in_dynamics(three, method):
    frame, truth = three
    pipeline, about, given = fit_method(method, frame, task="cluster", group="walk", params=_three(method))
    assert adjusted_rand_score(truth, pipeline.predict(given.X)) > 0.8
    density = given.apply(pipeline, given.X).scores[:, 2]
    # Densities of sequences and of what sums them up are of different things: only the former are shown.
    assert np.isfinite(density).all() == method.startswith("HMM")
    new, kinds = walks(12, KINDS, seed=9)
    answer = predict_sequence_groups(treatise.io.ModelFile(pipeline, about, ""), Table("new", new, True, ()))
    assert answer.columns == ["walk", "group"] and answer["walk"].to_list() == [f"w{i}" for i in range(12)]
    assert adjusted_rand_score(kinds, answer["group"].to_numpy()) > 0.5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_of_single_sequences_are_grouped_by_level():
    # A model for each sequence tells dynamics from some fifty positions only where states are apart.
    frame, truth = walks(30, ((0.3, 0.0), (0.3, 4.0), (0.3, 8.0)))
    pipeline, _, given = fit_method("HMMClusterer", frame, task="cluster", group="walk", params={"n_clusters": 3})
    assert adjusted_rand_score(truth, pipeline.predict(given.X)) > 0.9
    assert np.isfinite(given.apply(pipeline, given.X).scores[:, 2]).all()


def _three(method):
    return {"n_components" if method == "GaussianMixture" else "n_clusters": 3}


def test_density_of_sequences_is_that_of_the_mixture_for_a_position(three):
    frame, _ = three
    pipeline, _, given = fit_method("HMMMixture", frame, task="cluster", group="walk", params={"n_clusters": 2})
    grouped = pipeline[-1]
    assert isinstance(grouped, GroupedSequences)
    sequences = pipeline[0].transform(given.X)
    whole = grouped.model_.score_sequences(sequences)
    np.testing.assert_allclose(grouped.log_density(sequences) * [len(s) for s in sequences], whole)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_number_of_groups_is_told_once_and_not_as_components_of_states(three):
    frame, _ = three
    pipeline, _, _ = fit_method("HMMClusterer", frame, task="cluster", group="walk")
    assert pipeline[-1].model_.n_clusters in (2, 3, 4)
    assert pipeline[-1].model_.n_components is None


def test_kinds_are_more_than_one_cloud_and_one_kind_is_not(three):
    frame, _ = three
    assert asked(frame).gain.groups
    single, _ = walks(60, KINDS[:1], seed=1)
    assert not asked(single).gain.groups


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f.filter(pl.col("walk").is_in([f"w{i}" for i in range(5)])), "5 sequences are too few"),
        (lambda f: pl.concat([f, f[:1].with_columns(walk=pl.lit("lone"))]), "sequence 'lone' has 1 position"),
        (
            lambda f: f.select("walk", pl.when(pl.col("left") > 0).then(pl.lit("up")).otherwise(pl.lit("down"))),
            "no column of amounts",
        ),
        (lambda f: pl.concat([f, f.filter(walk="w0")]), "do not stand together; sort the table by 'walk'"),
        (lambda f: f.with_columns(walk=pl.when(pl.col("walk") != "w0").then("walk")), "has no value in 'walk'"),
    ],
)
def test_senseless_tables_are_refused_in_a_sentence(three, change, sentence):
    with pytest.raises(TreatiseError, match=sentence):
        asked(change(three[0]))


def test_a_column_of_sequences_that_was_not_named_is_pointed_out(three):
    frame = three[0].select("left", "right", sequence=pl.col("walk").str.slice(1).cast(pl.Int64))
    given = read_input(Request(frame, task="cluster"))
    assert any("name it with --group" in note for note in given.notes)


def test_a_comparison_of_sequences_ends_with_a_model_that_groups_new_ones(three, tmp_path, contestants):
    frame, _ = three
    frame.write_csv(tmp_path / "walks.csv")
    comparison = treatise.compare(
        tmp_path / "walks.csv", task="cluster", group="walk", budget=60, jobs=1, folds=2, output=tmp_path / "run",
        include=["HMMMixture", "KMeans", "OneGroup"],
    )  # fmt: skip
    run = comparison.run
    assert {entry.label for entry in run.leaderboard} >= {"KMeans", "OneGroup"}
    assert run.metric.name == "stability" and run.data.kind == "groups of sequences"
    assert any("The sequences are more than one cloud" in reason for reason in run.decision.reasons)
    assert run.best.groups.rows == 45 and run.best.groups.groups[0].traits[0].column.endswith(("left", "right"))
    answer = predict_sequence_groups(load_model(tmp_path / "run" / "best.skops"), read_table(tmp_path / "walks.csv"))
    assert answer.height == 45 and set(answer["group"]) == {group.number for group in run.best.groups.groups}
    assert "sequences" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
