"""Boosting by tiny steps beside gradient boosting of stumps and the lasso's path, and AdaBoost's map over steps."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, make_classification
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import lasso_path
from sklearn.model_selection import GridSearchCV

from benchmarks._contest import Contest, Scaling
from treatise.ensemble import EpsilonBoostClassifier, EpsilonBoostRegressor, adaboost_map, rudin_matrix

WHOLE = {"early_stopping": False, "fit_intercept": False, "dictionary": "columns"}


def benchmarks() -> Iterator[Contest | Scaling]:
    """The whole path with its step chosen, the lasso's path, and costs over steps and sizes."""
    X, y = make_classification(6000, 30, n_informative=12, random_state=0)
    X_new, y_new, X, y = X[3000:], y[3000:], X[:3000], y[:3000]
    # The peer as it must be used for the same work: the number of trees by cross-validation.
    grid = {"n_estimators": [50, 100, 200, 400, 800]}
    peer = GridSearchCV(GradientBoostingClassifier(max_depth=1, random_state=0), grid, scoring="neg_log_loss", cv=5)
    yield Contest(
        work="3 000 rows of 30 columns: stumps, number of steps by 5 folds (accuracy on 3 000 new rows)",
        peer="scikit-learn",
        ours=lambda: EpsilonBoostClassifier().fit(X, y),
        theirs=lambda: peer.fit(X, y),
        quality=lambda model: float(np.mean(model.predict(X_new) == y_new)),
        warm_up=lambda: EpsilonBoostClassifier(n_steps=100).fit(X[:200], y[:200]),
        repeats=1,
    )
    X_d, y_d = load_diabetes(return_X_y=True)
    y_d = y_d - y_d.mean()
    bound = 1900.0
    yield Contest(
        work="diabetes: path to a norm of 1 900 in steps of 0.1, beside 19 000 penalties (squared error at the end)",
        peer="scikit-learn",
        ours=lambda: EpsilonBoostRegressor(epsilon=0.1, n_steps=19_000, **WHOLE).fit(X_d, y_d).coef_,
        theirs=lambda: _lasso_at(X_d, y_d, bound),
        quality=lambda coef: float(np.mean((y_d - X_d @ coef) ** 2)),
        warm_up=lambda: EpsilonBoostRegressor(epsilon=0.1, n_steps=10, **WHOLE).fit(X_d, y_d),
    )
    columns, labels = make_classification(100, 45, n_informative=10, random_state=0)
    yield Scaling(
        work="logistic epsilon-boosting over 45 columns of 100 rows, over steps",
        sizes=(10_000, 100_000, 1_000_000),
        prepare=lambda steps: partial(_walk, columns, labels, steps),
        warm_up=partial(_walk, columns, labels, 10),
    )
    yield Scaling(
        work="AdaBoost's map of 8 x 8, over steps",
        sizes=(100_000, 1_000_000, 10_000_000),
        prepare=lambda steps: partial(adaboost_map, rudin_matrix("8x8"), steps),
        warm_up=partial(adaboost_map, rudin_matrix("8x8"), 10),
    )
    yield Scaling(
        work="1 000 steps of AdaBoost's map over square matrices of random signs",
        sizes=(100, 300, 1000),
        prepare=lambda size: partial(adaboost_map, _signs(size), 1000),
        warm_up=partial(adaboost_map, rudin_matrix("8x8"), 10),
    )


def _walk(X: np.ndarray, y: np.ndarray, steps: int) -> Any:
    return EpsilonBoostClassifier(epsilon=0.001, n_steps=steps, **WHOLE).fit(X, y)


def _lasso_at(X: np.ndarray, y: np.ndarray, bound: float) -> np.ndarray:
    """The peer's path on a grid as fine as our steps, at the norm nearest to the bound."""
    _, coefs, _ = lasso_path(X, y, alphas=np.geomspace(2.2, 0.01, 19_000))
    return coefs[:, int(np.argmin(np.abs(np.abs(coefs).sum(axis=0) - bound)))]


def _signs(size: int) -> np.ndarray:
    return np.random.default_rng(0).choice([-1, 1], size=(size, size), p=[0.45, 0.55])
