"""The best network under rules, against all networks there are."""

import itertools
import math
import signal
import threading
import time

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import KBinsDiscretizer

from treatise.bayesnet import (
    BayesianNetwork,
    ConstrainedStructureLearner,
    arc,
    indegree,
    naive_bayes_rules,
    order_rules,
    plot_search_bounds,
    tree_augmented_rules,
)

METHODS = ("cutting-planes", "branch-and-bound", "dynamic-programming")
CRITERIA = [("bic", 1.0), ("aic", 1.0), ("bdeu", 0.1), ("bdeu", 1.0), ("bdeu", 10.0)]


def all_networks(p):
    """Parents of every variable, as bits, in each acyclic graph of p vertices: (n_graphs, p)."""
    own = [[mask for mask in range(1 << p) if not mask >> i & 1] for i in range(p)]
    graphs = np.stack(np.meshgrid(*own, indexing="ij"), axis=-1).reshape(-1, p)
    left = np.full(len(graphs), (1 << p) - 1)
    for _ in range(p):  # take away vertices without parents that are left, p times over
        for i in range(p):
            left = np.where(graphs[:, i] & left == 0, left & ~(1 << i), left)
    return graphs[left == 0]


NETWORKS = {p: all_networks(p) for p in (3, 4, 5)}


def local_score(codes, n_states, child, parents, criterion, ess):
    """The score of a family, from its formula."""
    shape = [n_states[column] for column in (*parents, child)]
    counts = np.zeros(shape)
    np.add.at(counts, tuple(codes[:, column] for column in (*parents, child)), 1)
    counts = counts.reshape(-1, shape[-1])
    within = counts.sum(axis=1)
    if criterion == "bdeu":
        cell = ess / counts.size
        both = gammaln(cell * shape[-1]) - gammaln(cell * shape[-1] + within)
        return both.sum() + (gammaln(cell + counts) - gammaln(cell)).sum()
    seen = counts > 0
    likelihood = (counts[seen] * np.log((counts / np.maximum(within, 1)[:, None])[seen])).sum()
    weight = 0.5 * math.log(len(codes)) if criterion == "bic" else 1.0
    return likelihood - weight * counts.shape[0] * (shape[-1] - 1)


def members(mask, p):
    return tuple(j for j in range(p) if mask >> j & 1)


def all_scores(codes, n_states, criterion, ess):
    """Score of every network of NETWORKS."""
    p = codes.shape[1]
    local = np.full((p, 1 << p), -math.inf)
    for i, mask in itertools.product(range(p), range(1 << p)):
        if not mask >> i & 1:
            local[i, mask] = local_score(codes, n_states, i, members(mask, p), criterion, ess)
    return local[np.arange(p), NETWORKS[p]].sum(axis=1)


