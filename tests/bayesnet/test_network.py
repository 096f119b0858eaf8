"""Bayesian networks against enumeration of all joint states, and against pgmpy."""

import logging
import pickle
from itertools import product
from math import prod

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from treatise.bayesnet import BayesianNetwork
from treatise.io import load_model, save_model

PARENTS = {"a": (), "b": ("a",), "c": ("a",), "d": ("c", "b"), "e": ("d",), "f": ()}
SIZES = {"a": 2, "b": 3, "c": 2, "d": 3, "e": 2, "f": 4}


def random_network(seed, parents=PARENTS, sizes=SIZES, zeros=False):
    rng = np.random.default_rng(seed)
    cpts = {}
    for name, own in parents.items():
        shape = [sizes[parent] for parent in own]
        table = rng.dirichlet(np.ones(sizes[name]), size=prod(shape)).reshape(*shape, sizes[name])
        if zeros:
            table[..., 0] *= rng.integers(0, 2, shape) if shape else 1.0
            table /= table.sum(axis=-1, keepdims=True)
        cpts[name] = table
    return BayesianNetwork(parents, cpts, {name: [f"{name}{i}" for i in range(sizes[name])] for name in parents})


def enumerate_joint(network):
    """The joint table, by the product of the conditional tables state by state."""
    names, states = network.variables, network.states
    joint = np.zeros([len(states[name]) for name in names])
    for at in product(*map(range, joint.shape)):
        place = dict(zip(names, at))
        joint[at] = prod(network.cpts[n][tuple(place[p] for p in (*network.parents[n], n))] for n in names)
    return joint


def brute_force(network, wanted, evidence):
    joint, names = enumerate_joint(network), network.variables
    at = tuple(network.states[n].index(evidence[n]) if n in evidence else slice(None) for n in names)
    left = [n for n in names if n not in evidence]
    table = joint[at].sum(axis=tuple(i for i, n in enumerate(left) if n not in wanted))
    kept = [n for n in left if n in wanted]
    return table.transpose([kept.index(n) for n in wanted])


@pytest.fixture(scope="module")
def network():
    return random_network(0)


@pytest.mark.parametrize("zeros", [False, True])
def test_every_answer_equals_enumeration(zeros):
    for seed in range(3):
        network = random_network(seed, zeros=zeros)
        rng = np.random.default_rng(seed)
        rows = network.sample(6, random_state=seed)
        for row in rows:
            order = list(rng.permutation(network.variables))
            evidence = {n: row[network.variables.index(n)] for n in order[: rng.integers(0, 4)]}
            wanted = order[4 : 4 + rng.integers(1, 3)]
            table = brute_force(network, wanted, evidence)
            np.testing.assert_allclose(network.query(wanted, evidence), table / table.sum(), atol=1e-13)
            assert network.probability(evidence) == pytest.approx(table.sum(), rel=1e-12)
            for name, marginal in network.marginals(evidence).items():
                if name in evidence:
                    assert marginal[network.states[name].index(evidence[name])] == 1.0
                else:
                    own = brute_force(network, [name], evidence)
                    np.testing.assert_allclose(marginal, own / own.sum(), atol=1e-13)
            best = network.most_probable(evidence)
            left = [n for n in network.variables if n not in evidence]
            top = brute_force(network, left, evidence).max()
            assert network.probability(best) == pytest.approx(top, rel=1e-12)
            assert evidence.items() <= best.items()


def test_marginals_one_variable_at_a_time_equal_the_junction_tree(network, monkeypatch):
    evidence = {"e": "e1"}
    whole = network.marginals(evidence)
    monkeypatch.setattr(BayesianNetwork, "_one_by_one", lambda self, known: True)
    for name, marginal in network.marginals(evidence).items():
        np.testing.assert_allclose(marginal, whole[name], atol=1e-14)


