"""Additive conditional random fields: against broken lines in CRFsuite, and cost over positions and columns."""

import os
import tempfile
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.datasets import make_additive_chain, make_interleaved_emissions
from treatise.sequence import AdditiveCRF


def benchmarks() -> Iterator[Contest | Scaling]:
    """A curve of unknown shape, which CRFsuite learns as the heights of a broken line; then growth."""
    x, y = make_interleaved_emissions(5000, random_state=0)
    new_x, new_y = make_interleaved_emissions(20_000, random_state=1)
    try:
        import_module("pycrfsuite")
    except ImportError as missing:
        left_out(f"the contest with python-crfsuite is left out: {missing}")
    else:
        yield Contest(
            work="labels of 5 000 interleaved numbers from a curve of unknown shape (smooth, or a broken line with "
            "a corner every 0.25), fit and prediction; quality is accuracy on 20 000 held-out positions",
            peer="python-crfsuite",
            ours=lambda: AdditiveCRF(bandwidth=0.25).fit([x], [y]).predict([new_x])[0],
            theirs=lambda: _crfsuite(x, y, new_x),
            quality=lambda labels: float(np.mean(np.asarray(labels, int) == new_y)),
            warm_up=lambda: AdditiveCRF(max_iter=2).fit([x[:50]], [y[:50]]),
        )
    yield Scaling(
        work="AdditiveCRF, 5 rounds of backfitting, 2 columns, over positions",
        sizes=(5_000, 20_000, 80_000),
        prepare=_positions,
        warm_up=lambda: _positions(100)(),
    )
    yield Scaling(
        work="AdditiveCRF, 5 rounds of backfitting, 5 000 positions, over columns",
        sizes=(4, 16, 64),
        prepare=_columns,
        warm_up=lambda: _positions(100)(),
    )


def _crfsuite(x: np.ndarray, y: np.ndarray, new_x: np.ndarray) -> list[str]:
    pycrfsuite = import_module("pycrfsuite")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.append(_broken_line(x), [str(label) for label in y])
    trainer.set_params({"c1": 0.0, "c2": 0.5})
    handle, path = tempfile.mkstemp()
    os.close(handle)
    try:
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        return list(tagger.tag(_broken_line(new_x)))
    finally:
        os.unlink(path)


def _broken_line(x: np.ndarray) -> list[dict[str, float]]:
    """Shares of the two nearest corners."""
    places = x[:, 0] / 0.25
    corners = np.floor(places).astype(int)
    shares = places - corners
    return [{f"c{c}": 1 - s, f"c{c + 1}": s} for c, s in zip(corners.tolist(), shares.tolist())]


def _positions(length: int) -> Any:
    x, y = make_additive_chain(length, random_state=0)
    return lambda: AdditiveCRF(max_iter=5, tol=0.0).fit([x], [y])


def _columns(p: int) -> Any:
    """Two columns that matter and others that do not."""
    x, y = make_additive_chain(5000, random_state=0)
    noise = np.random.default_rng(0).uniform(-2, 2, (5000, p - 2))
    return lambda: AdditiveCRF(max_iter=5, tol=0.0).fit([np.hstack([x, noise])], [y])
