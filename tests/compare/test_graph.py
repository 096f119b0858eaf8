"""Graphs of tables: what the columns are taken for, what is refused, and what is written."""

import networkx
import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.compare import graph_learners, learn_graph
from treatise.io import read_table


def chain(n, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n)
    b = a + rng.standard_normal(n)
    return pl.DataFrame({"a": a, "b": b, "c": b + rng.standard_normal(n), "alone": rng.standard_normal(n)})


def table(tmp_path, frame):
    frame.write_csv(tmp_path / "data.csv")
    return read_table(tmp_path / "data.csv")


def edges(found):
    return {frozenset(pair) for pair in found.edges.select("source", "target").iter_rows()}


def test_numbers_give_a_gaussian_graph_with_stable_edges(tmp_path):
    found = learn_graph(table(tmp_path, chain(400)), subsamples=10)
    assert found.kind == "numeric" and found.method.endswith("SparsePrecision") and not found.directed
    assert edges(found) == {frozenset("ab"), frozenset("bc")}
    assert (found.edges["stability"] >= 0.9).all()
    assert found.edges["weight"].abs().is_sorted(descending=True)


def test_two_values_in_every_column_give_an_ising_graph(tmp_path):
    rng = np.random.default_rng(0)
    a, alone = rng.random((2, 800)) < 0.5
    b = a ^ (rng.random(800) < 0.2)
    c = b ^ (rng.random(800) < 0.2)
    frame = pl.DataFrame({"a": a, "b": b, "c": c, "alone": alone})
    frame = frame.select(pl.all().replace_strict({True: "yes", False: "no"}))
    found = learn_graph(table(tmp_path, frame), subsamples=0)
    assert found.kind == "binary" and found.method.endswith("IsingGraph")
    assert edges(found) == {frozenset("ab"), frozenset("bc")}
    assert any("'yes' is 1" in note for note in found.notes)
    assert found.edges["stability"].is_null().all()


def test_text_beside_numbers_makes_categories_of_all(tmp_path):
    frame = chain(800).with_columns(
        pl.when(pl.col("b") > 0.5)
        .then(pl.lit("high"))
        .when(pl.col("b") < -0.5)
        .then(pl.lit("low"))
        .otherwise(pl.lit("middle"))
        .alias("b")
    )
    found = learn_graph(table(tmp_path, frame), subsamples=0)
    assert found.kind == "categorical" and found.method.endswith("MultinomialGraph")
    assert {frozenset("ab"), frozenset("bc")} <= edges(found)
    assert any("3 numeric columns are cut into 4 parts" in note for note in found.notes)


def test_picture_graphml_and_edges_are_written_and_say_the_same(tmp_path):
    found = learn_graph(table(tmp_path, chain(300)), subsamples=4)
    files = found.write(tmp_path / "out")
    assert files["picture"].read_bytes().startswith(b"\x89PNG")
    graph = networkx.read_graphml(files["graphml"])
    assert set(graph) == {"a", "b", "c", "alone"}
    again = pl.read_csv(files["edges"])
    for row in again.iter_rows(named=True):
        assert graph[row["source"]][row["target"]]["weight"] == pytest.approx(row["weight"])
        assert graph[row["source"]][row["target"]]["stability"] == pytest.approx(row["stability"])


def test_a_graph_without_stability_is_drawn_and_written_too(tmp_path):
    found = learn_graph(table(tmp_path, chain(300)), subsamples=0)
    files = found.write(tmp_path / "out")
    assert files["picture"].read_bytes().startswith(b"\x89PNG")
    graph = networkx.read_graphml(files["graphml"])
    assert graph.number_of_edges() == found.edges.height == 2
    assert all(set(edge) == {"weight"} for *_, edge in graph.edges(data=True))
    assert pl.read_csv(files["edges"])["stability"].null_count() == 2
    for number in (1, -3):
        with pytest.raises(TreatiseError, match=f"^{number} subsamples say nothing of stability; draw at least 2"):
            learn_graph(table(tmp_path, chain(300)), subsamples=number)


def test_missing_values_are_refused_with_the_way_out_and_left_out_on_request(tmp_path):
    frame = chain(200).with_columns(pl.when(pl.int_range(200) < 7).then(None).otherwise(pl.col("b")).alias("b"))
    data = table(tmp_path, frame)
    with pytest.raises(TreatiseError, match=r"'b' the most with 7 of 200; fill them in.*leave 7 rows out with --drop"):
        learn_graph(data)
    found = learn_graph(data, subsamples=0, drop_missing=True)
    assert any("7 of 200 rows have missing values" in note for note in found.notes)


def test_what_cannot_become_a_graph_is_refused_in_one_sentence(tmp_path):
    data = table(tmp_path, chain(50).with_columns(pl.lit("x").alias("same")))
    with pytest.raises(TreatiseError, match="no learner of graphs is called 'Nothing'; choose auto, "):
        learn_graph(data, "Nothing")
    with pytest.raises(TreatiseError, match=r"at least two columns that vary; 1 are left; column 'same' is constant"):
        learn_graph(data, columns=["a", "same"])
    with pytest.raises(TreatiseError, match="column 'a' is named twice"):
        learn_graph(data, columns=["a", "b", "a"])
    with pytest.raises(TreatiseError, match="SparsePrecision takes no such parameter"):
        learn_graph(data, "SparsePrecision", params={"strength": 2})
    words = table(tmp_path, pl.DataFrame({"x": ["a", "b", "c"] * 30, "y": ["p", "p", "q"] * 30}))
    with pytest.raises(TreatiseError, match="learns among numeric or binary columns, and these are categorical"):
        learn_graph(words, "SparsePrecision")


def test_columns_are_chosen_by_name_and_constants_are_left_out_with_a_word(tmp_path):
    data = table(tmp_path, chain(200).with_columns(pl.lit(1.0).alias("same")))
    assert learn_graph(data, columns=["a", "c"], subsamples=0).columns == ["a", "c"]
    found = learn_graph(data, subsamples=0)
    assert "same" not in found.columns and any("'same' is constant" in note for note in found.notes)


def test_every_learner_of_the_catalogue_names_its_columns():
    for path, kinds in graph_learners().items():
        assert path.startswith("treatise.") and kinds, path
