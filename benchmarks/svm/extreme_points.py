"""SVMs on approximate extreme points against scikit-learn's SVC on all rows, and the cost of both over rows."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.papers.svm.v15_0059._tables import load_extreme_point_table
from treatise.svm import ExtremePointsSVC


def benchmarks() -> Iterator[Contest | Scaling]:
    """200 000 rows of two features that SVC can still learn in a minute, noisier ones, and ijcnn1."""
    warm_up = partial(_fit, ExtremePointsSVC(gamma=1.0), *make_moons(200, noise=0.3, random_state=0))
    for n, noise in ((200_000, 0.15), (20_000, 0.3)):
        rows, new = make_moons(n, noise=noise, random_state=0), make_moons(50_000, noise=noise, random_state=1)
        yield Contest(
            work=f"moons, {n} rows, noise {noise:g}: one fit, C=1, gamma=1: accuracy on 50 000 new rows",
            peer="scikit-learn",
            ours=partial(_fit, ExtremePointsSVC(gamma=1.0), *rows),
            theirs=partial(_fit, SVC(gamma=1.0), *rows),
            quality=partial(_accuracy, *new),
            warm_up=warm_up,
            repeats=1,
        )
    try:
        X, y = load_extreme_point_table("ijcnn1")
    except DataNotFoundError as missing:
        left_out(f"extreme_points: no contest on ijcnn1: {missing}")
    else:
        yield Contest(
            work="ijcnn1, 39 990 rows, 22 features: one fit, C=16, gamma=0.25: accuracy on 10 000 new rows",
            peer="scikit-learn",
            ours=partial(_fit, ExtremePointsSVC(C=16.0, gamma=0.25), X[10_000:], y[10_000:]),
            theirs=partial(_fit, SVC(C=16.0, gamma=0.25), X[10_000:], y[10_000:]),
            quality=partial(_accuracy, X[:10_000], y[:10_000]),
            warm_up=warm_up,
            repeats=1,
        )
    sizes = {"ExtremePointsSVC": (10_000, 40_000, 160_000), "SVC": (2_500, 5_000, 10_000)}
    for model in (ExtremePointsSVC(gamma=1.0), SVC(gamma=1.0)):
        name = type(model).__name__
        yield Scaling(
            work=f"moons, noise 0.3: one fit of {name}, C=1, gamma=1, over rows",
            sizes=sizes[name],
            prepare=lambda n, model=model: partial(_fit, model, *make_moons(n, noise=0.3, random_state=0)),  # type: ignore[misc]
            warm_up=warm_up,
        )


def _fit(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    return model.fit(X, y)


def _accuracy(X: np.ndarray, y: np.ndarray, model: Any) -> float:
    return 100.0 * float(model.score(X, y))
