"""The hybrid linear learner: its speed against Vowpal Wabbit, its memory, and the optimum against scikit-learn."""

import atexit
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from scipy import sparse

from benchmarks._contest import Contest, Scaling
from treatise.linear import HybridLinearClassifier
from treatise.papers.linear.v15_1111._ads import make_zipf_ads

N_ACTIVE, BITS, MILLION = 40, 18, 1_000_000
NAMESPACES = ("user", "page", "ad", "query")
FOLDER = Path(tempfile.mkdtemp(prefix="treatise-benchmark-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
# As the peer has it by default: adaptive, normalised and invariant steps, and no penalty.
ONLINE = {"max_iter": 0, "bits": BITS, "normalized": True, "alpha": 0.0}


def written(n_samples: int, *, named: bool = True) -> Path:
    """Clicks as text, and as a matrix beside it, written once. Numbers for names are columns, without collisions."""
    path = FOLDER / f"clicks-{n_samples}{'-named' * named}.vw"
    if not path.exists():
        X, y = make_zipf_ads(n_samples, N_ACTIVE, 1 << BITS, random_state=0)
        each = N_ACTIVE // len(NAMESPACES)
        with path.open("w") as stream:
            for i in range(n_samples):
                columns = X.indices[X.indptr[i] : X.indptr[i + 1]].tolist()
                if not named:
                    stream.write(f"{y[i]} | {' '.join(map(str, columns))}\n")
                    continue
                stream.write(f"{y[i]}")
                for j, space in enumerate(NAMESPACES):
                    past = None if j == len(NAMESPACES) - 1 else (j + 1) * each
                    stream.write(f" |{space} {' '.join(map('w%d'.__mod__, columns[j * each : past]))}")
                stream.write("\n")
        sparse.save_npz(path.with_suffix(".npz"), X, compressed=False)
        np.save(path.with_suffix(".npy"), y)
    return path


def online(n_samples: int, *, cached: bool) -> Callable[[], float]:
    """One online pass over the text, or over its cache; returns the progressive loss."""
    path = written(n_samples)
    model = HybridLinearClassifier(**ONLINE)
    if cached:
        model.fit_files(path, cache=True)
    return lambda: model.fit_files(path, cache=cached).progressive_loss_


def vowpal_wabbit(n_samples: int, *, cached: bool) -> Callable[[], float]:
    """The same with Vowpal Wabbit, whose own loop reads the file or its cache: the fastest way to run it."""
    path = written(n_samples)
    arguments = f"--data {path} --bit_precision {BITS} --loss_function logistic --quiet --no_stdin"
    if cached:
        arguments += f" --cache_file {path.with_suffix('.peer-cache')}"

    def work() -> float:
        from vowpalwabbit import Workspace

        learner = Workspace(arguments)
        loss = learner.get_sum_loss() / learner.get_weighted_examples()
        learner.finish()
        return loss

    if cached:
        work()
    return work


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


OURS_IN_MEMORY = """
from treatise.linear import HybridLinearClassifier
HybridLinearClassifier(bits=8, max_iter=1).fit_files({small!r}, cache={caches!r})
print("ready", flush=True)
input()
HybridLinearClassifier({settings}).fit_files([{path!r}] * {copies}, cache={cache})
"""
THEIRS_IN_MEMORY = """
import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
LogisticRegression(max_iter=1).fit([[0.0], [1.0]], [0, 1])
print("ready", flush=True)
input()
X, y = sparse.load_npz({matrix!r}), np.load({labels!r})
LogisticRegression(max_iter=5).fit(X, y)
"""


def resident(script: str) -> tuple[float, float]:
    """Resident MiB of a script in a process of its own, once it says that it is ready, and at the most."""
    child = psutil.Popen(
        [sys.executable, "-W", "ignore", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    if child.stdout.readline() != "ready\n":
        raise RuntimeError("the script ended before it was ready")
    base = most = child.memory_info().rss
    child.stdin.write("\n")
    child.stdin.flush()
    while child.poll() is None:
        try:
            most = max(most, child.memory_info().rss)
            child.wait(0.02)
        except psutil.TimeoutExpired:
            continue
        except psutil.NoSuchProcess:
            break
    if child.wait() != 0:
        raise RuntimeError(f"the script ended with status {child.returncode}")
    return base / 2**20, most / 2**20


def ours_resident(
    n_samples: int, copies: int = 1, *, named: bool = True, cached: bool, settings: str
) -> tuple[float, float]:
    """The same of a fit to a file of clicks, taken several times over."""
    path, small = written(n_samples, named=named), written(1000, named=named)
    return resident(
        OURS_IN_MEMORY.format(
            settings=settings, small=str(small), caches=str(FOLDER), path=str(path), copies=copies, cache=cached
        )
    )


@dataclass(frozen=True)
class FlatMemory:
    """Resident memory of an online pass at each size of the data: the last over the first is to be one."""

    cached: bool
    copies: tuple[int, ...]
    n_samples: int = MILLION

    def run(self) -> dict[str, Any]:
        """The peak at every size, that of the interpreter included."""
        settings = ", ".join(f"{key}={value!r}" for key, value in ONLINE.items())
        found = [ours_resident(self.n_samples, many, cached=self.cached, settings=settings)[1] for many in self.copies]
        source = "its cache" if self.cached else "text"
        return {
            "work": f"memory of one online pass over clicks of {N_ACTIVE} features from {source}",
            "sizes": [self.n_samples * many for many in self.copies], "peak MiB": found, "growth": found[-1] / found[0],
        }  # fmt: skip


@dataclass(frozen=True)
class MemoryContest:
    """Resident memory of a fit from file to model, where the data are large.

    Twenty of our iterations fill the memory of L-BFGS; the peer takes all of its own at once.
    """

    n_samples: int

    def run(self) -> dict[str, Any]:
        """The peak of both sides, each above that of its interpreter with everything loaded."""
        path = written(self.n_samples, named=False)
        ready, most = ours_resident(self.n_samples, named=False, cached=True, settings=f"bits={BITS}, max_iter=20")
        ours = most - ready
        script = THEIRS_IN_MEMORY.format(matrix=str(path.with_suffix(".npz")), labels=str(path.with_suffix(".npy")))
        ready, most = resident(script)
        theirs = most - ready
        return {
            "work": f"memory of logistic regression of {self.n_samples} clicks of {N_ACTIVE} features",
            "peer": "scikit-learn", "peak MiB ours": ours, "peak MiB peer": theirs, "ratio": theirs / ours,
        }  # fmt: skip


def benchmarks() -> Iterator[Contest | Scaling | FlatMemory | MemoryContest]:
    """Online passes over a million examples of 40 features, their memory up to twenty million, then the optimum."""
    for cached in (False, True):
        source = "its cache" if cached else "text"
        yield Contest(
            f"one online pass over {MILLION} clicks of {N_ACTIVE} features from {source} (quality: progressive loss)",
            "vowpalwabbit",
            online(MILLION, cached=cached),
            vowpal_wabbit(MILLION, cached=cached),
            float,
            warm_up=online(1000, cached=cached),
        )
        yield Scaling(
            f"one online pass over clicks of {N_ACTIVE} features from {source}",
            (30_000, 100_000, 300_000),
            lambda size, cached=cached: online(size, cached=cached),
            warm_up=online(1000, cached=cached),
        )
        yield FlatMemory(cached, (1, 5, 20))
    yield Contest(
        "logistic regression of 100000 clicks of 40 features to the optimum (quality: objective)",
        "scikit-learn",
        hybrid(100_000),
        theirs(100_000),
        float,
        warm_up=hybrid(1000),
        repeats=1,
    )
    yield MemoryContest(2 * MILLION)
