"""Output-space search against brute force: spaces, ranking examples, updates, searches, and what it all gains."""

import itertools
import pickle
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from treatise.io import load_model, save_model
from treatise.papers.sequence.v15_1317._digit_words import make_digit_words
from treatise.sequence import OutputSpaceSearch, RecurrentClassifier, word_features
from treatise.sequence.output_search import output_space_search
from treatise.sequence.output_search._cost_loops import output_costs
from treatise.sequence.output_search._imitation import SearchImitation
from treatise.sequence.output_search._rank_learner import RankLearner
from treatise.sequence.output_search._spaces import OutputSearches, OutputSpace
from treatise.sequence.output_search.recurrent_classifier import decisions

LOSSES = {1: 5.0, 2: 4.0, 3: 1.0, 4: 3.0, 8: 6.0, 9: 7.0, 10: 2.0}
CHILDREN = {1: [2, 3, 4], 3: [8, 9, 10]}


def tree_examples(beam_width):
    """Ranking examples of two steps in the tree of the paper's Figure 6, as pairs of nodes."""
    imitation = SearchImitation(
        lambda state: np.array(CHILDREN[state[0]])[:, np.newaxis],
        lambda states: np.array([LOSSES[node] for node in states[:, 0]]),
        beam_width=beam_width,
        max_steps=2,
    )
    found = imitation.examples(np.array([1]))
    nodes = found.states[:, 0].tolist()
    pairs = [(nodes[b], nodes[w]) for b, w in zip(found.better, found.worse)]
    np.testing.assert_array_equal(found.gaps, [LOSSES[w] - LOSSES[b] for b, w in pairs])
    return pairs


def test_greedy_search_yields_the_six_ranking_examples_of_the_paper():
    assert Counter(tree_examples(1)) == Counter([(3, 2), (3, 4), (3, 1), (10, 8), (10, 9), (3, 10)])


def test_a_beam_of_two_yields_the_nine_ranking_examples_of_the_paper():
    first = [(3, 2), (4, 2), (3, 1)]
    second = [(3, 4), (4, 8), (4, 9), (10, 8), (10, 9), (3, 10)]
    assert Counter(tree_examples(2)) == Counter(first + second)


def test_equal_losses_are_not_ranked_but_the_best_is_ranked_above_each():
    losses = {0: 0.0, 1: 1.0, 2: 1.0, 3: 2.0}
    found = SearchImitation(
        lambda state: np.array([[1], [2], [3]]),
        lambda states: np.array([losses[node] for node in states[:, 0]]),
        beam_width=1,
        max_steps=1,
    ).examples(np.array([0]))
    assert Counter(zip(found.better.tolist(), found.worse.tolist())) == Counter([(1, 3), (0, 1), (0, 2)])


class TinyProblem:
    """A sequence with random tables of a recurrent classifier and a random cost."""

    def __init__(self, seed, T=4, K=3, n_prev=1, order=2, shared=True):
        rng = np.random.default_rng(seed)
        self.T, self.K, self.n_prev, self.order = T, K, n_prev, order
        self.observed = rng.normal(size=(T, K))
        self.pushes = rng.normal(size=(1 if shared else T, (K + 1) ** n_prev, K))
        self.costs = rng.normal(size=(T, K))
        self.strings = rng.normal(size=sum(K ** (o + 1) for o in range(1, order + 1)))
        self.truth = rng.integers(0, K, T)
        self.start = decisions(self.observed, self.pushes, np.array([0, T]))

    def space(self, discrepancies, sparsity=None):
        k = self.K - 1 if sparsity is None else sparsity
        return OutputSpace(self.observed, self.pushes, discrepancies=discrepancies, sparsity=k)

    def scores(self, prefix):
        padded = [self.K] * self.n_prev + list(prefix)
        context = 0
        for label in padded[len(padded) - self.n_prev :]:
            context = context * (self.K + 1) + label
        t = len(prefix)
        return self.observed[t] + self.pushes[min(t, len(self.pushes) - 1), context]

    def with_discrepancies(self, forced):
        """The paper's h[D](x)."""
        path = []
        for t in range(self.T):
            path.append(forced.get(t, int(np.argmax(self.scores(path)))))
        return path

    def cost(self, path):
        """The cost by its definition, string by string."""
        total = sum(self.costs[t, y] for t, y in enumerate(path))
        base = 0
        for o in range(1, self.order + 1):
            for t in range(o, self.T):
                code = 0
                for label in path[t - o : t + 1]:
                    code = code * self.K + int(label)
                total += self.strings[base + code]
            base += self.K ** (o + 1)
        return total

    def successors_by_definition(self, labels, forced, discrepancies, sparsity=None):
        found = []
        for i in range(self.T):
            others = [a for a in range(self.K) if a != labels[i]]
            if sparsity is not None:
                scores = self.scores(labels[:i])
                others = sorted(sorted(others, key=lambda a: -scores[a])[:sparsity])
            for a in others:
                if discrepancies:
                    D = {**{t: labels[t] for t in forced}, i: a}
                    found.append((self.with_discrepancies(D), set(forced) | {i}))
                else:
                    found.append(([*labels[:i], a, *labels[i + 1 :]], set()))
        return found


