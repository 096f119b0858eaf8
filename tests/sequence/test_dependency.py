"""The dependency model with valence: against every tree written out, what must never fall, limits, bad input."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from every_tree import choices, projective_trees
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from treatise._core.invariants import broken_invariant
from treatise.datasets import make_grammar_sentences
from treatise.optimize import posterior_projection
from treatise.sequence import (
    DependencyModelWithValence,
    attachment_accuracy,
    dependency_ambiguity,
    plot_dependency_tree,
)
from treatise.sequence.dependency._corpus import Corpus
from treatise.sequence.dependency._grammar import extended_grammar, harmonic_grammar, random_grammar
from treatise.sequence.dependency._training import DirichletSteps, LikelihoodSteps, RegularisedSteps, learn

T = 3


@pytest.fixture(scope="module")
def extended():
    """An extended grammar (3, 3) with backoff, drawn."""
    return random_grammar(T, 3, 3, 1 / 3, np.random.RandomState(0))


def tree_log_weight(grammar, tags, heads):
    arcs, stops = choices(heads, grammar.valence)
    total = np.log(grammar.root[tags[heads.index(-1)]])
    for h, c, v in arcs:
        side = int(c > h)
        stop_v, child_v = min(v, grammar.stop.shape[2] - 1), min(v, grammar.by_head.shape[2] - 1)
        total += np.log(grammar.go[tags[h], side, stop_v]) + np.log(grammar.child[tags[h], side, child_v, tags[c]])
    for h, side, v in stops:
        total += np.log(grammar.stop[tags[h], side, min(v, grammar.stop.shape[2] - 1)])
    return total


def model_of(grammar):
    return DependencyModelWithValence.from_parameters(grammar.root, grammar.child, grammar.stop)


@pytest.fixture(scope="module")
def toy():
    return make_grammar_sentences(300, max_length=8, random_state=0)


@pytest.fixture(scope="module")
def corpus(toy):
    tags, codes = np.unique(np.concatenate(toy.sentences), return_inverse=True)
    return Corpus(codes, [len(s) for s in toy.sentences]), len(tags)


def quiet(model, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


@pytest.mark.parametrize("tags", [[0], [1, 0], [2, 1, 0], [0, 1, 1, 2], [2, 0, 1, 1, 0]])
def test_sums_counts_and_best_trees_equal_all_trees_written_out(extended, tags):
    trees = list(projective_trees(len(tags)))
    logs = np.array([tree_log_weight(extended, tags, heads) for heads in trees])
    total = np.logaddexp.reduce(logs)
    corpus = Corpus(np.array(tags), [len(tags)])
    found = corpus.expectations(extended)
    counts = [np.zeros_like(table) for table in found.counts]
    edges = np.zeros((len(tags), len(tags) + 1))
    for heads, share in zip(trees, np.exp(logs - total)):
        arcs, stops = choices(heads, 3)
        counts[0][tags[heads.index(-1)]] += share
        for h, c, v in arcs:
            counts[1][tags[h], int(c > h), v, tags[c]] += share
            counts[2][tags[h], int(c > h), v] += share
        for h, side, v in stops:
            counts[3][tags[h], side, v] += share
        edges[np.arange(len(tags)), heads] += share
    np.testing.assert_allclose(found.log_likelihood, total, atol=1e-10)
    for mine, theirs in zip(found.counts, counts):
        np.testing.assert_allclose(mine, theirs, atol=1e-10)
    model = model_of(extended)
    np.testing.assert_allclose(model.predict_proba([tags])[0], edges, atol=1e-10)
    assert model.predict([tags])[0].tolist() == list(trees[logs.argmax()])
    # The other decoding has the most heads expected to be right.
    expected = [edges[np.arange(len(tags)), heads].sum() for heads in trees]
    (chosen,) = model.predict([tags], decoding="posterior")
    np.testing.assert_allclose(edges[np.arange(len(tags)), chosen].sum(), max(expected))


def test_uniform_parameters_count_trees():
    even = DependencyModelWithValence.from_parameters(
        np.full(3, 1 / 3), np.full((3, 2, 3), 1 / 3), np.full((3, 2, 2), 0.5)
    )
    # Thirty trees, each of four tags and 3 n - 1 decisions.
    np.testing.assert_allclose(even.score([[0, 1, 2, 0]]), np.log(30 * 3.0**-4 * 0.5**11))
    np.testing.assert_allclose(even.score([[0, 1, 2, 0]]), -8.617871, atol=1e-6)


@pytest.mark.parametrize("shape", [(2, 1, None), (3, 2, 1 / 3)])
def test_likelihood_and_its_bound_never_fall(corpus, shape):
    sentences, n_tags = corpus
    grammar = harmonic_grammar(sentences, n_tags, *shape)
    for steps in (LikelihoodSteps(), DirichletSteps(0.25), DirichletSteps(2.0)):
        history = learn(steps, sentences, grammar, 15, 0.0, 0.0).history
        assert np.diff(history).min() > -1e-8 * abs(history[-1])
        assert history[-1] > history[0] + 1.0


@pytest.mark.parametrize("symmetric", [True, False])
def test_penalised_objective_never_falls(corpus, symmetric):
    whole, n_tags = corpus
    sentences = Corpus(whole.tags[: whole.starts[60]], whole.lengths[:60])
    steps = RegularisedSteps(sentences.features(n_tags, symmetric), 3.0, 1000, 1e-4)
    run = learn(steps, sentences, harmonic_grammar(sentences, n_tags, 2, 1, None), 4, 0.0, np.inf)
    # Each objective may lie below its best by its gap.
    assert run.gaps.max() < 1e-2
    assert (np.diff(run.history) >= -run.gaps[1:] - 1e-6).all()
    assert run.history[-1] > run.history[0] + 1.0


@pytest.mark.parametrize("symmetric", [True, False])
def test_penalised_posterior_is_that_of_all_trees_written_out(extended, symmetric):
    sentences = [[0, 1, 1], [1, 0, 2], [1, 1]]
    corpus = Corpus(np.concatenate(sentences), [3, 3, 2])
    types = sorted({(c, h) for s in sentences for i, c in enumerate(s) for h in [*s[:i], *s[i + 1 :], T]})
    # A feature is a word with a head, or with heads of a tag.
    names = sorted(
        {
            (types.index((s[c], s[h] if h >= 0 else T)), number, c, h if symmetric else (s[h] if h >= 0 else T))
            for number, s in enumerate(sentences)
            for c in range(len(s))
            for h in range(-1, len(s))
            if h != c
        }
    )
    starts = np.searchsorted([name[0] for name in names], np.arange(len(types) + 1))
    tables = []
    for number, s in enumerate(sentences):
        trees = list(projective_trees(len(s)))
        shown = np.zeros((len(trees), len(names)))
        for t, heads in enumerate(trees):
            for c, h in enumerate(heads):
                head = s[h] if h >= 0 else T
                shown[t, names.index((types.index((s[c], head)), number, c, h if symmetric else head))] = 1.0
        tables.append((np.array([tree_log_weight(extended, s, heads) for heads in trees]), shown))

    def expect(multipliers):
        value, expected = 0.0, np.zeros(len(names))
        for logs, shown in tables:
            costed = logs - shown @ multipliers
            total = np.logaddexp.reduce(costed)
            value += total
            expected += np.exp(costed - total) @ shown
        return value, expected

    written = posterior_projection(expect, starts, 2.0, max_iter=3000, tol=1e-9)
    features = corpus.features(T, symmetric)
    assert features.count == len(names) and np.array_equal(features.starts, starts)
    steps = RegularisedSteps(features, 2.0, 3000, 1e-9)
    found, objective, gap = steps.expect(corpus, extended)
    assert gap < 1e-7 and written.gap < 1e-7
    np.testing.assert_allclose(objective, written.log_partition, atol=1e-7)
    np.testing.assert_allclose(
        features.largest(found.edges), np.maximum.reduceat(written.expectations, starts[:-1]), atol=1e-4
    )
    # Complementary slackness: of each type the multipliers sum to sigma, on the largest expectations alone.
    expected = features.expectations(found.edges)
    for first, last in pairwise(features.starts):
        np.testing.assert_allclose(steps.multipliers[first:last].sum(), 2.0, atol=1e-3)
        assert steps.multipliers[first:last][expected[first:last] < expected[first:last].max() - 1e-3].sum() < 2e-3


@pytest.mark.parametrize("method", ["pr-s", "pr-as"])
def test_without_penalty_it_is_expectation_maximisation(toy, method):
    plain = quiet(DependencyModelWithValence(method="em", max_iter=5), toy.sentences)
    none = quiet(DependencyModelWithValence(method=method, sigma=0.0, max_iter=5), toy.sentences)
    least = quiet(DependencyModelWithValence(method=method, sigma=1e-10, max_iter=5), toy.sentences)
    for other in (none, least):
        np.testing.assert_allclose(other.child_, plain.child_, atol=1e-8)
        np.testing.assert_allclose(other.stop_, plain.stop_, atol=1e-8)


def test_a_strong_prior_makes_all_choices_alike_and_a_weak_one_is_nearly_counting(toy):
    strong = quiet(DependencyModelWithValence(method="dirichlet", alpha=1e6, max_iter=5), toy.sentences)
    np.testing.assert_allclose(strong.child_, 1 / len(strong.tags_), atol=1e-3)
    np.testing.assert_allclose(strong.stop_, 0.5, atol=1e-3)


def test_counting_many_drawn_trees_gives_their_grammar_back(extended):
    model = model_of(extended_grammar(extended.root, extended.child, np.maximum(extended.stop, 0.75), 2, 1, None))
    sentences, heads = model.sample(5000, max_length=60, random_state=0)
    counted = DependencyModelWithValence(tags=range(T)).fit(sentences, heads)
    # Shares of some hundred choices or more, of which three standard errors are below 0.1.
    np.testing.assert_allclose(counted.root_, model.root_, atol=0.03)
    np.testing.assert_allclose(counted.child_, model.child_, atol=0.1)
    np.testing.assert_allclose(counted.stop_, model.stop_, atol=0.1)
    assert counted.converged_ and counted.n_iter_ == 0
    assert counted.score(sentences) == pytest.approx(counted.objective_)


def test_few_types_are_learnt_with_the_penalty_and_heads_are_no_worse():
    gains, types = [], []
    for seed in range(5):
        sentences, heads = make_grammar_sentences(2000, max_length=8, random_state=seed)
        plain = DependencyModelWithValence(method="em").fit(sentences)
        few = DependencyModelWithValence(method="pr-s").fit(sentences)
        accuracy = [attachment_accuracy(model.predict(sentences), heads) for model in (plain, few)]
        gains.append(accuracy[1] - accuracy[0])
        types.append([model.ambiguity(sentences) for model in (plain, few)])
    assert np.mean(gains) >= 0.0
    assert all(few < plain for plain, few in types)


@pytest.mark.parametrize("method", ["em", "pr-as"])
def test_order_of_sentences_and_names_of_tags_do_not_matter(toy, method):
    options = {"method": method, "max_iter": 4, "projection_tol": 1e-5}
    # A projection ends where its gap is small, on a path that depends on the order of sums.
    atol = 1e-10 if method == "em" else 1e-2
    model = quiet(DependencyModelWithValence(**options), toy.sentences)
    turned = quiet(DependencyModelWithValence(**options), toy.sentences[::-1])
    np.testing.assert_allclose(turned.child_, model.child_, atol=atol)
    numbers = {tag: 10 - i for i, tag in enumerate(model.tags_)}
    renamed = quiet(DependencyModelWithValence(**options), [[numbers[t] for t in s] for s in toy.sentences])
    np.testing.assert_allclose(renamed.root_[::-1], model.root_, atol=atol)
    np.testing.assert_allclose(renamed.child_[::-1, :, :, ::-1], model.child_, atol=atol)


def test_sentences_given_twice_teach_the_same(toy):
    options = {"max_iter": 3, "projection_tol": 1e-4, "projection_iter": 100}
    once = quiet(DependencyModelWithValence(**options), toy.sentences)
    twice = quiet(DependencyModelWithValence(**options), [*toy.sentences, *toy.sentences])
    np.testing.assert_allclose(twice.child_, once.child_, atol=1e-2)
    np.testing.assert_allclose(twice.objective_, 2 * once.objective_, rtol=1e-3)


def test_the_papers_strength_has_a_name(toy):
    options = {"max_iter": 2}
    named = quiet(DependencyModelWithValence(sigma="paper", **options), toy.sentences)
    given = quiet(DependencyModelWithValence(sigma=120.0, **options), toy.sentences)
    np.testing.assert_array_equal(named.child_, given.child_)


def test_the_start_may_be_another_model_of_fewer_valences(toy):
    small = DependencyModelWithValence(method="em").fit(toy.sentences)
    large = quiet(DependencyModelWithValence(3, 2, backoff=1 / 3, method="em", init=small, max_iter=3), toy.sentences)
    assert large.child_.shape == (6, 2, 2, 6) and large.stop_.shape == (6, 2, 3)
    assert clone(large).init is small
    # Without backoff it begins just where the other ended.
    same = quiet(DependencyModelWithValence(3, 2, method="em", init=small, max_iter=1), toy.sentences)
    np.testing.assert_allclose(same.history_[0], small.score(toy.sentences))
    with pytest.raises(ValueError, match="init has other tags"):
        DependencyModelWithValence(init=small).fit([["X", "Y"]])


def test_random_starts_differ_by_seed_and_agree_for_one(toy):
    first, again, other = (
        quiet(DependencyModelWithValence(method="em", init="random", max_iter=2, random_state=s), toy.sentences)
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.child_, again.child_)
    assert not np.allclose(first.child_, other.child_)


def test_words_alone_and_tags_given_beforehand():
    model = quiet(DependencyModelWithValence(tags=["N", "V", "X"], max_iter=2, sigma=1.0), [["N"], ["N", "V"]])
    assert model.predict([["N"], ["X", "V"]])[0].tolist() == [-1]
    assert model.predict_proba([["V"]])[0].tolist() == [[0.0, 1.0]]
    for table in (model.root_, model.child_):
        np.testing.assert_allclose(table.sum(axis=-1), 1.0)
        assert (table > 0).all()


def test_a_run_cut_short_warns_and_tells_how_far_it_is():
    sentences, _ = make_grammar_sentences(100, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps"):
        model = DependencyModelWithValence(max_iter=1).fit(sentences)
    assert not model.converged_ and model.n_iter_ == 1 and len(model.history_) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert DependencyModelWithValence().fit(sentences).converged_


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "sentences is empty"),
        ([["N"], []], r"sentences\[1\] is empty"),
        (["NOUN", "VERB"], r"sentences\[0\] is 'NOUN'; a sentence is a list of tags"),
        ("NV", "is the text 'NV'"),
        ([[0.5, np.nan]], "NaN"),
        ([["N", None]], "holds None"),
    ],
)
def test_what_is_no_sentence_is_refused(sentences, message):
    with pytest.raises(ValueError, match=message):
        DependencyModelWithValence().fit(sentences)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([[1, -1]], "1 trees do not belong to 2 sentences"),
        ([[1, -1], [0]], r"heads\[1\] has 0 roots"),
        ([[1, -1, 1], [-1]], r"heads\[0\] has 3 heads for 2 words"),
        ([[5, -1], [-1]], "holds the head 5; heads of 2 words are from 0 to 1"),
        ([[-1, -1], [-1]], "2 roots"),
        ([[1.5, -1], [-1]], "whole numbers"),
    ],
)
def test_what_is_no_tree_is_refused(heads, message):
    with pytest.raises(ValueError, match=message):
        DependencyModelWithValence().fit([["N", "V"], ["N"]], heads)


def test_circles_are_no_trees():
    with pytest.raises(ValueError, match="goes in a circle at word 0"):
        attachment_accuracy([[1, 0, -1]], [[2, 2, -1]])


def test_unknown_tags_and_impossible_sentences_are_named():
    model = DependencyModelWithValence(smoothing=0.0).fit([["N", "V"]] * 3, [[1, -1]] * 3)
    with pytest.raises(ValueError, match=r"sentences\[1\] holds 'X', which is not among the 2 tags of the model"):
        model.predict([["N"], ["N", "X"]])
    for ask in (model.predict, model.predict_proba, model.ambiguity):
        with pytest.raises(ValueError, match=r"sentences\[1\] has no tree of positive probability"):
            ask([["N", "V"], ["V", "V"]])
    assert model.score([["V", "V"]]) == -np.inf
    with pytest.raises(ValueError, match="decoding='best'"):
        model.predict([["N"]], decoding="best")


def test_parameters_that_are_none_are_refused():
    root, child, stop = [0.5, 0.5], np.full((2, 2, 2), 0.5), np.full((2, 2, 1), 0.5)
    make = DependencyModelWithValence.from_parameters
    assert make(root, child, stop).child_.shape == (2, 2, 1, 2)
    with pytest.raises(ValueError, match="do not belong together"):
        make(root, child, np.full((2, 2), 0.5))
    with pytest.raises(ValueError, match="root must hold probabilities"):
        make([0.5, 0.6], child, stop)
    with pytest.raises(ValueError, match="stop must hold"):
        make(root, child, stop + 1)
    with pytest.raises(ValueError, match="3 tags do not name the 2"):
        make(root, child, stop, tags="abc")
    with pytest.raises(ValueError, match="max_length=2 words"):
        make(root, child, np.zeros((2, 2, 1))).sample(1, max_length=2)


def test_measures_of_the_papers_figures():
    trees = [np.eye(4)[[1, 3, 1]], np.eye(4)[[1, 2, 3]]]
    sentences = [["N", "V", "V"], ["A", "N", "V"]]
    for symmetric in (True, False):
        assert dependency_ambiguity(trees, sentences, symmetric=symmetric, roots=False) == 3.0
    # With roots, V as the root is one type more.
    assert dependency_ambiguity(trees, sentences) == 4.0
    with pytest.raises(ValueError, match=r"heads\[0\] has the shape"):
        dependency_ambiguity([np.eye(3)], [["N", "V"]])
    assert attachment_accuracy([[1, -1]], [[-1, 0]], directed=False) == 0.5


def test_wrong_shapes_in_a_stored_model_are_found(toy):
    model = quiet(DependencyModelWithValence(method="em", max_iter=1), toy.sentences)
    assert broken_invariant(model) is None
    model.stop_ = model.stop_[:-1]
    assert broken_invariant(model) == "heads stop on both sides"
    model = quiet(DependencyModelWithValence(method="em", max_iter=1), toy.sentences)
    model.child_ = model.child_[:, :1]
    assert broken_invariant(model) == "heads choose among all tags"


def test_trees_are_drawn_as_arcs(toy):
    tags, heads = toy.sentences[0], toy.heads[0]
    ax = plot_dependency_tree(
        tags, heads, tags=tags, gold=heads, probabilities=np.full((len(heads), len(heads) + 1), 0.5)
    )
    assert len(ax.lines) == len(heads) - 1  # an arc for every word but the root
    assert {text.get_text() for text in ax.texts} >= set(tags)
    with pytest.raises(ValueError, match="words has 1 entries"):
        plot_dependency_tree(["a"], [1, -1])
