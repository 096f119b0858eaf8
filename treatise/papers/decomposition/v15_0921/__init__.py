"""xSFA for non-linear source separation (Sprekeler, Zito & Wiskott, JMLR 15:921): sections 3 to 5, Figures 3 to 5.

The paper's music is not at hand. In its place stand 14 sources of coloured noise, made as its section 4.2.1 does, with
delta values of 0.008 to 0.11 that differ by 7 % or more, where those of the music are about 0.01 and differ by 5 %.
"""

import numpy as np
from matplotlib.figure import Figure

from treatise.datasets import make_colored_sources, mix_spiral
from treatise.decomposition import XSFA
from treatise.papers._evidence import Evidence
from treatise.papers.decomposition.v15_0921._pairs import pair_rows, spiral_pair
from treatise.papers.decomposition.v15_0921._recordings import recording_rows
from treatise.papers.decomposition.v15_0921._six import figure_of_six, matches_of_six, six_rows
from treatise.papers.decomposition.v15_0921._theory import theory_rows

SKIPPED = [
    "Figure 4, string quartets and popular music: no copy of the recordings is at hand; coloured noise takes their "
    "place, and levels printed for them are not judged as numbers",
    "Section 6, the rates of ISFA (70 %) and kTDSEP (20 % and 5 %): other methods, on the recordings",
]


def experiment(*, full: bool = False) -> Evidence:
    """Pairs on the spiral, six sources, the theory of harmonics, and recordings of hearts."""
    matches = matches_of_six(full)
    rows = [*pair_rows(full), *six_rows(matches, full), *theory_rows(full)]
    skipped = list(SKIPPED)
    if not full:
        skipped.append("Figure 5, records of 100 000 frames and 50 repetitions: in the full form")
    more, missing = recording_rows(full)
    rows += more
    return Evidence(rows, _figure(matches), skipped + missing)


def _figure(matches: dict[int, dict[str, np.ndarray]]) -> Figure:
    figure = Figure(figsize=(14, 4.4), layout="constrained")
    spiral, found, six = figure.subplots(1, 3)
    sources = spiral_pair(make_colored_sources(22_050, 3, random_state=0), 0, 2)
    X = mix_spiral(sources)
    spiral.scatter(*X.T, c=sources[:, 0], s=1, cmap="viridis")
    spiral.set(title="The mixture of two sources (Figure 3 B)", xlabel="x1", ylabel="x2", aspect="equal")
    outputs = XSFA().fit_transform(X)
    for number, colour in enumerate(("#1b6ca8", "#c8553d")):
        match = float(np.corrcoef(outputs[:, number], sources[:, number])[0, 1])
        label = f"source {number + 1}, correlation {abs(match):.3f}"
        found.plot(sources[::10, number], np.sign(match) * outputs[::10, number], ".", ms=2, color=colour, label=label)
    found.set(title="Sources found in it", xlabel="true source", ylabel="output of xSFA")
    found.legend(frameon=False, markerscale=4)
    figure_of_six(matches, six)
    return figure
