"""The experiment of range moves."""

import numpy as np
import pytest

import treatise.papers.graphical.v12_0031 as paper
from treatise.inference import MAPResult
from treatise.papers.graphical.v12_0031 import experiment, range_expansion_factor


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for side in ("im2", "im6"):
        real_data(f"stereo/tsukuba/{side}.png")
    evidence = quick("v12-0031")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    reached = [row.quantity for row in evidence.rows if row.verdict == "reached"]
    assert sum("fields of 20 x 20" in quantity and "time of" not in quantity for quantity in reached) == 5
    assert sum("Range Expansion has the least energy" in quantity for quantity in reached) == 2
    assert evidence.figure is not None and not evidence.skipped


def test_without_pictures_the_random_fields_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    monkeypatch.setattr(
        paper, "random_fields", lambda *_: ([], {"none": MAPResult(np.zeros(1, int), 1.0, trace=np.ones(1))})
    )  # the other test runs them
    evidence = experiment()
    assert len(evidence.skipped) == 1 and "stereo/tsukuba" in evidence.skipped[0]


def test_the_factor_is_least_at_the_interval_of_lemma_4():
    assert range_expansion_factor(5.0, np.sqrt(2) * 5.0) == pytest.approx(2 + np.sqrt(2))
    assert range_expansion_factor(5.0, 5.0) == 4.0 == range_expansion_factor(5.0, 10.0)
