"""Logistic regression to the same objective by bounds and by L-BFGS; a partition tree against one score per class."""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import scale

from benchmarks._contest import Contest, Scaling, left_out
from treatise.datasets import make_hypercube_gaussians
from treatise.linear import MajorizedLogisticRegression
from treatise.online import PartitionTreeClassifier

FOLDER = Path(tempfile.mkdtemp(prefix="treatise-benchmark-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def benchmarks() -> Iterator[Contest | Scaling]:
    """Small tables at the usual penalty, a larger one, one badly scaled; then predictions over classes."""
    for name, (X, y) in logistic_tables().items():
        yield Contest(
            work=f"logistic regression, C = 1, gradient below 1e-6 a row: {name}, {X.shape[0]} x {X.shape[1]}, "
            f"{len(np.unique(y))} classes",
            peer="scikit-learn",
            ours=partial(_fitted, MajorizedLogisticRegression(tol=1e-6), X, y),
            theirs=partial(_fitted, LogisticRegression(tol=1e-6, max_iter=100_000), X, y),
            quality=partial(_objective, X, y),
            warm_up=partial(_fitted, MajorizedLogisticRegression(tol=1e-6), X, y),
            repeats=5,
        )
    yield from _intelex_contest()
    # Each from as many examples as bring it to about the same accuracy: the tree needs more, and costs less to train.
    tree = PartitionTreeClassifier(n_passes=3, random_state=0).fit(*make_hypercube_gaussians(1024, 150, random_state=0))
    X, y = make_hypercube_gaussians(1024, 30, random_state=0)
    X_test, y_test = make_hypercube_gaussians(1024, 20, random_state=1)
    linear = SGDClassifier(loss="log_loss", max_iter=5, tol=None, random_state=0).fit(X, y)
    yield Contest(
        work="predict 20 480 rows of 10 features among 1024 classes: partition tree against one logistic score a class",
        peer="scikit-learn",
        ours=lambda: tree.predict(X_test),
        theirs=lambda: linear.predict(X_test),
        quality=lambda labels: float(np.mean(labels == y_test)),
        warm_up=lambda: tree.predict(X_test[:10]),
    )
    yield _against_log_multi(256)
    yield Scaling(
        work="partition tree: predict 20 000 rows, over classes",
        sizes=(64, 512, 4096),
        prepare=partial(_prediction, PartitionTreeClassifier(n_passes=1, random_state=0)),
        warm_up=_prediction(PartitionTreeClassifier(n_passes=1, random_state=0), 8),
    )
    yield Scaling(
        work="one logistic score a class (scikit-learn): predict 20 000 rows, over classes",
        sizes=(64, 512, 2048),
        prepare=partial(_prediction, SGDClassifier(loss="log_loss", max_iter=1, tol=None)),
    )
    yield Scaling(
        work="partition tree: one pass over 60 examples a class, over classes",
        sizes=(64, 512, 4096),
        prepare=_pass,
        warm_up=_pass(8),
    )


def _intelex_contest() -> Iterator[Contest]:
    """A tall dense table beside Intel's solver, both to the same objective."""
    if find_spec("sklearnex") is None:
        left_out("majorized: scikit-learn-intelex is not installed; its contest is left out")
        return
    from sklearnex.linear_model import LogisticRegression as IntelLogisticRegression

    X, y = make_classification(100_000, 100, n_informative=30, random_state=0)
    yield Contest(
        work="logistic regression, C = 1, gradient below 1e-6 a row: made, 100000 x 100, 2 classes",
        peer="scikit-learn-intelex",
        ours=partial(_fitted, MajorizedLogisticRegression(tol=1e-6), X, y),
        theirs=partial(_fitted, IntelLogisticRegression(tol=1e-6, max_iter=100_000), X, y),
        quality=partial(_objective, X, y),
        warm_up=partial(_fitted, MajorizedLogisticRegression(tol=1e-6), X[:1000], y[:1000]),
    )


def logistic_tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name, features and classes."""
    wide, classes = make_classification(10_000, 20, n_informative=15, n_classes=5, random_state=0)
    digits, digit = load_digits(return_X_y=True)
    found = {
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits": (digits, digit),
        "made": (wide, classes),
    }
    tables = {name: (scale(X), y) for name, (X, y) in found.items()}
    crooked = tables["made"][0] * 10.0 ** np.linspace(0.0, -1.5, 20)
    return {**tables, "made, columns of scales 1 to 0.03": (crooked, classes)}


def _against_log_multi(n_classes: int) -> Contest:
    """One pass each: the tree from a matrix, the peer's from its binary cache, at the best of the rates 0.5, 2 and 10.

    The peer's tree is that of the thesis' author and others, published later.
    """
    from vowpalwabbit import Workspace

    X, y = make_hypercube_gaussians(n_classes, 150, random_state=0)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    X_test, y_test = make_hypercube_gaussians(n_classes, 20, random_state=1)
    train, test = (_written(FOLDER / name, *part) for name, part in (("train", (X, y)), ("test", (X_test, y_test))))
    model, answers = FOLDER / "model", FOLDER / "answers"

    def theirs() -> None:
        arguments = f"--data {train} --cache_file {FOLDER / 'cache'} --log_multi {n_classes} --learning_rate 2"
        Workspace(f"{arguments} --final_regressor {model} --quiet --no_stdin").finish()

    def accuracy(tree: PartitionTreeClassifier | None) -> float:
        if tree is not None:
            return tree.score(X_test, y_test)
        arguments = f"--initial_regressor {model} --testonly --data {test} --predictions {answers}"
        Workspace(f"{arguments} --quiet --no_stdin").finish()
        return float(np.mean(np.loadtxt(answers) - 1 == y_test))

    theirs()  # writes the cache
    return Contest(
        work=f"tree of {n_classes} classes, one pass over {len(y)} rows of {X.shape[1]} features (quality: accuracy)",
        peer="vowpalwabbit",
        ours=lambda: PartitionTreeClassifier(n_passes=1, random_state=0).fit(X, y),
        theirs=theirs,
        quality=accuracy,
        warm_up=lambda: PartitionTreeClassifier(n_passes=1, random_state=0).fit(X[:100], y[:100]),
    )


def _written(path: Path, X: np.ndarray, y: np.ndarray) -> Path:
    """Rows as Vowpal Wabbit's text, the classes from 1 on."""
    rows = (" ".join(f"{j}:{v:.6f}" for j, v in enumerate(row)) for row in X)
    path.write_text("".join(f"{int(label) + 1} | {row}\n" for label, row in zip(y, rows)))
    return path


def _fitted(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    return model.fit(X, y)


def _objective(X: np.ndarray, y: np.ndarray, model: Any) -> float:
    scores = np.atleast_2d(model.decision_function(X).T).T
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    codes = np.searchsorted(model.classes_, y)
    loss = np.sum(logsumexp(scores, axis=1) - scores[np.arange(len(y)), codes])
    return float(loss + 0.5 * np.sum(model.coef_**2))


def _prediction(model: Any, n_classes: int) -> Any:
    X, y = make_hypercube_gaussians(n_classes, 20, random_state=0)
    model.fit(X, y)
    rows = np.resize(X, (20_000, X.shape[1]))
    return lambda: model.predict(rows)


def _pass(n_classes: int) -> Any:
    X, y = make_hypercube_gaussians(n_classes, 60, random_state=0)
    return lambda: PartitionTreeClassifier(n_passes=1, random_state=0).fit(X, y)
