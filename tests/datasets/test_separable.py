"""Generators of separable data, and the loaders of scenes, faces and texts that they stand beside."""

import numpy as np
import pytest

from treatise._core.errors import DataNotFoundError
from treatise.datasets import (
    load_frey_faces,
    load_moffett,
    load_newsgroup_counts,
    load_newsgroups,
    make_near_separable,
    make_separable,
    make_swimmer,
)


def at_hand(load):
    try:
        return load()
    except DataNotFoundError as missing:
        pytest.skip(str(missing))


def test_rows_are_mixtures_of_the_pure_ones():
    X, pure = make_separable(60, 20, 4, random_state=0)
    weights = np.linalg.lstsq(X[pure].T, X.T, rcond=None)[0]
    np.testing.assert_allclose(weights.T @ X[pure], X, atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    assert weights.min() > -1e-9
    noisy, same = make_separable(60, 20, 4, noise=0.1, random_state=0)
    np.testing.assert_array_equal(same, pure)
    assert 0.08 < (noisy - X).std() < 0.12


@pytest.mark.parametrize("mixtures", ["dirichlet", "middle_points"])
@pytest.mark.parametrize("noise, share", [("dense", 1.0), ("sparse", 0.25), ("pointwise", 0.02)])
def test_noise_has_its_level_and_its_places(mixtures, noise, share):
    clean, pure = make_near_separable(mixtures, noise, 0.0, random_state=1)
    X, _ = make_near_separable(mixtures, noise, 0.3, random_state=1)
    added = X - clean
    assert np.abs(added).sum(axis=1).max() == pytest.approx(0.3)
    np.testing.assert_allclose(clean.sum(axis=1), 1.0)
    moved = np.delete(added, pure, axis=0)
    assert np.mean(np.abs(moved) > 1e-15) == pytest.approx(share, rel=0.15)
    if mixtures == "middle_points":
        assert np.abs(added[pure]).max() < 1e-15
        first, second = clean[pure[:2]]
        assert np.abs(clean - (first + second) / 2).sum(axis=1).min() < 1e-12


def test_bad_words_and_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="mixtures='uniform' must be"):
        make_near_separable("uniform")
    with pytest.raises(ValueError, match="noise='none' must be"):
        make_near_separable(noise="none")
    with pytest.raises(ValueError, match="n_samples=20 is below the 55"):
        make_near_separable("middle_points", n_samples=20)


def test_swimmers_have_four_limbs_in_every_picture():
    X = make_swimmer()
    assert X.shape == (220, 256) and np.all(X.sum(axis=0) == 14 + 12)
    assert len(np.unique(X, axis=1).T) == 256


def test_scene_is_the_mixture_of_its_spectra():
    X, spectra, shares = at_hand(load_moffett)
    assert X.shape == (2500, 184)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.linalg.norm(X - shares @ spectra) < 0.06 * np.linalg.norm(X)


def test_faces_and_texts_have_their_shapes():
    faces = at_hand(load_frey_faces)
    assert faces.shape == (1965, 560) and faces.min() >= 0 and faces.max() <= 1
    X, y, words = at_hand(load_newsgroup_counts)
    assert X.shape == (18745, 1000) and len(words) == 1000 and len(np.unique(y)) == 20
    whole, groups = at_hand(load_newsgroups)
    assert whole.shape == (15935, 62061) and len(np.unique(groups)) == 20
