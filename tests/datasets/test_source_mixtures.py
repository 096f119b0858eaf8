"""Coloured sources, their mixtures, and recordings of hearts."""

import numpy as np
import pytest

from treatise._core.errors import DataNotFoundError
from treatise.datasets import (
    load_foetal_ecg,
    load_two_lead_ecg,
    make_colored_sources,
    mix_postnonlinear,
    mix_spiral,
)


def at_hand(load):
    try:
        return load()
    except DataNotFoundError as missing:
        pytest.skip(str(missing))


def test_sources_are_gaussian_and_their_slowness_is_equally_spaced():
    sources = make_colored_sources(50_000, random_state=0)
    np.testing.assert_allclose(sources.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(sources.std(axis=0), 1.0)
    # The power spectrum exp(-f^2 / sigma^2) has a mean squared frequency of sigma^2 / 2.
    sigma = np.sqrt(np.arange(1, 7)) * 1000 + 1
    deltas = np.square(np.diff(sources, axis=0)).mean(axis=0)
    np.testing.assert_allclose(deltas, (2 * np.pi / 50_000) ** 2 * sigma**2 / 2, rtol=0.06)
    assert np.abs(np.corrcoef(sources.T) - np.eye(6)).max() < 0.1
    assert np.abs((sources**4).mean(axis=0) - 3).max() < 0.3


def test_spiral_can_be_inverted_and_refuses_what_lies_outside():
    sources = np.random.default_rng(0).uniform(-1, 1, size=(500, 2))
    X = mix_spiral(sources)
    distance = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(distance, sources[:, 1] + 3 * sources[:, 0] + 6)
    np.testing.assert_allclose(X[:, 0], distance * np.cos(1.5 * np.pi * sources[:, 0]))
    with pytest.raises(ValueError, match="sources reach 2"):
        mix_spiral([[2.0, 0.0]])
    with pytest.raises(ValueError, match="not two columns"):
        mix_spiral(np.zeros((5, 3)))


def test_layers_turn_and_bend():
    sources = make_colored_sources(2000, 3, random_state=0)
    once = mix_postnonlinear(sources, gain=0.5, n_layers=1, random_state=0)
    turned = np.tan(once) / 0.5
    np.testing.assert_allclose(turned @ turned.T, sources @ sources.T, atol=1e-9)
    assert np.abs(mix_postnonlinear(sources, random_state=0)).max() < np.pi / 2
    again, other = (mix_postnonlinear(sources, n_layers=1, gain=0.5, random_state=seed) for seed in (0, 1))
    np.testing.assert_array_equal(again, once)
    assert not np.allclose(other, once)


def test_hearts_have_their_shapes_and_rates():
    X, dt = at_hand(load_foetal_ecg)
    assert X.shape == (2500, 8) and dt == 1 / 250
    X, dt = at_hand(load_two_lead_ecg)
    # The header file gives the first values of both leads, 995 and 1011 steps of 1/200 mV above 1024.
    assert X.shape == (650_000, 2) and dt == 1 / 360
    np.testing.assert_allclose(X[0], [(995 - 1024) / 200, (1011 - 1024) / 200])
    assert np.abs(X).max() < 6