def test_information_equals_its_definition_and_keeps_weak_dependence(network):
    joint = brute_force(network, ["b", "c", "d"], {})
    of_x, of_y, of_z = joint.sum(1, keepdims=True), joint.sum(0, keepdims=True), joint.sum((0, 1))
    expected = np.sum(joint * np.log(joint * of_z / (of_x * of_y)))
    assert network.mutual_information("b", "c", "d") == pytest.approx(expected, rel=1e-10)
    assert network.mutual_information("b", "c", "a") < 1e-30
    assert network.mutual_information(["b", "c"], "f") < 1e-30
    delta = 1e-9
    weak = BayesianNetwork.from_tables(
        {"x": ((), [0.5, 0.5]), "y": (("x",), [[0.5 + delta, 0.5 - delta], [0.5 - delta, 0.5 + delta]])}
    )
    # The mutual information of a binary symmetric pair is 2 delta^2 to leading order: 2e-18, below the rounding of 1.
    assert weak.mutual_information("x", "y") == pytest.approx(2 * delta**2, rel=1e-6)


@pytest.mark.parametrize("delta", [1e-4, 2e-3, 0.1])
def test_information_is_right_on_both_sides_of_the_change_of_formula(delta):
    """Against the definition in extended precision, which leaves ten digits of the weakest."""
    network = BayesianNetwork.from_tables(
        {"x": ((), [0.1, 0.9]), "y": (("x",), [[0.3 + delta, 0.7 - delta], [0.3, 0.7]])}
    )
    joint = np.longdouble(network.cpts["x"])[:, None] * np.longdouble(network.cpts["y"])
    expected = np.sum(joint * np.log(joint / np.outer(joint.sum(1), joint.sum(0))))
    assert network.mutual_information("x", "y") == pytest.approx(float(expected), rel=1e-8)


def test_log_likelihood_is_the_log_of_the_joint(network):
    X = network.sample(50, random_state=1)
    joint = enumerate_joint(network)
    expected = [np.log(joint[tuple(network.states[n].index(s) for n, s in zip(network.variables, row))]) for row in X]
    np.testing.assert_allclose(network.score_samples(X), expected, rtol=1e-12)
    assert network.log_likelihood(X) == pytest.approx(np.sum(expected))
    assert network.score(X) == pytest.approx(np.mean(expected))


def test_samples_have_the_frequencies_of_the_joint(network):
    n = 40_000
    codes = network.sample(n, random_state=0, codes=True)
    joint = enumerate_joint(network)
    counts = np.zeros_like(joint)
    np.add.at(counts, tuple(codes.T), 1)
    # Pearson's statistic over the cells has mean cells - 1 and standard deviation sqrt(2 cells): five of these.
    cells = joint.size
    statistic = np.sum((counts - n * joint) ** 2 / (n * joint))
    assert abs(statistic - (cells - 1)) < 5 * np.sqrt(2 * cells)
    states = network.sample(10, random_state=0)
    np.testing.assert_array_equal(network.encode(states), network.sample(10, random_state=0, codes=True))
    assert states[0].tolist() == [network.states[v][c] for v, c in zip(network.variables, network.encode(states)[0])]
    given = network.sample(20_000, evidence={"e": "e0"}, random_state=0, codes=True)
    assert set(given[:, network.variables.index("e")]) == {0}
    share = np.bincount(given[:, 3], minlength=3) / len(given)
    # Five standard errors of a share of 20 000.
    np.testing.assert_allclose(share, network.query("d", {"e": "e0"}), atol=5 * 0.5 / np.sqrt(20_000))


def test_maximum_likelihood_tables_are_the_frequencies_and_beat_all_others(network):
    X = network.sample(300, random_state=2)
    fitted = BayesianNetwork(PARENTS).fit(X)
    column = dict(zip(network.variables, X.T))
    for c, b, d in product(*(fitted.states[n] for n in ("c", "b", "d"))):
        given = (column["c"] == c) & (column["b"] == b)
        at = tuple(fitted.states[n].index(s) for n, s in (("c", c), ("b", b), ("d", d)))
        share = np.mean(column["d"][given] == d) if given.any() else 1 / 3
        assert fitted.cpts["d"][at] == pytest.approx(share)
    best = fitted.log_likelihood(X)
    assert all(random_network(seed).log_likelihood(X) < best for seed in range(5))


