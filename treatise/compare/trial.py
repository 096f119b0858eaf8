"""One fit and its score: what tuning and learning curves repeat."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from treatise.compare.candidates import Candidate
from treatise.compare.inputs import HeldOut, Input
from treatise.report.record import Metric


def score_of(
    data: Input, training: Input, held_out: HeldOut, candidate: Candidate, setting: Mapping[str, Any], metric: Metric,
    seed: int,
) -> float | None:  # fmt: skip
    """The measure of a method fitted with a setting; None where it cannot be fitted or gives no such measure.

    ``training`` is a part of ``data``, which knows all of the classes.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = training.fit(data.pipeline(candidate, setting, seed))
            return data.judge(held_out, data.apply(fitted, held_out.X))[metric.name]
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):
        return None
