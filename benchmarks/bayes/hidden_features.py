"""Sweeps of the two ways to hidden features behind categories, over people; no other package does this work."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from benchmarks._contest import Scaling
from treatise.bayes.categorical_ibp._gibbs import BuffetChain
from treatise.bayes.categorical_ibp._table import CodedTable, table_of
from treatise.bayes.categorical_ibp._variational import VariationalFeatures


def benchmarks() -> Iterator[Scaling]:
    """The sizes of the paper's survey: 20 disorders with three features, 52 criteria with 25."""
    yield Scaling(
        work="CategoricalIBP, a Gibbs sweep, 20 columns of two answers, three features, over rows",
        sizes=(5000, 15_000, 43_093),
        prepare=_gibbs,
        warm_up=_gibbs(200),
    )
    yield Scaling(
        work="CategoricalIBP, a variational sweep, 52 columns of two answers, 25 features, over rows",
        sizes=(5000, 15_000, 43_093),
        prepare=_variational,
        warm_up=_variational(200),
    )


def _survey(n: int, n_columns: int, n_features: int) -> tuple[np.ndarray, CodedTable]:
    rng = np.random.default_rng(0)
    Z = (rng.random((n, n_features)) < np.linspace(0.08, 0.02, n_features)).astype(int)
    weights = 3.0 * (rng.random((n_features, n_columns)) < 0.3)
    X = (rng.random((n, n_columns)) < expit(-3.5 + Z @ weights)).astype(int)
    return Z, table_of(X, np.full(n_columns, 2))


def _gibbs(n: int) -> Any:
    Z, table = _survey(n, 20, 3)
    chain = BuffetChain(table, 1.0, 1.0, 3, Z, np.random.default_rng(0))
    return partial(chain.sweep, 1)


def _variational(n: int) -> Any:
    Z, table = _survey(n, 52, 25)
    model = VariationalFeatures(table, 1.0, 1.0, np.clip(Z, 0.05, 0.95))
    return partial(_climb, model)


def _climb(model: VariationalFeatures) -> float:
    model.update_sticks()
    model.update_weights()
    return model.update_features()
