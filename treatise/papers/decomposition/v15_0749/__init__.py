"""Robust principal components (Zhang & Lerman, JMLR 15:749): Tables 2 to 4, Sections 6.2 to 6.4, real pictures.

The data are the paper's, with as many draws as there in the full form. The subspaces are drawn as the span of vectors
uniform in the cube and the noise is uniform, by which the printed numbers come out; the text speaks of a random
subspace and normal noise, of which a row shows the difference.
"""

import warnings

import numpy as np
from matplotlib.figure import Figure

from treatise._core.errors import DataNotFoundError
from treatise.datasets import make_subspace_outliers
from treatise.decomposition import GeometricMedianSubspace, eigengap_dimension, plot_scree
from treatise.papers._evidence import Evidence
from treatise.papers.decomposition.v15_0749._few_outliers import delta_curve, delta_rows, few_outlier_rows
from treatise.papers.decomposition.v15_0749._pictures import draw_faces, frey_rows, orl_rows, usps_rows
from treatise.papers.decomposition.v15_0749._synthetic import eigenvector_rows, recovery_rows

SKIPPED = [
    "Table 4, MDR, LLD, OP, PCP, HR-PCA, MKF and R1-PCA: methods of other papers",
    "Table 4, the common M-estimator with ln(x)/x, which is below zero for x < 1; that with x^-0.9, which the paper "
    "calls similar, is shown",
    "Tables 2 and 3, LLD and PCP: methods of other papers",
    "Section 6.7, the extended Yale faces, and Section 6.8, the surveillance videos: not at hand",
]


def experiment(*, full: bool = False) -> Evidence:
    """Recovery with and without noise, few outliers, the regularisation, eigenvectors, and pictures with outliers."""
    curve = delta_curve()
    rows = [*recovery_rows(full), *few_outlier_rows(20 if full else 4), *delta_rows(curve)]
    rows += eigenvector_rows(100 if full else 20)
    skipped = list(SKIPPED)
    for part in (usps_rows, frey_rows, orl_rows):
        try:
            rows += part(full)
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(curve), skipped)


def _figure(curve: dict[float, float]) -> Figure:
    """Figure 2: eigenvalues with many and with few outliers; a scree beside PCA's; Figure 3; faces."""
    figure = Figure(figsize=(10, 7.5), layout="constrained")
    (spectra, scree), (deltas, faces) = figure.subplots(2, 2)
    for n_outliers, marker in ((100, "*"), (20, ".")):
        X, _, _ = make_subspace_outliers(100, n_outliers, 100, 20, random_state=0)
        for variant, colour in (("gms", "#1b6ca8"), ("spread", "#c8553d")):
            model = GeometricMedianSubspace(20, variant=variant, center=None)
            values = _quietly(model, X).eigenvalues_[::-1]
            label = f"{n_outliers} outliers, {variant}: {eigengap_dimension(values)[0]} of {len(values)}"
            spectra.semilogy(np.arange(1, len(values) + 1), values, marker, color=colour, markersize=4, label=label)
    spectra.set(xlabel="number", ylabel="eigenvalue of Q", title="100 inliers of 20 dimensions among 100 (Figure 2)")
    spectra.legend(frameon=False, fontsize=8)
    X, _, _ = make_subspace_outliers(125, 125, 50, 5, noise=0.01, random_state=0)
    plot_scree(GeometricMedianSubspace("gap").fit(X), X, ax=scree)
    scree.set_title("125 inliers of 5 dimensions, 125 outliers, noise 0.01")
    deltas.loglog(list(curve), list(curve.values()), "o-", color="#1b6ca8")
    deltas.set(xlabel="delta", ylabel="recovery error", title="error and regularisation (Figure 3)")
    draw_faces(faces)
    return figure


def _quietly(model: GeometricMedianSubspace, X: np.ndarray) -> GeometricMedianSubspace:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)
