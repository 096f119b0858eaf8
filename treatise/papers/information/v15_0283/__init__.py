"""Information theoretical estimators (Szabo, JMLR 15:283): what the toolbox names, its quick tests, and its ISA.

The paper has no table. It names quantities, which are counted here; three quick tests, which are run; and an
application, independent subspace analysis, whose objectives and whose size are claims.
"""

import numpy as np
from matplotlib.figure import Figure

from treatise._core.errors import DataNotFoundError
from treatise.datasets import make_subspace_sources
from treatise.information import (
    BagKernel,
    IndependentSubspaceAnalysis,
    divergence,
    list_estimators,
    make_estimator,
    plot_dependence,
    plot_subspaces,
)
from treatise.information.bag_kernels import ExpectedKernel
from treatise.kernels import Gaussian, median_gamma
from treatise.papers._evidence import Evidence, Row
from treatise.papers.information.v15_0283._closed_forms import SIZES, closed_form_rows, curves
from treatise.papers.information.v15_0283._registration import TURN, angles, registration, registration_rows
from treatise.papers.information.v15_0283._subspaces import scale_rows, separation_rows

NAMED = {
    "entropy": ("Shannon entropy", "Renyi entropy", "Tsallis entropy", "complex entropy", "Phi-entropy",
                "Sharma-Mittal entropy"),
    "mutual_information": (
        "generalised variance", "kernel canonical correlation analysis", "kernel generalised variance",
        "Hilbert-Schmidt independence criterion", "Shannon mutual information", "L2 mutual information",
        "Renyi mutual information", "Tsallis mutual information", "Cauchy-Schwarz quadratic mutual information",
        "Euclidean distance based quadratic mutual information", "complex mutual information",
        "chi-square mutual information", "copula-based kernel dependency", "multivariate Hoeffding's Phi",
        "Schweizer-Wolff's sigma", "Schweizer-Wolff's kappa", "distance covariance", "distance correlation",
        "approximate correntropy independence measure"),
    "divergence": (
        "Kullback-Leibler divergence", "L2 divergence", "Renyi divergence", "Tsallis divergence",
        "Cauchy-Schwarz divergence", "Euclidean distance based divergence", "Jensen-Shannon divergence",
        "Jensen-Renyi divergence", "Jensen-Tsallis divergence", "K divergence", "L divergence",
        "Pearson chi-square divergence", "f-divergence", "Hellinger distance", "Bhattacharyya distance",
        "energy distance", "Bregman divergence", "symmetric Bregman divergence", "J-distance",
        "maximum mean discrepancy"),
    "association": (
        "multivariate Spearman's rho", "conditional Spearman's rho, lower tail", "correntropy", "centred correntropy",
        "correntropy induced metric", "correntropy coefficient", "centred correntropy induced metric",
        "multivariate Blomqvist's beta", "lower tail dependence", "upper tail dependence"),
    "cross_entropy": ("cross-entropy",),
    "distribution_kernel": (
        "expected kernel", "Bhattacharyya kernel", "probability product kernel", "Jensen-Shannon kernel",
        "exponentiated Jensen-Shannon kernel", "Jensen-Tsallis kernel", "exponentiated Jensen-Tsallis kernel",
        "exponentiated Jensen-Renyi kernel"),
}  # fmt: skip
SKIPPED = [
    "IPA with exogenous inputs (ARX), missing values (mAR) or nonparametric dynamics (fAR): not built; autoregressive, "
    "post-nonlinear, complex and convolutive systems are",
]


def experiment(*, full: bool = False) -> Evidence:
    """What is named, the three quick tests, and independent subspaces up to a million elements."""
    rows = [*named_rows(), *closed_form_rows(full), *definiteness_rows(full)]
    rows += [*separation_rows(full), *scale_rows(full)]
    skipped, registered = list(SKIPPED), None
    try:
        registered = registration(full)
        rows += registration_rows(registered, full)
    except DataNotFoundError as missing:
        skipped.append(str(missing))
    return Evidence(rows, _figure(registered, full), skipped)


def named_rows() -> list[Row]:
    """Quantities of Section 2 that have an estimator, and the composition of its example."""
    rows = []
    for quantity, names in NAMED.items():
        known = {row.measures for row in list_estimators(quantity)}
        words = quantity.replace("_", " ")
        rows.append(Row.claim(f"{words}: all {len(names)} that are named", "Section 2", set(names) <= known))
    rng = np.random.default_rng(0)
    X, Y = rng.random((1000, 3)), rng.random((2000, 3))  # the sizes of the paper's example
    composed = make_estimator("divergence", "j_distance").estimate(X, Y)
    rows.append(
        Row.check("J-distance as composed in the paper's example", divergence(X, Y) + divergence(Y, X), composed)
    )
    rows.append(Row.ours("estimators in the register", len(list_estimators())))
    return rows


def definiteness_rows(full: bool) -> list[Row]:
    """Second quick test: least eigenvalues of Gram matrices of ten bags."""
    rng = np.random.default_rng(0)
    n = 1000 if full else 300
    bags = [rng.normal(2 * rng.normal(size=2), 0.5 + rng.random(), size=(n, 2)) for _ in range(10)]
    expected = BagKernel(ExpectedKernel(Gaussian(median_gamma(np.vstack(bags)))))
    rows = [
        Row.check_at_least(
            f"expected kernel, 10 bags of {n}: least eigenvalue", -1e-10, _least_eigenvalue(expected, bags)
        )
    ]
    for name in sorted({row.name for row in list_estimators("distribution_kernel")} - {"expected"}):
        value = _least_eigenvalue(BagKernel(name), bags)
        rows.append(Row.ours(f"{name}, 10 bags of {n}: least eigenvalue", round(value, 5)))
    return rows


def _least_eigenvalue(kernel: BagKernel, bags: list[np.ndarray]) -> float:
    return float(np.linalg.eigvalsh(kernel(bags))[0])


def _figure(registered: dict[str, np.ndarray] | None, full: bool) -> Figure:
    figure = Figure(figsize=(11.0, 7.5), layout="constrained")
    grid = figure.add_gridspec(2, 1)
    top, bottom = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    left, middle, right = top.subplots(1, 3)
    for name, (values, truth) in curves(8 if full else 4).items():
        (line,) = left.plot(SIZES, values.mean(axis=1) - truth, "o-", label=name)
        spread = values.std(axis=1)
        low, high = values.mean(axis=1) - truth - spread, values.mean(axis=1) - truth + spread
        left.fill_between(SIZES, low, high, alpha=0.2, color=line.get_color())
    left.axhline(0.0, color="black", linewidth=0.8)
    left.set_xscale("log")
    left.set_xlabel("rows")
    left.set_title("error of estimates")
    left.legend(fontsize=8)
    if registered is not None:
        for method, values in registered.items():
            middle.plot(angles(full), (values - values.min()) / np.ptp(values), ".-", label=method)
        middle.axvline(-TURN, color="black", linewidth=0.8)
        middle.set_xlabel("degrees turned back")
        middle.set_title("dependence of two bands, scaled")
        middle.legend(fontsize=7)
    X = make_subspace_sources(3000, random_state=0).X
    model = IndependentSubspaceAnalysis([2, 2, 2], random_state=0).fit(X)
    plot_dependence(model.dependence_, groups=model.subspaces_, ax=right)
    right.set_title("dependence of components")
    plot_subspaces(model, X, ax=bottom.subplots(1, 3))
    bottom.suptitle("three sources recovered from their mixture")
    return figure