@pytest.mark.parametrize("sparsity", [None, 1, 2])
@pytest.mark.parametrize("discrepancies", [True, False])
@pytest.mark.parametrize("n_prev", [0, 1, 2])
def test_successors_are_those_of_the_definition(n_prev, discrepancies, sparsity):
    for seed in range(5):
        problem = TinyProblem(seed, T=5, K=4, n_prev=n_prev, shared=seed % 2 == 0)
        space = problem.space(discrepancies, sparsity)
        rng, state = np.random.default_rng(seed), space.start(problem.start)
        for _ in range(4):
            found = space.successors(state)
            labels, forced = state[:5].tolist(), np.flatnonzero(state[5:]).tolist()
            expected = problem.successors_by_definition(labels, forced, discrepancies, sparsity)
            ours = [(row[:5].tolist(), set(np.flatnonzero(row[5:]).tolist())) for row in found]
            assert ours == expected
            state = found[rng.integers(len(found))]


def depth_of_the_truth(problem, discrepancies):
    """Least number of steps from the start to the true labels, by breadth-first search."""
    space = problem.space(discrepancies)
    layer, seen = [space.start(problem.start)], set()
    depth = 0
    while not any((state[: problem.T] == problem.truth).all() for state in layer):
        depth += 1
        following = {s.tobytes(): s for state in layer for s in space.successors(state)}
        layer = [s for key, s in following.items() if key not in seen]
        seen |= following.keys()
    return depth


def test_the_depth_of_the_truth_is_the_count_of_imitation_errors_or_of_wrong_labels():
    depths = set()
    for seed in range(25):
        problem = TinyProblem(seed, T=2 + seed % 3, K=2 + seed % 2, n_prev=1 + seed % 2)
        errors = sum(np.argmax(problem.scores(problem.truth[:t])) != problem.truth[t] for t in range(problem.T))
        assert depth_of_the_truth(problem, True) == errors
        assert depth_of_the_truth(problem, False) == (problem.start != problem.truth).sum()
        depths.add(errors)
    assert depths >= {0, 1, 2, 3}


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_costs_are_those_of_the_definition(order):
    problem = TinyProblem(order, T=6, K=3, order=order)
    rows = np.random.default_rng(0).integers(0, 3, (20, 6)).astype(np.int32)
    totals = np.empty(20)
    output_costs(rows, 0, problem.costs, problem.strings, order, totals)
    np.testing.assert_allclose(totals, [problem.cost(row) for row in rows], atol=1e-12)


def searched(problem, discrepancies, beam_width, steps, sparsity=None):
    k = problem.K - 1 if sparsity is None else sparsity
    searches = OutputSearches(
        np.array([0, problem.T]), problem.start, problem.observed, problem.pushes, problem.costs, problem.strings,
        problem.order, discrepancies=discrepancies, sparsity=k, beam_width=beam_width, max_steps=np.array([steps]),
    )  # fmt: skip
    trail = [(searches.best_labels.tolist(), searches.best_costs[0])]
    for _ in range(steps):
        searches.take(1)
        trail.append((searches.best_labels.tolist(), searches.best_costs[0]))
    return trail


def search_by_definition(problem, discrepancies, beam_width, steps, sparsity=None):
    """Best-first beam search on lists, each cost from scratch; expanded states stay closed in beams above one."""
    start = (problem.start.tolist(), frozenset())
    beam, closed, best = [start], [], start
    trail = [(best[0], problem.cost(best[0]))]
    for _ in range(steps):
        if beam:
            state = beam.pop(0)
            closed.append(state)
            for labels, forced in problem.successors_by_definition(*state, discrepancies, sparsity):
                new = (labels, frozenset(forced))
                if beam_width == 1 or (new not in beam and new not in closed):
                    beam.append(new)
            beam = sorted(beam, key=lambda s: problem.cost(s[0]))[:beam_width]
            if beam and problem.cost(beam[0][0]) < problem.cost(best[0]):
                best = beam[0]
        trail.append((best[0], problem.cost(best[0])))
    return trail


