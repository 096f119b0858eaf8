"""String kernels against their definitions, spelled out letter by letter, and against one another."""

import timeit
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from treatise.kernels import (
    GappyKernel,
    GramRows,
    GramTransformer,
    MismatchKernel,
    SpectrumKernel,
    SubstitutionKernel,
    WildcardKernel,
    substitution_probabilities,
)

PROTEIN = "ACDEFGHIKLMNPQRSTVWY"
X, Y = "ACGTACGT", "ACGATCGT"


def windows(text, width):
    return [text[i : i + width] for i in range(len(text) - width + 1)]


def word_value(kernel, window, word, letters):
    """Value of one feature on one window, by the definitions of Section 2."""
    if isinstance(kernel, SpectrumKernel):
        return float(window == word)
    if isinstance(kernel, MismatchKernel):
        return float(sum(a != b for a, b in zip(window, word)) <= kernel.m)
    if isinstance(kernel, WildcardKernel):
        matches = all(b in ("*", a) for a, b in zip(window, word))
        return kernel.decay ** word.count("*") if matches and word.count("*") <= kernel.m else 0.0
    if isinstance(kernel, SubstitutionKernel):
        P = substitution_probabilities() if isinstance(kernel.probabilities, str) else kernel.probabilities
        cost = -sum(np.log(P[letters.index(a), letters.index(b)]) for a, b in zip(window, word))
        return float(cost < kernel.sigma)
    ways = [
        i
        for i in combinations(range(kernel.g), kernel.k)
        if "".join(window[j] for j in i) == word and (i[0] == 0 or not kernel.first)
    ]
    if kernel.decay is None:
        return float(len(ways) > 0)
    return sum(kernel.decay ** (i[-1] - i[0] + 1 - kernel.k) for i in ways)


def brute_force_features(kernel, strings, letters):
    """Every feature of the space, whether it occurs or not."""
    symbols = letters + "*" if isinstance(kernel, WildcardKernel) else letters
    words = ["".join(word) for word in product(symbols, repeat=kernel.k)]
    width = kernel.g if isinstance(kernel, GappyKernel) else kernel.k
    return np.array(
        [
            [sum(word_value(kernel, w, word, letters) for w in windows(text, width)) for word in words]
            for text in strings
        ]
    )


def kernels_on(letters):
    P = np.random.default_rng(3).dirichlet(np.ones(len(letters)), len(letters)).T
    return [
        SpectrumKernel(3, alphabet=letters),
        MismatchKernel(3, 0, alphabet=letters),
        MismatchKernel(3, 1, alphabet=letters),
        MismatchKernel(3, 3, alphabet=letters),
        GappyKernel(3, 3, alphabet=letters),
        GappyKernel(5, 3, alphabet=letters),
        GappyKernel(5, 3, first=True, alphabet=letters),
        GappyKernel(5, 3, decay=1.0, alphabet=letters),
        GappyKernel(6, 3, decay=0.5, alphabet=letters),
        GappyKernel(5, 3, decay=0.7, first=True, alphabet=letters),
        GappyKernel(4, 1, decay=0.5, alphabet=letters),
        SubstitutionKernel(3, 3.5, probabilities=P, alphabet=letters),
        WildcardKernel(3, 0, alphabet=letters),
        WildcardKernel(3, 1, decay=0.5, alphabet=letters),
        WildcardKernel(3, 3, decay=0.9, alphabet=letters),
    ]


def random_strings(n, letters, low, high, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), rng.integers(low, high))) for _ in range(n)]


@pytest.mark.parametrize("kernel", kernels_on("abc"), ids=repr)
def test_walk_features_and_definition_agree(kernel):
    strings = [*random_strings(6, "abc", 0, 14), "abcabcabc"]
    expected = brute_force_features(kernel, strings, "abc")
    F, words = kernel.features(strings)
    gram = kernel(strings)
    # Counts and short sums of powers: rounding only.
    np.testing.assert_allclose(gram, expected @ expected.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose((F @ F.T).toarray(), gram, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(kernel.prepare(strings)), np.diagonal(gram), rtol=1e-12)
    np.testing.assert_allclose(kernel(strings[:3], strings[2:]), gram[:3, 2:], rtol=1e-12, atol=1e-12)
    symbols = "abc*" if isinstance(kernel, WildcardKernel) else "abc"
    everything = ["".join(word) for word in product(symbols, repeat=kernel.k)]
    assert words.tolist() == sorted(word for word, column in zip(everything, expected.T) if column.any())
    np.testing.assert_allclose(F.toarray(), expected[:, [everything.index(word) for word in words]], rtol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        (SpectrumKernel(3), 4),
        (MismatchKernel(3, 1), 76),
        (MismatchKernel(3, 1, alphabet="dna"), 76),
        (GappyKernel(5, 3), 52),
        (GappyKernel(5, 3, decay=1.0), 52),
        (GappyKernel(5, 3, decay=0.5), 19.875),
        (GappyKernel(5, 3, decay=0.5, first=True), 4.125),
        (WildcardKernel(3, 1), 20),
        (WildcardKernel(3, 1, decay=0.5), 8),
        (WildcardKernel(3, 2), 50),
    ],
    ids=repr,
)
def test_known_values_of_a_pair_of_dna(kernel, value):
    assert kernel([X, Y])[0, 1] == kernel([X], [Y])[0, 0] == value