def random_table(seed, p, n=None):
    """Rows of noisy functions of one another, two to four states."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(8, 120))
    n_states = rng.integers(2, 5, p)
    codes = np.empty((n, p), dtype=np.int64)
    for i in range(p):
        codes[:, i] = rng.integers(0, n_states[i], n)
        if i and rng.random() < 0.8:
            chosen = rng.permutation(i)[: int(rng.integers(1, 3))]
            copied = rng.random(n) < rng.uniform(0.2, 0.9)
            codes[copied, i] = codes[copied][:, chosen].sum(axis=1) % n_states[i]
    for i in range(p):  # every state occurs, so that states seen are states declared
        codes[:, i] = np.unique(codes[:, i], return_inverse=True)[1]
        if codes[:, i].max() == 0:
            codes[0, i] = 1
    return codes, codes.max(axis=0) + 1


def is_acyclic(parents):
    left = set(range(len(parents)))
    while left:
        free = {child for child in left if not left & set(parents[child])}
        if not free:
            return False
        left -= free
    return True


def recomputed(learner, codes, n_states):
    return sum(
        local_score(codes, n_states, child, parents, learner.criterion, learner.equivalent_sample_size)
        for child, parents in enumerate(learner.parents_)
    )


@pytest.mark.parametrize(("criterion", "ess"), CRITERIA)
def test_the_network_is_the_best_of_all_networks(criterion, ess):
    for seed in range(16):
        codes, n_states = random_table(seed, p := (3, 4, 4, 5)[seed % 4])
        best = all_scores(codes, n_states, criterion, ess).max()
        for method in METHODS:
            learner = ConstrainedStructureLearner(criterion, equivalent_sample_size=ess, method=method).fit(codes)
            # Sums of at most a few hundred log-gammas below 1e3: rounding stays far below 1e-8.
            assert learner.score_ == pytest.approx(best, abs=1e-8), (seed, p, method)
            assert recomputed(learner, codes, n_states) == pytest.approx(best, abs=1e-8)
            assert learner.optimal_ and learner.gap_ == 0 and learner.upper_bound_ == learner.score_
            assert is_acyclic(learner.parents_)


def random_rules(rng, p):
    """Rules of every kind; each as what the learner takes and as a test on the parents of all variables."""
    order = rng.permutation(p)
    required, forbidden, rules = [], [], []
    for a, b in itertools.permutations(range(p), 2):
        draw = rng.random()
        if draw < 0.06 and order[a] < order[b]:
            required.append((a, b))
        elif draw < 0.2 and (a, b) not in required:
            forbidden.append((a, b))
    child, first, second = rng.permutation(p)[:3].tolist()
    kind = int(rng.integers(5))
    if kind == 0:
        rules = [indegree(child, 0, "eq") | arc(first, child)]
    elif kind == 1:
        rules = [indegree(child, 1, "eq") | ~arc(second, child)]
    elif kind == 2:
        rules = [~(arc(first, child) & arc(second, child)), indegree(first, 2)]
    elif kind == 3:
        rules = [~indegree(child, 1, "eq")]
    most = {int(rng.integers(p)): int(rng.integers(1, 3))} if rng.random() < 0.5 else None
    return required, forbidden, rules, most


def obeys(required, forbidden, rules, most, p):
    graphs = NETWORKS[p]
    fine = np.ones(len(graphs), dtype=bool)
    for a, b in required:
        fine &= graphs[:, b] >> a & 1 == 1
    for a, b in forbidden:
        fine &= graphs[:, b] >> a & 1 == 0
    for rule in rules:
        holds = np.array([rule.holds(frozenset(members(mask, p))) for mask in range(1 << p)])
        fine &= holds[graphs[:, rule.child]]
    for child, largest in (most or {}).items():
        fine &= np.array([mask.bit_count() <= largest for mask in range(1 << p)])[graphs[:, child]]
    return fine


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu"])
def test_the_network_is_the_best_of_those_that_obey_the_rules(criterion):
    infeasible = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        p = 4 + seed % 2
        codes, n_states = random_table(1000 + seed, p)
        rules = random_rules(rng, p)
        fine = obeys(*rules, p)
        required, forbidden, others, most = rules
        options = {"required_arcs": required, "forbidden_arcs": forbidden, "rules": others, "max_parents": most}
        infeasible += not fine.any()
        scores = all_scores(codes, n_states, criterion, 1.0)
        for method in METHODS:
            learner = ConstrainedStructureLearner(criterion, **options, method=method)
            if not fine.any():
                with pytest.raises(ValueError, match=r"rules|required"):
                    learner.fit(codes)
                continue
            learner.fit(codes)
            assert learner.score_ == pytest.approx(scores[fine].max(), abs=1e-8), (seed, method)
            assert learner.score_ <= scores.max() + 1e-8
            parents = np.array([sum(1 << j for j in own) for own in learner.parents_])
            assert fine[(NETWORKS[p] == parents).all(axis=1)].all()
    assert infeasible < 12


@pytest.mark.parametrize("method", METHODS)
def test_bounds_only_ever_approach_one_another(method):
    codes, _ = random_table(5, 9, n=150)
    learner = ConstrainedStructureLearner("aic", method=method).fit(codes)
    _, scores, bounds = learner.history_.T
    assert (np.diff(scores) >= 0).all() and (np.diff(bounds) <= 1e-9).all()
    assert (bounds >= scores - 1e-9).all()
    assert bounds[0] > bounds[-1] == scores[-1]


@pytest.mark.parametrize("method", ["cutting-planes", "branch-and-bound"])
def test_a_poor_start_does_not_change_the_end(method, monkeypatch):
    # Orders are taken as they come, neither improved nor kicked: the search must do the work, and drop nothing good.
    monkeypatch.setattr(
        "treatise.bayesnet.structure._part_search.search_orders", lambda starts, masks, scores, order, swaps: order
    )
    worse = 0
    for seed in range(8):
        codes, _ = random_table(seed, 8, n=80)
        exact = ConstrainedStructureLearner("aic", max_parents=3, method="dynamic-programming").fit(codes)
        learner = ConstrainedStructureLearner("aic", max_parents=3, method=method).fit(codes)
        assert learner.score_ == pytest.approx(exact.score_, abs=1e-8), seed
        worse += learner.history_[0, 1] < exact.score_ - 3
    assert worse >= 4


def test_branch_and_bound_looks_from_the_bottom_and_goes_depth_first_with_the_same_result(monkeypatch):
    codes, _ = random_table(8, 8, n=100)
    exact = ConstrainedStructureLearner("aic", method="dynamic-programming").fit(codes)
    for bottom_every in (1, 2, 1000):
        other = ConstrainedStructureLearner("aic", method="branch-and-bound", bottom_every=bottom_every).fit(codes)
        assert other.score_ == pytest.approx(exact.score_, abs=1e-8)
    monkeypatch.setattr("treatise.bayesnet.structure._branch_and_bound._MOST_WAITING", 3)
    narrow = ConstrainedStructureLearner("aic", method="branch-and-bound").fit(codes)
    assert narrow.optimal_ and narrow.score_ == pytest.approx(exact.score_, abs=1e-8)


def test_more_than_64_variables_of_one_knot_give_bounds_that_agree():
    # Copies of one column with noise: every variable may be a parent of every other, and bits take two words.
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 40)
    codes = np.where(rng.random((40, 66)) < 0.1, 1 - base[:, None], base[:, None])
    first, second = (
        ConstrainedStructureLearner(max_parents=1, method=method, time_limit=1.0).fit(codes)
        for method in ("cutting-planes", "branch-and-bound")
    )
    assert is_acyclic(first.parents_) and is_acyclic(second.parents_)
    assert max(first.score_, second.score_) <= min(first.upper_bound_, second.upper_bound_)
    assert recomputed(first, codes, [2] * 66) == pytest.approx(first.score_, abs=1e-8)
    assert first.edges_.max() >= 64


def wine(criterion, **options):
    X, y = load_wine(return_X_y=True)
    return ConstrainedStructureLearner(criterion, **options).fit(np.column_stack([y, X.mean(axis=0) < X]))


@pytest.mark.parametrize(
    ("method", "criterion", "score", "n_sets", "most"),
    [("cutting-planes", "bic", -1280.074832, 626, 3), ("dynamic-programming", "bdeu", -1277.146727, 649, 6)],
)
def test_wine_has_the_optimum_and_the_parent_sets_of_an_independent_computation(method, criterion, score, n_sets, most):
    # Optima by dynamic programming over all 2^14 subsets, natural logarithms, to six decimals.
    learner = wine(criterion, method=method)
    assert learner.score_ == pytest.approx(score, abs=1e-6)
    assert learner.n_parent_sets_ == n_sets
    assert learner.n_scores_possible_ == 114_688
    if criterion == "bic":
        assert learner.n_scores_evaluated_ <= 22_906
    assert max(map(len, learner.parents_)) <= most


@pytest.mark.parametrize(("criterion", "score"), [("bic", -361.175737), ("bdeu", -354.234338)])
def test_iris_has_the_optimum_that_hill_climbing_misses(criterion, score):
    X, y = load_iris(return_X_y=True)
    learner = ConstrainedStructureLearner(criterion).fit(np.column_stack([y, X.mean(axis=0) < X]))
    assert learner.score_ == pytest.approx(score, abs=1e-6)
    if criterion == "bic":
        assert learner.score_ > -363.556569 + 1  # where hill climbing from the empty graph ends


def test_tree_augmented_rules_give_a_forest_beside_the_class():
    learner = wine("bic", rules=tree_augmented_rules(range(14), 0))
    assert learner.parents_[0] == ()
    for parents in learner.parents_[1:]:
        assert parents == () or (0 in parents and len(parents) <= 2)
    assert learner.optimal_ and learner.score_ <= -1280.074832


def test_naive_bayes_rules_allow_arcs_from_the_class_alone():
    learner = wine("bic", rules=naive_bayes_rules(range(14), 0))
    assert set(learner.edges_[:, 0].tolist()) == {0}


def test_a_full_order_needs_no_branching():
    codes, _ = random_table(3, 5)
    learner = ConstrainedStructureLearner(rules=order_rules([4, 2, 0, 1, 3]), method="branch-and-bound").fit(codes)
    assert learner.n_steps_ == 0 and learner.optimal_
    place = {4: 0, 2: 1, 0: 2, 1: 3, 3: 4}
    assert all(place[a] < place[b] for a, b in learner.edges_.tolist())


def test_groups_of_an_order_are_free_inside():
    codes, _ = random_table(3, 5)
    learner = ConstrainedStructureLearner(rules=order_rules([[0, 1], 2, [3, 4]])).fit(codes)
    tier = {0: 0, 1: 0, 2: 1, 3: 2, 4: 2}
    assert all(tier[a] <= tier[b] for a, b in learner.edges_.tolist())


def test_names_of_columns_serve_in_rules_and_come_back():
    pandas = pytest.importorskip("pandas")
    codes, _ = random_table(0, 4, n=200)
    frame = pandas.DataFrame({name: [f"s{v}" for v in codes[:, i]] for i, name in enumerate("abcd")})
    learner = ConstrainedStructureLearner(required_arcs=[("d", "a")], max_parents={"b": 0}).fit(frame)
    graph = learner.to_networkx()
    assert graph.has_edge("d", "a") and graph.in_degree("b") == 0 and set(graph.nodes) == set("abcd")
    network = learner.to_network()
    assert isinstance(network, BayesianNetwork)
    assert network.variables == tuple("abcd") and "d" in network.parents["a"]
    np.testing.assert_allclose(network.score_samples(frame), learner.score_samples(frame), rtol=1e-12)


def test_declared_categories_count_as_states():
    pandas = pytest.importorskip("pandas")
    column = pandas.Categorical(["x", "y"] * 20, categories=["x", "y", "z"])
    frame = pandas.DataFrame({"a": column, "b": ["u", "u", "v", "v"] * 10})
    learner = ConstrainedStructureLearner(max_parents=0).fit(frame)
    codes = np.column_stack([np.tile([0, 1], 20), np.tile([0, 0, 1, 1], 10)])
    assert learner.score_ == pytest.approx(sum(local_score(codes, [3, 2], i, (), "bic", 1.0) for i in (0, 1)), abs=1e-9)


def test_tables_are_posterior_means():
    codes, n_states = random_table(1, 4, n=60)
    learner = ConstrainedStructureLearner("bdeu", equivalent_sample_size=4.0).fit(codes)
    for child, (parents, table) in enumerate(zip(learner.parents_, learner.cpts_)):
        counts = np.full([n_states[column] for column in (*parents, child)], 0.0)
        counts += 4.0 / counts.size
        np.add.at(counts, tuple(codes[:, column] for column in (*parents, child)), 1)
        np.testing.assert_allclose(table, counts / counts.sum(axis=-1, keepdims=True), rtol=1e-12)


def test_weights_of_arcs_are_what_the_score_loses():
    codes, n_states = random_table(2, 5, n=300)
    learner = ConstrainedStructureLearner().fit(codes)
    assert len(learner.edges_) and (learner.edge_weights_ > 0).all()
    for (a, b), weight in zip(learner.edges_.tolist(), learner.edge_weights_):
        others = [parent for parent in learner.parents_[b] if parent != a]
        whole, less = (local_score(codes, n_states, b, own, "bic", 1.0) for own in (learner.parents_[b], others))
        assert weight == pytest.approx(whole - less, abs=1e-9)


def test_score_is_higher_on_data_like_that_learned_from():
    codes, _ = random_table(2, 5, n=300)
    learner = ConstrainedStructureLearner().fit(codes[:150])
    assert learner.score(codes[150:]) > learner.score(np.random.default_rng(0).permuted(codes[150:], axis=0))


# Stops.


def hard_table():
    """Thirty binary columns from few hidden ones, which take branch and bound more than a moment."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, (200, 6))
    pairs = rng.integers(0, 6, (30, 2))
    codes = (hidden[:, pairs[:, 0]] ^ hidden[:, pairs[:, 1]]).astype(int)
    return np.where(rng.random(codes.shape) < 0.15, 1 - codes, codes)