def test_a_dirichlet_prior_adds_its_sample_evenly():
    X = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    fitted = BayesianNetwork([(), (0,)]).fit(X, equivalent_sample_size=2)
    # Four rows and a prior of two: 1 for each state of the root, 1/2 for each of the four cells of the table.
    np.testing.assert_allclose(fitted.cpts[0], [4 / 6, 2 / 6])
    np.testing.assert_allclose(fitted.cpts[1], [[2.5 / 4, 1.5 / 4], [0.5 / 2, 1.5 / 2]])
    weighted = BayesianNetwork([(), (0,)]).fit(X[[0, 2, 3]], sample_weight=[2, 1, 1], equivalent_sample_size=2)
    np.testing.assert_allclose(weighted.cpts[1], fitted.cpts[1])


def test_parents_never_seen_leave_a_uniform_row():
    fitted = BayesianNetwork([(), (0,)], states=[[0, 1, 2], [0, 1]]).fit([[0, 1], [1, 1]])
    assert fitted.cpts[1].tolist() == [[0.0, 1.0], [0.0, 1.0], [0.5, 0.5]]
    assert fitted.n_parameters == 2 + 3


@pytest.mark.parametrize("target", ["a", "d", "f"])
def test_prediction_from_all_others_equals_a_question_for_each_row(network, target):
    X = network.sample(25, random_state=3)
    expected = []
    for row in X:
        evidence = {n: s for n, s in zip(network.variables, row) if n != target}
        expected.append(network.query(target, evidence))
    found = network.predict_proba(X, target)
    np.testing.assert_allclose(found, expected, atol=1e-13)
    states = np.array(network.states[target])
    assert network.predict(X, target).tolist() == states[np.argmax(found, axis=1)].tolist()
    hidden = X.astype(object)
    hidden[:, network.variables.index(target)] = None
    np.testing.assert_array_equal(network.predict_proba(hidden, target), found)


@pytest.mark.parametrize("kept", [["e", "f"], ["b", "c", "e"], ["f"], ["a"]])
def test_columns_that_a_frame_lacks_are_unknown(network, kept):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(network.sample(40, random_state=4), columns=network.variables)[kept]
    expected = [network.query("d", dict(row)) for _, row in frame.iterrows()]
    np.testing.assert_allclose(network.predict_proba(frame, "d"), expected, atol=1e-13)


def test_rows_of_evidence_are_answered_alike_in_one_block_and_in_many(network, monkeypatch):
    from treatise.bayesnet.network import answers

    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(network.sample(200, random_state=5), columns=network.variables)[["b", "c", "e"]]
    together = network.predict_proba(frame, "a")
    monkeypatch.setattr(answers, "_ENTRIES_AT_ONCE", 8)
    np.testing.assert_allclose(network.predict_proba(frame, "a"), together, atol=1e-15)


def test_long_chains_of_unlikely_evidence_do_not_vanish():
    n = 1500
    table = [[0.9, 0.1], [0.1, 0.9]]
    chain = {"h0": ((), [0.5, 0.5]), "o0": (("h0",), [[0.999, 0.001], [0.998, 0.002]])}
    for i in range(1, n):
        chain[f"h{i}"] = ((f"h{i - 1}",), table)
        chain[f"o{i}"] = ((f"h{i}",), [[0.999, 0.001], [0.998, 0.002]])
    network = BayesianNetwork.from_tables(chain)
    evidence = {f"o{i}": 1 for i in range(n)}
    # Far from the start the filter forgets it: the forward recursion gives the last state's distribution.
    forward = np.array([0.5, 0.5]) * [0.001, 0.002]
    for _ in range(1, n):
        forward = (forward @ np.array(table)) * [0.001, 0.002]
        forward /= forward.sum()
    np.testing.assert_allclose(network.query(f"h{n - 1}", evidence), forward / forward.sum(), atol=1e-10)
    assert network.probability(evidence) == 0.0  # 10^-4250 is below what a float can hold