@pytest.mark.parametrize("sparsity", [None, 1])
@pytest.mark.parametrize("beam_width", [1, 2, 7])
@pytest.mark.parametrize("discrepancies", [True, False])
def test_the_compiled_search_is_that_of_the_definition_at_every_step(discrepancies, beam_width, sparsity):
    for seed in range(8):
        problem = TinyProblem(100 + seed, T=1 + seed % 6, K=3, n_prev=seed % 3, order=seed % 4, shared=seed % 2 == 0)
        ours = searched(problem, discrepancies, beam_width, 7, sparsity)
        expected = search_by_definition(problem, discrepancies, beam_width, 7, sparsity)
        assert [labels for labels, _ in ours] == [labels for labels, _ in expected]
        # Costs of successors are differences to the parent's: the rounding of some tens of additions.
        np.testing.assert_allclose([c for _, c in ours], [c for _, c in expected], atol=1e-10)
        assert all(later <= earlier for (_, earlier), (_, later) in itertools.pairwise(ours))


def test_imitation_led_by_a_cost_visits_what_the_compiled_search_visits():
    for seed, width in itertools.product(range(6), (1, 3)):
        problem = TinyProblem(200 + seed, T=5, K=3)
        space = problem.space(True)

        def cost(states, problem=problem):
            return np.array([problem.cost(state[:5]) for state in states])

        found = SearchImitation(
            space.successors, lambda s, y=problem.truth: (s[:, :5] != y).sum(1) * 1.0,
            beam_width=width, max_steps=5, cost=cost,
        ).examples(space.start(problem.start))  # fmt: skip
        uncovered = cost(found.states).min()
        assert searched(problem, True, width, 5)[-1][1] == pytest.approx(uncovered, abs=1e-10)


def joint_features(x, path, K, order):
    """The paper's Phi(x, y): observations by labels, and counts of strings of labels."""
    unary = np.zeros((x.shape[1], K))
    for t, y in enumerate(path):
        unary[:, y] += x[t]
    strings = [np.zeros(K ** (o + 1)) for o in range(1, order + 1)]
    for o in range(1, order + 1):
        for t in range(o, len(path)):
            strings[o - 1][np.ravel_multi_index(path[t - o : t + 1], (K,) * (o + 1))] += 1
    return np.concatenate([unary.ravel(), *strings])


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_updates_are_passive_aggressive_to_the_paper_s_formula(order):
    rng = np.random.default_rng(order)
    K, lengths = 3, [5, 1, 7]
    X = [np.where(rng.random((T, 4)) < 0.6, rng.normal(size=(T, 4)), 0.0) for T in lengths]
    rows = sparse.csr_array(np.concatenate(X))
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)
    learner = RankLearner(rows, np.cumsum([0, *lengths]), K, order)
    blocks = []
    for s in (0, 1, 2, 0):
        outputs = rng.integers(0, K, (6, lengths[s]))
        better, worse = rng.integers(0, 6, 15), rng.integers(0, 6, 15)
        gaps = rng.integers(1, 4, 15).astype(float)
        learner.add(s, outputs, better, worse, gaps)
        blocks.append((s, outputs, better, worse, gaps))
    for average in (False, True):
        weights, strings = learner.fit(3, average, np.random.default_rng(0))
        w, total = np.zeros(4 * K + sum(K ** (o + 1) for o in range(1, order + 1))), 0.0
        order_rng = np.random.default_rng(0)
        for _ in range(3):
            for b in order_rng.permutation(4):
                s, outputs, better, worse, gaps = blocks[b]
                for i, j, gap in zip(better, worse, gaps):
                    change = joint_features(X[s], outputs[j], K, order) - joint_features(X[s], outputs[i], K, order)
                    if w @ change < np.sqrt(gap) and change.any():
                        w = w + (np.sqrt(gap) - w @ change) / (change @ change) * change
                        assert w @ change == pytest.approx(np.sqrt(gap), abs=1e-12)
                total = total + w
        expected = total / 12 if average else w
        # Nothing but the order of summation differs, over some hundred updates.
        np.testing.assert_allclose(np.concatenate([weights.ravel(), strings]), expected, atol=1e-9)