@pytest.mark.parametrize("method", ["cutting-planes", "branch-and-bound"])
def test_a_time_limit_is_kept_and_the_bound_still_holds(method):
    codes = hard_table()
    ConstrainedStructureLearner(max_parents=2, method=method).fit(codes[:, :6])  # compile
    started = time.process_time()
    learner = ConstrainedStructureLearner("aic", max_parents=2, method=method, time_limit=1.0).fit(codes)
    # No more of the processor than of the clock, and a second for what comes after the search.
    assert time.process_time() - started < 1.0 * 1.1 + 1.0
    assert is_acyclic(learner.parents_)
    assert learner.upper_bound_ >= learner.score_
    assert learner.gap_ == pytest.approx((learner.upper_bound_ - learner.score_) / abs(learner.score_))


def test_scoring_cut_short_keeps_a_bound_that_no_network_beats():
    codes, n_states = random_table(4, 5, n=100)
    for criterion in ("bic", "bdeu"):
        best = all_scores(codes, n_states, criterion, 1.0).max()
        for most in (6, 11, 21):  # sizes 0, 1, 2 are scored

            def enough(state, most=most):
                return state.phase == "scoring" and state.n_scores_evaluated >= most

            learner = ConstrainedStructureLearner(criterion, callback=enough).fit(codes)
            assert learner.n_scores_evaluated_ < learner.n_scores_possible_
            assert learner.score_ - 1e-9 <= best <= learner.upper_bound_ + 1e-9
            assert not learner.optimal_


