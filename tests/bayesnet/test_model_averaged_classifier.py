"""Averages over the networks of an order against sums over every network, and the search that gives the order."""

import itertools
import math

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import KBinsDiscretizer

from treatise.bayesnet import (
    AveragedNaiveBayes,
    BayesianNetwork,
    ModelAveragedClassifier,
    OrderAveragedNetwork,
    greedy_thick_thin,
    plot_inclusion,
)
from treatise.bayesnet.averaging._order_averaging import within_union
from treatise.datasets import make_network_table
from treatise.io import load_model, save_model
from treatise.statistics.family_scores import FamilyScores


def coupled_table(seed, n=60, states=(2, 3, 2, 3)):
    """Variables each of which follows an earlier one now and then; every state occurs."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.concatenate([np.arange(3) % r, rng.integers(0, r, n - 3)]) for r in states])
    for i in range(1, len(states)):
        X[3:, i] = np.where(rng.random(n - 3) < 0.5, X[3:, rng.integers(0, i)] % states[i], X[3:, i])
    return X, np.array(states)


def family(X, states, child, parents, ess=None):
    """Log marginal likelihood (Equation 7) and smoothed table (Equation 4) of one family, by loops."""
    score, table = 0.0, {}
    q = math.prod(states[list(parents)]) if parents else 1
    cell = 1.0 if ess is None else ess / (q * states[child])
    for configuration in itertools.product(*[range(states[u]) for u in parents]):
        rows = np.all(X[:, list(parents)] == configuration, axis=1)
        counts = np.bincount(X[rows, child], minlength=states[child])
        total = cell * states[child]
        score += math.lgamma(total) - math.lgamma(total + counts.sum())
        score += sum(math.lgamma(cell + count) - math.lgamma(cell) for count in counts)
        table[configuration] = (cell + counts) / (total + counts.sum())
    return score, table


def sum_over_networks(X, states, levels, max_parents, ess=None):
    """Probability of every joint state, and of every arc, from each network that respects the order."""
    p = len(states)
    level_of = {u: at for at, level in enumerate(levels) for u in level}
    choices = []
    for child in range(p):
        earlier = [u for u in range(p) if level_of[u] < level_of[child]]
        choices.append([own for k in range(max_parents + 1) for own in itertools.combinations(earlier, k)])
    families = [{own: family(X, states, child, own, ess) for own in sets} for child, sets in enumerate(choices)]
    cells = list(itertools.product(*[range(r) for r in states]))
    density, arcs, evidence, n_networks = np.zeros(len(cells)), np.zeros((p, p)), 0.0, 0
    shift = sum(max(score for score, _ in found.values()) for found in families)
    for network in itertools.product(*choices):
        weight = math.exp(sum(families[child][own][0] for child, own in enumerate(network)) - shift)
        evidence += weight
        n_networks += 1
        for child, own in enumerate(network):
            arcs[list(own), child] += weight
        for at, cell in enumerate(cells):
            factors = (families[i][own][1][tuple(cell[u] for u in own)][cell[i]] for i, own in enumerate(network))
            density[at] += weight * math.prod(factors)
    return np.array(cells), density / evidence, arcs / evidence, n_networks


@pytest.mark.parametrize(
    ("levels", "max_parents", "prior", "n_networks"),
    [
        ([[0], [1], [2], [3]], 2, "k2", 1 * 2 * 4 * 7),
        ([[2], [0], [3], [1]], 2, "bdeu", 1 * 2 * 4 * 7),
        ([[1, 3], [0, 2]], 2, "k2", 4 * 4),
        ([[3], [0, 1, 2]], 1, "bdeu", 2**3),
    ],
)
def test_average_equals_the_sum_over_every_network(levels, max_parents, prior, n_networks):
    X, states = coupled_table(0)
    ess = 1.5 if prior == "bdeu" else None
    cells, density, arcs, n_summed = sum_over_networks(X, states, levels, max_parents, ess)
    assert n_summed == n_networks
    model = OrderAveragedNetwork(
        max_parents, max_union=4, order=levels, parameter_prior=prior, equivalent_sample_size=1.5
    ).fit(X)
    found = np.exp(model.score_samples(cells))
    np.testing.assert_allclose(found, density, rtol=0, atol=1e-12)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(model.arc_posterior_, arcs, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.exp(model.to_network().score_samples(cells)), density, rtol=0, atol=1e-12)
    assert model.orders_ == [levels]


def test_large_tables_are_evaluated_as_small_ones_are(monkeypatch):
    X, _ = coupled_table(1)
    kept = OrderAveragedNetwork(3, order=[0, 1, 2, 3]).fit(X)
    monkeypatch.setattr("treatise.bayesnet.averaging._summary_network._FEW_ENTRIES", 0)
    lazy = OrderAveragedNetwork(3, order=[0, 1, 2, 3]).fit(X)
    assert kept._summaries[0].tables_[3] is not None and lazy._summaries[0].tables_[3] is None
    np.testing.assert_allclose(lazy.score_samples(X), kept.score_samples(X), rtol=0, atol=1e-13)


def test_iris_above_its_means_has_the_probabilities_computed_by_hand():
    X, y = load_iris(return_X_y=True)
    above = (X.mean(axis=0) < X).astype(int)
    model = ModelAveragedClassifier(2, max_union=None, order=[4, 0, 1, 2, 3], discretizer=None).fit(above, y)
    expected = [[0.0037275, 0.3822562, 0.6140163], [0.5672488, 0.2406696, 0.1920816]]
    # Seven digits were noted.
    np.testing.assert_allclose(model.predict_proba([[1, 0, 1, 1], [0, 1, 1, 0]]), expected, rtol=0, atol=1e-7)
    assert model.arc_posterior_[2, 3] == pytest.approx(0.9991070, abs=1e-7)


def test_a_class_above_independent_features_is_averaged_naive_bayes():
    X, y = load_iris(return_X_y=True)
    naive = AveragedNaiveBayes().fit(X, y)
    model = ModelAveragedClassifier(1, order=[[4], [0, 1, 2, 3]]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), naive.predict_proba(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.inclusion_probabilities_, naive.inclusion_probabilities_, atol=1e-12)
    assert model.edges_.tolist() == [[4, i] for i in range(4)]


@pytest.mark.parametrize("place", [0, 2, 4])
def test_class_probabilities_follow_from_the_density_wherever_the_class_stands(place):
    X, states = coupled_table(2, states=(2, 3, 2, 3, 2))
    order = [0, 1, 2, 3]
    order.insert(place, 4)
    joint = OrderAveragedNetwork(2, order=order).fit(X)
    model = ModelAveragedClassifier(2, order=order, discretizer=None).fit(X[:, :4], X[:, 4])
    cells = np.array(list(itertools.product(*[range(r) for r in states])))
    density = np.exp(joint.score_samples(cells)).reshape(-1, 2)
    features = cells[::2, :4]
    np.testing.assert_allclose(
        model.predict_proba(features), density / density.sum(axis=1, keepdims=True), rtol=0, atol=1e-12
    )
    answers = model.to_network().predict_proba(np.column_stack([features, np.zeros(len(features), int)]), "class")
    np.testing.assert_allclose(model.predict_proba(features), answers, rtol=0, atol=1e-12)


def test_a_small_union_keeps_the_best_sets_as_procedure_1_says():
    sets = [(), (0,), (1,), (2,), (3,), (0, 1), (0, 2), (1, 2), (2, 3)]
    scores = np.array([-9.0, -4.0, -5.0, -6.0, -8.0, -3.0, -2.0, -7.0, -1.0])
    # {2, 3} comes first, {0, 2} is the next that may join, and {0, 1} would make four.
    assert [sets[at] for at in within_union(sets, scores, 3)] == [(), (0,), (2,), (3,), (0, 2), (2, 3)]
    # With room for two nothing joins {2, 3}.
    assert [sets[at] for at in within_union(sets, scores, 2)] == [(), (2,), (3,), (2, 3)]
    # A best set that is itself too large is passed over.
    assert [sets[at] for at in within_union(sets, scores, 1)] == [(), (0,)]


def test_a_union_cut_short_averages_over_the_sets_inside_it():
    X, states = coupled_table(3, n=40)
    model = OrderAveragedNetwork(2, max_union=2, order=[0, 1, 2, 3]).fit(X)
    sets = [own for k in range(3) for own in itertools.combinations(range(3), k)]
    found = {own: family(X, states, 3, own) for own in sets}
    best = sorted(sets, key=lambda own: -found[own][0])
    union = set()
    for own in best:
        if len(union.union(own)) <= 2:
            union.update(own)
    inside = [own for own in sets if union.issuperset(own)]
    weights = np.exp([found[own][0] - found[best[0]][0] for own in inside])
    weights /= weights.sum()
    row = X[7]
    expected = sum(w * found[own][1][tuple(row[list(own)])][row[3]] for w, own in zip(weights, inside))
    others = OrderAveragedNetwork(2, max_union=2, order=[0, 1, 2]).fit(X[:, :3]).score_samples(row[None, :3])
    assert model.score_samples(row[None])[0] - others[0] == pytest.approx(math.log(expected), abs=1e-12)
    assert model.summary_parents_[3] == tuple(sorted(union))
    exact = OrderAveragedNetwork(2, max_union=None, order=[0, 1, 2, 3]).fit(X)
    # The arcs are averaged over all sets whatever the union.
    np.testing.assert_array_equal(model.arc_posterior_, exact.arc_posterior_)


def test_opposite_orders_average_their_predictions():
    X, states = coupled_table(4, states=(2, 3, 2, 3, 2))
    model = ModelAveragedClassifier(order="opposite", discretizer=None, random_state=1).fit(X[:, :4], X[:, 4])
    first, second = model.orders_
    assert first == second[::-1] and sorted(itertools.chain(*first)) == [0, 1, 2, 3, 4]
    each = [ModelAveragedClassifier(order=o, discretizer=None).fit(X[:, :4], X[:, 4]) for o in (first, second)]
    mean = (each[0].predict_proba(X[:, :4]) + each[1].predict_proba(X[:, :4])) / 2
    np.testing.assert_allclose(model.predict_proba(X[:, :4]), mean, rtol=0, atol=1e-13)
    np.testing.assert_allclose(model.arc_posterior_, (each[0].arc_posterior_ + each[1].arc_posterior_) / 2)
    with pytest.raises(ValueError, match="averages two networks, which no single one equals"):
        model.to_network()
    joint = OrderAveragedNetwork(order="opposite", random_state=2).fit(X)
    cells = np.array(list(itertools.product(*[range(r) for r in states])))
    assert np.exp(joint.score_samples(cells)).sum() == pytest.approx(1.0, abs=1e-12)


def test_random_orders_follow_the_seed():
    X, _ = coupled_table(5)
    orders = [OrderAveragedNetwork(order="random", random_state=seed).fit(X).orders_ for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]


def thick_thin_by_hand(X, states):
    """Procedure 2, with every network scored anew."""
    p = len(states)

    def score(arcs):
        return sum(family(X, states, i, tuple(np.flatnonzero(arcs[:, i])))[0] for i in range(p))

    def is_acyclic(arcs):
        return not np.linalg.matrix_power(arcs.astype(int) + np.eye(p, dtype=int), p)[arcs.T].any()

    arcs = np.zeros((p, p), dtype=bool)
    for adding in (True, False):
        while True:
            options = []
            for i, j in itertools.permutations(range(p), 2):
                if arcs[i, j] != adding:
                    turned = arcs.copy()
                    turned[i, j] = adding
                    if is_acyclic(turned):
                        options.append((score(turned) - score(arcs), (-i, -j), turned))
            gain, _, best = max(options, key=lambda each: each[:2], default=(0.0, None, arcs))
            if gain <= 1e-9:
                break
            arcs = best
    return arcs


# In the last two an arc that was added is taken away again.
@pytest.mark.parametrize(("seed", "n"), [*((seed, 40) for seed in range(5)), (48, 25), (37, 60)])
def test_greedy_search_turns_the_arcs_of_procedure_2(seed, n):
    X, states = coupled_table(seed, n=n, states=(2, 3, 2, 3, 2))
    network = greedy_thick_thin(X)
    np.testing.assert_array_equal(network.adjacency_, thick_thin_by_hand(X, states))
    for child, parents in network.parents.items():
        table = family(X, states, child, parents)[1]
        for configuration, row in table.items():
            np.testing.assert_allclose(network.cpts[child][configuration], row, rtol=1e-12)


def test_the_greedy_order_puts_parents_of_the_greedy_network_first():
    X, _ = coupled_table(6, n=200, states=(2, 3, 2, 3, 2))
    network = greedy_thick_thin(X)
    assert len(network.edges_) > 1
    place = {u: at for at, (u,) in enumerate(OrderAveragedNetwork().fit(X).orders_[0])}
    assert all(place[parent] < place[child] for parent, child in network.edges_)
    few = greedy_thick_thin(X, max_parents=1)
    assert max(map(len, few.parents.values())) == 1


def test_greedy_search_with_bdeu_ends_at_a_local_optimum():
    X, states = coupled_table(7, n=150, states=(2, 3, 2, 3, 2))
    network = greedy_thick_thin(X, parameter_prior="bdeu", equivalent_sample_size=4.0)
    scores = FamilyScores(X, states, "bdeu", 4.0)
    arcs = network.adjacency_
    for i, j in np.argwhere(arcs):
        parents = np.flatnonzero(arcs[:, j])
        assert scores.score(j, parents) >= scores.score(j, parents[parents != i]) - 1e-9


def test_values_and_configurations_never_seen_fall_back_on_the_prior():
    X = np.array([["a", "u"], ["a", "u"], ["b", "v"], ["b", "v"], ["a", "v"]], dtype=object)
    model = OrderAveragedNetwork(1, order=[0, 1]).fit(X)
    (p_a, p_new), weight = np.exp(model.score_samples([["a", "u"], ["z", "u"]])), model.arc_posterior_[0, 1]
    given = weight * (3 / 5) + (1 - weight) * (3 / 7)
    assert p_a == pytest.approx(4 / 7 * given, rel=1e-12)
    # A new value of the first has the mass of a state without counts, and as a parent says nothing of the second.
    assert p_new == pytest.approx(1 / 7 * (weight * 0.5 + (1 - weight) * (3 / 7)), rel=1e-12)
    new_child = np.exp(model.score_samples([["a", "z"]]))[0]
    assert new_child == pytest.approx(4 / 7 * (weight / 5 + (1 - weight) / 7), rel=1e-12)


def test_whole_weights_repeat_rows_and_fractions_are_refused():
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = ModelAveragedClassifier().fit(X, y, sample_weight=weights)
    repeated = ModelAveragedClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.predict_log_proba(X), repeated.predict_log_proba(X))
    with pytest.raises(ValueError, match=r"sample_weight holds 0.5; .* weights must be whole"):
        ModelAveragedClassifier().fit(X, y, sample_weight=np.full(len(y), 0.5))


def test_an_exclusive_or_is_seen_and_drawn():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 5))
    y = np.array(["even", "odd"])[X[:, 1] ^ X[:, 3]]
    model = ModelAveragedClassifier(order=range(6)).fit(X, y)
    assert model.score(X, y) == 1.0 and AveragedNaiveBayes().fit(X, y).score(X, y) < 0.7
    drawn = model.edges_[:, 1] == 5
    assert model.edges_[drawn].tolist() == [[1, 5], [3, 5]] and (model.edge_weights_[drawn] > 0.99).all()
    np.testing.assert_array_equal(np.argwhere(model.adjacency_), model.edges_)
    assert isinstance(model.to_network(), BayesianNetwork)
    assert len(plot_inclusion(model).patches) == 5


def test_categories_numbers_and_constants_stand_side_by_side(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 150)
    frame = pandas.DataFrame(
        {
            "colour": np.array(["red", "green", "blue"])[np.where(rng.random(150) < 0.4, rng.integers(0, 3, 150), y)],
            "size": rng.normal(size=150) + y,
            "same": "always",
        }
    )
    model = ModelAveragedClassifier().fit(frame, y)
    assert model.states_[0] == ("blue", "green", "red") and model.n_states_[2] == 1
    assert list(model.to_network("kind").variables) == ["colour", "size", "kind"]
    binned = OrderAveragedNetwork(discretizer=KBinsDiscretizer(3, encode="ordinal")).fit(frame)
    assert binned.n_states_.tolist() == [3, 3, 1]
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    np.testing.assert_array_equal(again.predict_log_proba(frame), model.predict_log_proba(frame))
    with pytest.raises(ValueError, match="also the name of a feature"):
        model.to_network("size")
    missing = frame.astype({"colour": object})
    missing.loc[3, "colour"] = None
    with pytest.raises(ValueError, match=r"contains NaN .* in column 'colour'"):
        model.predict(missing)
    with pytest.raises(ValueError, match="contains NaN"):
        ModelAveragedClassifier().fit(missing, y)


def test_bad_orders_and_sizes_are_refused_with_the_reason():
    X, y = load_iris(return_X_y=True)
    for order, reason in (([0, 1, 2, 3], "lacks 4"), ([0, 1, 2, 3, 4, 5], "names 5"), ([0, 1, 2, 3, 4, 4], "twice")):
        with pytest.raises(ValueError, match=f"variables 0 to 4 once; it .*{reason}"):
            ModelAveragedClassifier(order=order).fit(X, y)
    wide = np.random.default_rng(0).integers(0, 2, (20, 150))
    with pytest.raises(ValueError, match=r"max_parents=4 makes .* parent sets of 151 variables"):
        ModelAveragedClassifier(4, order=range(151)).fit(wide, wide[:, 0])
    with pytest.raises(ValueError, match="is continuous"):
        OrderAveragedNetwork().fit(X)
    with pytest.raises(ValueError, match="its shape is"):
        greedy_thick_thin(np.arange(4))
    many = np.arange(900).reshape(-1, 3)
    model = OrderAveragedNetwork(2, order=[0, 1, 2]).fit(many)
    assert np.isfinite(model.score_samples(many)).all()
    with pytest.raises(ValueError, match=r"given its 2 parents would have 2.7e\+07 entries; lower max_union"):
        model.to_network()


def test_averaging_over_networks_beats_averaging_over_naive_ones():
    gains = []
    for seed in range(5):
        X, _ = make_network_table(2000, n_nodes=20, max_parents=5, random_state=seed)
        y, X = X[:, seed], np.delete(X, seed, axis=1)
        areas = [
            roc_auc_score(y[1000:], model.fit(X[:1000], y[:1000]).predict_proba(X[1000:])[:, 1])
            for model in (ModelAveragedClassifier(3, max_union=8), AveragedNaiveBayes())
        ]
        gains.append((areas[0] - areas[1]) / (1 - areas[1]))
    assert np.mean(gains) > 0
