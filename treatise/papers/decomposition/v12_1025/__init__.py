"""Conditional RBMs for sequences (Taylor, Hinton & Roweis, JMLR 12:1025): sections 3.5 and 4.6 in small.

Of the paper's motions two walks and three runs of the same collection are at hand, 303 frames in place of 2813, with 74
columns of joint angles in place of 62 of its own encoding. What is claimed is asked of these; printed errors are of
other data. Long predictions are asked of two coupled oscillators, of which there is as much as one likes.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from treatise._core.errors import DataNotFoundError
from treatise.decomposition import ConditionalRBM, plot_generation
from treatise.papers._evidence import Evidence
from treatise.papers.decomposition.v12_1025._motion import filling_rows, generation_rows, motions
from treatise.papers.decomposition.v12_1025._prediction import horizon_rows, likelihood_rows, style_rows

SKIPPED = [
    "Figures 6, 7, 11 and 12, videos of ten styles of walking and of their transitions: judged by eye in the paper, "
    "and the sequences in styles are not at hand",
    "Text of Figure 8, the printed errors of filling in (8.78 and 20.52 beside 11.68 and 22.20): 33 sequences of one "
    "person, of which two are at hand; their order is asked of these",
    "Figure 14, the printed errors of an autoregression (0.1506 and 0.2628): data of Hsu et al. (2005), not at hand; "
    "its order is asked of the oscillators",
    "Section 3.5.6 and after, two levels of 600 units beside a GPDM: judged by eye",
]


def experiment(*, full: bool = False) -> Evidence:
    """Likelihood, predictions ahead, styles, filling in, and generation."""
    rows, skipped = [*likelihood_rows(full)], list(SKIPPED)
    ahead, curves = horizon_rows(full)
    rows += [*ahead, *style_rows(full)]
    figure: Any = Figure(figsize=(13, 4.6), layout="constrained")
    left, right = figure.subfigures(1, 2)
    try:
        data = motions()
        rows += [*filling_rows(data, full), *generation_rows(data, full)]
        _draw_motion(data, left.subplots(3, 1, sharex=True))
    except DataNotFoundError as missing:
        skipped.append(str(missing))
    axes = right.subplots()
    for name, errors in curves.items():
        axes.plot(np.arange(1, len(errors) + 1), errors, label=name)
    axes.set(xlabel="frames ahead", ylabel="squared error per column", yscale="log")
    axes.set_title("Predictions of the oscillators (as Figure 14)")
    axes.legend(frameon=False)
    return Evidence(rows, figure, skipped)


def _draw_motion(data: dict[str, np.ndarray], panels: np.ndarray) -> None:
    """A walk that goes on, by sampling."""
    walk = data["35_01"]
    model = ConditionalRBM(100, n_epochs=300, random_state=0).fit(
        [frames[: int(0.7 * len(frames))] for frames in data.values()]
    )
    now = int(0.7 * len(walk))
    made = model.sample(walk[:now], len(walk) - now, random_state=0)
    plot_generation(walk[:now], made, truth=walk[now:], columns=np.argsort(-walk.std(axis=0))[:3], ax=panels)
    panels[0].set_title("A walk, and how the machine goes on")