def test_a_callback_sees_the_search_and_may_stop_it():
    states = []

    def three(state):
        states.append(state)
        return sum(each.phase == "searching" for each in states) >= 3

    learner = ConstrainedStructureLearner("aic", max_parents=2, method="branch-and-bound", callback=three).fit(
        hard_table()
    )
    assert not learner.optimal_ and learner.gap_ > 0
    last = states[-1]
    assert last.phase == "searching" and last.gap == pytest.approx(learner.gap_)
    assert (last.score, last.upper_bound) == (learner.score_, learner.upper_bound_)
    assert last.n_scores_evaluated == learner.n_scores_evaluated_ and last.n_steps == learner.n_steps_ > 0


def test_a_gap_tolerance_ends_the_search_early():
    loose = ConstrainedStructureLearner("aic", max_parents=2, gap_tolerance=0.2).fit(hard_table())
    assert 0 < loose.gap_ <= 0.2


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals go to the main thread")
@pytest.mark.parametrize("method", ["cutting-planes", "branch-and-bound"])
def test_an_interrupt_keeps_the_best_so_far_and_its_gap(method):
    codes = hard_table()

    def press(state):
        if state.phase == "searching":
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(ConvergenceWarning, match="interrupted after .* per cent below the best possible"):
        learner = ConstrainedStructureLearner("aic", max_parents=2, method=method, callback=press).fit(codes)
    assert np.isfinite(learner.score_) and learner.gap_ > 0 and is_acyclic(learner.parents_)


