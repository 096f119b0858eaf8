"""Output-space search: greedy search by us and written plainly, and its cost over words and over their length."""

from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.papers.sequence.v15_1317._digit_words import make_digit_words
from treatise.sequence import OutputSpaceSearch


def benchmarks() -> Iterator[Contest | Scaling]:
    """No package does this search: the peers are the search, written in NumPy as one would at first, and a tagger.

    The tagger, a chain with weights of pairs of digits, tells how much longer a search takes than exact decoding.
    """
    images, digits = make_digit_words(500, random_state=1)
    yield Contest(
        work="greedy search in the flip-bit space, 500 words of 6 digits, second-order cost",
        peer="numpy",
        ours=lambda: _accuracy(_trained("flipbit").predict(images), digits),
        theirs=lambda: _accuracy(_plainly(_trained("flipbit"), images), digits),
        quality=float,
        warm_up=lambda: _trained("flipbit").predict(images[:2]),
        repeats=1,
    )
    if find_spec("pycrfsuite") is None:
        left_out("output_space_search: python-crfsuite is not installed; its contest is left out")
    else:
        tagged = _tagger_and_items(images)
        yield Contest(
            work="labels of 500 words of 6 digits: limited-discrepancy search with strings of three, chain with pairs",
            peer="python-crfsuite",
            ours=lambda: _accuracy(_trained("lds").predict(images), digits),
            theirs=lambda: _accuracy([tagged[0].tag(word) for word in tagged[1]], digits),
            quality=float,
            warm_up=lambda: _trained("lds").predict(images[:2]),
        )
    yield Scaling(
        work="prediction, limited-discrepancy space, words of 6 digits, over words",
        sizes=(500, 2000, 8000),
        prepare=partial(_prediction, 6),
        warm_up=_prediction(6, 2),
    )
    yield Scaling(
        work="prediction, limited-discrepancy space with 2 labels a position, words of 6 digits, over words",
        sizes=(500, 2000, 8000),
        prepare=partial(_prediction, 6, sparsity=2),
        warm_up=_prediction(6, 2),
    )
    yield Scaling(
        work="prediction, limited-discrepancy space, 100 words, over digits in a word",
        sizes=(5, 20, 80),
        prepare=lambda length: _prediction(length, 100),
        warm_up=_prediction(6, 2),
    )
    yield Scaling(
        work="training, limited-discrepancy space, 10 passes, words of 6 digits, over words",
        sizes=(100, 300, 900),
        prepare=_training,
        warm_up=lambda: _training(5)(),
    )


@cache
def _trained(space: str) -> OutputSpaceSearch:
    return OutputSpaceSearch(space, epochs=5, random_state=0).fit(*make_digit_words(300, random_state=0))


def _prediction(length: int, n_words: int, sparsity: int | None = None) -> Any:
    images, _ = make_digit_words(n_words, length=length, random_state=1)
    trained = _trained("lds")

    def predict() -> Any:
        return trained.set_params(sparsity=sparsity).predict(images)

    return predict


def _training(n_words: int) -> Any:
    words = make_digit_words(n_words, random_state=0)
    return lambda: OutputSpaceSearch(epochs=10, random_state=0).fit(*words)


def _tagger_and_items(images: list[np.ndarray]) -> tuple[Any, list[Any]]:
    """CRFsuite, trained on the words that the search is trained on, and words in its form."""
    pycrfsuite = import_module("pycrfsuite")

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for image, word in zip(*make_digit_words(300, random_state=0)):
        trainer.append(_items(image), word)
    with TemporaryDirectory() as folder:
        trainer.train(f"{folder}/digits.crfsuite")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/digits.crfsuite")
    return tagger, [pycrfsuite.ItemSequence(_items(image)) for image in images]


def _items(image: np.ndarray) -> list[dict[str, float]]:
    return [{"bias": 1.0, **{f"pixel {j}": value for j, value in enumerate(row)}} for row in image.tolist()]


def _accuracy(found: list[list[str]], truth: list[list[str]]) -> float:
    return float(np.mean([a == b for path, word in zip(found, truth) for a, b in zip(path, word)]))


def _plainly(search: OutputSpaceSearch, images: list[np.ndarray]) -> list[list[str]]:
    """Every changed labelling in turn, its cost added up from the start."""
    K, answers = len(search.classes_), []
    pairs, triples = np.split(search.cost_strings_, [K * K])
    pairs, triples = pairs.reshape(K, K), triples.reshape(K, K, K)
    for image, start in zip(images, search.recurrent_.predict(images)):
        table = np.hstack([image, np.ones((len(image), 1))]) @ search.cost_coef_
        places = np.arange(len(image))

        def cost(path: np.ndarray, table: np.ndarray = table, places: np.ndarray = places) -> float:
            total = table[places, path].sum() + pairs[path[:-1], path[1:]].sum()
            return float(total + triples[path[:-2], path[1:-1], path[2:]].sum())

        here = np.searchsorted(search.classes_, start)
        best, least = here, cost(here)
        for _ in places:
            changed = []
            for t in places:
                for label in range(K):
                    if label != here[t]:
                        path = here.copy()
                        path[t] = label
                        changed.append((cost(path), t, label))
            price, t, label = min(changed)
            here = here.copy()
            here[t] = label
            if price < least:
                best, least = here, price
        answers.append(search.classes_[best].tolist())
    return answers
