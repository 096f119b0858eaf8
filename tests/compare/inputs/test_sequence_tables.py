"""Sequences in tables: a row for each position, or a row for each sequence."""

import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.compare import label_table
from treatise.compare.candidates import all_candidates
from treatise.compare.inputs import Request
from treatise.compare.inputs.sequence_tables import is_table
from treatise.compare.inputs.sequences import SequenceInput
from treatise.io import load_model, read_table, save_model

HMM = next(candidate for candidate in all_candidates("sequence") if candidate.entry.name == "HMM")


@pytest.fixture
def rows():
    """Twelve runs of six positions: a sign that mostly tells the state, a number that tells it from another side."""
    rng = np.random.default_rng(0)
    state = np.repeat(rng.integers(0, 2, 24), 3)
    sign = np.where(rng.random(72) < 0.9, state, 1 - state)
    return pl.DataFrame(
        {
            "run": np.repeat([f"r{i}" for i in range(12)], 6),
            "sign": np.array(["-", "+"])[sign],
            "size": state + rng.normal(scale=0.3, size=72),
            "state": np.array(["off", "on"])[state],
        }
    )


def read_sequences(source, target, group=None):
    return SequenceInput.read(Request(source, target, group=group))


def saved(frame, tmp_path, name="table.csv"):
    frame.write_csv(tmp_path / name)
    return tmp_path / name


def model_of(problem, tmp_path):
    fitted = problem.fit(problem.pipeline(HMM, {}, 0))
    save_model(fitted, tmp_path / "model.skops", metadata=problem.metadata(HMM))
    return load_model(tmp_path / "model.skops")


def in_cells(rows):
    joined = [pl.col(name).str.join(" ") for name in ("sign", "state")]
    return rows.group_by("run", maintain_order=True).agg(joined).drop("run")


def test_tables_are_told_by_their_name():
    assert is_table("a.csv") and is_table("a.CSV.gz") and is_table("a.parquet")
    assert not is_table("a.conllu") and not is_table("a.txt") and not is_table("a")


@pytest.mark.parametrize("name", ["run", "sequence"])
def test_a_column_tells_the_sequences_apart(name, rows, tmp_path):
    path = saved(rows.rename({"run": name}), tmp_path)
    problem = read_sequences(path, "state", "run" if name == "run" else None)
    assert (problem.task, problem.n_rows, problem.target) == ("sequence", 72, "state")
    assert problem.X.columns == ["sentence", "sign", "size"] and problem.features == ["sign", "size"]
    assert problem.X["sentence"].to_list() == np.repeat(np.arange(12), 6).tolist()
    assert problem.y.tolist() == rows["state"].to_list()
    labelled = label_table(
        model_of(problem, tmp_path), read_table(saved(rows.rename({"run": name}).drop("state"), tmp_path))
    )
    assert labelled.columns == [name, "sign", "size", "state"]
    # The sign tells nine of ten states, and neighbours most of the rest.
    assert np.mean(labelled["state"].to_numpy() == problem.y) > 0.85


def test_cells_of_several_items_are_whole_sequences(rows, tmp_path):
    problem = read_sequences(saved(in_cells(rows), tmp_path), "state")
    assert problem.X.columns == ["sentence", "sign"] and problem.y.tolist() == rows["state"].to_list()
    model = model_of(problem, tmp_path)
    labelled = label_table(model, read_table(saved(in_cells(rows).select("sign"), tmp_path), header=True))
    found = [cell.split(" ") for cell in labelled["state"]]
    assert [len(each) for each in found] == [6] * 12
    assert np.mean(np.concatenate(found) == problem.y) > 0.85


def test_columns_of_cells_that_do_not_match_are_left_out_and_numbers_are_numbers(rows, tmp_path):
    cells = in_cells(rows).with_columns(
        pl.lit("1 2 3").alias("short"), pl.Series("weight", [" ".join(str(i + j) for j in range(6)) for i in range(12)])
    )
    problem = read_sequences(saved(cells, tmp_path), "state")
    assert problem.dropped == [("short", "has another number of items than 'state' in row 1")]
    assert problem.X["weight"].dtype == pl.Float64 and problem.X["weight"][7] == 2.0
    labelled = label_table(model_of(problem, tmp_path), read_table(saved(cells, tmp_path)))
    assert labelled.columns == cells.columns and labelled["state"].str.split(" ").list.len().to_list() == [6] * 12


def test_a_column_that_tells_the_target_is_named(rows, tmp_path):
    problem = read_sequences(
        saved(rows.with_columns(pl.col("state").str.slice(0, 2).alias("twin")), tmp_path), "state", "run"
    )
    told = [note for note in problem.notes if "tells 'state'" in note]
    assert len(told) == 1 and told[0].startswith("column 'twin'")


def test_tables_that_are_no_sequences_are_refused_in_a_sentence(rows, tmp_path):
    def refused(frame, sentence, target="state", group="run"):
        with pytest.raises(TreatiseError, match=sentence):
            read_sequences(saved(frame, tmp_path), target, group)

    refused(rows, r"^which rows of table belong to one sequence\?", group=None)
    refused(rows, "which column holds the labels", target=None)
    refused(rows, "no column 'stat'; did you mean 'state'", target="stat")
    refused(rows, "cannot both tell the sequences apart and be the target", group="state")
    refused(rows.with_columns(pl.lit("r0").alias("run")), "holds 1 sequence; a comparison needs at least 4")
    refused(pl.concat([rows, rows[:3]]), "the rows of 'r0' in 'run' do not stand together; sort the table by 'run'")
    refused(rows.with_columns(pl.lit("on").alias("state")), "'state' has one value only")
    refused(rows.select("run", "state"), "no column is left to tell 'state' from")
    gap = pl.when(pl.int_range(pl.len()) == 4).then(None)
    refused(rows.with_columns(gap.otherwise(pl.col("state")).alias("state")), "row 5 has no value in 'state'; every")
    refused(rows.with_columns(gap.otherwise(pl.col("run")).alias("run")), "row 5 has no value in 'run'; every position")
    empty = in_cells(rows).with_columns(
        pl.when(pl.int_range(pl.len()) == 2).then(pl.lit("")).otherwise(pl.col("state")).alias("state")
    )
    refused(empty, "row 3 holds an empty sequence in 'state'", group=None)


def test_labelling_a_table_says_what_it_lacks(rows, tmp_path):
    model = model_of(read_sequences(saved(rows, tmp_path), "state", "run"), tmp_path)
    with pytest.raises(TreatiseError, match="table lacks the column 'run' that the model was fitted with"):
        label_table(model, read_table(saved(rows.drop("run"), tmp_path)))
    with pytest.warns(UserWarning, match="column 'state' holds the label 'idle', which the model does not know"):
        label_table(model, read_table(saved(rows.with_columns(pl.col("state").replace("off", "idle")), tmp_path)))
    cells = model_of(read_sequences(saved(in_cells(rows), tmp_path), "state"), tmp_path)
    with pytest.raises(TreatiseError, match="row 2 holds an empty sequence in 'sign'"):
        label_table(cells, read_table(saved(pl.DataFrame({"sign": ["+ -", None, "+"], "n": [1, 2, 3]}), tmp_path)))