def test_an_interrupt_while_scoring_keeps_what_was_scored():
    codes, n_states = random_table(4, 5, n=100)

    def press(state):
        if state.phase == "scoring" and state.n_scores_evaluated >= 6:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        learner = ConstrainedStructureLearner(callback=press).fit(codes)
    best = all_scores(codes, n_states, "bic", 1.0).max()
    assert learner.score_ - 1e-9 <= best <= learner.upper_bound_ + 1e-9


def test_the_same_seed_gives_the_same_network():
    codes = hard_table()[:, :10]
    options = {"max_parents": 2, "random_state": 3, "method": "cutting-planes"}
    first, second = (ConstrainedStructureLearner("aic", **options).fit(codes) for _ in range(2))
    assert first.parents_ == second.parents_ and first.score_ == second.score_


def test_the_picture_shows_score_and_bound():
    learner = ConstrainedStructureLearner("aic", method="branch-and-bound").fit(random_table(5, 7)[0])
    ax = plot_search_bounds(learner)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["upper bound", "best network"]
    assert ax.get_title() == "best to 0 %"
    with pytest.raises(ValueError, match="rows of seconds, score and upper bound"):
        plot_search_bounds(np.zeros((0, 3)))


# Bad input.

GOOD = np.array([[0, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"required_arcs": [(0, 1), (1, 2), (2, 0)]},
            r"required arcs make a cycle, (\d -> ){3}\d",
        ),
        ({"required_arcs": [(0, 1)], "forbidden_arcs": [(0, 1)]}, "arc 0 -> 1 is both required and forbidden"),
        ({"required_arcs": [(0, 1), (2, 1)], "max_parents": 1}, "1 has 2 required parents .* at most 1"),
        ({"required_arcs": [(0, 7)]}, "7 in the rules is no column of X; its columns: 0, 1, 2"),
        ({"required_arcs": [(0,)]}, "is no arc; give pairs"),
        ({"forbidden_arcs": [(1, 1)]}, "its own parent"),
        ({"rules": ["a -> b"]}, "which is no rule"),
        ({"rules": [indegree(1, 2, "eq")], "max_parents": 1}, "no parents of 1 obey the rules"),
        ({"rules": [indegree(i, 1, "eq") for i in range(3)]}, "no acyclic network obeys the rules"),
        ({"max_parents": {0: -1}}, "max_parents gives 0 the value -1"),
        ({"max_parents": {"a": 1}}, "'a' in the rules is no column"),
    ],
)
@pytest.mark.parametrize("method", ["auto", "branch-and-bound", "cutting-planes"])
def test_contradictory_rules_are_refused(options, message, method):
    with pytest.raises(ValueError, match=message):
        ConstrainedStructureLearner(**options, method=method).fit(GOOD)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[0, 1], [0, 0], [0, 1]]), "column 0 has one state only, 0: .* leave it out"),
        (np.array([[0.5, 1], [0.1, 0], [0.2, 1]]), "column 0 of X is continuous .*discretizer"),
        (np.array([[0, np.nan], [1, 0], [1, 1]]), "NaN"),
        (np.array([["a", None], ["b", "x"]], dtype=object), "missing|NaN"),
        (np.array([[0, 1]]), "n_samples=1"),
    ],
)
def test_tables_that_are_no_categories_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        ConstrainedStructureLearner().fit(X)