def test_structures_may_be_given_in_five_ways(network):
    networkx = pytest.importorskip("networkx")
    edges = [(p, c) for c, own in PARENTS.items() for p in own]
    names = list(PARENTS)
    numbers = [tuple(names.index(p) for p in own) for own in PARENTS.values()]
    graph = networkx.DiGraph()
    graph.add_nodes_from(PARENTS)
    graph.add_edges_from(edges)
    for given in (PARENTS, graph, network):
        assert {n: set(p) for n, p in BayesianNetwork(given).parents.items()} == {n: set(p) for n, p in PARENTS.items()}
    assert set(BayesianNetwork(edges).variables) == set("abcde")
    assert BayesianNetwork(edges, states={"f": ["x", "y"]}).variables[-1] == "f"
    by_number = BayesianNetwork(numbers)
    assert by_number.variables == tuple(range(6)) and by_number.parents[3] == (2, 1)
    assert BayesianNetwork(np.array([[2, 0], [1, 0]])).parents == {0: (2, 1), 1: (), 2: ()}
    assert BayesianNetwork({"wet": ["rain", "sprinkler"]}).parents["rain"] == ()
    assert networkx.utils.graphs_equal(network.to_networkx(), graph)


def test_graph_attributes_agree_with_networkx(network):
    networkx = pytest.importorskip("networkx")
    graph = network.to_networkx()
    adjacency = networkx.to_numpy_array(graph, nodelist=network.variables).astype(bool)
    np.testing.assert_array_equal(network.adjacency_, adjacency)
    np.testing.assert_array_equal(network.edges_, np.argwhere(adjacency))
    moral = networkx.moral_graph(graph)
    assert {frozenset(e) for e in network.moral_graph().edges} == {frozenset(e) for e in moral.edges}
    for name in network.variables:
        assert set(network.markov_blanket(name)) == set(moral.neighbors(name))
    for x, y in product(network.variables, repeat=2):
        for given in ((), ("a",), ("e",), ("a", "d"), ("b", "e")):
            if x != y and x not in given and y not in given:
                assert network.d_separated(x, y, given) == networkx.is_d_separator(graph, {x}, {y}, set(given))


def test_arrays_frames_categories_and_numbers_give_the_same_tables():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (60, 2))
    plain = BayesianNetwork([(), (0,)]).fit(codes)
    words = np.array(["lo", "mid", "up"])[codes]
    frame = pandas.DataFrame(words, columns=["x", "y"])
    tables = BayesianNetwork({"x": (), "y": ("x",)})
    for X in (words, words.astype(object), frame, polars.DataFrame(words, schema=["x", "y"]), frame[["y", "x"]],
              frame.assign(more=1.5)):  # fmt: skip
        np.testing.assert_array_equal(tables.fit(X).cpts["y"], plain.cpts[1])
    assert tables.states["x"] == ("lo", "mid", "up")
    ordered = frame.astype(pandas.CategoricalDtype(["up", "mid", "lo", "top"]))
    assert tables.fit(ordered).states["x"] == ("up", "mid", "lo", "top")
    np.testing.assert_array_equal(tables.cpts["y"][:3, :3], plain.cpts[1][::-1, ::-1])
    assert tables.cpts["y"][3].tolist() == [0.25] * 4  # never seen
    np.testing.assert_array_equal(BayesianNetwork([(), (0,)]).fit(codes.astype(float)).cpts[1], plain.cpts[1])
    mixed = [["u", 1], ["v", 2], ["u", 2]]
    assert BayesianNetwork([(), (0,)]).fit(mixed).states == {0: ("u", "v"), 1: (1, 2)}
    assert BayesianNetwork([(), (0,)]).fit(mixed).sample(3, random_state=0).dtype == object


