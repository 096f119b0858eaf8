"""The experiment of Hoyer's paper, and what it measures with."""

import numpy as np
import pytest

from treatise.datasets import load_orl_faces
from treatise.papers.decomposition import v05_1457
from treatise.papers.decomposition.v05_1457 import experiment, orientation_selectivity, passes_of_projection, spread
from treatise.papers.decomposition.v05_1457._patches import make_on_off_patches


def test_quick_form_reaches_every_figure(real_data, quick):
    real_data("images/ORL.mat")
    evidence = quick("v05-1457")
    rows = {row.quantity: row for row in evidence.rows}
    assert not [row for row in evidence.rows if row.failed]
    reached = [row.place for row in evidence.rows if row.verdict == "reached"]
    for figure in ("Figures 1b and 4", "Figure 1c", "Figure 5", "Figure 6"):
        assert figure in reached
    spreads = [row.here for quantity, row in rows.items() if quantity.endswith("mean spread of a part in pixels")]
    assert len(spreads) == 4 and spreads[-1] < 0.75 * spreads[0]
    assert len(evidence.figure.subfigs) == 3


def test_absent_faces_leave_the_other_rows(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    tiny = v05_1457.QUICK._replace(trials=3, patches=200, features=6, patch_iterations=3)
    monkeypatch.setattr(v05_1457, "QUICK", tiny)
    evidence = experiment()
    assert any("images/ORL.mat is absent" in reason for reason in evidence.skipped)
    assert {row.place for row in evidence.rows} >= {"Figure 1c", "Figure 5", "Figure 6"}


def test_passes_do_not_depend_on_the_pairs_asked_for():
    alone = passes_of_projection("normal", 2, [(0.1, 0.9)])
    among = passes_of_projection("normal", 2, [(0.5, 0.3), (0.1, 0.9)])
    np.testing.assert_array_equal(alone[1000, 0.1, 0.9], among[1000, 0.1, 0.9])


def test_spread_of_two_points_is_half_their_distance():
    part = np.zeros((5, 9))
    part[1, 2] = part[1, 8] = 3.0
    assert spread(part.reshape(1, -1), (5, 9))[0] == pytest.approx(3.0)


def test_selectivity_tells_gratings_from_blobs():
    rows, columns = np.indices((12, 12)) - 5.5
    grating = np.cos(rows + 2 * columns) * np.exp(-(rows**2 + columns**2) / 20)
    blob = np.exp(-(rows**2 + columns**2) / 4)
    selectivity = orientation_selectivity(np.stack([grating, grating.T, blob]))
    assert selectivity[0] > 0.8 and selectivity[0] == pytest.approx(selectivity[1]) and selectivity[2] < 0.05


def test_patches_keep_both_signs_apart_and_have_unit_power():
    patches = make_on_off_patches(50, side=8, random_state=3)
    on, off = np.hsplit(patches, 2)
    assert patches.shape == (50, 128) and patches.min() == 0
    assert np.all((on == 0) | (off == 0))
    assert np.mean(patches**2) == pytest.approx(1.0)
    np.testing.assert_array_equal(patches, make_on_off_patches(50, side=8, random_state=3))


def test_faces_are_upright_and_ten_of_each_person(real_data):
    real_data("images/ORL.mat")
    X, y = load_orl_faces()
    assert X.shape == (400, 1024) and X.min() >= 0 and X.max() <= 1
    np.testing.assert_array_equal(np.bincount(y), np.full(40, 10))
    # Faces are alike left and right, and not alike top and bottom.
    mean = X.mean(axis=0).reshape(32, 32)
    assert np.abs(mean - mean[:, ::-1]).mean() < 0.3 * np.abs(mean - mean[::-1]).mean()
