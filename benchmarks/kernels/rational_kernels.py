"""Rational kernels: composition and the sum over paths by us and by OpenFst, and the cost of Gram matrices."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.kernels import RationalKernel, WeightedTransducer, ngram_transducer, string_acceptor

LETTERS = "abcdefghij"


def benchmarks() -> Iterator[Contest | Scaling]:
    """Trigram kernels of strings against pynini; of lattices over their number, of strings over their length."""
    strings = random_strings(6, 200)
    if find_spec("pynini") is None:
        left_out("rational_kernels: pynini is not installed; its contest is left out")
    else:
        yield Contest(
            work="trigram kernel of the 21 pairs of 6 strings of 200 letters, composed in the log semiring",
            peer="pynini",
            ours=lambda: _ours(strings),
            theirs=lambda: _theirs(strings),
            quality=lambda weights: float(np.sum(weights)),
            warm_up=lambda: _ours(strings[:1]),
        )
    kernel = RationalKernel(ngram_transducer(LETTERS, 3))
    yield Scaling(
        work="trigram Gram of lattices of 252 arcs, over their number",
        sizes=(50, 100, 200),
        prepare=_lattices,
        warm_up=lambda: kernel(random_lattices(2)),
    )
    yield Scaling(
        work="trigram kernel of two strings by listing, over their length",
        sizes=(1_000, 3_000, 10_000),
        prepare=_listed,
        warm_up=lambda: kernel(strings[:2]),
    )
    yield Scaling(
        work="trigram kernel of two strings by composition, over their length",
        sizes=(100, 200, 400),
        prepare=_composed,
        warm_up=lambda: _ours(strings[:1]),
    )


def random_strings(n: int, length: int) -> list[str]:
    """Letters at random."""
    letters = np.array(list(LETTERS))[np.random.default_rng(0).integers(0, len(LETTERS), (n, length))]
    return ["".join(row) for row in letters]


def random_lattices(n: int) -> list[WeightedTransducer]:
    """84 positions of three candidates each."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(n):
        arcs = []
        for i in range(84):
            letters = rng.choice(list(LETTERS), 3, replace=False)
            arcs += [(i, str(a), str(a), float(p), i + 1) for a, p in zip(letters, rng.dirichlet(np.ones(3)))]
        found.append(WeightedTransducer(arcs, [0], [84]))
    return found


def _lattices(n: int) -> Callable[[], Any]:
    lattices, kernel = random_lattices(n), RationalKernel(ngram_transducer(LETTERS, 3))
    return lambda: kernel(lattices)


def _listed(length: int) -> Callable[[], Any]:
    strings, kernel = random_strings(2, length), RationalKernel(ngram_transducer(LETTERS, 3))
    return lambda: kernel(strings[:1], strings[1:])


def _composed(length: int) -> Callable[[], Any]:
    strings = random_strings(2, length)
    return lambda: _ours(strings)


def _pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1)]


def _ours(strings: list[str]) -> np.ndarray:
    machine = ngram_transducer(LETTERS, 3, semiring="log")
    written = [(string_acceptor(text, semiring="log") @ machine).project("output") for text in strings]
    return np.array([(written[i] @ written[j]).total_weight() for i, j in _pairs(len(strings))])


def _theirs(strings: list[str]) -> np.ndarray:
    import pynini

    def fst() -> Any:
        return pynini.Fst(arc_type="log64")

    one = pynini.Weight.one("log64")
    machine = fst()
    for _ in range(4):
        machine.add_state()
    machine.set_start(0)
    machine.set_final(3, one)
    for letter in LETTERS:
        for i in (0, 3):
            machine.add_arc(i, pynini.Arc(ord(letter), 0, one, i))
        for i in range(3):
            machine.add_arc(i, pynini.Arc(ord(letter), ord(letter), one, i + 1))
    machine.arcsort("ilabel")
    written = []
    for text in strings:
        acceptor = fst()
        for _ in range(len(text) + 1):
            acceptor.add_state()
        acceptor.set_start(0)
        acceptor.set_final(len(text), one)
        for i, letter in enumerate(text):
            acceptor.add_arc(i, pynini.Arc(ord(letter), ord(letter), one, i + 1))
        written.append(pynini.compose(acceptor, machine).project("output").arcsort("ilabel"))
    totals = []
    for i, j in _pairs(len(strings)):
        together = pynini.compose(written[i], written[j])
        totals.append(float(pynini.shortestdistance(together, reverse=True)[together.start()]))
    return np.array(totals)
