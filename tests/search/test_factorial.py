"""Two-level designs: balance, orthogonality, resolution and aliases, by counting."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from treatise.search import Design, central_composite, fractional_factorial, full_factorial

PAPER = [
    (-1, -1, -1, -1), (-1, -1, 1, 1), (-1, 1, -1, 1), (-1, 1, 1, -1),
    (1, -1, -1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, 1, 1, 1),
]  # fmt: skip


def shortest_constant_product(matrix):
    """Resolution by its definition: the fewest columns whose product is the same in every row."""
    for size in range(1, matrix.shape[1] + 1):
        for columns in combinations(range(matrix.shape[1]), size):
            if abs(matrix[:, columns].prod(axis=1).sum()) == len(matrix):
                return size
    return math.inf


def test_four_factors_give_the_printed_design_with_its_aliases():
    design = fractional_factorial(4)
    assert [tuple(row) for row in design.matrix] == PAPER
    assert design.generators == ("D=ABC",) and design.resolution == 4
    assert design.defining_relation() == ("ABCD",)
    aliases = design.aliases(3)
    assert aliases["A"] == ("BCD",) and aliases["AB"] == ("CD",) and aliases["AC"] == ("BD",)


@pytest.mark.parametrize("k, p, runs, resolution", [(7, 4, 8, 3), (5, 1, 16, 5), (6, 2, 16, 4), (8, 4, 16, 4)])
def test_standard_fractions_have_their_known_resolution(k, p, runs, resolution):
    design = fractional_factorial(k, p)
    assert (design.n_runs, design.resolution) == (runs, resolution)


@pytest.mark.parametrize("k", range(1, 14))
def test_columns_are_balanced_orthogonal_and_as_few_as_a_linear_model_needs(k):
    design = fractional_factorial(k)
    np.testing.assert_array_equal(design.matrix.sum(axis=0), 0)
    np.testing.assert_array_equal(design.matrix.T @ design.matrix, design.n_runs * np.eye(k))
    assert k + 1 <= design.n_runs < 2 * (k + 1)
    assert design.resolution == shortest_constant_product(design.matrix)


@pytest.mark.parametrize("k, resolution", [(5, 4), (6, 5), (9, 4), (20, 4), (7, 6)])
def test_a_resolution_that_is_asked_for_is_kept(k, resolution):
    design = fractional_factorial(k, resolution=resolution)
    assert design.resolution >= resolution
    if k < 12:
        assert shortest_constant_product(design.matrix) == design.resolution
        smaller = design.n_runs // 2
        assert smaller < k + 1 or fractional_factorial(k, k - int(math.log2(smaller))).resolution < resolution


def test_twenty_factors_of_resolution_four_take_sixty_four_runs():
    assert fractional_factorial(20, resolution=4).n_runs == 64


@pytest.mark.parametrize("generators", [["D=AB", "E=-AC"], ["D=-ABC", "E=BC"]])
def test_aliases_are_products_that_agree_in_every_run(generators):
    design = fractional_factorial(5, generators=generators)
    assert set(design.generators) == set(generators)
    letters = design.labels

    def column(word):
        return design.matrix[:, [letters.index(letter) for letter in word]].prod(axis=1)

    aliases, words = design.aliases(2), ["".join(w) for size in (1, 2) for w in combinations(letters, size)]
    for word in words:
        expected = set()
        for other in words:
            if other != word and abs(column(word) @ column(other)) == design.n_runs:
                expected.add(other if column(word) @ column(other) > 0 else "-" + other)
        assert set(aliases.get(word, ())) == expected
    for word in design.defining_relation():
        sign, bare = (-1, word[1:]) if word[0] == "-" else (1, word)
        np.testing.assert_array_equal(column(bare), sign)


def test_word_lengths_count_the_defining_relation():
    design = fractional_factorial(8)
    lengths = [len(word) for word in design.defining_relation()]
    assert list(design.word_lengths[1:]) == [lengths.count(size) for size in range(1, 9)]
    assert len(lengths) == 2**4 - 1


def test_full_factorial_has_every_combination_once():
    levels = (0.0, 1.0, -1.0, 2**0.5, -(2**0.5))
    design = full_factorial(2, levels)
    assert sorted(map(tuple, design.matrix)) == sorted(product(levels, repeat=2))
    assert full_factorial(3).resolution == math.inf and full_factorial(3).aliases(3) == {}


@pytest.mark.parametrize("k", [2, 3, 5, 6])
def test_a_rotatable_composite_design_predicts_equally_well_at_equal_distance(k):
    X = central_composite(k, centers=3).matrix

    def expanded(X):
        squares = [X[:, i] * X[:, j] for i in range(k) for j in range(i, k)]
        return np.column_stack([np.ones(len(X)), X, *squares])

    inverse = np.linalg.inv(expanded(X).T @ expanded(X))
    points = np.random.default_rng(0).normal(size=(20, k))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    at = expanded(points)
    variance = np.einsum("ij,jk,ik->i", at, inverse, at)
    np.testing.assert_allclose(variance, variance[0], rtol=1e-9)
    assert len(X) == (2**k if k < 5 else 2 ** (k - 1)) + 2 * k + 3


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: fractional_factorial(0), "1 to 50"),
        (lambda: fractional_factorial(4, 2), "give 0 to 1"),
        (lambda: fractional_factorial(4, resolution=2), "confounds main effects"),
        (lambda: fractional_factorial(4, 1, resolution=4), "give one of"),
        (lambda: fractional_factorial(4, generators=["D=ABX"]), "no generator"),
        (lambda: fractional_factorial(5, generators=["D=AB", "E=AB"]), "two factors equal"),
        (lambda: fractional_factorial(5, generators=["D=AB", "D=AC"]), "makes a factor twice"),
        (lambda: full_factorial(2, (1.0, 1.0)), "two different levels"),
        (lambda: full_factorial(30), "take a fraction"),
        (lambda: central_composite(2, alpha="round"), "is not known"),
        (lambda: central_composite(2, alpha=-1.0), "above 0"),
    ],
)
def test_bad_designs_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_design_of_ones_own_needs_no_generators():
    assert Design(np.eye(3)).n_runs == 3 and central_composite(2).generators == ()
