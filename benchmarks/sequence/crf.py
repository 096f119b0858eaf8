"""Conditional random fields: tagging English against CRFsuite, and cost against label patterns and positions."""

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_english_treebank, load_handwritten_words
from treatise.inference import PatternAutomaton, PatternChains
from treatise.sequence import CRF, word_features

BUDGETS = (5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 1000)
"""Iterations that are tried, to reach an accuracy."""

Sentences = tuple[list[list[dict[str, Any]]], list[list[str]]]


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against python-crfsuite at order 1, the only order it has; then where it has no answer."""
    try:
        training, held_out = tagged_sentences("dev"), tagged_sentences("test")
        import_module("pycrfsuite")
    except (DataNotFoundError, ImportError) as missing:
        left_out(f"tagging against python-crfsuite is left out: {missing}")
    else:
        yield Contest(
            work="CRF of order 1, L2: tags of 2 001 English sentences (25 147 words, 17 tags, 30 476 features), "
            "from lists of dictionaries to each one's own stop; quality is accuracy on 25 094 held-out words",
            peer="python-crfsuite",
            ours=lambda: CRF().fit(*training),
            theirs=lambda: _crfsuite(*training),
            quality=lambda tagger: _accuracy(tagger, *held_out),
            warm_up=lambda: CRF(max_iter=2).fit(training[0][:50], training[1][:50]),
            repeats=2,
        )
        yield _race_to_accuracy(training, held_out)
    try:
        words, _ = load_handwritten_words()
    except DataNotFoundError as missing:
        left_out(f"handwriting is left out: {missing}")
    else:
        yield Scaling(
            work="CRF on 626 handwritten words (4 617 letters, 26 labels, 128 pixels), 20 iterations, over the order",
            sizes=(1, 2, 3, 4),
            prepare=lambda order: lambda: CRF(order, max_iter=20, tol=0.0).fit(words.images, words.letters),
            warm_up=lambda: CRF(2, max_iter=2).fit(words.images[:20], words.letters[:20]),
        )
    yield Scaling(
        work="marginals of 2 000 positions, 26 labels, patterns of four labels, over the number of patterns",
        sizes=(1_000, 4_000, 16_000),
        prepare=lambda patterns: _marginals(2_000, patterns),
        warm_up=lambda: _marginals(20, 10)(),
    )
    yield Scaling(
        work="marginals with 2 000 patterns of four labels out of 26, over positions",
        sizes=(1_000, 4_000, 16_000),
        prepare=partial(_marginals, patterns=2_000),
        warm_up=lambda: _marginals(20, 10)(),
    )


def tagged_sentences(part: str) -> Sentences:
    """Features and tags of the treebank's sentences."""
    sentences = load_english_treebank(part)
    return [word_features(each["form"]) for each in sentences], [each["upos"] for each in sentences]


def _race_to_accuracy(training: Sentences, held_out: Sentences) -> Contest:
    """Iterations that suffice are found beforehand, for each side its own; only the training with them is timed."""

    def ours(iterations: int) -> Any:
        return CRF(max_iter=iterations, tol=0.0).fit(*training)

    def theirs(iterations: int) -> Any:
        return _crfsuite(*training, iterations)

    # A thousandth of the words below where CRFsuite itself would stop: 25 words, half a standard error.
    goal = _accuracy(_crfsuite(*training), *held_out) - 0.001
    few, many = (next(i for i in BUDGETS if _accuracy(train(i), *held_out) >= goal) for train in (ours, theirs))
    return Contest(
        work=f"the same, to an accuracy of {goal:.4f} and no further: {few} iterations here, {many} of CRFsuite",
        peer="python-crfsuite",
        ours=lambda: ours(few),
        theirs=lambda: theirs(many),
        quality=lambda tagger: _accuracy(tagger, *held_out),
        warm_up=lambda: CRF(max_iter=2).fit(training[0][:50], training[1][:50]),
        repeats=2,
    )


def _crfsuite(sequences: Any, labels: Any, iterations: int | None = None) -> Any:
    pycrfsuite = import_module("pycrfsuite")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for sequence, tags in zip(sequences, labels):
        trainer.append(sequence, tags)
    trainer.set_params({"c1": 0.0, "c2": 0.5, **({"max_iterations": iterations} if iterations else {})})
    handle, path = tempfile.mkstemp()
    os.close(handle)
    try:
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
    finally:
        os.unlink(path)
    return tagger


def _accuracy(tagger: Any, sequences: Any, labels: Any) -> float:
    if isinstance(tagger, CRF):
        return tagger.score(sequences, labels)
    predicted = (tagger.tag(sequence) for sequence in sequences)
    return float(np.mean([p == y for path, tags in zip(predicted, labels) for p, y in zip(path, tags)]))


def _marginals(positions: int, patterns: int) -> Any:
    """Words of twenty letters, under random patterns."""
    rng = np.random.default_rng(0)
    strings = sorted({tuple(each) for each in rng.integers(0, 26, (patterns, 4)).tolist()})
    chain = PatternChains(
        PatternAutomaton(strings, 26), rng.normal(size=(positions, 26)), rng.normal(size=len(strings)),
        lengths=np.full(positions // 20, 20),
    )  # fmt: skip
    return chain.marginals
