"""Threshold neurons of sparse samples: time over the number of examples, and beside an integer program."""

from collections.abc import Iterator

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.papers.theory.v05_0891 import hidden_neuron
from treatise.theory import fit_threshold_neuron


def benchmarks() -> Iterator[Contest | Scaling]:
    """Labels of a hidden neuron that asks for two of three ones."""
    X, y = hidden_neuron(1000)
    yield Contest(
        work=f"a consistent neuron of {X.shape[0]} examples of three ones, {X.shape[1]} columns; quality: agreement",
        peer="scipy",
        ours=lambda: fit_threshold_neuron(X, y, solver="linear"),
        theirs=lambda: fit_threshold_neuron(X, y, solver="milp"),
        quality=lambda neuron: float(np.mean(neuron.predict(X) == y)),
        warm_up=lambda: fit_threshold_neuron(X, y, solver="linear"),
    )
    yield Scaling(
        work="a consistent neuron of examples of three ones, over their number",
        sizes=(10_000, 100_000, 1_000_000),
        prepare=lambda n: _fitting(*hidden_neuron(n)),
        warm_up=_fitting(X, y),
    )


def _fitting(X, y):
    return lambda: fit_threshold_neuron(X, y)