def test_single_gappy_features_have_the_values_of_figures_1_and_2():
    def value(kernel, text, word):
        F, words = kernel.features([text])
        return F.toarray()[0, words.tolist().index(word)]

    assert value(GappyKernel(5, 3), "abaabab", "abb") == 2
    assert value(GappyKernel(5, 3, decay=1.0), "ababb", "abb") == 4
    assert value(GappyKernel(5, 3, decay=0.5), "ababb", "abb") == 2


def test_without_inexactness_all_are_the_spectrum_kernel():
    strings = random_strings(20, PROTEIN[:5], 5, 60)
    expected = SpectrumKernel(3)(strings)
    nearly_identical = np.full((5, 5), 0.01) + 0.95 * np.eye(5)
    for kernel in (
        MismatchKernel(3, 0),
        WildcardKernel(3, 0, decay=0.3),
        GappyKernel(3, 3),
        GappyKernel(3, 3, decay=0.4),
        SubstitutionKernel(3, 1.0, probabilities=nearly_identical, alphabet=PROTEIN[:5]),
    ):
        np.testing.assert_array_equal(kernel(strings), expected, err_msg=repr(kernel))


def test_spectrum_equals_counts_of_character_n_grams():
    strings = random_strings(10, "abcd ", 4, 40)
    counts = CountVectorizer(analyzer="char", ngram_range=(3, 3)).fit_transform([s.replace(" ", "_") for s in strings])
    np.testing.assert_array_equal(SpectrumKernel(3)(strings), (counts @ counts.T).toarray())


