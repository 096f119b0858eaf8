"""CRF with high-order dependencies (Cuong, Ye, Lee & Chieu, JMLR 15:981): Appendix B, Table 2, Figures 2 and 3."""

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.datasets import HandwrittenWords, load_handwritten_words
from treatise.inference import PatternAutomaton, PatternChains, observed_patterns
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.sequence.v15_0981._high_order import make_high_order_sequences
from treatise.sequence import CRF, SemiCRF

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curves = dict[str, dict[int, float]]
# Patterns of five labels in the training and test sets, and how many are in one of them alone (Table 2, size 300).
TABLE_2 = {2: {"training": (173, 16), "test": (170, 13)}, 3: {"training": (393, 34), "test": (417, 58)}}
# Marginals of P, O, L and LOL at the eight words.
TABLE_14 = [
    [0.58, 0.21, 0.21, 0.00], [0.21, 0.58, 0.21, 0.00], [0.21, 0.58, 0.21, 0.03], [0.16, 0.16, 0.68, 0.08],
    [0.16, 0.68, 0.16, 0.01], [0.16, 0.16, 0.68, 0.39], [0.21, 0.58, 0.21, 0.01], [0.21, 0.58, 0.21, 0.08],
]  # fmt: skip
ONE_MODEL = "the paper's one random model beside ten"
FEWER_IN_COMMON = Gap(
    "the patterns in either set are as many as the paper's, but its 300 training and 500 test sequences have fewer of "
    "them in common (157 of 186, 359 of 451) than independent draws from one model do; how its sets were drawn is not "
    "said. Tried: ten random models, and successors drawn with replacement, which leaves far too few patterns. "
    "The cause is not known",
    band=15.0,
)
NOT_AT_HAND = (
    "Tables 3 to 9, relation arguments (ACE 2005), punctuation (5 450 transcripts) and references (Cora), each by CRFs "
    "and semi-Markov CRFs of orders 1 to 3: the labelled data are not at hand; synthetic segments show the one thing "
    "that all three have in common; Tables 11 to 13, the messages behind the marginals of Table 14, are not shown"
)
GAPS = {(2, "training alone"), (3, "training"), (3, "training alone"), (3, "test")}


def experiment(*, full: bool = False) -> Evidence:
    """The worked example, patterns of synthetic labels, and accuracy against order."""
    curves: Curves = {}
    rows, skipped = [*appendix_rows(), *table_2_rows()], [NOT_AT_HAND]
    parts: list[Callable[[], list[Row]]] = [
        lambda: synthetic_rows(curves, full),
        lambda: segment_rows(full),
        lambda: handwriting_rows(curves, full),
    ]
    for part in parts:
        try:
            rows += part()
        except TreatiseError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(curves), skipped)


def appendix_rows() -> list[Row]:
    """Tables 11, 12 and 14: the pattern LOL counts at the sixth word alone, whatever Table 10 says."""
    words = [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0]]
    automaton = PatternAutomaton([(2, 1, 2)], n_labels=3)
    scores = np.zeros((8, 1))
    scores[5] = 1.0
    chain = PatternChains(automaton, np.array(words, float), scores)
    found = chain.marginals()
    assert found.patterns is not None and found.segments is not None
    printed = "the printed digits"
    here = np.hstack([found.segments[:, 0], found.patterns[:, 0]])
    apart = float(np.max(np.abs(here - np.array(TABLE_14))))
    return [
        Row.printed("forward states", "Appendix B", 5, automaton.n_states),
        Row.printed("log Z", "Appendix B", 12.696, round(float(found.log_partition[0]), 5), within=5e-4, why=printed),
        Row.printed(
            "P(6, 6, LOL)", "Appendix B", 0.39, round(float(found.patterns[5, 0, 0]), 4), within=5e-3, why=printed
        ),
        Row.printed(
            "P(1, 1, P)", "Appendix B", 0.58, round(float(found.segments[0, 0, 0]), 4), within=5e-3, why=printed
        ),
        Row.check_at_most("largest difference from the 32 marginals of Table 14", 5e-3, round(apart, 4)),
    ]


