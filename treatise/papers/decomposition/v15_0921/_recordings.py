"""Recordings of hearts: what is slow in eight leads, and two recordings mixed on the spiral."""

import warnings

import numpy as np
from sklearn.decomposition import FastICA

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_foetal_ecg, load_two_lead_ecg, mix_postnonlinear, mix_spiral
from treatise.decomposition import XSFA, SlowFeatureAnalysis, delta_value
from treatise.papers._evidence import Row

DEGREES = [(e, r) for e in (1, 3, 5, 7) for r in (2, 4, 10, 20)]


def recording_rows(full: bool) -> tuple[list[Row], list[str]]:
    """Rows, and what is missing for want of a file."""
    rows, missing = [], []
    for part in (_foetal_rows, _mixed_rows):
        try:
            rows += part(full)
        except DataNotFoundError as error:
            missing.append(str(error))
    return rows, missing


def _foetal_rows(_: bool) -> list[Row]:
    """Linear slow features of eight leads: learnt on the first half, and as slow on the second."""
    X = load_foetal_ecg()[0]
    half = len(X) // 2
    model = SlowFeatureAnalysis(3).fit(X[:half])
    raw = delta_value(X[half:])
    outputs = delta_value(model.transform(X[half:]))
    return [
        Row.ours("foetal ECG, eight leads: least delta value of a lead, second half", round(float(raw.min()), 4)),
        Row.ours("foetal ECG: delta value of the slowest linear feature, second half", round(float(outputs[0]), 4)),
        Row.check_at_most(
            "foetal ECG: the slowest feature of the first half, in the second half, over the slowest lead there", 1.0,
            round(float(outputs[0] / raw.min()), 4),
        ),
    ]  # fmt: skip


def _mixed_rows(full: bool) -> list[Row]:
    """Two leads a quarter of an hour apart, one of them smoothed over a fifth of a second, mixed in three ways."""
    X, _ = load_two_lead_ecg()
    n_times = 60_000 if full else 10_000
    smooth = np.convolve(X[300_000 : 300_000 + n_times + 71, 1], np.ones(72) / 72, mode="valid")
    sources = np.column_stack([smooth, X[:n_times, 0]])
    # Within -1 and 1, and standing apart from the rare extremes of a heart beat.
    sources = np.tanh((sources - np.median(sources, axis=0)) / sources.std(axis=0))
    mixtures = {
        "spiral": mix_spiral(sources),
        "bent twice": mix_postnonlinear(sources, random_state=0),
        "linear": sources @ [[1.0, 0.5], [-0.7, 1.0]],
    }
    rows = []
    for name, mixed in mixtures.items():
        ours = _mean_match(XSFA(), mixed, sources)
        best = max(_mean_match(XSFA(expansion_degree=e, removal_degree=r), mixed, sources) for e, r in DEGREES)
        linear = _mean_match(FastICA(2, random_state=0), mixed, sources)
        data = f"two ECG leads, {n_times} frames, {name}"
        rows += [
            Row.ours(f"{data}: mean correlation of XSFA at its defaults", round(ours, 4)),
            Row.ours(f"{data}: the same at the best of {len(DEGREES)} pairs of degrees", round(best, 4)),
            Row.ours(f"{data}: mean correlation of scikit-learn's FastICA", round(linear, 4)),
        ]
    return rows


def _mean_match(model: XSFA | FastICA, X: np.ndarray, sources: np.ndarray) -> float:
    """Mean correlation of the sources with the outputs, in the order that fits best."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        outputs = model.fit_transform(X)
    if outputs.shape[1] < 2:
        return float(np.abs(np.corrcoef(outputs.T, sources.T)[0, 1:]).max() / 2)
    found = np.abs(np.corrcoef(outputs.T, sources.T)[:2, 2:])
    return float(max(found.trace(), found[::-1].trace()) / 2)