def test_models_survive_saving_pickling_and_bif(network, tmp_path):
    X = network.sample(20, random_state=6)
    network.marginals()
    save_model(network, tmp_path / "network.skops")
    network.write(tmp_path / "network.bif.gz", name="small")
    for again in (
        load_model(tmp_path / "network.skops").model,
        pickle.loads(pickle.dumps(network)),
        BayesianNetwork.read(tmp_path / "network.bif.gz"),
    ):
        assert again.variables == network.variables and again.parents == network.parents
        assert again.states == network.states
        np.testing.assert_array_equal(again.score_samples(X), network.score_samples(X))
        np.testing.assert_array_equal(again.query("a", {"e": "e1"}), network.query("a", {"e": "e1"}))
    unfitted = BayesianNetwork({"x": (), "y": ("x",)}, states={"x": [True, False]})
    save_model(unfitted, tmp_path / "unfitted.skops")
    again = load_model(tmp_path / "unfitted.skops").model
    assert again.fit([[True, 1], [True, 2]]).states == {"x": (True, False), "y": (1, 2)}


def test_numbers_are_written_as_text_unless_two_would_be_the_same(tmp_path):
    numbers = BayesianNetwork([(), (0,)], [[0.25, 0.75], [[0.5, 0.5], [1.0, 0.0]]])
    numbers.write(tmp_path / "numbers.bif")
    again = BayesianNetwork.read(tmp_path / "numbers.bif")
    assert again.parents == {"0": (), "1": ("0",)} and again.states["1"] == ("0", "1")
    with pytest.raises(ValueError, match="two states of 'x' are the same as text"):
        BayesianNetwork({"x": ()}, {"x": [0.5, 0.5]}, {"x": [1, "1"]}).write(tmp_path / "same.bif")


def test_rounded_decimals_are_scaled_and_exact_rows_left_alone():
    third = BayesianNetwork([()], [[0.3333, 0.3333, 0.3333]])
    assert third.cpts[0].sum() == pytest.approx(1.0, abs=1e-15)
    exact = [0.1, 0.2, 0.7]
    assert BayesianNetwork([()], [exact]).cpts[0].tolist() == exact


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (({"a": ("b",), "b": ("c",), "c": ("a",)},), "the graph has a cycle, a -> c -> b -> a"),
        (({"a": ("a",)},), "a cycle, a -> a"),
        (({"a": ("b", "b")},), "'a' lists a parent twice"),
        (({"a": "bc"},), "the parents of 'a' are the string 'bc'"),
        (([(0, 1, 2)],), r"\(0, 1, 2\) is no edge"),
        ((["ab"],), "'ab' is no edge"),
        (([(), (5,)],), "the parent 5 is no column number from 0 to 1"),
        (([],), "no variables"),
        ((7,), "not a int"),
        (([()], [[1.0]]), "has the states .* it needs two or more"),
        (([()], [[0.5, 0.6]]), "must sum to one along its last axis; it sums to 1.1"),
        (([(), (0,)], [[0.5, 0.5], [[1, 0], [0.2, 0.7]]]), "its row 0=1 sums to 0.9"),
        (([()], [[1.5, -0.5]]), "negative, infinite or NaN"),
        (([()], [[np.nan, 0.5]]), "negative, infinite or NaN"),
        (([(), (0,)], [[0.5, 0.5], [0.5, 0.5]]), "has 1 axes; it needs one for each of its 1 parents"),
        (([(), (0,)], [[0.5, 0.5], [[0.5, 0.5]] * 3]), r"must have the shape \(2, 2\).*it has \(3, 2\)"),
        (([(), (0,)], [[0.5, 0.5]]), "cpts lists 1 entries for the 2 variables"),
        (({"a": (), "b": ()}, {"a": [0.5, 0.5]}), "no table for the variable 'b'"),
        (([()], None, [["x"]]), "it needs two or more"),
        (([()], None, [["x", "x"]]), "lists a state twice"),
        (([()], None, ["xy"]), "it needs two or more, in a list"),
    ],
)
def test_networks_that_cannot_be_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        BayesianNetwork(*arguments)


