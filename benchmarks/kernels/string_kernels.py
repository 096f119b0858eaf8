"""String kernels: the same Gram matrix by us and by a peer, and the cost against the length of the text."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.kernels import (
    GappyKernel,
    MismatchKernel,
    SpectrumKernel,
    StringKernel,
    SubstitutionKernel,
    WildcardKernel,
)

PROTEIN = "ACDEFGHIKLMNPQRSTVWY"
PEER_SIZE = (4, 75)
"""Strings and letters: the peer takes 50 ms a letter, hours for a thousand proteins."""


def benchmarks() -> Iterator[Contest | Scaling]:
    """The mismatch kernel against strkernel, the spectrum against counts of n-grams; every kernel over lengths."""
    mismatch = MismatchKernel(5, 1, alphabet="protein")
    few = proteins(*PEER_SIZE)
    if find_spec("strkernel") is None:
        left_out("string_kernels: strkernel is not installed; its contest is left out")
    else:
        yield Contest(
            work=f"(5,1)-mismatch Gram of {PEER_SIZE[0]} proteins of {PEER_SIZE[1]} letters",
            peer="strkernel",
            ours=lambda: mismatch(few),
            theirs=lambda: _theirs(few),
            quality=lambda gram: float(gram.sum()),
            warm_up=lambda: mismatch(few[:2]),
            repeats=1,
        )
    many = proteins(1000, 300)
    yield Contest(
        work="(3)-spectrum Gram of 1000 proteins of 300 letters",
        peer="scikit-learn",
        ours=lambda: SpectrumKernel(3)(many),
        theirs=lambda: _counted(many),
        quality=lambda gram: float(gram.sum()),
        warm_up=lambda: SpectrumKernel(3)(few[:2]),
    )
    kernels: list[StringKernel] = [
        mismatch, GappyKernel(6, 4), WildcardKernel(5, 1), WildcardKernel(5, 2), SubstitutionKernel(4, 6.0),
    ]  # fmt: skip
    for kernel in kernels:
        yield Scaling(
            work=f"{kernel!r}: Gram of proteins of 300 letters, over their number",
            sizes=(250, 1000),
            prepare=partial(_many, kernel),
            warm_up=partial(kernel, few[:2]),
        )
        yield Scaling(
            work=f"{kernel!r}: Gram of ten proteins, over the total length",
            sizes=(10_000, 30_000, 100_000, 300_000),
            prepare=partial(_long, kernel),
            warm_up=partial(kernel, few[:2]),
        )


def proteins(n: int, length: int) -> list[str]:
    """Random strings of amino acids."""
    letters = np.array(list(PROTEIN))[np.random.default_rng(0).integers(0, 20, (n, length))]
    return ["".join(row) for row in letters]


def _many(kernel: StringKernel, n: int) -> Callable[[], Any]:
    strings = proteins(n, 300)
    return lambda: kernel(strings)


def _long(kernel: StringKernel, total: int) -> Callable[[], Any]:
    strings = proteins(10, total // 10)
    return lambda: kernel(strings)


def _theirs(strings: list[str]) -> np.ndarray:
    from strkernel.mismatch_kernel import MismatchKernel as Peer

    codes = [[PROTEIN.index(letter) for letter in text] for text in strings]
    return Peer(l=20, k=5, m=1).get_kernel(codes, normalize=False).kernel


def _counted(strings: list[str]) -> np.ndarray:
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False).fit_transform(strings)
    return (counts @ counts.T).toarray().astype(float)
