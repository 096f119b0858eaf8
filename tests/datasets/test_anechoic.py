"""Mixtures with delays, moved objects and motion capture against what they are said to be."""

import numpy as np
import pytest

from treatise._core.errors import DataNotFoundError
from treatise.datasets import MOTIONS, load_motion, make_anechoic_mixture, make_moved_objects
from treatise.datasets._motion import read_bvh


def test_recordings_are_sums_of_rolled_sources_for_whole_delays():
    X, sources, weights, delays = make_anechoic_mixture(random_state=0)
    for i in range(5):
        rolled = [np.roll(sources[j], int(delays[i, j])) for j in range(2)]
        np.testing.assert_allclose(X[i], weights[i] @ np.array(rolled), atol=1e-9)
    np.testing.assert_allclose(sources.std(axis=1), 1.0)


def test_tables_of_weights_and_delays_must_agree():
    with pytest.raises(ValueError, match="two equal tables"):
        make_anechoic_mixture(np.ones((3, 2)), np.zeros((2, 2)))


def test_images_hold_both_objects_at_their_places():
    X, objects, _, places = make_moved_objects(5, size=40, random_state=0)
    for image, both in zip(X, places.astype(int)):
        np.testing.assert_array_equal(image, sum(np.roll(o, p, (0, 1)) for o, p in zip(objects, both)))
    np.testing.assert_allclose(X.sum(axis=(1, 2)), objects.sum())


def test_motion_is_read_from_its_channels():
    text = (
        "HIERARCHY\nROOT Hips\n{\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
        "JOINT Leg\n{\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: 3\nFrame Time: .5\n"
        "0 0 0 0 0 0 0\n1 2 3 170 0 0 5\n1 2 4 -170 0 0 6\n"
    )
    clip = read_bvh(text)
    assert clip.names == ["Hips Zrotation", "Hips Yrotation", "Hips Xrotation", "Leg Xrotation"]
    np.testing.assert_allclose(clip.angles[:, 0], [170.0, 190.0])  # no jump at a half turn
    np.testing.assert_allclose(clip.position, [[1, 2, 3], [1, 2, 4]])
    assert clip.seconds_per_frame == 0.5
    with pytest.raises(ValueError, match="channels"):
        read_bvh(text.replace("CHANNELS 1 Xrotation", "CHANNELS 2 Xrotation Yrotation"))


def test_clips_have_their_lengths():
    try:
        frames = {name: len(load_motion(name).angles) for name in MOTIONS}
    except DataNotFoundError as missing:
        pytest.skip(str(missing))
    assert frames == {"walk 02": 343, "walk 35": 358, "run 02": 173, "run 16": 162, "run 35": 167}
    with pytest.raises(ValueError, match="no clip at hand"):
        load_motion("swim")
