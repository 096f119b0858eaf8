"""Rational kernels (Cortes, Haffner & Mohri, JMLR 5:1035): what edit distances are not, and lattices against one best.

The recordings of the paper's three spoken-dialogue systems are not public. In their place stand simulated utterances
with a recogniser that finds about as many words as theirs, three in four; the absolute numbers are ours alone.
"""

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.svm import SVC

from treatise.kernels import (
    RationalKernel,
    SpectrumKernel,
    edit_distance_transducer,
    negative_definiteness,
    ngram_transducer,
    positive_definiteness,
)
from treatise.papers._evidence import Evidence, Row
from treatise.papers.kernel_methods.v05_1035._utterances import make_heard_utterances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOT_AT_HAND = (
    "spoken dialogues of Section 7.2 (HMIHY 0300, VoiceTone 1 and 2): the recordings are not public; simulated "
    "utterances take their place, and numbers are not compared"
)
FIVE = ("abc", "bad", "dab", "adc", "bcd")
"""Strings that have the value of Table 4(b), whose entries the text at hand does not show; found by search."""
COEFFICIENTS = np.array([1.0, 1.0, -2 / 3, -2 / 3, -2 / 3])


def experiment(*, full: bool = False) -> Evidence:
    """Definiteness of the edit distance; trigram kernels of lattices and of the best words alone."""
    smallest = smallest_eigenvalues(8 if full else 6)
    accuracy = dialog_accuracies(range(5 if full else 2), 600 if full else 300)
    rows = definiteness_rows(smallest) + agreement_rows() + dialog_rows(accuracy)
    return Evidence(rows, _figure(smallest, accuracy), [NOT_AT_HAND])


def smallest_eigenvalues(longest: int) -> dict[int, float]:
    """Figure 4(a): of exp(-edit distance) between all strings of a length over two letters."""
    distance = RationalKernel(edit_distance_transducer("ab"), symmetrize=False)
    found = {}
    for n in range(1, longest + 1):
        D = distance(["".join(letters) for letters in product("ab", repeat=n)])
        found[n] = positive_definiteness(np.exp(-D)).extreme
    return found


def definiteness_rows(smallest: dict[int, float]) -> list[Row]:
    """Proposition 13 and Figure 4."""
    distance = RationalKernel(edit_distance_transducer("abcd"), symmetrize=False)
    D = distance(list(FIVE))
    lengths = RationalKernel(edit_distance_transducer("a"), symmetrize=False)(["a" * n for n in range(8)])
    return [
        Row.check(
            "eigenvalue of the edit distances of the empty string and one letter (Proposition 13)",
            -1.0,
            positive_definiteness(distance(["", "a"])).extreme,
            within=1e-12,
            why="rounding",
        ),
        Row.printed(
            "form of the edit distances of five strings, weights that sum to zero",
            "Table 4b",
            2 / 3,
            float(COEFFICIENTS @ D @ COEFFICIENTS),
            within=1e-12,
            why="rounding",
        ),
        Row.check(
            "the edit distance is negative definite, four letters (Proposition 13)",
            False,
            negative_definiteness(D).holds,
        ),
        Row.check(
            "the edit distance is negative definite, one letter (Proposition 13)",
            True,
            negative_definiteness(lengths).holds,
        ),
        Row.claim("a smallest eigenvalue of exp(-edit distance) is negative", "Figure 4a", min(smallest.values()) < 0),
        *(
            Row.ours(f"smallest eigenvalue of exp(-edit distance), strings of {n} letters (Figure 4a)", round(value, 7))
            for n, value in smallest.items()
        ),
    ]


def agreement_rows() -> list[Row]:
    """The same kernel as a transducer and as counts."""
    strings = ["abracadabra", "cadabra", "barracuda", "carcara"]
    gap = float(np.abs(RationalKernel(ngram_transducer("abcdru", 3))(strings) - SpectrumKernel(3)(strings)).max())
    return [Row.check("largest difference of the trigram kernel from counts of trigrams (Section 7.1)", 0.0, gap)]


def dialog_accuracies(seeds: range, n_samples: int) -> dict[str, np.ndarray]:
    """Section 7.2 in small: accuracy of a machine on K_3 and its square, for each seed, at 0 and 20 % rejection."""
    found: dict[str, list[tuple[float, float]]] = {"words spoken": [], "best words": [], "lattices": []}
    heard_share = []
    for seed in seeds:
        data = make_heard_utterances(n_samples, random_state=seed)
        heard_share.append(data.word_accuracy)
        half = n_samples // 2
        kernel: Any = RationalKernel(ngram_transducer(data.words, 1))
        for n in (2, 3):
            kernel = kernel + RationalKernel(ngram_transducer(data.words, n))
        for name, objects in zip(found, (data.spoken, data.one_best, data.lattices)):
            gram = (1.0 + kernel.normalized()(objects)) ** 2
            machine = SVC(kernel="precomputed", C=1.0, decision_function_shape="ovr").fit(
                gram[:half, :half], data.y[:half]
            )
            scores = machine.decision_function(gram[half:, :half])
            right = machine.classes_[scores.argmax(axis=1)] == data.y[half:]
            kept = np.argsort(-scores.max(axis=1))[: round(0.8 * len(right))]
            found[name].append((100 * right.mean(), 100 * right[kept].mean()))
    return {name: np.array(values) for name, values in found.items()} | {"word accuracy": 100 * np.array(heard_share)}


def dialog_rows(accuracy: dict[str, np.ndarray]) -> list[Row]:
    """The paper's finding, and our numbers."""
    gains = accuracy["lattices"][:, 0] - accuracy["best words"][:, 0]
    mean = {name: accuracy[name].mean(axis=0) for name in ("words spoken", "best words", "lattices")}
    rows = [
        Row.claim_positive(
            "simulated dialogues: accuracy on lattices above that on the best words alone, %", "Section 7.2.3",
            float(gains.mean()), standard_error=float(gains.std(ddof=1)) / len(gains) ** 0.5,
        ),
        Row.ours("simulated dialogues: words found, %", round(float(accuracy["word accuracy"].mean()), 1)),
    ]  # fmt: skip
    for name, (plain, rejecting) in mean.items():
        rows.append(Row.ours(f"simulated dialogues: accuracy % on {name}", round(float(plain), 1)))
        rows.append(
            Row.ours(f"simulated dialogues: accuracy % on {name}, a fifth rejected", round(float(rejecting), 1))
        )
    return rows


def _figure(smallest: dict[int, float], accuracy: dict[str, np.ndarray]) -> "Figure":
    """Figure 4(a), and the accuracies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(list(smallest), list(smallest.values()), "o-", color="#1b6ca8")
    left.axhline(0.0, color="#888888", lw=0.8)
    left.set_xlabel("length of the strings")
    left.set_ylabel("smallest eigenvalue of exp(-edit distance)")
    names = ["best words", "lattices", "words spoken"]
    right.bar(names, [float(accuracy[name][:, 0].mean()) for name in names], color=["#c8c8c8", "#1b6ca8", "#e0e0e0"])
    right.set_ylabel("accuracy %, simulated dialogues")
    return figure
