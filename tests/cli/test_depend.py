"""``treatise depend``: a page, a picture, GraphML and a table."""

import json

import networkx
import numpy as np
import polars as pl

from treatise.compare.dependence import WHY


def test_dependent_columns_are_told_and_left_in_files(invoke, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    frame = pl.DataFrame(
        {"x": x, "bend<y>": np.abs(x) + 0.1 * rng.normal(size=300), "town": rng.choice(["Rome", "Oslo", "Bonn"], 300)}
    )
    frame.write_csv(tmp_path / "data.csv")
    answer = invoke("depend", str(tmp_path / "data.csv"), "-o", str(tmp_path / "out"), "--permutations", "99")
    assert answer.exit_code == 0, answer.stderr
    assert "x - bend<y>" in answer.stdout and "1 of 3 pairs of columns depend on each other" in answer.stdout
    assert {path.suffix for path in (tmp_path / "out").glob("dependence.*")} == {".html", ".png", ".graphml", ".csv"}
    graph = networkx.read_graphml(tmp_path / "out" / "dependence.graphml")
    assert list(graph.edges) == [("x", "bend<y>")] and graph.nodes["town"]["kind"] == "categorical"
    page = (tmp_path / "out" / "dependence.html").read_text()
    assert "bend&lt;y&gt;" in page and "<y>" not in page and "Westfall" in page
    for kinds in (("numeric", "numeric"), ("categorical", "numeric")):
        assert WHY[kinds][0] in page
    assert WHY["categorical", "categorical"][0] not in page  # no such pair
    answer = invoke(
        "depend",
        str(tmp_path / "data.csv"),
        "--target",
        "x",
        "-o",
        str(tmp_path / "t"),
        "--permutations",
        "99",
        "--json",
    )
    told = json.loads(answer.stdout)
    assert len(told["pairs"]) == 2 and told["target"] == "x" and told["permutations"] == 99


def test_a_mistake_is_one_sentence_and_leaves_nothing(invoke, tmp_path):
    pl.DataFrame({"x": [1.0] * 30, "y": np.arange(30.0) ** 2}).write_csv(tmp_path / "data.csv")
    for words, *options in (("two columns that vary",), ("nosuch", "--target", "nosuch")):
        answer = invoke("depend", str(tmp_path / "data.csv"), "-o", str(tmp_path / "out"), *options)
        assert answer.exit_code == 1 and words in answer.stderr and "Traceback" not in answer.stderr
    assert not (tmp_path / "out").exists()
