"""Sequences of Markov models of high order."""

import numpy as np
import pytest

from treatise.papers.sequence.v15_0981._high_order import make_high_order_sequences


def test_every_history_has_few_successors():
    sets = make_high_order_sequences((200, 100), order=2, noise=0.1, random_state=0)
    successors = {}
    for part in sets:
        for path in part.labels:
            for a, b, c in zip(path, path[1:], path[2:]):
                successors.setdefault((a, b), set()).add(c)
    assert len(successors) == 25 and max(map(len, successors.values())) == 2
    assert [len(part.labels) for part in sets] == [200, 100]


def test_observations_lie_about_the_means_of_their_labels():
    [quiet] = make_high_order_sequences((50,), noise=0.0, random_state=3)
    [noisy] = make_high_order_sequences((50,), noise=0.5, random_state=3)
    assert quiet.labels == noisy.labels
    x, y = np.concatenate(quiet.observations), np.concatenate(quiet.labels)
    for label in range(5):
        assert np.unique(x[y == label], axis=0).shape == (1, 3)
    # A thousand labels of three numbers: two per cent is the standard error.
    assert np.std(np.concatenate(noisy.observations) - x) == pytest.approx(0.5, rel=0.08)


def test_more_successors_than_labels_cannot_be():
    with pytest.raises(ValueError, match="n_successors=6"):
        make_high_order_sequences((1,), n_successors=6)