def test_one_update_reaches_the_margin_and_a_satisfied_pair_makes_none():
    rows = sparse.csr_array(np.array([[1.0, 2.0], [0.5, 0.0], [0.0, 3.0]]))
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)
    learner = RankLearner(rows, np.array([0, 3]), 2, 2)
    outputs = np.array([[0, 1, 0], [1, 1, 1]])
    learner.add(0, outputs, np.array([0]), np.array([1]), np.array([2.0]))
    weights, strings = learner.fit(1, False, np.random.default_rng(0))
    costs = [joint_features(rows.toarray(), y, 2, 2) @ np.concatenate([weights.ravel(), strings]) for y in outputs]
    assert costs[1] - costs[0] == pytest.approx(np.sqrt(2.0), abs=1e-12)
    again, _ = learner.fit(7, False, np.random.default_rng(0))
    np.testing.assert_array_equal(again, weights)


@pytest.fixture(scope="module")
def digit_words():
    return make_digit_words(600, random_state=0), make_digit_words(400, random_state=1)


@pytest.fixture(scope="module")
def fitted(digit_words):
    (sequences, labels), _ = digit_words
    make = {
        "lds": {},
        "flipbit": {"space": "flipbit"},
        "lds-4": {"sparsity": 4},
    }
    return {
        name: OutputSpaceSearch(epochs=5, random_state=0, **options).fit(sequences, labels)
        for name, options in make.items()
    }


def test_led_by_the_loss_greedy_search_finds_the_truth(digit_words, fitted):
    (sequences, labels), _ = digit_words
    search = fitted["lds"]
    rows, lengths = search.recurrent_.encode(sequences)
    observed, pushes = search.recurrent_.decision_tables(rows)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    codes = np.searchsorted(search.classes_, np.concatenate(labels))
    start = decisions(observed, pushes, offsets)
    assert np.mean(start != codes) > 0.01
    # The number of wrong labels is itself a cost of positions by labels.
    searches = OutputSearches(
        offsets, start, observed, pushes, 1.0 - np.eye(10)[codes], np.zeros(0), 0,
        discrepancies=True, sparsity=9, beam_width=1, max_steps=lengths,
    )  # fmt: skip
    searches.take(6)
    assert np.mean(searches.best_costs == 0) >= 0.95


def test_the_search_gains_on_the_classifier_and_the_limited_discrepancy_space_on_the_other(digit_words, fitted):
    _, (sequences, labels) = digit_words
    recurrent = fitted["lds"].recurrent_.score(sequences, labels)
    accuracy = {name: search.score(sequences, labels) for name, search in fitted.items()}
    assert accuracy["lds"] >= recurrent + 0.04
    assert accuracy["lds"] >= accuracy["flipbit"] - 0.01
    assert accuracy["lds-4"] >= accuracy["lds"] - 0.01


def test_no_steps_give_the_classifier_s_labels_and_all_labels_the_full_space(digit_words, fitted):
    _, (sequences, _) = digit_words
    search = fitted["lds"]
    assert search.predict(sequences, max_steps=0) == search.recurrent_.predict(sequences)
    whole = search.predict(sequences)
    assert whole != search.predict(sequences, max_steps=1)
    for k in (9, 50):
        assert _with(search, sparsity=k).predict(sequences) == whole
    assert search.predict(sequences, beam_width=1) == whole
    assert search.predict(sequences, max_steps="length") == whole


def _with(search, **params):
    return pickle.loads(pickle.dumps(search)).set_params(**params)


def test_the_anytime_curve_tells_what_predictions_of_so_many_steps_give(digit_words, fitted):
    _, (sequences, labels) = digit_words
    search = fitted["lds"]
    curve = search.anytime_curve(sequences, labels)
    assert curve.steps.tolist() == list(range(7))
    assert (np.diff(curve.cost) <= 0).all() and (np.diff(curve.seconds) > 0).all()
    for steps in (0, 2, 6):
        path = search.predict(sequences, max_steps=steps)
        wrong = [sum(a != b for a, b in zip(p, y)) for p, y in zip(path, labels)]
        assert curve.loss[steps] == pytest.approx(np.mean(wrong))
        assert curve.accuracy[steps] == pytest.approx(1 - np.mean(wrong) / 6)
        assert curve.cost[steps] == pytest.approx(search.cost(sequences, path).mean())
    ax = curve.plot(against="steps", label="LDS")
    np.testing.assert_allclose(ax.lines[0].get_ydata(), 100 * curve.accuracy)
    with pytest.raises(ValueError, match="neither"):
        curve.plot(against="tokens")


