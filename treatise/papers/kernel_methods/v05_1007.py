"""Robustness of kernel classifiers: Section 6's simulation and the theorems (Christmann & Steinwart, JMLR 5:1007)."""

import numpy as np
from matplotlib.figure import Figure

from treatise.kernel_methods import (
    InfluenceFunction,
    KernelMachineClassifier,
    robustness_bound,
    sensitivity_curve,
)
from treatise.papers._evidence import Evidence, Row

SMOOTH = ("logistic", "exponential", "squared_hinge", "modified_huber", "squared")
"""The losses of Table 1 but for the hinge."""
POINT = np.array([6.0, 6.0])
"""Where Section 6 adds an observation of class +1."""


def experiment(*, full: bool = False) -> Evidence:
    """What Section 6 shows in pictures, as numbers, and what Theorems 4, 8 and 12 state.

    Parameters
    ----------
    full : bool, default=False
        Ten draws of the paper's 500 observations, instead of three.
    """
    surfaces = [_surfaces(500, seed) for seed in range(10 if full else 3)]
    return Evidence([*_surface_rows(surfaces), *_theorem_rows()], _figure(surfaces[0]))


def simulate(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Section 6: correlated normals, classes by a logistic law with weights (-1, 1) and offset 1/2."""
    generator = np.random.RandomState(seed)
    X = generator.randn(n, 2) @ np.linalg.cholesky([[1.0, 0.5], [0.5, 1.0]]).T
    p = 1 / (1 + np.exp(-(X @ [-1.0, 1.0] + 0.5)))
    return X, np.where(generator.rand(n) < p, 1.0, -1.0)


def _grid() -> np.ndarray:
    axis = np.linspace(-8, 8, 33)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def _surfaces(n: int, seed: int) -> dict[str, np.ndarray]:
    """Change of the support vector machine over the plane, radial kernel (gamma 1/4, C 2) and linear (C 1)."""
    X, y = simulate(n, seed)
    radial = KernelMachineClassifier(1 / (2 * 2.0 * n), loss="hinge", gamma=0.25)
    linear = KernelMachineClassifier(1 / (2 * 1.0 * n), loss="hinge", kernel="linear")
    grid = _grid()
    return {
        "radial": sensitivity_curve(radial, X, y, POINT, 1.0, grid),
        "linear": sensitivity_curve(linear, X, y, POINT, 1.0, grid),
    }


def _surface_rows(surfaces: list[dict[str, np.ndarray]]) -> list[Row]:
    grid = _grid()
    far = np.linalg.norm(grid - POINT, axis=1) > 4
    at_point = [
        bool(np.argmax(np.abs(s["radial"])) == np.argmin(np.linalg.norm(grid - POINT, axis=1))) for s in surfaces
    ]
    outside = [float(np.abs(s["radial"][far]).max() / np.abs(s["radial"]).max()) for s in surfaces]
    bend = []
    for s in surfaces:
        design = np.column_stack([np.ones(len(grid)), grid])
        plane = design @ np.linalg.lstsq(design, s["linear"], rcond=None)[0]
        bend.append(float(np.abs(s["linear"] - plane).max()) / max(float(np.abs(s["linear"]).max()), 1.0))
    return [
        Row.claim(
            "radial kernel: the sensitivity peaks at the added point in every draw",
            "Figure 3",
            sum(at_point) == len(surfaces),
        ),
        Row.claim(
            "radial kernel: more than 4 away the sensitivity stays below a quarter of its peak",
            "Figure 3",
            max(outside) < 0.25,
        ),
        Row.ours("radial kernel: largest sensitivity more than 4 away, as a share of the peak", max(outside)),
        Row.check(
            "linear kernel: bend of the sensitivity surface (Figure 4: affine)",
            0.0,
            max(bend),
            within=1e-6,
            why="accuracy of the solver",
        ),
    ]


def _theorem_rows() -> list[Row]:
    X, y = simulate(60, 0)
    rows = []
    for loss in SMOOTH:
        machine = KernelMachineClassifier(0.01, loss=loss, gamma=0.25, tol=1e-13)
        influence = InfluenceFunction(machine.fit(X, y), X, y).at([POINT], [1.0]).scores[0]
        eps = 1e-6
        weights = np.append(np.full(60, (1 - eps) / 60), eps) * 61
        moved = KernelMachineClassifier(0.01, loss=loss, gamma=0.25, tol=1e-13)
        moved.fit(np.vstack([X, POINT]), np.append(y, 1.0), sample_weight=weights)
        difference = (moved.decision_function(X) - machine.decision_function(X)) / eps
        off = float(np.abs(influence - difference).max() / np.abs(difference).max())
        rows.append(
            Row.check(
                f"Theorem 8, {loss}: influence against a refit with 1e-6 more weight",
                0.0,
                off,
                within=1e-3,
                why="second order of that step and rounding",
            )
        )
    for loss in ("hinge", *SMOOTH):
        quantity, share = f"Theorem 12, {loss}: largest move by one observation over the bound", _largest_move(loss)
        # The slope of exp at the largest score that a machine may give puts its bound thousands of times too high.
        rows.append(Row.ours(quantity, share) if loss == "exponential" else Row.check_at_most(quantity, 1.0, share))
    training = InfluenceFunction(KernelMachineClassifier(0.01, gamma=0.25, tol=1e-13).fit(X, y), X, y).training()
    mean = float(np.abs(training.scores.mean(axis=0)).max())
    rows.append(Row.check("mean influence over the sample", 0.0, mean, within=1e-8, why="rounding"))
    return rows


def _largest_move(loss: str) -> float:
    """Over random additions, n times the move of the expansion, as a share of twice the bound's constant."""
    generator = np.random.default_rng(0)
    shares = []
    for seed in range(10):
        X, y = simulate(25, seed)
        z, label = generator.normal(size=2) * 4, generator.choice([-1.0, 1.0])
        before = KernelMachineClassifier(0.05, loss=loss, gamma=0.25, unpenalized=None).fit(X, y)
        after = KernelMachineClassifier(0.05, loss=loss, gamma=0.25, unpenalized=None)
        after.fit(np.vstack([X, z]), np.append(y, label))
        coef = np.zeros(26)
        coef[after.support_] += after.dual_coef_
        coef[before.support_] -= before.dual_coef_
        gram = before.kernel_(np.vstack([X, z]))
        shares.append(26 * np.sqrt(max(float(coef @ gram @ coef), 0.0)) / (2 * robustness_bound(loss, 0.05)))
    return max(shares)


def _figure(surfaces: dict[str, np.ndarray]) -> Figure:
    figure = Figure(figsize=(9, 4), layout="constrained")
    for ax, (kernel, surface) in zip(figure.subplots(1, 2), surfaces.items()):
        image = ax.imshow(surface.reshape(33, 33), origin="lower", extent=(-8, 8, -8, 8), cmap="RdBu_r")
        ax.plot(*POINT, "kx")
        ax.set(title=f"sensitivity, {kernel} kernel", xlabel="x1", ylabel="x2")
        figure.colorbar(image, ax=ax)
    return figure
