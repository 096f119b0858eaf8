"""Fits of logistic stick breaking over rows; no other package does this work."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Scaling
from treatise.bayes import LogisticStickBreaking


def benchmarks() -> Iterator[Scaling]:
    """Fifty cycles without merges, and fits to their end, with 200 centres and ten sticks."""
    for what, settings in (
        ("50 cycles", {"merge": False, "max_iter": 50, "tol": 1e-300}),
        ("a fit with merges to its end", {}),
    ):
        yield Scaling(
            work=f"LogisticStickBreaking, {what}, 200 centres, 10 sticks, over rows",
            sizes=(500, 1000, 2000),
            prepare=partial(_map, settings),
            warm_up=_map(settings, 200),
        )


def _map(settings: dict[str, Any], n: int) -> Any:
    """Rows anywhere on a square, of four kinds in sixteen fields."""
    rng = np.random.default_rng(0)
    places = rng.uniform(0.0, 40.0, (n, 2))
    kinds = (places // 10).astype(int).sum(axis=1) % 4
    X = rng.normal(size=(n, 3)) + 2.0 * np.eye(4)[kinds][:, :3]
    model = LogisticStickBreaking(centers=min(200, n // 2), random_state=0, **settings)
    return partial(model.fit, X, locations=places)
