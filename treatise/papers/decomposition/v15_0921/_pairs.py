"""Two sources on a spiral (sections 4.2.2 to 4.2.5), with coloured noise in place of music."""

import time
import warnings
from collections.abc import Callable

import numpy as np

from treatise.datasets import make_colored_sources, mix_spiral
from treatise.decomposition import XSFA
from treatise.papers._evidence import Row
from treatise.statistics import n_polynomial_terms

PAPER = {"expansion_degree": 7, "removal_degree": 20, "basis": "monomial"}
"""Section 4.2.3."""
MIXTURES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "spiral": mix_spiral,
    "none": np.asarray,
    "linear": lambda sources: sources @ [[1.0, 0.6], [-0.4, 1.0]],
}
SECOND = 44_100
PLACE = "Section 4.2.5"


def match(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Absolute correlation of each output with the source of the same number."""
    count = found.shape[1]
    return np.abs(np.corrcoef(found.T, truth.T)[:count, count:]).diagonal()


def spiral_pair(sources: np.ndarray, first: int, second: int) -> np.ndarray:
    """Two of the sources, within -1 and 1."""
    pair = sources[:, [first, second]]
    return pair / np.abs(pair).max(axis=0)


def pairs_of(full: bool) -> list[tuple[int, int]]:
    """Ordered pairs of 14 sources, as the mixture is not symmetric: all, or one in eighteen."""
    pairs = [(i, j) for i in range(14) for j in range(14) if i != j]
    return pairs if full else pairs[::18]


def pair_rows(full: bool) -> list[Row]:
    """The claims about Figure 4, the dimensions and the time."""
    pairs = pairs_of(full)
    sources = make_colored_sources(SECOND // 2, 14, random_state=0)
    found = np.array([_both(sources, pair, PAPER) for pair in pairs])
    longer = make_colored_sources(2 * SECOND, 14, random_state=0)
    both = float(np.mean([min(_both(longer, pair, PAPER)[:2]) > 0.9 for pair in pairs]))
    median = np.median(found[:, :2], axis=0)
    pairs_in_words = f"{len(pairs)} pairs of coloured noise on the spiral"
    data = f"{pairs_in_words}, 0.5 s at 44.1 kHz"
    rows = [
        Row.printed("terms of degree 7 of two signals", "Section 4.2.3", 35, n_polynomial_terms(2, 7)),
        Row.claim(f"{pairs_in_words}, 2 s: both sources correlate above 0.9 in more than 90 %", PLACE, both > 0.9),
        Row.ours(f"{pairs_in_words}, 2 s: share with both above 0.9", round(both, 4)),
        Row.claim(f"{data}: median correlation of the first source above 0.99", PLACE, median[0] > 0.99),
        Row.claim(f"{data}: median correlation of the second source above 0.95", PLACE, median[1] > 0.95),
        Row.ours(f"{data}: median correlation of the first source", round(float(median[0]), 4)),
        Row.ours(f"{data}: median correlation of the second source", round(float(median[1]), 4)),
        Row.claim(f"{data}: the first source is recovered better than the second", "Figure 4", median[0] > median[1]),
        Row.claim(
            f"{data}: in almost all pairs no dimension but the first source has variance below 1e-7 after the removal",
            "Section 4.2.3", np.mean(found[:, 2] == 0) > 0.9,
        ),
    ]  # fmt: skip
    return [*rows, *_variations(sources, pairs[:: 6 if full else 3]), *_length_rows(pairs, found), _time_row()]


def _both(sources: np.ndarray, pair: tuple[int, int], parameters: dict, mixture: str = "spiral") -> list[float]:
    """Correlations of both outputs with the slower and the faster source, and the dimensions dropped after removal."""
    mixed = spiral_pair(sources, *pair)
    X = MIXTURES[mixture](mixed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = XSFA(2, **parameters).fit(X)
    slower_first = np.argsort(pair)
    if model.n_sources_ < 2:
        return [0.0, 0.0, 0.0]
    return [*match(model.transform(X), mixed[:, slower_first]), float(model.n_dropped_[1])]


def _variations(sources: np.ndarray, pairs: list[tuple[int, int]]) -> list[Row]:
    """Other degrees and other mixtures change little."""
    shares = {}
    for name, parameters, mixture in (
        ("the paper's degrees", PAPER, "spiral"),
        ("expansion of degree 9", {**PAPER, "expansion_degree": 9}, "spiral"),
        ("removal of degree 12", {**PAPER, "removal_degree": 12}, "spiral"),
        ("Legendre polynomials", {**PAPER, "basis": "legendre"}, "spiral"),
        ("automatic degrees", {}, "spiral"),
        ("no mixture", PAPER, "none"),
        ("a linear mixture", PAPER, "linear"),
    ):
        found = np.array([_both(sources, pair, parameters, mixture) for pair in pairs])
        shares[name] = float(np.median(found[:, :2]))
    paper = shares.pop("the paper's degrees")
    rows = [
        Row.claim(f"median correlation with {name} within 0.02 of that with the paper's degrees", place,
                  abs(shares[name] - paper) < 0.02)
        for name, place in (("expansion of degree 9", "Section 4.2.3"), ("removal of degree 12", "Section 4.2.3"),
                            ("no mixture", "Section 4.2.2"), ("a linear mixture", "Section 4.2.2"))
    ]  # fmt: skip
    rows += [Row.ours(f"median correlation with {name}", round(shares[name], 4)) for name in shares]
    return rows


def _length_rows(pairs: list[tuple[int, int]], half_second: np.ndarray) -> list[Row]:
    short = make_colored_sources(SECOND // 20, 14, random_state=0)
    found = np.array([_both(short, pair, PAPER) for pair in pairs])[:, :2]
    gain = np.median(half_second[:, :2]) - np.median(found)
    return [
        Row.claim("more training data raise the median correlation: 0.5 s above 0.05 s", "Figure 4", gain > 0),
        Row.ours("median correlation after 0.05 s", round(float(np.median(found)), 4)),
    ]


def _time_row() -> Row:
    sources = make_colored_sources(SECOND // 5, 3, random_state=0)
    mixed = mix_spiral(spiral_pair(sources, 0, 2))
    seconds = []
    for _ in range(3):
        start = time.process_time()
        XSFA(2, **PAPER).fit_transform(mixed)
        seconds.append(time.process_time() - start)
    return Row.time("seconds for a pair of 0.2 s", PLACE, 2.1, min(seconds))
