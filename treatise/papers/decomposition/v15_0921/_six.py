"""Six sources in a mixture that turns and bends twice (Figure 5).

The paper writes the arctangent of the turned sources over zeta = 2. Then a linear regression reaches a correlation of
0.99, where the paper has about 0.9; it reaches that with a gain of 2, which is what is taken here.
"""

import warnings
from itertools import pairwise
from typing import Any

import numpy as np

from treatise.datasets import make_colored_sources, mix_postnonlinear
from treatise.decomposition import XSFA
from treatise.papers._evidence import Gap, Row
from treatise.papers.decomposition.v15_0921._pairs import match

PLACE = "Section 4.2.5"
LITTLE_REMOVED = "removal of degree 2 instead of 4: sources of six with median correlation above 0.9"


def matches_of_six(full: bool) -> dict[int, dict[str, np.ndarray]]:
    """Correlations by source (across) and repetition (down) of each method, by length of the record."""
    sizes = {1_000: 50, 3_000: 50, 10_000: 50, 30_000: 50, 100_000: 50} if full else {1_000: 10, 3_000: 10, 10_000: 10}
    return {n_times: _matches(n_times, count, last=n_times == max(sizes)) for n_times, count in sizes.items()}


def _matches(n_times: int, count: int, *, last: bool) -> dict[str, np.ndarray]:
    found: dict[str, list[np.ndarray]] = {"xSFA": [], "regression": []}
    if last:
        found |= {"little removed": [], "regression, divided": []}
    for seed in range(count):
        sources = make_colored_sources(n_times, random_state=seed)
        X = mix_postnonlinear(sources, random_state=1000 + seed)
        found["xSFA"].append(_xsfa(X, sources, 4))
        found["regression"].append(_regression(X, sources))
        if last:
            found["little removed"].append(_xsfa(X, sources, 2))
            divided = mix_postnonlinear(sources, gain=0.5, random_state=1000 + seed)
            found["regression, divided"].append(_regression(divided, sources))
    return {name: np.array(values) for name, values in found.items()}


def _xsfa(X: np.ndarray, sources: np.ndarray, removal_degree: int) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return match(XSFA(6, expansion_degree=3, removal_degree=removal_degree).fit_transform(X), sources)


def _regression(X: np.ndarray, sources: np.ndarray) -> np.ndarray:
    terms = np.column_stack([X, np.ones(len(X))])
    return match(terms @ np.linalg.lstsq(terms, sources, rcond=None)[0], sources)


def six_rows(matches: dict[int, dict[str, np.ndarray]], full: bool) -> list[Row]:
    """What section 4.2.5 says of Figure 5."""
    longest = max(matches)
    found = matches[longest]
    data = f"six sources, {longest} frames, {len(found['xSFA'])} repetitions"
    medians = np.median(found["xSFA"], axis=0)
    regression = float(np.median(found["regression"]))
    gap = Gap(
        "The fourth source stays below 0.9 with the paper's degrees of 3 and 4. Polynomials of degree 3 and 4 of "
        "estimates with errors take parts of later sources away; with a removal of degree 2 all are above it.",
        band=0.5, shown_by=LITTLE_REMOVED,
    )  # fmt: skip
    rows = [
        Row.printed(
            f"{data}: median correlation of a linear regression", PLACE, 0.9, round(regression, 4), within=0.01,
            why="printed as close to 0.9", effect=0.08,
        ),
        Row.check_at_least(
            f"{data}: the same, with turned sources divided by 2 instead of multiplied", 0.97,
            round(float(np.median(found["regression, divided"])), 4),
        ),
        _positive(
            f"{data}: the slowest source is extracted better than the fastest",
            found["xSFA"][:, 0] - found["xSFA"][:, -1],
        ),
        Row.check_at_least(LITTLE_REMOVED, 4, int((np.median(found["little removed"], axis=0) > 0.9).sum())),
        *[Row.ours(f"{data}: median correlation of source {i + 1}", round(float(m), 4)) for i, m in enumerate(medians)],
        *[
            Row.ours(f"{data}: median correlation of source {i + 1}, removal of degree 2", round(float(m), 4))
            for i, m in enumerate(np.median(found["little removed"], axis=0))
        ],
    ]  # fmt: skip
    if full:
        above = int((medians > 0.9).sum())
        rows.append(Row.printed(f"{data}: sources with a median correlation above 0.9", PLACE, 4, above, gap=gap))
        better = int((medians > regression).sum())
        rows.append(Row.ours(f"{data}: sources better than a linear regression", better))
    lengths = sorted(matches)
    means = [float(matches[n]["xSFA"].mean()) for n in lengths]
    for shorter, longer in pairwise(lengths):
        gains = matches[longer]["xSFA"].mean(axis=1) - matches[shorter]["xSFA"].mean(axis=1)
        statement = f"six sources: {longer} frames are better than {shorter}"
        rows.append(_positive(statement, gains))
    rows += [Row.ours(f"six sources, {n} frames: mean correlation", round(m, 4)) for n, m in zip(lengths, means)]
    return rows


def _positive(statement: str, gains: np.ndarray) -> Row:
    error = round(float(gains.std(ddof=1) / np.sqrt(len(gains))), 5)
    return Row.claim_positive(statement, "Figure 5", round(float(gains.mean()), 4), standard_error=error)


def figure_of_six(matches: dict[int, dict[str, np.ndarray]], ax: Any) -> None:
    """Figure 5."""
    lengths = sorted(matches)
    for number in range(6):
        curve = [np.median(matches[n]["xSFA"][:, number]) for n in lengths]
        ax.plot(lengths, curve, "o-", ms=3, color=f"C{number}", label=f"source {number + 1}")
    fourth = np.array([np.quantile(matches[n]["xSFA"][:, 3], [0.25, 0.75]) for n in lengths])
    ax.fill_between(lengths, *fourth.T, color="0.85", zorder=0)
    ax.plot(lengths, [np.median(matches[n]["regression"]) for n in lengths], "--", color="0.5", label="regression")
    ax.set(xscale="log", xlabel="frames", ylabel="correlation with the source", ylim=(0, 1.02))
    ax.set_title("Six sources (Figure 5)")
    ax.legend(frameon=False, ncols=2, loc="lower right")