def test_an_undirected_graph_is_refused():
    networkx = pytest.importorskip("networkx")
    with pytest.raises(ValueError, match="edges of a Graph have no direction"):
        BayesianNetwork(networkx.Graph([(0, 1)]))


def test_bad_data_are_refused_with_the_reason(network):
    two = BayesianNetwork({"x": (), "y": ("x",)})
    for X, words in (
        ([["u", 1], ["v", None]], "row 1 of the column 'y' is missing"),
        (np.array([[1.0, 2.0], [np.nan, 1.0]]), "row 1 of the column 'x' is missing"),
        ([["u", 1], ["u", 2]], "the column 'x' is always 'u'; leave it out, or name in states="),
        ([["u"], ["v"]], "X has 1 columns and the network 2 variables"),
        (np.array([1, 2]), "X must be a table"),
        (np.empty((0, 2)), "at least one row"),
        (np.array([[0.5, 1.0], [1.0, 2.0]]), r"the column 'x' is continuous \(it holds 0.5\); cut it into states"),
        ([["u", 2.5], ["v", 1.0]], "the column 'y' is continuous"),
    ):
        with pytest.raises(ValueError, match=words):
            two.fit(X)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="X has no column 'y'"):
        two.fit(pandas.DataFrame({"x": [1, 2]}))
    with pytest.raises(ValueError, match="at least one row"):
        two.fit(pandas.DataFrame({"x": [], "y": []}))
    halves = BayesianNetwork({"x": (), "y": ("x",)}, states={"x": [0.5, 1.0]}).fit([[0.5, 1], [1.0, 2]])
    assert halves.states["x"] == (0.5, 1.0)
    with pytest.raises(ValueError, match="n_samples=-1"):
        network.sample(-1)
    with pytest.raises(ValueError, match="is missing"):
        two.fit(pandas.DataFrame({"x": [1, 2], "y": pandas.array([1, None], dtype="Int64")}))
    with pytest.raises(ValueError, match="equivalent_sample_size=-1"):
        two.fit([[0, 0], [1, 1]], equivalent_sample_size=-1)
    with pytest.raises(ValueError, match="sample_weight must hold 2"):
        two.fit([[0, 0], [1, 1]], sample_weight=[1])
    with pytest.raises(ValueError, match="'a9' is no state of 'a'; its states: 'a0', 'a1'"):
        network.score_samples([["a9", "b0", "c0", "d0", "e0", "f0"]])
    wide = BayesianNetwork([()] * 10 + [tuple(range(10))])
    with pytest.raises(ValueError, match=r"given its 10 parents would have .* entries"):
        wide.fit(np.array([[i] * 11 for i in range(8)]))


def test_bad_questions_are_refused_with_the_reason(network):
    with pytest.raises(NotFittedError, match="no tables yet"):
        BayesianNetwork(PARENTS).query("a")
    with pytest.raises(ValueError, match="'z' is no variable of the network; its variables: 'a', 'b'"):
        network.query("z")
    with pytest.raises(ValueError, match="'a': 'a7' names no state of the variable; its states: 'a0', 'a1'"):
        network.query("b", {"a": "a7"})
    with pytest.raises(ValueError, match="not in the evidence"):
        network.query("a", {"a": "a0"})
    with pytest.raises(ValueError, match="each once"):
        network.query(["a", "a"])
    with pytest.raises(ValueError, match="no variable in common"):
        network.d_separated("a", "b", "a")
    certain = BayesianNetwork.from_tables({"x": ((), [1.0, 0.0]), "y": (("x",), [[1.0, 0.0], [0.5, 0.5]])})
    assert certain.probability({"y": 1}) == 0.0
    for question in (certain.marginals, certain.most_probable, lambda e: certain.query("x", e),
                     lambda e: certain.sample(3, evidence=e)):  # fmt: skip
        with pytest.raises(ValueError, match="the evidence y=1 has probability 0"):
            question({"y": 1})
    with pytest.raises(ValueError, match="row 1 of X has probability 0 whatever 'x' is"):
        certain.predict([[0, 0], [0, 1]], "x")


