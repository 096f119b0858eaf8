"""How often ``treatise compare --task cluster`` sees groups where there are none, and where there are some."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treatise.cluster import make_overlap_mixture
from treatise.compare.groups import gain_over_one_cloud

SIZES = ((100, 2), (150, 4), (300, 3), (500, 8), (200, 15))
"""Rows and columns of the tables, in turn."""


@dataclass(frozen=True)
class Alarms:
    """The share of tables in which groups are seen; ``overlap`` is the largest of three components, None for one."""

    overlap: float | None
    tables: int

    def run(self) -> dict[str, Any]:
        """Look at every table."""
        seen = sum(self._sees_groups(seed) for seed in range(self.tables))
        what = "single Gaussians" if self.overlap is None else f"three components that overlap by {self.overlap:g}"
        return {"work": f"groups seen in {self.tables} tables of {what}", "share": seen / self.tables}

    def _sees_groups(self, seed: int) -> bool:
        rng, (n, p) = np.random.default_rng(seed), SIZES[seed % len(SIZES)]
        if self.overlap is None:
            X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
        else:
            X, _ = make_overlap_mixture(3, p, maximum=self.overlap, random_state=seed).sample(n, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gain = gain_over_one_cloud((X - X.mean(axis=0)) / X.std(axis=0))
        return gain is not None and gain.groups


def benchmarks() -> Iterable[Alarms]:
    """A hundred single clouds, which must give at most five alarms, and some that are several."""
    yield Alarms(None, 100)
    for overlap in (0.3, 0.1, 0.01):
        yield Alarms(overlap, 20)
