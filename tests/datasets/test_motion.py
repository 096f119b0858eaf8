"""Recorded motion and coupled oscillators."""

import numpy as np
import pytest

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_cmu_motion, make_coupled_oscillators


def test_motions_have_equal_columns_no_jumps_and_steps_in_place_of_places():
    try:
        motions = load_cmu_motion()
    except DataNotFoundError as missing:
        pytest.skip(str(missing))
    assert [motion.style for motion in motions] == ["walk", "walk", "run", "run", "run"]
    assert {len(motion.columns) for motion in motions} == {96} and all(m.frames.shape[1] == 96 for m in motions)
    # 343 frames without the rest pose, one in four.
    assert len(motions[0].frames) == 86
    turning = ["rotation" in name for name in motions[0].columns]
    assert max(np.abs(np.diff(motion.frames[:, turning], axis=0)).max() for motion in motions) < 180
    forward = motions[0].columns.index("Hips Zposition")
    speeds = {motion.style: np.abs(motion.frames[:, forward]).mean() for motion in motions[::2]}
    assert speeds["run"] > 1.5 * speeds["walk"]
    whole = load_cmu_motion(120)[0].frames
    np.testing.assert_allclose(whole[::4][:, turning], motions[0].frames[:, turning])
    with pytest.raises(ValueError, match="rate=50 must divide"):
        load_cmu_motion(50)


def test_oscillators_are_standard_and_keep_oscillating():
    X = make_coupled_oscillators(3000, 6, random_state=0)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1)
    # Four states lie behind the columns.
    variances = np.linalg.eigvalsh(np.cov(X.T))
    assert variances[2] > 2 * variances[1]
    assert np.abs(X).max() < 5 and (np.diff(np.sign(X[:, 0])) != 0).sum() > 50
    np.testing.assert_array_equal(X, make_coupled_oscillators(3000, 6, random_state=0))
