"""Multiple instances: the search for prototypes against one minimisation after another, and DD-SVM over bags."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks._contest import Contest, Scaling
from treatise.applications import DDSVM, Bags, bags_from_table
from treatise.applications.multiple_instance._search import Maxima, search_maxima
from treatise.applications.multiple_instance.density import LogDensity
from treatise.datasets import load_musk1, make_concept_bags


def benchmarks() -> Iterator[Contest | Scaling]:
    """Musk 1 with its features divided by 100, nine tenths of the molecules, to about the same density."""
    bags, y = musk()
    train = np.arange(len(y)) % 10 != 0
    fold, positive = bags[train], y[train] == 1
    yield Contest(
        work="maxima of diverse density from every positive shape of a fold of Musk 1 (186 starts, 332 unknowns)",
        peer="scipy",
        # Where both end at the same median; the peer measures its last step in another way.
        ours=partial(search_maxima, fold, positive, method="noisy-or", max_iter=200, tol=3e-4),
        theirs=partial(one_by_one, fold, positive),
        quality=lambda found: float(np.median(found.log_density)),
        warm_up=partial(search_maxima, fold[:20], positive[:20], method="noisy-or", max_iter=3, tol=1e-3),
        repeats=1,
    )
    yield Scaling(
        work="DD-SVM, bags of five points in the plane, both classes, over bags",
        sizes=(40, 80, 160, 320),
        prepare=prepared,
        warm_up=partial(DDSVM().fit, *make_concept_bags(20, random_state=0)),
    )


def musk() -> tuple[Bags, np.ndarray]:
    """Molecules in the units of the paper, and whether each is a musk."""
    X, molecule, label = load_musk1()
    bags, y, _ = bags_from_table(X / 100.0, molecule, label)
    assert y is not None
    return bags, y


def one_by_one(bags: Bags, positive: np.ndarray) -> Maxima:
    """The same objective by the same matrix products, from one start after another with SciPy's L-BFGS-B."""
    density, m = LogDensity(bags, positive), bags.n_features
    starts = np.unique(bags.instances[positive[bags.owners]], axis=0)

    def objective(point: np.ndarray) -> tuple[float, np.ndarray]:
        values, by_points, by_weights = density(point[np.newaxis, :m], point[np.newaxis, m:])
        return -values[0], -np.concatenate([by_points[0], by_weights[0]])

    options = {"maxcor": 8, "maxiter": 200, "ftol": 1e-3}
    ends = [
        minimize(objective, np.concatenate([start, np.ones(m)]), jac=True, method="L-BFGS-B", options=options)
        for start in starts
    ]
    points = np.array([end.x for end in ends])
    values = -np.array([end.fun for end in ends])
    return Maxima(points[:, :m], np.abs(points[:, m:]), values, np.ones(len(ends), bool))


def prepared(n: int) -> Any:
    """A fit of so many bags."""
    return partial(DDSVM().fit, *make_concept_bags(n, random_state=0))
