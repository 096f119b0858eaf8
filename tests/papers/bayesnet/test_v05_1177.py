"""The experiment of averages over Bayesian networks."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from treatise.papers.bayesnet.v05_1177 import ABSENT, FULL_ONLY, area, experiment, gaps_of, table_rows

FILES = ("keel/pima.dat", "keel/contraceptive.dat")


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in FILES:
        real_data(name)
    evidence = quick("v05-1177")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    places = {row.place for row in evidence.rows}
    assert places >= {"Table 2", "Section 4.2.1", "Table 3", "Table 4", "Table 6", "Table 9"}
    assert [row.verdict for row in evidence.rows if "is significant" in row.quantity] == ["reached"]
    assert evidence.skipped == [ABSENT, FULL_ONLY] and evidence.figure is not None


def test_without_data_the_random_networks_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    monkeypatch.setattr("treatise.papers.bayesnet.v05_1177.naive_rows", lambda *_: [])
    monkeypatch.setattr("treatise.papers.bayesnet.v05_1177.selection_rows", lambda *_: [])
    monkeypatch.setattr("treatise.papers.bayesnet.v05_1177.union_rows", lambda *_: [])
    monkeypatch.setattr("treatise.papers.bayesnet.v05_1177.network_rows", lambda *_: [])
    monkeypatch.setattr("treatise.papers.bayesnet.v05_1177.monk_rows", lambda *_: [])
    evidence = experiment()
    first, *missing, last = evidence.skipped
    assert (first, last) == (ABSENT, FULL_ONLY)
    assert len(missing) == 2 and all("is absent" in reason for reason in missing)
    assert any(row.place == "Table 9" for row in evidence.rows) and not any(row.failed for row in evidence.rows)


def test_gaps_on_several_tables_are_averaged_beside_the_published_ones():
    gaps = {"pima": (0.0, 0.1, 0.0, 0.0), "cmc": (0.2, 0.1, 0.2, 0.1), "wine": (0.1, 0.0, 0.1, 0.05)}
    found = {name: (np.array(own), np.full(4, 0.01)) for name, own in gaps.items()}
    rows = {row.quantity.split(" beyond")[0]: row for row in table_rows(found) if "beyond" in row.quantity}
    assert rows["mean gap of SNN"].here == pytest.approx((0.0 + 0.1 + 0.05) / 3, abs=1e-3)
    assert rows["mean gap of GTT"].expected == pytest.approx((-0.01 + 0.03 - 0.05) / 3, abs=1e-3)
    assert len(rows) == 3


def test_areas_share_ties_evenly_or_count_them_against():
    rng = np.random.default_rng(0)
    y, scores = rng.random(200) < 0.4, rng.integers(0, 5, 200) / 7
    assert area(y, scores) == pytest.approx(roc_auc_score(y, scores), abs=1e-12)
    pairs = scores[y][:, None] > scores[~y]
    assert area(y, scores, tied=0.0) == pytest.approx(pairs.mean(), abs=1e-12)


def test_gaps_are_parts_of_what_is_left_above_each_curve():
    gaps = gaps_of({"first": np.array([0.8, 1.0]), "second": np.array([0.9, 0.5])})
    assert gaps == (0.25, 0.5)