def test_a_question_too_wide_to_answer_says_so_before_it_takes_memory():
    n = 30
    rng = np.random.default_rng(0)
    parents = {f"o{i}": tuple(f"r{j}" for j in rng.permutation(n)[:8]) for i in range(n)}
    cpts = {name: np.full([2] * 9, 0.5) for name in parents} | {f"r{j}": [0.5, 0.5] for j in range(n)}
    network = BayesianNetwork(parents, cpts)
    evidence = {f"o{i}": 0 for i in range(n)}
    with pytest.raises(ValueError, match=r"needs a table of .* joint states, more than"):
        network.query("r0", evidence)


def test_plot_shows_every_variable_below_its_parents(network):
    ax = network.plot()
    place = {text.get_text(): text.get_position() for text in ax.texts}
    assert set(place) == set(network.variables)
    assert all(place[p][1] > place[c][1] for c, own in PARENTS.items() for p in own)
    assert network.plot(ax=ax) is ax


def pgmpy_model(network):
    models, factors = pytest.importorskip("pgmpy.models"), pytest.importorskip("pgmpy.factors.discrete")
    logging.disable(logging.CRITICAL)
    names = network.variables
    model = models.DiscreteBayesianNetwork([(names[u], names[v]) for u, v in network.edges_])
    model.add_nodes_from(names)
    for name in names:
        table, own = network.cpts[name], network.parents[name]
        columns = np.moveaxis(table, -1, 0).reshape(table.shape[-1], -1)
        states = {n: list(network.states[n]) for n in (name, *own)}
        model.add_cpds(factors.TabularCPD(name, table.shape[-1], columns, list(own) or None,
                                          list(table.shape[:-1]) or None, states))  # fmt: skip
    return model


@pytest.mark.parametrize(
    "name",
    ["asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "water", "alarm", "barley", "hailfinder",
     "hepar2", "pathfinder", "munin1", "andes"],
)  # fmt: skip
def test_published_networks_have_the_marginals_that_pgmpy_finds(name, real_data):
    inference = pytest.importorskip("pgmpy.inference")
    network = BayesianNetwork.read(real_data(f"bn/{name}.bif.gz"))
    peer = inference.VariableElimination(pgmpy_model(network))
    rng = np.random.default_rng(0)
    row = network.sample(1, random_state=0)[0]
    order = list(rng.permutation(len(network.variables)))
    seen = {network.variables[v]: row[v] for v in order[:3]}
    ours = network.marginals()
    for v in order[3:28]:
        variable = network.variables[v]
        for found, evidence in ((ours[variable], {}), (network.query(variable, seen), seen)):
            theirs = peer.query([variable], evidence=evidence, show_progress=False)
            at = [theirs.state_names[variable].index(state) for state in network.states[variable]]
            # Both are exact; a thousand roundings of a double.
            np.testing.assert_allclose(found, theirs.values[at], atol=1e-12)


def test_pgmpy_reads_what_we_write(network, tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    network.write(tmp_path / "network.bif")
    model = readwrite.BIFReader(str(tmp_path / "network.bif")).get_model()
    table = model.get_cpds("d").to_factor()
    for c, b, d in product(*(network.states[n] for n in "cbd")):
        at = tuple(network.states[n].index(s) for n, s in (("c", c), ("b", b), ("d", d)))
        assert table.get_value(c=c, b=b, d=d) == pytest.approx(network.cpts["d"][at], abs=1e-15)
