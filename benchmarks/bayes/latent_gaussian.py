"""Latent Gaussian models against GPy's EP and scikit-learn's Laplace, and their cost over cells of a grid."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.bayes import GPBinaryClassifier, LatentGaussianModel, grid_field

ROWS, COLUMNS, VARIANCE, WIDTH = 500, 4, 4.0, 1.5


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same probit process by EP, the same logistic one by Laplace's method; then grids and sweeps on them."""
    X, y, new = _labels()
    yield Contest(
        work=f"probit Gaussian process by EP, {ROWS} rows, kernel given, 200 probabilities; quality: their mean",
        peer="GPy",
        ours=partial(_ours, X, y, new, "probit", "ep"),
        theirs=partial(_gpy, X, y, new),
        quality=lambda chances: float(np.mean(chances)),
        warm_up=partial(_ours, X[:50], y[:50], new, "probit", "ep"),
    )
    yield Contest(
        work=f"logistic Gaussian process by Laplace's method, {ROWS} rows, kernel given; quality: mean probability",
        peer="scikit-learn",
        ours=partial(_ours, X, y, new, "logit", "laplace"),
        theirs=partial(_scikit_learn, X, y, new),
        quality=lambda chances: float(np.mean(chances)),
        warm_up=partial(_ours, X[:50], y[:50], new, "logit", "laplace"),
    )
    yield Scaling(
        work="LatentGaussianModel, Poisson counts on a grid, EP to its end, over cells",
        sizes=(2500, 10_000, 40_000),
        prepare=_counted,
        warm_up=_counted(100),
    )


def _labels() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=(200, COLUMNS))
    y = (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * rng.normal(size=ROWS) > 0).astype(int)
    return X, y, new


def _ours(X: np.ndarray, y: np.ndarray, new: np.ndarray, likelihood: str, inference: str) -> np.ndarray:
    model = GPBinaryClassifier(
        gamma=0.5 / WIDTH**2, variance=VARIANCE, likelihood=likelihood, inference=inference
    )  # fmt: skip
    return model.fit(X, y).predict_proba(new)[:, 1]


def _gpy(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    import GPy

    model = GPy.core.GP(
        X, y[:, None].astype(float), kernel=GPy.kern.RBF(COLUMNS, VARIANCE, WIDTH),
        likelihood=GPy.likelihoods.Bernoulli(), inference_method=GPy.inference.latent_function_inference.EP(),
    )  # fmt: skip
    return model.predict(new)[0][:, 0]


def _scikit_learn(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    kernel = ConstantKernel(VARIANCE) * RBF(WIDTH)
    return GaussianProcessClassifier(kernel, optimizer=None).fit(X, y).predict_proba(new)[:, 1]


def _counted(cells: int) -> Any:
    side = int(np.sqrt(cells))
    rng = np.random.default_rng(0)
    eta = np.sin(np.arange(side) * 6 / side)[:, None] * np.cos(np.arange(side) * 9 / side)
    y, precision = rng.poisson(np.exp(eta.ravel())), grid_field((side, side), precision=5.0)
    return lambda: LatentGaussianModel(precision, likelihood="poisson", tol=1e-6).fit(y).n_iter_
