"""Rational kernels against counts, the string kernels, and the paper's counter-examples."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from treatise.kernels import (
    GappyKernel,
    GramTransformer,
    MismatchKernel,
    RationalKernel,
    SpectrumKernel,
    WeightedTransducer,
    convolution_transducer,
    edit_distance_transducer,
    mismatch_transducer,
    negative_definiteness,
    ngram_transducer,
    positive_definiteness,
)


def levenshtein(x, y):
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        above, row = row, [i]
        for j, b in enumerate(y, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


def random_strings(n, letters, low, high, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), rng.integers(low, high))) for _ in range(n)]


def lattice(strings, semiring="probability"):
    """A machine that accepts some strings with probabilities."""
    machine = None
    for text, p in strings.items():
        one, weight = (1.0, p) if semiring == "probability" else (0.0, -np.log(p))
        arcs = [(i, a, a, one, i + 1) for i, a in enumerate(text)]
        single = WeightedTransducer(arcs, {0: weight}, [len(text)], semiring=semiring)
        machine = single if machine is None else machine + single
    return machine


def test_n_gram_kernels_count_n_grams():
    strings, values = ["abracadabra", "cadabra"], {1: 21, 2: 9, 3: 7}
    for n, value in values.items():
        gram = RationalKernel(ngram_transducer("abcdr", n))(strings)
        counts = CountVectorizer(analyzer="char", ngram_range=(n, n)).fit_transform(strings)
        assert gram[0, 1] == value
        np.testing.assert_allclose(gram, (counts @ counts.T).toarray(), rtol=1e-12)
    together = sum(
        (RationalKernel(ngram_transducer("abcdr", n)) for n in (2, 3)), RationalKernel(ngram_transducer("abcdr", 1))
    )
    assert together(strings)[0, 1] == pytest.approx(37)


@pytest.mark.parametrize("semiring", ["probability", "log"])
def test_lattices_have_expected_counts(semiring):
    A, B = lattice({"ab": 0.6, "bb": 0.4}, semiring), lattice({"abb": 0.5, "ba": 0.5}, semiring)
    for n, value in ((1, 2.7), (2, 0.5)):
        kernel = RationalKernel(ngram_transducer("ab", n, semiring=semiring))
        assert kernel([A], [B])[0, 0] == pytest.approx(value, rel=1e-12)
        assert kernel([A, B])[0, 1] == pytest.approx(value, rel=1e-12)


def test_mismatch_machine_is_the_mismatch_kernel():
    assert RationalKernel(mismatch_transducer("ab", 3, 1))(["abaab"], ["babb"])[0, 0] == 8
    assert RationalKernel(mismatch_transducer("ab", 3, 2))(["abaab"], ["babb"])[0, 0] == 36
    strings = ["ACGTACGT", "ACGATCGT", *random_strings(4, "ACGT", 2, 9)]
    for m in (0, 1, 3):
        expected = MismatchKernel(3, m, alphabet="dna")(strings)
        np.testing.assert_allclose(RationalKernel(mismatch_transducer("ACGT", 3, m))(strings), expected, rtol=1e-12)
    np.testing.assert_allclose(
        RationalKernel(ngram_transducer("ACGT", 3))(strings), SpectrumKernel(3)(strings), rtol=1e-12
    )


def test_gappy_machine_composed_with_windows_is_the_gappy_kernel():
    strings = random_strings(5, "ab", 4, 10)
    machine = ngram_transducer("ab", 5) @ ngram_transducer("ab", 3, decay=0.5)
    expected = GappyKernel(5, 3, decay=0.5)(strings)
    np.testing.assert_allclose(RationalKernel(machine)(strings), expected, rtol=1e-12, atol=1e-12)


def test_gappy_machine_counts_all_subsequences_with_their_gaps():
    def features(text):
        counts = Counter()
        for i in combinations(range(len(text)), 2):
            counts[text[i[0]] + text[i[1]]] += 0.3 ** (i[1] - i[0] - 1)
        return counts

    x, y = "abbab", "babba"
    expected = sum(value * features(y)[word] for word, value in features(x).items())
    for semiring in ("probability", "log"):
        kernel = RationalKernel(ngram_transducer("ab", 2, decay=0.3, semiring=semiring))
        assert kernel([x], [y])[0, 0] == pytest.approx(expected)


def test_composing_pair_by_pair_equals_listing_the_features():
    strings = random_strings(5, "abc", 3, 8)
    machine = ngram_transducer("abc", 2, decay=0.7)
    listed = RationalKernel(machine)
    # The same kernel as one machine, evaluated on every pair.
    paired = RationalKernel(machine @ machine.inverse(), symmetrize=False)
    np.testing.assert_allclose(paired(strings), listed(strings), rtol=1e-12)
    np.testing.assert_allclose(listed(strings[:2], strings[1:]), listed(strings)[:2, 1:], rtol=1e-12)


def test_outputs_of_any_length_are_composed():
    # Identity on strings of any length with a factor of a half per symbol: K(x, z) = 4^-|x| where x = z.
    copy = WeightedTransducer([(0, a, a, 0.5, 0) for a in "ab"], [0], [0])
    kernel = RationalKernel(copy)
    strings = ["ab" * 40, "ab" * 40, "a", ""]
    np.testing.assert_allclose(
        kernel(strings), [[4.0**-80, 4.0**-80, 0, 0], [4.0**-80, 4.0**-80, 0, 0], [0, 0, 0.25, 0], [0, 0, 0, 1]]
    )
    endless = WeightedTransducer([(0, "a", "a", 0.5, 0)], [0], [0])
    # Sum over n of (1/2)^n (1/2)^n on each side: 1 / (1 - 1/16).
    assert kernel([endless])[0, 0] == pytest.approx(16 / 15)


def test_edit_distance_equals_dynamic_programming():
    strings = random_strings(12, "abcd", 0, 9)
    kernel = RationalKernel(edit_distance_transducer("abcd"), symmetrize=False)
    expected = [[levenshtein(x, y) for y in strings] for x in strings]
    np.testing.assert_array_equal(kernel(strings), expected)


def test_edit_distance_of_lattices_is_that_of_their_closest_strings():
    A = WeightedTransducer(
        [(0, "a", "a", 0.0, 1), (1, "b", "b", 0.0, 2), (1, "c", "c", 0.5, 2)], [0], [2], semiring="tropical"
    )
    B = WeightedTransducer([(0, "a", "a", 0.0, 1), (1, "c", "c", 0.0, 2)], [0], [2], semiring="tropical")
    assert RationalKernel(edit_distance_transducer("abc"), symmetrize=False)([A], [B])[0, 0] == 0.5


def test_edit_distance_is_neither_positive_nor_negative_definite():
    kernel = RationalKernel(edit_distance_transducer("abcd"), symmetrize=False)
    assert not kernel.positive_definite_by_construction
    assert positive_definiteness(kernel(["", "a"])).extreme == pytest.approx(-1)
    D = kernel(["abc", "bad", "dab", "adc", "bcd"])
    c = np.array([1, 1, -2 / 3, -2 / 3, -2 / 3])
    assert c.sum() == pytest.approx(0) and c @ D @ c == pytest.approx(2 / 3)
    found = negative_definiteness(D)
    assert not found.holds
    assert found.witness.sum() == pytest.approx(0, abs=1e-12)
    assert found.witness @ D @ found.witness == pytest.approx(found.extreme)
    assert found.extreme >= (2 / 3) / (c @ c) - 1e-12
    # With one letter the distance is that of lengths, which is negative definite.
    assert negative_definiteness(
        RationalKernel(edit_distance_transducer("a"), symmetrize=False)(["", "a", "aaa", "aa"])
    ).holds


@pytest.mark.parametrize(("n", "smallest"), [(3, 0.2296498), (5, 0.0195842), (6, -0.0244754)])
def test_exponentials_of_the_edit_distance_lose_definiteness(n, smallest):
    strings = ["".join(s) for s in product("ab", repeat=n)]
    found = positive_definiteness(np.exp(-np.array([[levenshtein(x, y) for y in strings] for x in strings], float)))
    assert found.extreme == pytest.approx(smallest, abs=1e-7)
    assert found.holds == (smallest > 0)


def test_symmetrised_machines_give_positive_definite_matrices():
    rng = np.random.default_rng(0)
    strings = random_strings(15, "ab", 0, 6)
    for _ in range(5):
        states = rng.integers(0, 3, (8, 2))
        symbols = rng.choice(["a", "b"], (8, 2))
        arcs = [
            (int(p), str(a), None if rng.random() < 0.3 else str(b), float(rng.random()), int(q))
            for (p, q), (a, b) in zip(states, symbols)
        ]
        arcs += [(0, a, a, 0.1, 0) for a in "ab"]
        kernel = RationalKernel(WeightedTransducer(arcs, [0], [0, 1, 2]))
        assert kernel.positive_definite_by_construction
        assert positive_definiteness(kernel(strings)).holds


def test_convolution_equals_its_power_series():
    substitution = WeightedTransducer([(0, a, b, 0.4 if a == b else 0.1, 1) for a in "ab" for b in "ab"], [0], [1])
    insertion = WeightedTransducer(
        [(0, a, None, 0.3, 0) for a in "ab"] + [(0, None, None, 1.0, 1)] + [(1, None, a, 0.3, 1) for a in "ab"],
        [0],
        [1],
    )
    gamma, strings = 0.5, ["", "a", "ab", "bba"]
    term, series = insertion, insertion
    for _ in range(4):
        term = (term * (substitution * insertion)).scaled(gamma)
        series = series + term
    machine = convolution_transducer(substitution, insertion, gamma)
    # Each substitution reads a symbol: beyond three the terms of such short strings are zero.
    for x, y in product(strings, repeat=2):
        assert machine.weight_of(x, y) == pytest.approx((1 - gamma) * series.weight_of(x, y), rel=1e-10, abs=1e-14)
    assert positive_definiteness(RationalKernel(machine, symmetrize=False)(strings)).holds
    alone = convolution_transducer(substitution, insertion, 0.0)
    assert alone.weight_of("a", "b") == pytest.approx(insertion.weight_of("a", "b"))


def test_psi_is_applied_to_the_weight():
    kernel = RationalKernel(edit_distance_transducer("ab"), symmetrize=False, psi=lambda d: np.exp(-d))
    assert kernel(["ab"], ["aa"])[0, 0] == pytest.approx(np.exp(-1))
    for semiring, psi in (("probability", lambda w: w**2), ("log", lambda w: np.exp(-2 * w))):
        squared = RationalKernel(ngram_transducer("ab", 1, semiring=semiring), psi=psi)
        assert not squared.positive_definite_by_construction
        assert squared(["ab"], ["aab"])[0, 0] == pytest.approx(9)


def test_rational_kernels_are_steps_of_a_pipeline():
    rng = np.random.default_rng(0)
    chains = {0: [[0.8, 0.2], [0.2, 0.8]], 1: [[0.2, 0.8], [0.8, 0.2]]}
    strings, labels = [], []
    for label, chain in chains.items():
        for _ in range(15):
            text = [0]
            while len(text) < 12:
                text.append(int(rng.random() < chain[text[-1]][1]))
            strings.append(["no", "yes"][text[0]].split() + [["no", "yes"][s] for s in text])
            labels.append(label)
    kernel = RationalKernel(ngram_transducer(["no", "yes"], 2)).normalized()
    model = make_pipeline(GramTransformer(kernel), SVC(kernel="precomputed"))
    assert cross_val_score(model, strings, labels, cv=3).mean() > 0.9
    np.testing.assert_allclose(clone(kernel)(strings[:3]), kernel(strings[:3]))


def test_few_and_no_objects():
    kernel = RationalKernel(ngram_transducer("ab", 2))
    assert kernel([]).shape == (0, 0)
    assert kernel(["ab"], []).shape == (1, 0)
    np.testing.assert_array_equal(kernel(["", "a", "ab"]), [[0, 0, 0], [0, 0, 0], [0, 0, 1]])


def test_wrong_input_is_refused():
    kernel = RationalKernel(ngram_transducer("ab", 2))
    with pytest.raises(ValueError, match=r"symbol 'c' at position 1 of object 1"):
        kernel(["ab", "ac"])
    with pytest.raises(ValueError, match=r"symbol 'c' of object 0"):
        kernel([lattice({"c": 1.0})])
    with pytest.raises(ValueError, match="object 0 has log weights, the transducer probability"):
        kernel([lattice({"a": 1.0}, "log")])
    with pytest.raises(ValueError, match="wrap it in a list"):
        kernel("ab")
    with pytest.raises(ValueError, match="give one column of it"):
        kernel({"first": "ab"})
    with pytest.raises(ValueError, match=r"object 1 .* is nan; it must be a string"):
        kernel(["ab", np.nan])
    with pytest.raises(ValueError, match="WeightedTransducer is expected"):
        RationalKernel("ab")(["ab"])
    with pytest.raises(ValueError, match="n=0"):
        ngram_transducer("ab", 0)
    for machine in (lambda a: ngram_transducer(a, 1), lambda a: mismatch_transducer(a, 2, 1), edit_distance_transducer):
        for alphabet in ("aab", "", ["a", None]):
            with pytest.raises(ValueError, match="at least one symbol, each once"):
                machine(alphabet)
    with pytest.raises(ValueError, match="semiring=3 is unknown"):
        ngram_transducer("ab", 2, semiring=3)
    with pytest.raises(ValueError, match="decay=2"):
        ngram_transducer("ab", 2, decay=2)
    with pytest.raises(ValueError, match="does not count"):
        ngram_transducer("ab", 2, semiring="tropical")
    with pytest.raises(ValueError, match="m=4"):
        mismatch_transducer("ab", 3, 4)
    with pytest.raises(ValueError, match="gamma=1"):
        convolution_transducer(ngram_transducer("ab", 1), ngram_transducer("ab", 1), 1)
    with pytest.raises(ValueError, match="not of tropical weights"):
        convolution_transducer(edit_distance_transducer("ab"), ngram_transducer("ab", 1), 0.5)
    with pytest.raises(ValueError, match="not symmetric"):
        positive_definiteness([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match="NaN"):
        positive_definiteness([[0.0, np.nan], [np.nan, 0.0]])
    with pytest.raises(ValueError, match="square"):
        negative_definiteness(np.ones((2, 3)))


def costly(kind, extra):
    """A lattice of two strings, every one of whose paths costs ``extra`` more than it is probable."""
    machine = lattice({"abab": 0.7, "bab": 0.3} if kind == 0 else {"abba": 0.5, "ab": 0.5}, "log")
    return machine.scaled(extra)


@pytest.mark.parametrize("transducer", ["listed", "composed"])
def test_lattices_of_high_cost_are_summed_in_logarithms(transducer):
    machine = ngram_transducer("ab", 2, semiring="log")
    if transducer == "composed":
        # A loop of the empty symbol, as long as it is likely to be left, makes no list of what is written.
        arcs = [*machine.arcs, (0, None, None, float(-np.log(0.5)), 0)]
        machine = WeightedTransducer(arcs, [0], [2], semiring="log")
    kernel = RationalKernel(machine)
    plain, high = [costly(0, 0.0), costly(1, 0.0)], [costly(0, 800.0), costly(1, 820.0)]
    expected = kernel.normalized()(plain)
    assert 0 < expected[0, 1] < 1
    np.testing.assert_allclose(kernel.normalized()(high), expected, rtol=1e-9)
    np.testing.assert_allclose(kernel.log_block(*2 * [kernel.prepare(high)])[0, 1], np.log(kernel(plain)[0, 1]) - 1620)
    told = RationalKernel(machine, psi=lambda cost: cost)(high)
    np.testing.assert_allclose(told, [[1600, 1620], [1620, 1640]] - np.log(kernel(plain)), rtol=1e-9)


@pytest.mark.parametrize("extra", [400.0, 800.0, -400.0])
def test_objects_whose_kernel_no_number_holds_are_refused(extra):
    kernel = RationalKernel(ngram_transducer("ab", 2, semiring="log"))
    plain, high = costly(0, 0.0), costly(1, extra)
    for own in (kernel, RationalKernel(kernel.transducer, symmetrize=False)):
        with pytest.raises(ValueError, match=r"no floating-point number holds; take normalized\(\)"):
            own([costly(1, 2 * extra), costly(1, 2 * extra).scaled(1.0)])
    with pytest.raises(ValueError, match="no floating-point number holds"):
        kernel([plain, high])
    with pytest.raises(ValueError, match="no floating-point number holds"):
        kernel.diagonal(kernel.prepare([high]))
    assert kernel.normalized()([plain, high])[0, 1] == pytest.approx(kernel.normalized()([plain, costly(1, 0.0)])[0, 1])


def test_a_pair_that_shares_only_unlikely_strings_has_kernel_zero():
    kernel = RationalKernel(ngram_transducer("ab", 2, semiring="log"))
    unlike = [lattice({"aa": 1.0}, "log") + lattice({"bb": 1.0}, "log").scaled(800.0), lattice({"bb": 1.0}, "log")]
    np.testing.assert_array_equal(kernel(unlike), np.eye(2))


def test_strings_of_very_unlike_costs_are_summed_in_logarithms():
    kernel = RationalKernel(ngram_transducer("ab", 2, semiring="log"))
    first = lattice({"aa": 1.0}, "log") + lattice({"bb": 1.0}, "log").scaled(500.0)
    second = lattice({"ab": 1.0}, "log") + lattice({"bb": 1.0}, "log").scaled(600.0)
    objects = kernel.prepare([first, second])
    np.testing.assert_allclose(kernel.log_block(objects, objects), [[0.0, -1100.0], [-1100.0, 0.0]], atol=1e-9)


def test_without_symmetrisation_the_order_of_objects_matters():
    once = WeightedTransducer([(0, "a", "b", 0.5, 0), (0, "b", "b", 1.0, 0)], [0], [0])
    kernel = RationalKernel(once, symmetrize=False)
    np.testing.assert_array_equal(kernel(["ab", "bb"]), [[0.0, 0.5], [0.0, 1.0]])
    np.testing.assert_array_equal((2.0 * kernel)(["ab", "bb"]), [[0.0, 1.0], [0.0, 2.0]])
    assert not (kernel + kernel).symmetric and RationalKernel(once).symmetric


@pytest.mark.parametrize("semiring", ["probability", "log", "tropical", "boolean"])
def test_strings_are_weighed_without_composition_as_with_it(semiring):
    rng = np.random.default_rng(0)
    arcs = []
    for source in range(3):
        for read, written in product(("a", "b", None), ("a", "b", None)):
            # Steps of two empty symbols lead forward only.
            target = source + 1 if read is None and written is None else int(rng.integers(0, 3))
            if rng.random() < 0.6 and target < 3 and (read is not None or written is not None or source < 2):
                arcs.append((source, read, written, 1.0 if semiring == "boolean" else float(rng.random() / 4), target))
    machine = WeightedTransducer(arcs, [0, 1], [1, 2], semiring=semiring)
    kernel, strings = RationalKernel(machine, symmetrize=False, psi=float), ["", "ab", "bba", "aabb"]
    found = kernel(strings)
    for (i, x), (j, y) in product(enumerate(strings), repeat=2):
        assert found[i, j] == pytest.approx(machine.weight_of(x, y), rel=1e-12)
