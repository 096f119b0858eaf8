"""``treatise graph``: a picture, GraphML and a table of edges."""

import json

import numpy as np
import polars as pl


def test_graph_prints_edges_and_leaves_three_files(invoke, tmp_path):
    rng = np.random.default_rng(0)
    a = rng.standard_normal(300)
    frame = pl.DataFrame({"a": a, "b": a + rng.standard_normal(300), "c": rng.standard_normal(300)})
    frame.write_csv(tmp_path / "data.csv")
    answer = invoke("graph", str(tmp_path / "data.csv"), "-o", str(tmp_path / "out"), "--subsamples", "4")
    assert answer.exit_code == 0
    assert "a - b" in answer.stdout and "SparsePrecision: 1 edge among 3 columns" in answer.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"graph.png", "graph.graphml", "edges.csv", ".lock"}
    answer = invoke(
        "graph", str(tmp_path / "data.csv"), "-o", str(tmp_path / "out"), "--set", "penalty=0.9", "--columns", "a,b",
        "--subsamples", "0", "--json",
    )  # fmt: skip
    told = json.loads(answer.stdout)
    assert told["columns"] == ["a", "b"] and told["edges"] == []
    answer = invoke("graph", str(tmp_path / "data.csv"), "-o", str(tmp_path / "plain"), "--subsamples", "0")
    assert answer.exit_code == 0 and "a - b" in answer.stdout and (tmp_path / "plain" / "graph.png").exists()
    refused = invoke("graph", str(tmp_path / "data.csv"), "--columns", "a,z")
    assert refused.exit_code == 1 and "z" in refused.stderr