def test_a_discretizer_takes_continuous_columns():
    X, _ = load_iris(return_X_y=True)
    learner = ConstrainedStructureLearner(discretizer=KBinsDiscretizer(3, encode="ordinal", strategy="uniform")).fit(X)
    assert learner.optimal_ and len(learner.edges_)


def test_values_that_were_not_there_have_no_probability():
    learner = ConstrainedStructureLearner().fit(GOOD)
    with pytest.raises(ValueError, match="row 1 of column 2 holds a value that was not there"):
        learner.score_samples([[0, 1, 0], [0, 1, 5]])


def test_too_many_variables_for_dynamic_programming_are_refused():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 60)
    codes = np.where(rng.random((60, 24)) < 0.1, 1 - base[:, None], base[:, None])
    with pytest.raises(ValueError, match=r"24 variables .* takes at most 22"):
        ConstrainedStructureLearner(max_parents=1, method="dynamic-programming").fit(codes)


def test_real_networks_are_solved(real_data):
    for name, n_edges in (("asia", 3), ("cancer", 1)):
        network = BayesianNetwork.read(real_data(f"bn/{name}.bif.gz"))
        X = network.sample(1000, random_state=0)
        keep = [i for i in range(X.shape[1]) if len(np.unique(X[:, i])) > 1]
        learner = ConstrainedStructureLearner(max_parents=3).fit(X[:, keep])
        truth = ConstrainedStructureLearner(max_parents=3, method="branch-and-bound").fit(X[:, keep])
        assert learner.optimal_ and truth.optimal_ and len(learner.edges_) >= n_edges
        assert learner.score_ == pytest.approx(truth.score_, abs=1e-8)