def test_a_time_limit_is_kept_and_gives_an_answer_between_none_and_all_steps(digit_words, fitted, monkeypatch):
    _, (sequences, _) = digit_words
    search = fitted["lds"]
    many = sequences * 5
    # A clock that gains a millisecond whenever it is looked at.
    ticks = itertools.count()
    with monkeypatch.context() as patch:
        patch.setattr(output_space_search, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 1000))
        # More steps than the time allows.
        path = search.predict(many, max_steps=100_000, time_limit=0.06)
    assert 60 <= next(ticks) <= 63
    assert search.cost(many, path).mean() < search.cost(many, search.recurrent_.predict(many)).mean()
    assert search.predict(sequences, time_limit=600.0) == search.predict(sequences)
    assert search.predict(sequences, time_limit=0) == search.predict(sequences, max_steps=0)


def test_a_wider_beam_never_costs_more_on_these_words_than_its_first_step(digit_words, fitted):
    _, (sequences, _) = digit_words
    search = fitted["lds"]
    narrow = search.cost(sequences, search.predict(sequences, max_steps=1))
    wide = search.cost(sequences, search.predict(sequences, max_steps=1, beam_width=20))
    np.testing.assert_allclose(wide, narrow, atol=1e-9)
    longer = search.cost(sequences, search.predict(sequences, max_steps=12, beam_width=20))
    assert longer.mean() < search.cost(sequences, search.predict(sequences)).mean()


def test_dagger_keeps_the_round_that_does_best_on_what_it_held_out():
    sequences, labels = make_digit_words(150, random_state=2)
    options = {"sparsity": 2, "epochs": 3, "random_state": 0}
    dagger = OutputSpaceSearch(training="dagger", dagger_iterations=3, **options).fit(sequences, labels)
    assert dagger.dagger_losses_.shape == (3,)
    only_best = OutputSpaceSearch(
        training="dagger", dagger_iterations=1 + int(dagger.dagger_losses_.argmin()), **options
    ).fit(sequences, labels)  # fmt: skip
    np.testing.assert_array_equal(dagger.cost_coef_, only_best.cost_coef_)
    first = OutputSpaceSearch(training="dagger", dagger_iterations=1, **options).fit(sequences, labels)
    assert dagger.n_ranking_examples_ > 2 * first.n_ranking_examples_
    with pytest.raises(ValueError, match="holds out 1 of 1"):
        OutputSpaceSearch(training="dagger").fit(sequences[:1], labels[:1])


def test_a_loss_that_counts_wrong_labels_is_hamming_and_any_other_is_heard():
    sequences, labels = make_digit_words(60, random_state=3)
    calls = []

    def wrong(truth, path):
        calls.append(len(truth))
        return (truth != path).sum()

    ours = OutputSpaceSearch(epochs=2, random_state=0, sparsity=3).fit(sequences, labels)
    theirs = OutputSpaceSearch(epochs=2, random_state=0, sparsity=3, loss=wrong).fit(sequences, labels)
    np.testing.assert_array_equal(ours.cost_coef_, theirs.cost_coef_)
    assert set(calls) == {6}
    whole = OutputSpaceSearch(
        epochs=2, random_state=0, sparsity=3, loss=lambda truth, path: float((truth != path).any())
    ).fit(sequences, labels)  # fmt: skip
    assert not np.array_equal(whole.cost_coef_, ours.cost_coef_)
    assert (whole.anytime_curve(sequences, labels).loss <= 1).all()
    with pytest.raises(ValueError, match="NaN or infinite"):
        OutputSpaceSearch(loss=lambda truth, path: np.nan).fit(sequences, labels)


def test_the_loss_of_chunks_trains_a_chunker():
    sentences = [["the", "dog", "sees", "a", "big", "cat"], ["cats", "see", "the", "dog"], ["a", "cat", "sees"]] * 4
    chunks = [["B", "I", "O", "B", "I", "I"], ["B", "O", "B", "I"], ["B", "I", "O"]] * 4
    features = [word_features(words) for words in sentences]

    def f1_loss(truth, path):
        spans = [_spans(labels) for labels in (truth, path)]
        both, either = len(spans[0] & spans[1]), len(spans[0]) + len(spans[1])
        return 1.0 - (2 * both / either if either else 1.0)

    search = OutputSpaceSearch(epochs=3, loss=f1_loss, random_state=0).fit(features, chunks)
    assert search.predict(features) == chunks


