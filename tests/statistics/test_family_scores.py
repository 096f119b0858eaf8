"""Scores of families against their formulas, term by term, and against pgmpy."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln

from treatise.statistics.family_scores import FamilyScores

N_STATES = np.array([2, 3, 4, 2, 11])
FAMILIES = [
    (child, parents)
    for child in range(5)
    for size in range(5)
    for parents in itertools.combinations([c for c in range(5) if c != child], size)
]


@pytest.fixture(scope="module")
def codes():
    rng = np.random.default_rng(0)
    noisy = rng.integers(0, N_STATES, size=(150, 5))
    noisy[:, 2] = np.where(rng.random(150) < 0.8, noisy[:, 0] + noisy[:, 1], noisy[:, 2])
    noisy[:, 3] = np.where(rng.random(150) < 0.7, noisy[:, 2] % 2, noisy[:, 3])
    return noisy


def full_table(codes, child, parents):
    """Counts over every configuration of the parents, those that never occur included."""
    table = []
    for configuration in itertools.product(*(range(N_STATES[parent]) for parent in parents)):
        rows = codes[(codes[:, list(parents)] == np.array(configuration, dtype=int)).all(axis=1)]
        table.append(np.bincount(rows[:, child], minlength=N_STATES[child]))
    return np.array(table, dtype=float)


def log_likelihood(table):
    within = table.sum(axis=1, keepdims=True)
    seen = table > 0
    return (table[seen] * np.log((table / np.maximum(within, 1))[seen])).sum()


def dirichlet(table, cell):
    """Log marginal likelihood with the same Dirichlet parameter for every cell (equation 2 of JMLR 12:663)."""
    configuration = cell * table.shape[1]
    return (
        (gammaln(configuration) - gammaln(configuration + table.sum(axis=1))).sum()
        + (gammaln(cell + table) - gammaln(cell)).sum()
    )  # fmt: skip


FORMULAS = {
    "bic": lambda table, n, ess: log_likelihood(table) - 0.5 * math.log(n) * table.shape[0] * (table.shape[1] - 1),
    "aic": lambda table, n, ess: log_likelihood(table) - table.shape[0] * (table.shape[1] - 1),
    "bdeu": lambda table, n, ess: dirichlet(table, ess / table.size),
    "k2": lambda table, n, ess: dirichlet(table, 1.0),
}


@pytest.mark.parametrize("ess", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("name", FORMULAS)
def test_scores_equal_their_formulas(codes, name, ess):
    scores = FamilyScores(codes, N_STATES, name, equivalent_sample_size=ess)
    for child, parents in FAMILIES:
        expected = FORMULAS[name](full_table(codes, child, parents), len(codes), ess)
        # Log-gammas of about 1e3 summed over up to 528 cells: rounding alone is below 1e-10 times that.
        assert scores.score(child, parents) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", FORMULAS)
def test_large_counts_fit_the_fixed_point(codes, name):
    many = np.concatenate([np.zeros((60_000, 5), dtype=int), codes])
    scores = FamilyScores(many, N_STATES, name)
    for child, parents in FAMILIES[::7]:
        expected = FORMULAS[name](full_table(many, child, parents), len(many), 1.0)
        # Log-gammas of 6e5 with a relative rounding of 1e-16, a few hundred of them.
        assert scores.score(child, parents) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", FORMULAS)
def test_a_batch_equals_one_by_one_in_any_order_of_the_parents(codes, name):
    together, alone = (FamilyScores(codes, N_STATES, name) for _ in range(2))
    for child in range(5):
        sets = [parents[::-1] for of, parents in FAMILIES if of == child]
        assert together.scores(child, sets).tolist() == [alone.score(child, parents) for parents in sets]
    assert together.evaluations == alone.evaluations == len(FAMILIES)


def test_a_family_is_evaluated_once(codes):
    scores = FamilyScores(codes, N_STATES)
    for _ in range(3):
        scores.score(0, (2, 1))
        scores.score(0, (1, 2))
        scores.scores(0, [(1, 2), (2, 1)])
    assert scores.evaluations == 1


@pytest.mark.parametrize("name", ["bic", "bdeu"])
def test_reversing_a_covered_arc_keeps_the_score(codes, name):
    # X -> Y is covered when Y's parents are X's and X: both directions describe the same distributions.
    scores = FamilyScores(codes, N_STATES, name)
    for x, y, *shared in [(0, 1), (1, 2, 0), (3, 4, 0, 2), (2, 4, 1)]:
        forward = scores.score(x, shared) + scores.score(y, (*shared, x))
        backward = scores.score(y, shared) + scores.score(x, (*shared, y))
        assert forward == pytest.approx(backward, abs=1e-9)


def test_permuted_rows_give_the_same_bits(codes):
    shuffled = np.random.default_rng(1).permutation(codes)
    first, second = FamilyScores(codes, N_STATES), FamilyScores(shuffled, N_STATES)
    assert [first.score(*family) for family in FAMILIES] == [second.score(*family) for family in FAMILIES]


def test_hundreds_of_parents_do_not_underflow(codes):
    wide = np.tile(codes, (1, 80))
    score = FamilyScores(wide, np.tile(N_STATES, 80)).score(0, range(1, 400))
    # Column 5 is a copy of column 0: every configuration that occurs is pure, and with a vanishing
    # prior costs the logarithm of the child's states once (Lemma 7 of JMLR 12:663).
    configurations = len(np.unique(codes, axis=0))
    assert score == pytest.approx(-configurations * math.log(2), abs=1e-9)


def test_the_prior_of_the_parents_is_added(codes):
    asked = []

    def prior(child, parents):
        asked.append((child, parents))
        return -2.5 * len(parents)

    plain, weighted = FamilyScores(codes, N_STATES), FamilyScores(codes, N_STATES, prior=prior)
    assert weighted.score(3, (2, 0)) == pytest.approx(plain.score(3, (0, 2)) - 5.0, abs=1e-12)
    assert asked == [(3, (0, 2))]


@pytest.mark.parametrize("name", ["bic", "aic", "bdeu", "k2"])
def test_one_row_scores_by_the_formula(name):
    scores = FamilyScores([[1, 0]], [2, 2], name)
    table = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert scores.score(1, (0,)) == pytest.approx(FORMULAS[name](table, 1, 1.0), abs=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_scores_equal_those_of_pgmpy(codes, name):
    pytest.importorskip("pgmpy")
    import pandas as pd
    from pgmpy.structure_score import AIC, BIC, K2, BDeu

    # pgmpy counts the states that occur: each column here shows all of its own.
    frame = pd.DataFrame(codes.astype(str), columns=list("abcde"))
    theirs = {"bic": BIC, "aic": AIC, "k2": K2}.get(name)
    theirs = BDeu(frame, equivalent_sample_size=3.0) if theirs is None else theirs(frame)
    ours = FamilyScores(codes, N_STATES, name, equivalent_sample_size=3.0)
    for child, parents in FAMILIES[::3]:
        if name == "k2" and not full_table(codes, child, parents).any(axis=1).all():
            continue  # pgmpy 1.1 adds log gamma(r) for configurations without rows and does not take it off again
        expected = theirs.local_score("abcde"[child], tuple("abcde"[parent] for parent in parents))
        assert ours.score(child, parents) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": "mdl"}, "score='mdl' is not known; choose one of bdeu, bic, aic, k2"),
        ({"equivalent_sample_size": 0.0}, "must be a positive number"),
        ({"equivalent_sample_size": math.inf}, "must be a positive number"),
    ],
)
def test_bad_arguments_are_refused(codes, arguments, message):
    with pytest.raises(ValueError, match=message):
        FamilyScores(codes, N_STATES, **arguments)


@pytest.mark.parametrize(
    ("child", "parents", "message"),
    [(0, (0, 1), "distinct columns other than 0"), (0, (1, 1), "distinct columns"), (5, (), "column 5 does not exist")],
)
def test_impossible_families_are_refused(codes, child, parents, message):
    with pytest.raises(ValueError, match=message):
        FamilyScores(codes, N_STATES).score(child, parents)
