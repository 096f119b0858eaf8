"""Search through spaces of one's own: grids, a space of permutations, exhaustive search, bad input."""

from itertools import permutations, product

import numpy as np
import pytest

from treatise.sequence import GridSpace, LearnedOutputSearch, SearchSpace


def grids(n, side=4, noise=1.0, seed=0):
    """Blocks of two labels seen through noise: neighbours tell more than a cell."""
    rng = np.random.default_rng(seed)
    labels = [np.repeat(np.repeat(rng.integers(0, 2, (2, 2)), side // 2, 0), side // 2, 1) for _ in range(n)]
    return [(y + noise * rng.normal(size=y.shape))[..., np.newaxis] for y in labels], labels


def test_neighbours_in_a_grid_correct_the_classifier_of_cells():
    X, Y = grids(40, side=6, noise=0.8)
    model = LearnedOutputSearch(GridSpace(), max_steps=12, epochs=20, random_state=0).fit(X[:15], Y[:15])
    single = np.mean([model.space_.start(x) == y.ravel() for x, y in zip(X[15:], Y[15:])])
    # 900 cells: the gain is several times what they could differ by chance.
    assert model.score(X[15:], Y[15:]) > single + 0.05
    # No steps: the classifier alone.
    assert LearnedOutputSearch(GridSpace(), max_steps=0).fit(X[:15], Y[:15]).score(X[15:], Y[15:]) == single


def test_grid_features_are_counts_of_cells_and_neighbours():
    X, Y = grids(3, noise=0.5)
    space = GridSpace().fit(X, Y)
    found = space.features(X[0], np.stack([Y[0].ravel(), 1 - Y[0].ravel()]))[0]
    own, beside, above = found[:4].reshape(2, 2), found[4:8].reshape(2, 2), found[8:].reshape(2, 2)
    for label in (0, 1):
        assert own[label] == pytest.approx([X[0][Y[0] == label].sum(), (Y[0] == label).sum()])
    for a, b in product((0, 1), repeat=2):
        assert beside[a, b] == np.sum((Y[0][:, :-1] == a) & (Y[0][:, 1:] == b))
        assert above[a, b] == np.sum((Y[0][:-1] == a) & (Y[0][1:] == b))
    state = space.start(X[0])
    changed = space.successors(X[0], state)
    assert len(changed) == 16 and ((changed != state).sum(axis=1) == 1).all()


class Orders(SearchSpace):
    """Orders of some objects with one number each; a change swaps two, and the cost sees falls of the numbers."""

    def start(self, x):
        return np.arange(len(x), dtype=np.int32)

    def successors(self, x, output):
        found = []
        for i in range(len(x)):
            for j in range(i + 1, len(x)):
                swapped = output.copy()
                swapped[[i, j]] = output[[j, i]]
                found.append(swapped)
        return np.array(found)

    def features(self, x, outputs):
        rows = x[outputs]
        return np.maximum(rows[:, :-1] - rows[:, 1:], 0.0).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("beam_width", [1, 3])
def test_a_space_and_loss_of_ones_own(beam_width):
    rng = np.random.default_rng(0)
    X = [rng.permutation(5).astype(float) for _ in range(20)]
    Y = [np.argsort(x) for x in X]

    def misplaced(truth, found):
        return float(np.sum(np.abs(np.argsort(truth) - np.argsort(found))))

    model = LearnedOutputSearch(Orders(), loss=misplaced, beam_width=beam_width, max_steps=20).fit(X[:10], Y[:10])
    assert model.cost_coef_[0] > 0
    for x, found in zip(X[10:], model.predict(X[10:])):
        everything = np.array(list(permutations(range(5))), np.int32)
        start = model.cost(x, Orders().start(x)[np.newaxis])[0]
        assert model.cost(x, everything).min() - 1e-9 <= model.cost(x, found[np.newaxis])[0] <= start
    assert model.score(X[10:], Y[10:]) > 0.8


def test_bad_input_is_refused():
    X, Y = grids(3)
    with pytest.raises(ValueError, match="3 inputs for 2 outputs"):
        LearnedOutputSearch(GridSpace()).fit(X, Y[:2])
    with pytest.raises(ValueError, match="grid 0 has the shape"):
        LearnedOutputSearch(GridSpace()).fit([x[..., 0] for x in X], Y)
    with pytest.raises(ValueError, match="without a gap"):
        LearnedOutputSearch(GridSpace()).fit(X, [2 * y for y in Y])
    with pytest.raises(ValueError, match="'space' parameter"):
        LearnedOutputSearch("grid").fit(X, Y)
