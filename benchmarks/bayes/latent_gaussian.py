"""Latent Gaussian models against GPy's EP and scikit-learn's Laplace, and their cost over cells of a grid."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.bayes import GPBinaryClassifier, LatentGaussianModel, Poisson, grid_field
from treatise.bayes.latent_gaussian._laplace import laplace
from treatise.bayes.latent_gaussian._propagation import matched_sites
from treatise.bayes.latent_gaussian._terms import Terms

ROWS, COLUMNS, VARIANCE, WIDTH = 500, 4, 4.0, 1.5
CELLS = 40_000


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same probit process by EP, the same logistic one by Laplace's method; then grids and sweeps on them."""
    X, y, new = _labels()
    exact = _ours(X, y, new, tol=1e-12)
    yield Contest(
        work=f"probit Gaussian process by EP, {ROWS} rows, kernel given, 200 probabilities; quality: their largest "
        "distance from ours at a tolerance of 1e-12",
        peer="GPy",
        ours=partial(_ours, X, y, new),
        theirs=partial(_gpy, X, y, new),
        quality=lambda chances: float(np.abs(chances - exact).max()),
        warm_up=partial(_ours, X[:50], y[:50], new),
    )
    yield Contest(
        work=f"logistic Gaussian process by Laplace's method, {ROWS} rows, kernel given, 200 probabilities; quality: "
        "log evidence",
        peer="scikit-learn",
        ours=partial(_our_evidence, X, y, new),
        theirs=partial(_scikit_learn, X, y, new),
        quality=float,
        warm_up=partial(_our_evidence, X[:50], y[:50], new),
    )
    begun = _begun(_counted(CELLS))
    yield Contest(
        work=f"a sweep of EP on a grid of {CELLS} cells, against a step of Newton's method, ten of which are asked; "
        "quality: mean precision of the sites",
        peer="treatise",
        ours=partial(_sweep, begun),
        theirs=partial(_newton_step, begun),
        quality=float,
    )
    yield Scaling(
        work="LatentGaussianModel, Poisson counts on a grid, EP to its end, over cells",
        sizes=(2500, 10_000, 40_000),
        prepare=lambda cells: partial(_fitted, _counted(cells)),
        warm_up=partial(_fitted, _counted(100)),
    )


def _labels() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=(200, COLUMNS))
    y = (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * rng.normal(size=ROWS) > 0).astype(int)
    return X, y, new


def _ours(X: np.ndarray, y: np.ndarray, new: np.ndarray, **settings: Any) -> np.ndarray:
    model = GPBinaryClassifier(gamma=0.5 / WIDTH**2, variance=VARIANCE, **settings)
    return model.fit(X, y).predict_proba(new)[:, 1]


def _our_evidence(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> float:
    model = GPBinaryClassifier(gamma=0.5 / WIDTH**2, variance=VARIANCE, likelihood="logit", inference="laplace")
    model.fit(X, y).predict_proba(new)
    return model.log_evidence_


def _gpy(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    import GPy

    model = GPy.core.GP(
        X, y[:, None].astype(float), kernel=GPy.kern.RBF(COLUMNS, VARIANCE, WIDTH),
        likelihood=GPy.likelihoods.Bernoulli(), inference_method=GPy.inference.latent_function_inference.EP(),
    )  # fmt: skip
    return model.predict(new)[0][:, 0]


def _scikit_learn(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> float:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    model = GaussianProcessClassifier(ConstantKernel(VARIANCE) * RBF(WIDTH), optimizer=None).fit(X, y)
    model.predict_proba(new)
    return float(model.log_marginal_likelihood_value_)


def _counted(cells: int) -> tuple[LatentGaussianModel, np.ndarray]:
    """Counts on a square of cells, and their model."""
    side = int(np.sqrt(cells))
    rng = np.random.default_rng(0)
    eta = np.sin(np.arange(side) * 6 / side)[:, None] * np.cos(np.arange(side) * 9 / side)
    model = LatentGaussianModel(grid_field((side, side), precision=5.0), likelihood="poisson", tol=1e-6)
    return model, rng.poisson(np.exp(eta.ravel()))


def _fitted(grid: tuple[LatentGaussianModel, np.ndarray]) -> int:
    model, y = grid
    return model.fit(y).n_iter_


def _begun(grid: tuple[LatentGaussianModel, np.ndarray]) -> tuple[Any, Any, Any]:
    """The field, the terms, and the field with the sites of Laplace's method."""
    model, y = grid
    field, terms = model._field(len(y)), Terms(Poisson(), y.astype(float), model.n_quad)
    return field, terms, laplace(field, terms, tol=1e-3).update


def _sweep(begun: tuple[Any, Any, Any]) -> float:
    """The factor, all variances, and the sites that match the moments of their terms."""
    field, terms, update = begun
    return float(matched_sites(field.update(update.a, update.b), terms, 1.0)[0].mean())


def _newton_step(begun: tuple[Any, Any, Any]) -> float:
    """Slopes and bends of the terms, the factor, and the mean."""
    field, terms, update = begun
    slope, bend = terms.derivatives(update.term_mean)
    moved = field.update(-bend, slope - bend * update.term_mean)
    return float(-terms.derivatives(moved.term_mean)[1].mean())
