"""The hybrid linear learner: its speed from text and from the cache, and the optimum against scikit-learn."""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_zipf_ads
from treatise.linear import HybridLinearClassifier

N_ACTIVE, BITS = 40, 18
FOLDER = Path(tempfile.mkdtemp(prefix="treatise-benchmark-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def written(n_samples: int, *, named: bool = True) -> Path:
    """Clicks as text, and as a matrix beside it, written once. Numbers for names are columns, without collisions."""
    path = FOLDER / f"clicks-{n_samples}{'-named' * named}.vw"
    if not path.exists():
        X, y = make_zipf_ads(n_samples, N_ACTIVE, 1 << BITS, random_state=0)
        style = "w%d" if named else "%d"
        with path.open("w") as stream:
            for i in range(n_samples):
                names = map(style.__mod__, X.indices[X.indptr[i] : X.indptr[i + 1]].tolist())
                stream.write(f"{y[i]} | {' '.join(names)}\n")
        sparse.save_npz(path.with_suffix(".npz"), X, compressed=False)
        np.save(path.with_suffix(".npy"), y)
    return path


def online(n_samples: int, *, cached: bool) -> Callable[[], float]:
    """One online pass over the text, or over its cache; returns the progressive loss."""
    path = written(n_samples)
    model = HybridLinearClassifier(max_iter=0, bits=BITS)
    if cached:
        model.fit_files(path, cache=True)
    return lambda: model.fit_files(path, cache=cached).progressive_loss_


def hybrid(n_samples: int) -> Callable[[], float]:
    """From text to the optimum, parsing and writing the cache included; returns the objective."""
    path = written(n_samples, named=False)

    def work() -> float:
        with tempfile.TemporaryDirectory(dir=FOLDER) as caches:
            model = HybridLinearClassifier(bits=BITS, tol=1e-6, max_iter=500).fit_files(path, cache=caches)
        return model.objective_path_[-1]

    return work


def theirs(n_samples: int) -> Callable[[], float]:
    """The same with scikit-learn from the matrix on disk, which takes no parsing."""
    path = written(n_samples, named=False)

    def work() -> float:
        from sklearn.linear_model import LogisticRegression

        X, y = sparse.load_npz(path.with_suffix(".npz")), np.load(path.with_suffix(".npy"))
        model = LogisticRegression(max_iter=5000, tol=1e-6).fit(X, y)
        w = model.coef_[0]
        return float(np.logaddexp(0.0, -y * (X @ w + model.intercept_[0])).sum() + 0.5 * w @ w)

    return work


def benchmarks() -> Iterator[Contest | Scaling]:
    """Online passes up to a million examples of 40 features, then the optimum."""
    for cached in (False, True):
        source = "its cache" if cached else "text"
        yield Scaling(
            f"one online pass over clicks of {N_ACTIVE} features from {source}",
            (30_000, 100_000, 300_000),
            lambda size, cached=cached: online(size, cached=cached),
            warm_up=online(1000, cached=cached),
        )
    yield Contest(
        "logistic regression of 100000 clicks of 40 features to the optimum (quality: objective)",
        "scikit-learn",
        hybrid(100_000),
        theirs(100_000),
        float,
        warm_up=hybrid(1000),
        repeats=1,
    )