def _spans(labels):
    starts = [t for t, label in enumerate(labels) if label == "B"]
    ends = [next((t for t in range(s + 1, len(labels)) if labels[t] != "I"), len(labels)) for s in starts]
    return set(zip(starts, ends))


def test_any_classifier_may_lead_and_a_frozen_one_stays_as_it_is():
    sequences, labels = make_digit_words(80, random_state=4)
    tree = RecurrentClassifier(DecisionTreeClassifier(max_depth=8, random_state=0))
    search = OutputSpaceSearch(recurrent=tree, epochs=3, random_state=0).fit(sequences, labels)
    assert search.score(sequences, labels) > search.recurrent_.score(sequences, labels)
    trained = RecurrentClassifier(epochs=1, random_state=0).fit(sequences[:40], labels[:40])
    frozen = OutputSpaceSearch(recurrent=FrozenEstimator(trained), epochs=2, random_state=0).fit(sequences, labels)
    assert frozen.predict(sequences, max_steps=0) == trained.predict(sequences)


def test_the_same_seed_gives_the_same_bits_and_copies_predict_alike(digit_words, fitted, tmp_path):
    _, (sequences, _) = digit_words
    search = fitted["lds-4"]
    expected = search.predict(sequences)
    assert pickle.loads(pickle.dumps(search)).predict(sequences) == expected
    save_model(search, tmp_path / "words.skops")
    assert load_model(tmp_path / "words.skops").model.predict(sequences) == expected
    small = make_digit_words(30, random_state=5)
    twice = [OutputSpaceSearch(epochs=2, random_state=3).fit(*small) for _ in range(2)]
    np.testing.assert_array_equal(twice[0].cost_coef_, twice[1].cost_coef_)
    np.testing.assert_array_equal(twice[0].cost_strings_, twice[1].cost_strings_)


def test_sequences_of_one_position_and_of_one_label_are_no_trouble():
    rng = np.random.default_rng(0)
    labels = [[c] for c in "abab" * 5]
    sequences = [np.array([[1.0 if path == ["a"] else -1.0]]) + 0.1 * rng.normal() for path in labels]
    assert OutputSpaceSearch(random_state=0).fit(sequences, labels).predict(sequences) == labels
    alone = OutputSpaceSearch(random_state=0).fit(sequences, [["a"]] * 20)
    assert alone.n_ranking_examples_ == 0 and alone.predict(sequences) == [["a"]] * 20


def test_an_order_other_than_the_learned_one_is_refused(digit_words, fitted):
    _, (sequences, labels) = digit_words
    for order in (1, 3):
        search = _with(fitted["lds"], feature_order=order)
        for ask in (search.predict, lambda some, search=search: search.cost(some, labels[:2])):
            with pytest.raises(ValueError, match=f"feature_order={order} and 10 labels need .* 1100 were learned"):
                ask(sequences[:2])


def test_bad_parameters_and_input_are_refused(digit_words, fitted):
    _, (sequences, labels) = digit_words
    search = fitted["lds"]
    for option, message in (
        ({"max_steps": -1}, "max_steps=-1 must be"),
        ({"time_limit": -1.0}, "time_limit=-1.0 must be"),
        ({"beam_width": 0}, "beam_width=0 must be"),
    ):
        with pytest.raises(ValueError, match=message):
            search.predict(sequences, **option)
    with pytest.raises(ValueError, match="2 positions and 1 labels"):
        OutputSpaceSearch().fit([np.ones((2, 2))], [["a"]])
    with pytest.raises(ValueError, match="is empty"):
        search.predict([np.ones((0, 64))])
    with pytest.raises(ValueError, match="has 3 columns; expected 64"):
        search.predict([np.ones((2, 3))])
    with pytest.raises(ValueError, match="'x' did not occur"):
        search.cost(sequences[:1], [["x"] * 6])
    with pytest.raises(ValueError, match="feature_order=9 gives"):
        OutputSpaceSearch(feature_order=9).fit(sequences[:20], labels[:20])
    with pytest.raises(ValueError, match="space"):
        OutputSpaceSearch("beam").fit(sequences[:20], labels[:20])
