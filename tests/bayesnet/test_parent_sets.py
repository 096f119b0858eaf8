"""Pruned lists of parent sets, against scoring everything."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln

from treatise.bayesnet.structure._branch_and_bound import BranchAndBound
from treatise.bayesnet.structure._parent_sets import ParentSetBuilder, _largest_prior_count
from treatise.bayesnet.structure._set_lists import separate
from treatise.bayesnet.structure.rules import arc, indegree, parent_limits
from treatise.statistics.family_scores import FamilyScores


def table(seed, n, p):
    rng = np.random.default_rng(seed)
    n_states = rng.integers(2, 5, p)
    codes = rng.integers(0, n_states, (n, p))
    for i in range(1, p):
        copied = rng.random(n) < 0.6
        codes[copied, i] = (codes[copied, i - 1] + codes[copied, i // 2]) % n_states[i]
    return codes, n_states


def built(codes, n_states, criterion, rules=(), most=None, ess=1.0, prune=True):
    p = codes.shape[1]
    limits = parent_limits(rules, [p - 1 if most is None else most] * p, range(p))
    return ParentSetBuilder(FamilyScores(codes, n_states, criterion, ess), limits, prune=prune).build()


def by_brute_force(codes, n_states, criterion, rules=(), most=None, ess=1.0):
    """Lemma 1 by its definition: sets that obey the rules and beat every subset that does."""
    p = codes.shape[1]
    scores = FamilyScores(codes, n_states, criterion, ess)
    kept = []
    for child in range(p):
        allowed = {}
        others = [j for j in range(p) if j != child]
        for size in range(p if most is None else most + 1):
            for parents in itertools.combinations(others, size):
                if all(rule.holds(frozenset(parents)) for rule in rules if rule.child == child):
                    allowed[frozenset(parents)] = scores.score(child, parents)
        kept.append(
            {
                tuple(sorted(own)): score
                for own, score in allowed.items()
                if all(not other < own or allowed[other] < score for other in allowed)
            }
        )
    return kept


# The arc that would close a cycle with the required one is forbidden in any case.
RULES = [arc(1, 0), ~arc(0, 1), ~arc(2, 3), indegree(4, 0, "eq") | arc(0, 4), ~indegree(5, 1, "eq"), indegree(3, 3)]


@pytest.mark.parametrize("rules", [(), RULES], ids=["free", "rules"])
@pytest.mark.parametrize(
    ("criterion", "ess"), [("bic", 1.0), ("aic", 1.0), ("bdeu", 0.1), ("bdeu", 1.0), ("bdeu", 30.0)]
)
@pytest.mark.parametrize("n", [12, 60, 400])
def test_lists_hold_what_beats_all_subsets_with_the_theorems_and_without(criterion, ess, n, rules):
    codes, n_states = table(n, n, 6)
    expected = by_brute_force(codes, n_states, criterion, rules, ess=ess)
    pruned = built(codes, n_states, criterion, rules, ess=ess)
    whole = built(codes, n_states, criterion, rules, ess=ess, prune=False)
    for found in (pruned, whole):
        assert [dict(zip(sets, scores.tolist())) for sets, scores in zip(found.sets, found.scores)] == expected
        assert all((np.diff(scores) <= 0).all() for scores in found.scores)
        assert np.isneginf(found.open_bounds).all()
    assert pruned.n_evaluated <= whole.n_evaluated <= whole.n_possible == pruned.n_possible


def test_the_theorems_spare_most_scores_where_parents_may_be_many():
    codes, n_states = table(1, 50, 12)
    for criterion, at_least in (("bic", 10), ("bdeu", 1.2)):
        found = built(codes, n_states, criterion)
        assert found.n_possible == 12 * 2**11
        assert found.n_evaluated * at_least < found.n_possible


def test_without_the_theorems_everything_is_scored_once():
    codes, n_states = table(2, 80, 6)
    found = built(codes, n_states, "bic", most=3, prune=False)
    assert found.n_evaluated == found.n_possible == 6 * sum(math.comb(5, size) for size in range(4))


def test_required_parents_are_no_reason_to_drop_a_set():
    # Column 1 tells nothing of column 0: without the rule it is never a parent, with it always.
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (60, 3))
    free, bound = (built(codes, [2] * 3, "bic", rules) for rules in ((), [arc(1, 0)]))
    assert all(1 not in parents for parents in free.sets[0])
    assert bound.sets[0] and all(1 in parents for parents in bound.sets[0])


def test_a_set_that_breaks_the_rules_closes_no_superset():
    # Nine states in ten rows: Theorem 2 allows no second parent, unless none or one parent is against the rules.
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, (10, 3))
    found = built(codes, [9] * 3, "bic", [indegree(0, 2, "eq")])
    assert found.sets[0] == [(1, 2)]
    assert all(len(parents) <= 1 for own in found.sets[1:] for parents in own)


def test_stopped_early_the_bounds_cover_what_was_not_scored():
    codes, n_states = table(3, 60, 6)
    for criterion in ("bic", "bdeu"):
        p = 6
        limits = parent_limits([], [p - 1] * p, range(p))
        scores = FamilyScores(codes, n_states, criterion)
        for most in (1, 6, 36):
            found = ParentSetBuilder(scores, limits).build(lambda n_evaluated, most=most: n_evaluated >= most)
            for child in range(p):
                seen = set(found.sets[child])
                best = max([*found.scores[child], found.open_bounds[child]])
                for size in range(p):
                    for parents in itertools.combinations([j for j in range(p) if j != child], size):
                        assert parents in seen or scores.score(child, parents) <= best + 1e-9


def test_the_constant_of_lemma_8_is_the_papers_and_holds_for_more_states():
    assert _largest_prior_count(2) == pytest.approx(0.8349, abs=5e-5 + 1e-6)
    for states in (2, 3, 5, 20):
        largest = _largest_prior_count(states)
        for prior in (largest, 0.5 * largest, 1e-3):
            for seen in range(2, states + 1):
                f = gammaln(prior) - seen * gammaln(prior / states)
                assert f <= -seen * math.log(states) + 1e-9
    # It is the largest: a little more and the lemma fails for two occurring states.
    prior = 1.01 * _largest_prior_count(2)
    assert gammaln(prior) - 2 * gammaln(prior / 2) > -2 * math.log(2)


def test_parts_are_solved_apart():
    # 0 and 1 depend on one another, so do 2 and 3; 4 has 0 and 2 as possible parents only.
    sets = [[(1,), ()], [(0,), ()], [(3,), ()], [(2,), ()], [(0, 2), (0,), ()]]
    scores = [
        np.array([2.0, 1.0]),
        np.array([3.0, 1.0]),
        np.array([5.0, 1.0]),
        np.array([4.0, 2.0]),
        np.array([3.0, 2, 1]),
    ]
    parts = {tuple(part.variables.tolist()): part for part in separate(sets, scores)}
    assert set(parts) == {(0, 1), (2, 3), (4,)}
    # Parents outside can never close a cycle: the best set of 4 is always possible, and the only one worth keeping.
    assert parts[4,].scores.tolist() == [3.0] and parts[4,].masks.tolist() == [[0]]
    assert parts[2, 3].masks.tolist() == [[2], [0], [1], [0]]


def test_a_case_that_waits_takes_less_than_200_bytes():
    rng = np.random.default_rng(0)
    p = 50
    hidden = rng.integers(0, 2, (300, 5))
    codes = hidden[:, rng.integers(0, 5, p)] ^ hidden[:, rng.integers(0, 5, p)]
    codes = np.where(rng.random(codes.shape) < 0.2, 1 - codes, codes)
    (lists,) = (part for part in separate(*_lists(built(codes, [2] * p, "bic", most=1))) if len(part) > 20)
    search = BranchAndBound(lists, np.random.RandomState(0), 3)
    search.advance(1.0)
    assert search.n_steps > 100 and search.bytes_a_case < 200


def _lists(found):
    return found.sets, found.scores
