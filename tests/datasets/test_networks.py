"""Networks from tables, GML and GraphML."""

import gzip

import networkx
import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.datasets import load_network


def _csv(folder, text, name="links.csv"):
    (folder / name).write_text(text)
    return folder / name


def test_one_network_comes_from_a_table_from_gml_and_from_graphml(tmp_path):
    graph = networkx.les_miserables_graph()
    networkx.write_gml(graph, tmp_path / "g.gml")
    networkx.write_graphml(graph, tmp_path / "g.graphml")
    (tmp_path / "h.gml.gz").write_bytes(gzip.compress((tmp_path / "g.gml").read_bytes()))
    rows = [{"to": b, "from": a, "weight": w} for a, b, w in graph.edges(data="weight")]
    pl.DataFrame(rows).write_csv(tmp_path / "g.csv")
    expected = networkx.to_numpy_array(graph, nodelist=sorted(graph))
    for name in ("g.gml", "g.graphml", "h.gml.gz", "g.csv"):
        network, _ = load_network(tmp_path / name)
        order = np.argsort(network.nodes)
        np.testing.assert_allclose(network.adjacency().toarray()[np.ix_(order, order)], expected)
        assert not network.signed and sorted(network.nodes) == sorted(graph)


def test_pairs_are_joined_loops_dropped_and_contradicting_signs_left_out(tmp_path):
    weighted, notes = load_network(_csv(tmp_path, "a,b,weight\nx,y,1\ny,x,2\nx,x,5\ny,z,4\n"))
    assert weighted.weights.tolist() == [3.0, 4.0] and any("itself" in note for note in notes)
    signed, notes = load_network(_csv(tmp_path, "a,b,sign\nx,y,1\ny,x,-1\ny,z,-3\nz,w,1\nz,w,1\nz,w,-1\nx,w,\n"))
    assert signed.signed and signed.weights.tolist() == [-1.0, 1.0]
    assert [[signed.nodes[i] for i in pair] for pair in signed.asked] == [["x", "w"]]
    assert any("as many positive as negative" in note for note in notes)


def test_signs_that_are_other_numbers_are_told(tmp_path):
    _, notes = load_network(_csv(tmp_path, "a,b,sign\nx,y,2\ny,z,-1\nz,w,1\n"))
    assert any("1 of 3 links have another number than -1 or 1, such as 2; whether" in note for note in notes)
    _, notes = load_network(_csv(tmp_path, "a,b,sign\nx,y,1\ny,z,-1\n", "plain.csv"))
    assert not any("another number" in note for note in notes)


def test_files_without_names_times_and_named_columns_are_understood(tmp_path):
    plain, _ = load_network(_csv(tmp_path, "1,2,-1\n2,3,1\n", "plain.csv"))
    assert plain.signed and plain.nodes == ["1", "2", "3"]
    dated, _ = load_network(_csv(tmp_path, "from,to,date\na,b,2024-03-01\nb,a,2024-01-01\nb,c,2024-02-01\n", "t.csv"))
    assert dated.times.argsort().tolist() == [0, 1]
    named, _ = load_network(_csv(tmp_path, "when,who,whom\n1,a,b\n2,b,c\n", "n.csv"), source="who", target="whom")
    assert named.nodes == ["a", "b", "c"]


def test_what_is_no_network_is_refused_with_a_sentence(tmp_path):
    refused = [
        ("a\nx\n", "single column"), ("a,b\nx,\n", "empty in row 1"), ("a,b,weight\nx,y,heavy\n", "'heavy'"),
        ("a,b\nx,x\n", "joins two different nodes"), ("a,b,weight\nx,y,1\ny,z,\n", "have no weight"),
        ("a,b,sign\nx,y,1\nx,y,-1\n", "contradict"),
    ]  # fmt: skip
    for text, words in refused:
        with pytest.raises(TreatiseError, match=words):
            load_network(_csv(tmp_path, text), header=True)
    twice = "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight 2 weight 2.5 ] ]"
    (tmp_path / "twice.gml").write_text(twice)
    with pytest.raises(TreatiseError, match=r"link of 0 and 1 in twice\.gml has several values of 'weight'"):
        load_network(tmp_path / "twice.gml")
    (tmp_path / "bad.gml").write_text("graph [ node [ id ]")
    for name in ("bad.gml", "absent.gml"):
        with pytest.raises(TreatiseError, match=name):
            load_network(tmp_path / name)
    with pytest.raises(TreatiseError, match="'strength'"):
        networkx.write_gml(networkx.path_graph(3), tmp_path / "p.gml")
        load_network(tmp_path / "p.gml", weight="strength")