def table_2_rows() -> list[Row]:
    """Distinct patterns of five labels in 300 training and 500 test sequences."""
    rows = []
    for order, published in TABLE_2.items():
        counts = []
        for seed in range(10):
            sets = make_high_order_sequences((300, 500), order=order, random_state=seed)
            training, test = (set(observed_patterns(s.labels, min_length=5, max_length=5)) for s in sets)
            alone = len(training - test), len(test - training)
            counts.append([len(training), alone[0], len(test), alone[1], len(training | test)])
        mean, spread = np.mean(counts, axis=0), np.std(counts, axis=0, ddof=1) * 1.1**0.5
        (seen, seen_alone), (new, new_alone) = published["training"], published["test"]
        numbers = {"training": seen, "training alone": seen_alone, "test": new, "test alone": new_alone}
        numbers["either"] = seen + new_alone
        for (part, number), here, error in zip(numbers.items(), mean.round(1), spread):
            quantity = f"Order {order}: patterns of five labels, {part}"
            gap = FEWER_IN_COMMON if (order, part) in GAPS else None
            rows.append(
                Row.printed(
                    quantity, "Table 2", number, float(here), standard_error=float(error), why=ONE_MODEL, gap=gap
                )
            )
    return rows


def synthetic_rows(curves: Curves, full: bool) -> list[Row]:
    """Figure 2: accuracy rises up to the order of the data and not beyond, the more the noisier the observations."""
    rows: list[Row] = []
    plan = {2: (1, 2, 3, 4), 3: (1, 2, 3, 4)} if full else {2: (1, 2, 3)}
    for order, tried in plan.items():
        gains = {}
        for noise in (0.1, 0.3, 0.5) if full else (0.1, 0.5):
            name = f"order {order}, noise {noise:g}"
            chosen = tried if full or noise == 0.5 else (1, order)
            curve = _synthetic_accuracy(order, noise, chosen, tol=1e-4 if full else 1e-3)
            curves[f"synthetic: {name}"] = curve
            gains[noise] = curve[order] - curve[1]
            rows += [Row.ours(f"Synthetic, {name}: accuracy, order {k}", a) for k, a in curve.items()]
        rows.append(Row.claim(f"Synthetic, order {order}: the true order beats order 1", "Figure 2", gains[0.5] > 0))
        more_noise = gains[0.5] > gains[0.1]
        rows.append(Row.claim(f"Synthetic, order {order}: noise raises the gain", "Figure 2", more_noise))
        beyond = curves[f"synthetic: order {order}, noise 0.5"]
        if order + 1 in beyond:
            p = beyond[order]
            noise = float(np.sqrt(2 * p * (1 - p) / 10_000))
            statement = f"Synthetic, order {order}: the next higher order gains nothing beyond three standard errors"
            rows.append(Row.claim(statement, "Figure 2", beyond[order + 1] - p <= 3 * noise))
    return rows


def _synthetic_accuracy(order: int, noise: float, tried: tuple[int, ...], tol: float) -> dict[int, float]:
    training, test = make_high_order_sequences((300, 500), order=order, noise=noise, random_state=0)
    seen, new = ([_with_neighbours(x) for x in part.observations] for part in (training, test))
    return {k: round(CRF(k, tol=tol).fit(seen, training.labels).score(new, test.labels), 4) for k in tried}


def _with_neighbours(x: np.ndarray) -> np.ndarray:
    """The current, previous and next observation; beyond the ends, zeros."""
    nothing = np.zeros((1, x.shape[1]))
    return np.hstack([x, np.vstack([nothing, x[:-1]]), np.vstack([x[1:], nothing])])


def segment_rows(full: bool) -> list[Row]:
    """Segments of one to four positions whose labels are a chain of order 2, by semi-Markov CRFs of orders 1 and 2.

    The noise of 0.5 was tried first: hardly a segment is found, and order 2 is ahead by little. The claim is on 0.2.
    """
    rows: list[Row] = []
    for noise in (0.5, 0.2) if full else (0.2,):
        training, test = make_high_order_sequences((100, 100), order=2, noise=noise, random_state=0)
        rng = np.random.default_rng(0)
        seen, new = (_stretched(part.observations, part.labels, rng) for part in (training, test))
        f1 = {order: round(SemiCRF(order, tol=1e-3).fit(*seen).score(*new), 4) for order in (1, 2)}
        rows += [Row.ours(f"Synthetic segments, noise {noise:g}: F1, order {k}", f) for k, f in f1.items()]
    quantity = "Synthetic segments, noise 0.2: order 2 beats order 1, as in the paper's three tasks"
    return [*rows, Row.claim(quantity, "Section 6", f1[2] > f1[1])]


