"""``treatise network``: communities, balance, likely links and signs, a picture and tables."""

import json

import networkx
import numpy as np
import polars as pl

from treatise.compare.network_picture import drawn_in
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
        "network.html", "network.png", "network.graphml", "nodes.csv", "communities.csv", "links.csv", ".lock"
    }  # fmt: skip
    page = (tmp_path / "out" / "network.html").read_text()
    for trust in ("Modularity 0.", "by common neighbours"):
        (said,) = (line for line in answer.stdout.splitlines() if trust in line)
        assert f"<p>{said}.</p>" in page
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


def test_what_no_link_holds_leaves_the_rest_of_a_picture_room():
    crowd = np.random.default_rng(0).normal(size=(100, 2))
    places = drawn_in(np.vstack([crowd, [[1000.0, 0.0]]]))
    near = np.flatnonzero(np.linalg.norm(crowd, axis=1) < 1.5)
    np.testing.assert_allclose(places[near], crowd[near], atol=1e-12)
    assert places[-1, 0] == places[:, 0].max() and places[-1, 0] < 6.0


def _visits(path, n_months, dates=True):
    """Six sellers go from one of three markets to the next every month: where they go next never is where they are."""
    rows = ["seller,market,date"]
    for month in range(n_months):
        day = f"{2018 + month // 12}-{month % 12 + 1:02d}-{month % 27 + 1:02d}"
        rows += [f"s{i},m{(month + i) % 3},{day if dates else month}" for i in range(6)]
    path.write_text("\n".join(rows))
    return str(path)


def test_the_links_of_the_next_month_are_told_in_table_and_page(invoke, tmp_path):
    data = _visits(tmp_path / "visits.csv", 14)
    answer = invoke("network", data, "-o", str(tmp_path / "out"), "--links", "6")
    assert answer.exit_code == 0, answer.stderr
    assert "likely in 2019-03" in answer.stdout and "From 14 months" in answer.stdout
    table = pl.read_csv(tmp_path / "out" / "next_links.csv")
    expected = {frozenset((f"s{i}", f"m{(14 + i) % 3}")) for i in range(6)}
    assert {frozenset(pair) for pair in table.select("source", "target").iter_rows()} == expected
    assert table["times linked"].min() >= 4 and set(table["last"]) == {"2018-12"}
    page = (tmp_path / "out" / "network.html").read_text()
    assert "Links of the next month, 2019-03" in page and "<td>s0</td><td>m2</td>" in page
    told = json.loads(invoke("network", data, "-o", str(tmp_path / "out"), "--json").stdout)
    assert told["facts"]["next AUC"] == 1.0 and told["facts"]["next AUC of sums"] < 0.95
    assert told["next_links"][0]["last"] == "2018-12"


def test_numbers_and_dates_written_together_are_times_and_few_times_are_said(invoke, tmp_path):
    plain = invoke("network", _visits(tmp_path / "plain.csv", 12, dates=False), "-o", str(tmp_path / "a"))
    assert "likely in 12" in plain.stdout
    together = tmp_path / "together.csv"
    dated = (tmp_path / "plain.csv").with_name("dated.csv")
    _visits(dated, 14)
    together.write_text(dated.read_text().replace("-", ""))
    assert "likely in 2019-03" in invoke("network", str(together), "-o", str(tmp_path / "b")).stdout
    few = invoke("network", _visits(tmp_path / "few.csv", 3, dates=False), "-o", str(tmp_path / "c"))
    assert few.exit_code == 0 and "only 3 times" in few.stderr
    assert not (tmp_path / "c" / "next_links.csv").exists()
