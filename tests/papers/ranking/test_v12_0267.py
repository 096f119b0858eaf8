"""The experiment of Bayesian online ranking."""

import numpy as np

from treatise.datasets import Games
from treatise.papers.ranking.v12_0267 import ABSENT, Sample, experiment
from treatise.ranking import OnlineRater


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in ("Halo2-HeadToHead.objml.gz", "Halo2-LargeTeam.objml.gz", "atp_matches_2019.csv.gz"):
        real_data(f"ranking/{name}")
    evidence = quick("v12-0267")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert evidence.skipped == [ABSENT]
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["Head to Head: decided pairs from the second game on"] == 5715
    for table, model in [("σ/c", "BT-full"), ("1/k", "TM-full")]:
        for kind in ("Head to Head", "Large Teams"):
            assert f"{kind}: error %, {model}, γ = {table}" in here
    assert here["Head to Head: error %, Glicko from 25 ± 25/3"] > 33.9
    assert evidence.figure is not None


def test_without_data_the_generated_games_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 4
    assert any("generated games" in row.quantity for row in evidence.rows)
    assert not any(row.failed for row in evidence.rows)


def test_only_games_of_newcomers_are_counted_when_asked():
    games = Games.from_lists([([["a"], ["b"]], [1, 2])] * 4 + [([["a"], ["c"]], [1, 2])])
    sample = Sample("head_to_head", games, [(games, np.arange(5))], missing=0, scale=1.0)
    # Past appearances on average: 0, 1, 2, 3 and (4 + 0) / 2; the first game is never counted.
    assert [sample.error(OnlineRater(), most)[1] for most in (1, 2, 3)] == [1, 3, 4]
