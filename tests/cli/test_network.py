"""``treatise network``: communities, balance, likely links and signs, a picture and tables."""

import json

import networkx
import numpy as np
import polars as pl

from treatise.datasets import make_signed_network


def _links(adjacency, path, weight="weight"):
    i, j = np.nonzero(np.triu(adjacency))
    frame = pl.DataFrame({"source": [f"n{k}" for k in i], "target": [f"n{k}" for k in j]})
    frame.with_columns(pl.Series(weight, adjacency[i, j])).write_csv(path)
    return str(path)


def test_communities_and_likely_links_are_told_and_left_in_files(invoke, tmp_path):
    ring = networkx.to_numpy_array(networkx.ring_of_cliques(8, 5))
    ring[0, 1] = ring[1, 0] = 0  # the link that is missing
    data = _links(ring, tmp_path / "ring.csv")
    answer = invoke("network", data, "-o", str(tmp_path / "out"))
    assert answer.exit_code == 0, answer.stderr
    assert "40 nodes, 87 links, 1 part; 8 communities" in answer.stdout and "n0 - n1" in answer.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "network.png", "network.graphml", "nodes.csv", "communities.csv", "links.csv"
    }  # fmt: skip
    read = networkx.read_graphml(tmp_path / "out" / "network.graphml")
    assert len({read.nodes[node]["community"] for node in read}) == 8
    assert pl.read_csv(tmp_path / "out" / "links.csv").row(0)[:2] == ("n0", "n1")


def test_a_random_network_is_said_to_have_no_communities(invoke, tmp_path):
    random = networkx.to_numpy_array(networkx.gnm_random_graph(60, 240, seed=1))
    answer = invoke("network", _links(random, tmp_path / "r.csv"), "-o", str(tmp_path / "out"))
    assert "take them for chance" in answer.stderr
    assert "take the likely links for guesses" in answer.stderr


def test_camps_balance_and_the_signs_that_were_asked_are_told(invoke, tmp_path):
    signs, camps = make_signed_network([25, 35], sparsity=0.3, random_state=0)
    data = _links(signs.toarray(), tmp_path / "signed.csv", "sign")
    with open(data, "a") as stream:
        free = [(i, j) for i in range(60) for j in range(i) if signs[i, j] == 0][:4]
        stream.writelines(f"n{i},n{j},\n" for i, j in free)
    answer = invoke("network", data, "-o", str(tmp_path / "out"), "--links", "3", "--json")
    assert answer.exit_code == 0, answer.stderr
    told = json.loads(answer.stdout)
    assert told["facts"]["camps"] == 2 and told["facts"]["balanced"] and told["facts"]["links against the camps"] == 0
    assert told["facts"]["held-out accuracy"] > told["facts"]["more frequent sign"]
    asked = [row for row in told["links"] if row["asked"]]
    assert len(asked) == 4 and len(told["links"]) == 7
    for row, (i, j) in zip(asked, free, strict=True):
        assert row["sign"] == (1 if camps[i] == camps[j] else -1)
    assert next(row for row in told["balance"] if row["pattern"] == "balanced 3-cycles")["share"] == 1.0
    assert (tmp_path / "out" / "balance.csv").exists()


def test_a_large_network_is_drawn_by_its_communities_and_mistakes_are_one_sentence(invoke, tmp_path):
    large = networkx.to_scipy_sparse_array(networkx.relaxed_caveman_graph(150, 6, 0.1, seed=0)).toarray()
    data = _links(large, tmp_path / "large.csv")
    assert invoke("network", data, "-o", str(tmp_path / "out"), "--links", "0").exit_code == 0
    assert (tmp_path / "out" / "network.png").stat().st_size > 20_000
    for words, *options in (
        ("5 links cannot", "--links", "-5"),
        ("camps are for signed", "--camps", "2"),
        ("nosuch", "--weight", "nosuch"),
    ):
        answer = invoke("network", data, "-o", str(tmp_path / "no"), *options)
        assert (
            answer.exit_code == 1 and words.split()[0].strip("5") in answer.stderr and "Traceback" not in answer.stderr
        )
        assert not (tmp_path / "no").exists()