def _stretched(observations: Any, labels: Any, rng: np.random.Generator) -> tuple[list[np.ndarray], list[list[Any]]]:
    """Every position as a segment of one to four, which all show what it shows."""
    arrays, ways = [], []
    for x, path in zip(observations, labels):
        lengths = rng.integers(1, 5, len(path))
        ends = np.cumsum(lengths).tolist()
        arrays.append(np.repeat(x, lengths, axis=0))
        ways.append(list(zip([0, *ends], ends, path)))
    return arrays, ways


def handwriting_rows(curves: Curves, full: bool) -> list[Row]:
    """Figure 3: accuracy on handwritten words, and label patterns, against the order."""
    training, test = load_handwritten_words()
    orders = (1, 2, 3, 4, 5) if full else (1, 2, 3)
    if full:
        folds = _folds(training, test)
    else:
        some = HandwrittenWords(training.images[::2], training.letters[::2])
        folds = [(some, HandwrittenWords(test.images[::5], test.letters[::5]))]
    accuracy = {
        k: round(float(np.mean([_letters_right(k, *fold, tol=1e-4 if full else 2e-3) for fold in folds])), 4)
        for k in orders
    }
    curves["handwritten words"] = accuracy
    where = "ten folds" if full else "half of one fold, a fifth of its test words"
    rows = [Row.ours(f"Handwriting, {where}: accuracy, order {k}", a) for k, a in accuracy.items()]
    rises = all(accuracy[k] > accuracy[k - 1] for k in orders[1:])
    rows.append(Row.claim(f"Handwriting: accuracy rises with each order up to {orders[-1]}", "Figure 3", rises))
    paths = [[ord(letter) for letter in word] for word in training.letters]
    patterns = [len(observed_patterns(paths, min_length=2, max_length=k + 1)) for k in range(1, 6)]
    rows += [Row.ours(f"Handwriting: label patterns, order {k}", n) for k, n in enumerate(patterns, 1)]
    more = np.diff(patterns)
    slowing = bool(np.all(np.diff(more) <= 0))
    rows.append(Row.claim("Handwriting: patterns grow no more than linearly with the order", "Figure 3", slowing))
    return rows


def _letters_right(order: int, training: HandwrittenWords, test: HandwrittenWords, *, tol: float) -> float:
    model = CRF(order, tol=tol).fit(training.images, training.letters)
    return model.score(test.images, test.letters)


def _folds(training: HandwrittenWords, test: HandwrittenWords) -> list[tuple[HandwrittenWords, HandwrittenWords]]:
    """The given fold, and nine random ones of the rest, each against all other words."""
    order = np.random.default_rng(0).permutation(len(test.images)) + len(training.images)
    parts = [np.arange(len(training.images)), *np.array_split(order, 9)]
    images, letters = [*training.images, *test.images], [*training.letters, *test.letters]

    def chosen(which: list[np.ndarray]) -> HandwrittenWords:
        at = np.concatenate(which)
        return HandwrittenWords([images[i] for i in at], [letters[i] for i in at])

    return [(chosen([part]), chosen([p for p in parts if p is not part])) for part in parts]


def _figure(curves: Curves) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    markers = itertools.cycle("osD^v<")
    for name, curve in curves.items():
        ax = right if name == "handwritten words" else left
        ax.plot(list(curve), list(curve.values()), marker=next(markers), label=name.removeprefix("synthetic: "))
    left.set_title("Synthetic labels (Figure 2)")
    right.set_title("Handwritten words (Figure 3)")
    for ax in (left, right):
        ax.set_xlabel("order of the model")
        ax.set_ylabel("share of labels right")
        ax.xaxis.get_major_locator().set_params(integer=True)
    if left.lines:
        left.legend()
    return figure