def test_weighted_gappy_on_strings_of_the_window_is_the_unrestricted_gappy_kernel():
    def unrestricted(s, t, k, decay):
        """All pairs of index tuples that spell the same word, as Lodhi and others define it, over decay^(2k)."""
        value = 0.0
        for i in combinations(range(len(s)), k):
            for j in combinations(range(len(t)), k):
                if [s[a] for a in i] == [t[b] for b in j]:
                    value += decay ** (i[-1] - i[0] + 1 - k + j[-1] - j[0] + 1 - k)
        return value

    strings = random_strings(6, "ab", 6, 7)
    expected = [[unrestricted(s, t, 3, 0.6) for t in strings] for s in strings]
    np.testing.assert_allclose(GappyKernel(6, 3, decay=0.6)(strings), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [MismatchKernel(4, 1), WildcardKernel(5, 2, decay=0.8), GappyKernel(6, 4, decay=0.5), SubstitutionKernel(4, 6.0)],
    ids=repr,
)
def test_protein_grams_are_symmetric_positive_and_equal_to_features(kernel):
    strings = random_strings(100, PROTEIN, 20, 120)
    gram = kernel(strings)
    F, _ = kernel.features(strings)
    np.testing.assert_allclose((F @ F.T).toarray(), gram, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(gram, gram.T)
    assert np.linalg.eigvalsh(gram).min() >= -1e-9 * np.trace(gram)
    normalized = kernel.normalized()(strings)
    np.testing.assert_allclose(np.diagonal(normalized), 1.0, rtol=1e-12)
    assert normalized.max() <= 1 + 1e-12


def test_substitution_words_of_amino_acids_match_the_definition():
    P = substitution_probabilities()
    kernel = SubstitutionKernel(3, 4.5)
    text = "WLIVDEW"
    F, words = kernel.features([text])
    cost = {(a, b): -np.log(P[i, j]) for i, a in enumerate(PROTEIN) for j, b in enumerate(PROTEIN)}
    expected = {}
    for window in windows(text, 3):
        for word in product(PROTEIN, repeat=3):
            if sum(cost[pair] for pair in zip(window, word)) < 4.5:
                expected["".join(word)] = expected.get("".join(word), 0) + 1
    assert dict(zip(words.tolist(), F.toarray()[0])) == expected


def test_two_collections_of_different_symbols_share_one_alphabet():
    kernel = GappyKernel(4, 2, decay=0.5)
    left, right = ["abcabc", "xyz"], ["cbaabc", "zzay", "abc"]
    np.testing.assert_array_equal(kernel(left, right), kernel(left + right)[:2, 2:])


def test_prepared_strings_can_be_indexed_like_an_array():
    strings = random_strings(12, "ACGT", 0, 30)
    kernel = MismatchKernel(3, 1, alphabet="dna")
    prepared, gram = kernel.prepare(strings), kernel(strings)
    for rows in (np.array([3, 1, 1, 11]), slice(2, 7), np.arange(12) % 2 == 0, np.array([], int)):
        chosen = np.arange(12)[rows]
        np.testing.assert_array_equal(kernel.block(prepared[rows], prepared), gram[chosen])
        np.testing.assert_array_equal(kernel.block(prepared, prepared[rows]), gram[:, chosen])
    rows = GramRows(kernel, prepared, cache_bytes=200)
    np.testing.assert_array_equal(rows.row(7), gram[7])


def test_cost_of_a_mismatch_grows_with_the_alphabet_and_of_a_wildcard_does_not():
    text = ["ACGTACGTTGCA"]
    mismatch = [MismatchKernel(4, 1, alphabet=letters).features(text)[0].nnz for letters in ("ACGT", "ACGTBDEF")]
    wildcard = [WildcardKernel(4, 1, alphabet=letters).features(text)[0].nnz for letters in ("ACGT", "ACGTBDEF")]
    assert mismatch[1] > 1.5 * mismatch[0]
    assert wildcard[0] == wildcard[1]


def test_long_windows_do_not_overflow():
    rng = np.random.default_rng(0)
    body = "".join(rng.choice(list(PROTEIN), 60))
    strings = [body, body[:45] + "A" + body[46:], body[5:]]
    words = [windows(text, 40) for text in strings]
    expected = [[sum(u == v for u in a for v in b) for b in words] for a in words]
    np.testing.assert_array_equal(SpectrumKernel(40)(strings), expected)


def test_words_of_ten_thousand_letters_are_counted_in_milliseconds():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcd"), 10_000)) for _ in range(2)]
    kernel = SpectrumKernel(3)
    kernel(texts)
    # It takes 2 ms; work in the square of the length would take a hundred times as long.
    assert min(timeit.repeat(lambda: kernel(texts), number=1, repeat=5)) < 0.05


def test_short_empty_and_no_strings():
    kernel = WildcardKernel(5, 1)
    np.testing.assert_array_equal(kernel(["", "ab", "abcd"]), np.zeros((3, 3)))
    np.testing.assert_allclose(kernel.normalized()(["", "abcde"]), [[0, 0], [0, 1]], rtol=1e-15)
    assert kernel([]).shape == (0, 0)
    assert kernel(["abcde"], []).shape == (1, 0)
    assert kernel([], ["abcde"]).shape == (0, 1)
    F, words = kernel.features(["ab"])
    assert F.shape == (1, 0) and len(words) == 0


def test_bytes_arrays_and_lower_case_read_alike():
    upper = ["ACGTT", "GATTACA"]
    expected = MismatchKernel(3, 1, alphabet="dna")(upper)
    for strings in (["acgtt", "gattaca"], [b"ACGTT", b"GATTACA"], np.array(upper), tuple(upper)):
        np.testing.assert_array_equal(MismatchKernel(3, 1, alphabet="dna")(strings), expected)
    assert SpectrumKernel(2)(["ab", "AB"])[0, 1] == 0


def test_skipped_symbols_cut_strings():
    whole, cut = SpectrumKernel(2, skip="X")(["ACXGT", "ACGT"]), SpectrumKernel(2)(["AC", "GT", "ACGT"])
    assert whole[0, 1] == cut[0, 2] + cut[1, 2] == 2
    assert whole[0, 0] == 2


def test_unknown_symbols_are_named_with_their_place():
    with pytest.raises(ValueError, match=r"symbol 'B' at position 2 of string 1 .* alphabet 'ACGT'"):
        SpectrumKernel(2, alphabet="dna")(["ACGT", "ACBT", "BBB"])
    with pytest.raises(ValueError, match="symbol 'x' at position 0 of string 2"):
        MismatchKernel(2, 1)(["ACGT", "", "xW"])
    with pytest.raises(ValueError, match="symbol 'a' at position 0 of string 0"):
        SpectrumKernel(2, alphabet="ACGT")(["acgt"])


def test_automatic_alphabets_that_differ_are_refused_where_values_depend_on_them():
    kernel = MismatchKernel(2, 1)
    assert kernel(["ACGT"])[0, 0] < kernel(["ACGT", "WW"])[0, 0]
    with pytest.raises(ValueError, match="name the alphabet"):
        kernel(["ACGT"], ["WWW"])


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (SpectrumKernel(0), "k=0"),
        (SpectrumKernel(2.0), "k=2.0"),
        (MismatchKernel(3, 4), "m=4 .* between 0 and 3"),
        (MismatchKernel(3, -1), "m=-1"),
        (GappyKernel(3, 4), "g=3 .* at least 4"),
        (SpectrumKernel(10**30), "more than any string has"),
        (GappyKernel(5, 3, decay=0.0), "decay=0.0"),
        (GappyKernel(5, 3, decay=1.5), "decay=1.5"),
        (WildcardKernel(3, 1, decay=2), "decay=2"),
        (SubstitutionKernel(3, -1.0), "sigma=-1.0"),
        (SubstitutionKernel(3, 1.0, probabilities=np.eye(3)), r"shape \(3, 3\) for an alphabet of 20"),
        (SubstitutionKernel(3, 1.0, probabilities="pam250"), "'pam250' is unknown"),
        (SpectrumKernel(3, alphabet=""), "alphabet=''"),
        (SpectrumKernel(3, alphabet="ACGA"), "'A' more than once"),
        (SpectrumKernel(3, alphabet=4), "alphabet=4"),
        (SpectrumKernel(3, skip=None), "skip=None"),
    ],
    ids=repr,
)
def test_wrong_parameters_are_refused(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel(["ACGT"])


def test_what_is_no_list_of_strings_is_refused():
    with pytest.raises(ValueError, match="wrap it in a list"):
        SpectrumKernel(3)("ACGT")
    with pytest.raises(ValueError, match="give one column of it"):
        SpectrumKernel(3)(pd.DataFrame({"promoter": ["ACGT", "ACCT"]}))
    with pytest.raises(ValueError, match=r"object 1 .* is float"):
        SpectrumKernel(3)(["ACGT", 2.0])
    with pytest.raises(ValueError, match="200 distinct symbols"):
        SpectrumKernel(3)(["".join(chr(200 + i) for i in range(200))])


def mutants(seed, n_families=4, n_members=30):
    """Random ancestors of 100 letters; in each member three quarters of the letters are drawn anew, two deleted."""
    rng = np.random.default_rng(seed)
    P = substitution_probabilities(background=np.full(20, 0.05))
    strings, labels = [], []
    for family in range(n_families):
        ancestor = rng.integers(0, 20, 100)
        for _ in range(n_members):
            letters = np.array([rng.choice(20, p=P[:, b]) if rng.random() < 0.75 else b for b in ancestor])
            strings.append("".join(PROTEIN[a] for a in np.delete(letters, rng.choice(100, 2, replace=False))))
            labels.append(family)
    return strings, np.array(labels)


def test_inexact_kernels_find_families_of_mutants_better_than_exact_words():
    def accuracy(kernel, strings, labels):
        gram = kernel.normalized()(strings)
        np.fill_diagonal(gram, -1.0)
        return np.mean(labels[gram.argmax(axis=1)] == labels)

    kernels = (SpectrumKernel(3), GappyKernel(6, 4), WildcardKernel(5, 1), WildcardKernel(5, 2))
    found = np.array([[accuracy(kernel, *mutants(seed)) for kernel in kernels] for seed in range(3)])
    # In a single draw of 120 strings one string more or less decides; over three draws the order is plain.
    exact, *inexact = found.mean(axis=0)
    assert exact > 0.85  # chance is 0.25
    assert min(inexact) > exact


def test_kernels_of_strings_are_steps_of_a_pipeline():
    strings, labels = mutants(0, 2, 20)
    model = make_pipeline(
        GramTransformer(MismatchKernel(4, 1, alphabet="protein").normalized()), SVC(kernel="precomputed")
    )
    assert cross_val_score(model, strings, labels, cv=4).mean() > 0.9
    transformer = model.named_steps["gramtransformer"].fit(strings)
    np.testing.assert_allclose(transformer.transform(strings), transformer.kernel(strings), rtol=1e-12)
    search = GridSearchCV(model, {"gramtransformer__kernel__kernel__m": [0, 1]}, cv=3).fit(strings, labels)
    assert search.best_params_["gramtransformer__kernel__kernel__m"] in (0, 1)


def test_sums_and_products_of_string_kernels_are_their_values():
    strings = random_strings(8, "ACGT", 5, 30)
    first, second = SpectrumKernel(2), GappyKernel(4, 2)
    np.testing.assert_allclose((first + 0.5 * second)(strings), first(strings) + 0.5 * second(strings))
    np.testing.assert_allclose((first * second)(strings), first(strings) * second(strings))
