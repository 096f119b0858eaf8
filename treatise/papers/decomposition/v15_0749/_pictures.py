"""Digits among other digits, and faces of which a part is hidden: how well the clean ones are told afterwards."""

import numpy as np
from matplotlib.axes import Axes
from sklearn.decomposition import PCA

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_frey_faces, load_orl_faces, load_usps
from treatise.decomposition import GeometricMedianSubspace, plot_parts
from treatise.papers._evidence import Row


def misfit(model: PCA | GeometricMedianSubspace, X: np.ndarray) -> float:
    """Mean distance of rows from the subspace."""
    return float(np.linalg.norm(X - model.inverse_transform(model.transform(X)), axis=1).mean())


def hidden(pictures: np.ndarray, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """The pictures with half of each side covered by an even grey."""
    height, width = shape
    covered = pictures.reshape(-1, *shape).copy()
    for picture in covered:
        top, left = rng.integers(0, height - height // 2), rng.integers(0, width - width // 2)
        picture[top : top + height // 2, left : left + width // 2] = rng.random()
    return covered.reshape(len(pictures), -1)


def contest_rows(name: str, clean: np.ndarray, bad: np.ndarray, test: np.ndarray, d: int) -> list[Row]:
    """Distance of clean test rows from the subspaces of contaminated rows, between PCA's and that of clean rows."""
    X, ours = np.vstack([clean, bad]), "our defaults"
    found = {
        "PCA on the clean rows alone": PCA(d).fit(clean),
        "PCA": PCA(d).fit(X),
        ours: GeometricMedianSubspace(d).fit(X),
        "our defaults on the sphere": GeometricMedianSubspace(d, spherize=True).fit(X),
        "GMS2": GeometricMedianSubspace(d, variant="gms2", random_state=0).fit(X),
    }
    values = {method: misfit(model, test) for method, model in found.items()}
    quantity = f"{name}, {len(bad)} of {len(X)} rows outlying, {d} dimensions: misfit of clean rows"
    flagged = np.argsort(found[ours].residuals_)[-len(bad) :] >= len(clean)
    return [
        *(Row.ours(f"{quantity}, {method}", round(value, 3)) for method, value in values.items() if method != ours),
        Row.check_at_most(f"{quantity}, our defaults, at most PCA's", values["PCA"], values[ours]),
        Row.ours(f"{name}: share of outlying rows among as many of largest residual", round(float(flagged.mean()), 3)),
    ]  # fmt: skip


def usps_rows(full: bool) -> list[Row]:
    """Zeros among other digits."""
    X, y = load_usps()
    rng = np.random.default_rng(0)
    zeros, others = rng.permutation(X[y == 0]), rng.permutation(X[y != 0])
    n = 600 if full else 300
    return contest_rows("USPS, zeros among other digits", zeros[:n], others[: n // 2], zeros[n : 2 * n], 10)


def orl_rows(full: bool) -> list[Row]:
    """Forty people, a quarter of them partly hidden."""
    rng = np.random.default_rng(0)
    X = rng.permutation(load_orl_faces()[0])
    n = 200 if full else 100
    return contest_rows("ORL faces, partly hidden", X[:n], hidden(X[300 : 300 + n // 2], (32, 32), rng), X[200:300], 15)


def frey_faces(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frames of a video: clean ones, partly hidden ones, and clean ones for test."""
    rng = np.random.default_rng(0)
    X = rng.permutation(load_frey_faces())
    return X[:n], hidden(X[1200 : 1200 + n // 3], (28, 20), rng), X[1600:1900]


def frey_rows(full: bool) -> list[Row]:
    """One face in a video, a quarter of the frames partly hidden."""
    return contest_rows("Frey faces, partly hidden", *frey_faces(800 if full else 150), 10)


def draw_faces(axes: Axes) -> None:
    """Hidden faces, and what the subspaces of PCA and ours make of them."""
    axes.set_axis_off()
    try:
        clean, bad, _ = frey_faces(150)
    except DataNotFoundError:
        return
    X = np.vstack([clean, bad])
    models = PCA(10).fit(X), GeometricMedianSubspace(10, spherize=True).fit(X)
    shown = bad[:8]
    sheet = np.vstack([shown, *(model.inverse_transform(model.transform(shown)) for model in models)])
    plot_parts(1.0 - np.clip(sheet, 0.0, 1.0), (28, 20), columns=8, ax=axes)
    axes.set_title("hidden frames, in the subspace of PCA, in ours")
