"""Variational mixed models against statsmodels' variational fit, and their cost over groups."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.bayes import HeteroscedasticAdditiveRegressor, VariationalGLMM

MANY = 10_000


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same Poisson and logistic models of 100 groups; then groups of ten rows up to 10 000 of them; then curves."""
    for family, peer in (("poisson", "PoissonBayesMixedGLM"), ("binomial", "BinomialBayesMixedGLM")):
        X, y, group = _counts(100, family)
        yield Contest(
            work=f"{family} mixed model, 100 groups of 10 rows; quality: deviation of the slope over its exact one"
            if family == "poisson"
            else f"{family} mixed model, 100 groups of 10 rows; quality: deviation of the slope",
            peer="statsmodels",
            ours=partial(_ours, family, X, y, group),
            theirs=partial(_theirs, peer, X, y, group),
            quality=(lambda sd: sd / EXACT_SLOPE_DEVIATION) if family == "poisson" else float,
            warm_up=partial(_ours, family, X, y, group),
        )
    X, y, group = _counts(MANY)
    yield Contest(
        work=f"poisson mixed model, {MANY} groups of 10 rows, against a penalised regression with a column for each "
        "group; quality: mean absolute error of the groups' levels",
        peer="scikit-learn",
        ours=partial(_our_levels, X, y, group),
        theirs=partial(_levels_of_columns, X, y, group),
        quality=lambda levels: float(np.abs(levels - levels.mean() - _effects(MANY)).mean()),
        warm_up=partial(_our_levels, X[:1000], y[:1000], group[:1000]),
    )
    yield Scaling(
        work="VariationalGLMM, Poisson, groups of 10 rows, over groups",
        sizes=(1000, 3000, 10_000),
        prepare=_grouped,
        warm_up=_grouped(50),
    )
    yield Scaling(
        work="HeteroscedasticAdditiveRegressor, 3 columns, over rows",
        sizes=(500, 2000, 8000),
        prepare=_waves,
        warm_up=_waves(100),
    )


EXACT_SLOPE_DEVIATION = 0.0647
"""Of the Poisson set below, from draws of the exact posterior (the paper's experiment)."""


def _counts(groups: int, family: str = "poisson") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x, effects = rng.random((groups, 10)), rng.normal(0, np.sqrt(0.5), groups)
    eta = 0.5 + x + effects[:, None]
    y = rng.poisson(np.exp(eta)) if family == "poisson" else rng.binomial(1, 1 / (1 + np.exp(-eta)))
    return x.reshape(-1, 1), y.ravel(), np.repeat(np.arange(groups), 10)


def _effects(groups: int) -> np.ndarray:
    """Levels of the groups of the set below, about their mean."""
    rng = np.random.default_rng(0)
    rng.random((groups, 10))
    found = rng.normal(0, np.sqrt(0.5), groups)
    return found - found.mean()


def _our_levels(X: np.ndarray, y: np.ndarray, group: np.ndarray) -> np.ndarray:
    return VariationalGLMM().fit(X, y, groups=group).random_effects_[0][:, 0]


def _levels_of_columns(X: np.ndarray, y: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The penalty that says of the levels what is true, a variance of one half."""
    from scipy import sparse
    from sklearn.linear_model import PoissonRegressor

    Z = sparse.csr_matrix((np.ones(len(y)), (np.arange(len(y)), group)))
    model = PoissonRegressor(alpha=1 / (0.5 * len(y)), max_iter=1000, tol=1e-6)
    return model.fit(sparse.hstack([X, Z], format="csr"), y).coef_[1:]


def _ours(family: str, X: np.ndarray, y: np.ndarray, group: np.ndarray) -> float:
    model = VariationalGLMM(family).fit(X, y, groups=group)
    return float(np.sqrt(model.coef_cov_[1, 1]))


def _theirs(peer: str, X: np.ndarray, y: np.ndarray, group: np.ndarray) -> float:
    from scipy import sparse
    from statsmodels.genmod import bayes_mixed_glm

    Z = sparse.csr_matrix((np.ones(len(y)), (np.arange(len(y)), group)))
    fixed = np.column_stack([np.ones(len(y)), X])
    model = getattr(bayes_mixed_glm, peer)(y, fixed, Z, ident=np.zeros(Z.shape[1], dtype=int), vcp_p=2, fe_p=1e3)
    return float(model.fit_vb(verbose=False).fe_sd[1])


def _grouped(groups: int) -> Any:
    X, y, group = _counts(groups)
    return lambda: VariationalGLMM().fit(X, y, groups=group).coef_


def _waves(n: int) -> Any:
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1] + np.exp(-2 + 1.5 * X[:, 2]) * rng.standard_normal(n)
    return lambda: HeteroscedasticAdditiveRegressor().fit(X, y).n_iter_
