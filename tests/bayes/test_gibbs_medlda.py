"""Gibbs MedLDA against enumeration of its posterior, Geweke's joint test, support vector machines and bad input."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from sklearn.datasets import make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from treatise.bayes import GibbsMedLDAClassifier, GibbsMedLDARegressor, plot_class_topics, plot_topics
from treatise.bayes.gibbs_medlda._chain import Chain
from treatise.bayes.gibbs_medlda._loops import draw_scales
from treatise.bayes.gibbs_medlda._losses import HingeLoss, InsensitiveLoss
from treatise.statistics import effective_sample_size, geweke_joint_test
from treatise.statistics.topics import CollapsedTopics, infer_shares, tokens_of, whole_counts

SMALL = np.array([[2, 1, 0], [0, 1, 2]])
"""Two documents of three words each."""
ALPHA, BETA = 0.5, 0.5


def small_tokens():
    return tokens_of(whole_counts(SMALL))


def hinge(signs, cost, margin):
    signs = np.asarray(signs, dtype=float)
    return HingeLoss(signs, cost, margin), lambda s, i: np.maximum(0.0, margin - signs[:, i] * s)


def insensitive(numbers, cost, epsilon):
    numbers = np.asarray(numbers, dtype=float)[:, np.newaxis]
    return InsensitiveLoss(numbers, cost, epsilon), lambda s, i: np.maximum(0.0, np.abs(numbers[:, i] - s) - epsilon)


def statistics_of(topics, shares, scores):
    """Share of token pairs with one topic, distance of the documents, scores."""
    same = np.mean([a == b for a, b in itertools.combinations(topics, 2)])
    return np.concatenate([[same, abs(shares[0, 0] - shares[1, 0])], np.ravel(scores)])


def enumerated(loss_of, n_scores, cost, prior_var=1.0, points=141):
    """Posterior means of the statistics: all topics of all tokens, and a grid over the weights of two topics."""
    tokens = small_tokens()
    state = CollapsedTopics(tokens, 2, ALPHA, BETA, np.random.default_rng(0))
    axis = np.linspace(-7, 7, points) * np.sqrt(prior_var)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    log_prior = -0.5 * np.sum(grid**2, axis=1) / prior_var
    weights, found = [], []
    for topics in itertools.product(range(2), repeat=len(tokens.words)):
        state.set_topics(np.array(topics))
        shares = state.shares()
        weight, scores = np.exp(state.log_joint()), []
        for i in range(n_scores):
            s = grid @ shares.T
            mass = np.exp(log_prior - 2.0 * cost * loss_of(s, i).sum(axis=1))
            weight *= mass.sum()
            scores.append(mass @ s / mass.sum())
        weights.append(weight)
        found.append(statistics_of(topics, shares, np.array(scores).T))
    return np.array(weights) @ np.array(found) / np.sum(weights)


def sampled(loss, n_sweeps, prior_var=1.0, seed=0):
    """Means over a long chain, and their standard errors."""
    chain = Chain(small_tokens(), loss, 2, ALPHA, BETA, prior_var, np.random.default_rng(seed))
    chain.sweep(200)
    drawn = []
    for _ in range(n_sweeps):
        chain.sweep(1)
        drawn.append(statistics_of(chain.topics.topics, chain.topics.shares(), chain.scores()))
    drawn = np.array(drawn)
    return drawn.mean(axis=0), drawn.std(axis=0) / np.sqrt(effective_sample_size(drawn[np.newaxis]))


CASES = {
    "two classes, c = 1": (hinge([[1], [-1]], 1.0, 2.0), 1, 1.0),
    "two classes, c = 2": (hinge([[1], [-1]], 2.0, 1.0), 1, 2.0),
    "two labels, c = 0.5": (hinge([[1, 1], [-1, 1]], 0.5, 1.5), 2, 0.5),
    "numbers, c = 2": (insensitive([1.0, -0.5], 2.0, 0.1), 1, 2.0),
}


@pytest.mark.parametrize("case", CASES)
def test_a_long_chain_agrees_with_the_enumerated_posterior(case):
    (loss, loss_of), n_scores, cost = CASES[case]
    mean, error = sampled(loss, 4000)
    assert error.max() < 0.04  # wrong powers of c move some statistic by five of these or more
    assert np.all(np.abs(mean - enumerated(loss_of, n_scores, cost)) < 4 * error)


def test_the_enumerated_posterior_is_the_one_known_for_the_small_case():
    _, loss_of = hinge([[1], [-1]], 1.0, 2.0)
    same, distance, score, _ = enumerated(loss_of, 1, 1.0, points=241)
    np.testing.assert_allclose([same, distance, score], [0.422422, 0.905627, 1.310879], atol=5e-4)


def joint_scores(make_loss, cost, seed=0, n_draws=1200, change=None):
    """Geweke's scores with the words as data: the labels stay, and the pseudo-likelihood is at most one.

    A prior draw of weights and topics is accepted with the probability that the pseudo-likelihood gives its labels.
    """
    lengths, n_words, n_topics = np.array([3, 2, 1]), 3, 2
    documents = np.repeat(np.arange(3), lengths)
    counts = np.zeros((3, n_words), dtype=int)
    counts[:, 0] = lengths
    start = tokens_of(whole_counts(counts))
    chain = Chain(start, make_loss()[0], n_topics, ALPHA, BETA, 1.0, np.random.default_rng(seed))
    _, loss_of = make_loss()
    n_scores = len(chain.weights)

    def prior(rng):
        while True:
            weights = rng.normal(size=(n_scores, n_topics))
            shares = rng.dirichlet(np.full(n_topics, ALPHA), 3)
            topics = (rng.random(len(documents)) > shares[documents, 0]).astype(np.int32)
            means = np.array([np.bincount(topics[documents == d], minlength=2) / lengths[d] for d in range(3)])
            scores = means @ weights.T
            total = sum(loss_of(scores[:, i], i).sum() for i in range(n_scores))
            if rng.random() < np.exp(-2.0 * cost * total):
                loss = make_loss()[0]
                loss.draw_scales(rng, scores)
                return weights, topics, loss

    def words_of(rng, parameters):
        shares = rng.dirichlet(np.full(n_words, BETA), n_topics)
        topics = parameters[1]
        return np.array([rng.choice(n_words, p=shares[topic]) for topic in topics], dtype=np.int32)

    def step(rng, parameters, words):
        chain.weights, _, chain.loss = parameters
        chain.rng = chain.topics.rng = rng
        chain.topics.tokens = start._replace(words=words)
        chain.topics.set_topics(parameters[1])
        if change is not None:
            change(chain)
        chain.sweep(1)
        return chain.weights, chain.topics.topics.copy(), chain.loss

    def statistics(parameters, words):
        weights, topics, loss = parameters
        same = topics[0] == topics[1]
        pull, precision = loss.gaussian()
        flat = weights.ravel()
        means = np.array([np.bincount(topics[documents == d], minlength=n_topics) for d in range(3)]) / lengths[:, None]
        alike = words[0] == words[1]
        # Scales have heavy tails: of pulls and precisions bounded functions.
        bounded = [np.arctan(pull.ravel()), np.arctan(precision.ravel())]
        return np.concatenate([flat, flat**2, (means @ weights.T).ravel(), [same, alike, alike * same], *bounded])

    return geweke_joint_test(prior, words_of, step, statistics, n_draws=n_draws, random_state=seed)


JOINT = {
    "classes": (lambda: hinge([[1, -1], [-1, -1], [1, 1]], 0.5, 0.5), 0.5),
    "numbers": (lambda: insensitive([0.5, -1.0, 0.2], 0.7, 0.1), 0.7),
}


@pytest.mark.parametrize("case", JOINT)
def test_the_sampler_passes_the_joint_test(case):
    make_loss, cost = JOINT[case]
    assert np.abs(joint_scores(make_loss, cost)).max() < 4.0


def test_the_joint_test_sees_the_missing_factor_of_the_paper():
    cost = 0.25

    def make_loss():
        return hinge([[1], [-1], [1]], cost, 0.5)

    def change(chain):
        chain.topics.sweep = lambda factor: CollapsedTopics.sweep(
            chain.topics, factor._replace(pull=factor.pull / cost)
        )

    assert np.abs(joint_scores(make_loss, cost, change=change)).max() > 5.0


@pytest.mark.parametrize("cost", [0.5, 2.0])
@pytest.mark.parametrize("zeta", [-3.0, -0.1, 0.5, 4.0])
def test_the_mixture_over_scales_is_the_exponential_of_the_hinge(zeta, cost):
    def density(root):  # scale = root^2, so that the pole at zero goes
        scale = root**2
        return 2.0 / np.sqrt(2 * np.pi) * np.exp(-((scale + cost * zeta) ** 2) / (2 * scale))

    found = (
        quad(density, 0, np.sqrt(cost * abs(zeta)), epsabs=1e-12)[0] + quad(density, np.sqrt(cost * abs(zeta)), 30)[0]
    )
    assert found == pytest.approx(np.exp(-2 * cost * max(0, zeta)), abs=1e-8)


def test_scales_at_the_kink_are_finite_and_have_the_right_mean_elsewhere():
    rng, scales = np.random.default_rng(0), np.empty((200_000, 3))
    draw_scales(rng, np.tile([0.0, 0.5, -3.0], (len(scales), 1)), scales)
    assert np.isfinite(scales).all() and (scales > 0).all()
    # The generalised inverse Gaussian law of index 1/2 has mean distance + 1.
    np.testing.assert_allclose(scales[:, 1:].mean(axis=0), [1.5, 4.0], rtol=0.01)


@pytest.mark.parametrize("cost", [0.3, 2.0])
def test_modes_instead_of_draws_converge_to_the_support_vector_machine(cost):
    rng = np.random.default_rng(0)
    shares, margin, prior_var = rng.dirichlet(np.full(5, 0.5), 80), 20.0, 2.0
    signs = np.where(shares[:, 0] + 0.3 * rng.random(80) > 0.4, 1.0, -1.0)[:, np.newaxis]
    loss, weights = HingeLoss(signs, cost, margin), np.zeros(5)
    for _ in range(5000):
        pull, precision = loss.gaussian()
        squares = np.eye(5) / prior_var + (shares * precision).T @ shares
        weights = np.linalg.solve(squares, shares.T @ pull[:, 0])
        loss.scales = np.maximum(cost * np.abs(margin - signs * (shares @ weights)[:, np.newaxis]), 1e-9)

    def objective(weights):
        return 0.5 * weights @ weights / prior_var + 2 * cost * loss.of((shares @ weights)[:, np.newaxis]) * margin * 80

    machine = LinearSVC(
        loss="hinge", fit_intercept=False, C=2 * cost * prior_var / margin, tol=1e-8, max_iter=2_000_000
    ).fit(shares, signs[:, 0])
    assert objective(weights) == pytest.approx(objective(margin * machine.coef_[0]), rel=1e-4)


def test_without_cost_the_topics_are_those_of_plain_allocation():
    tokens = tokens_of(whole_counts(np.random.default_rng(1).poisson(0.7, (30, 20))))
    signs = np.where(np.arange(30) % 2, 1.0, -1.0)[:, np.newaxis]
    chain = Chain(tokens, HingeLoss(signs, 1e-12, 64.0), 4, 0.25, 0.01, 1.0, np.random.default_rng(2))
    plain = CollapsedTopics(tokens, 4, 0.25, 0.01, np.random.default_rng(2))
    for _ in range(3):
        plain.rng.standard_normal(4)  # what the chain draws for its weights
        plain.sweep()
        scales = np.ones((30, 1))
        state = plain.rng.bit_generator.state
        chain.sweep(1)
        np.testing.assert_array_equal(chain.topics.topics, plain.topics)
        plain.rng.bit_generator.state = state
        draw_scales(plain.rng, np.full((30, 1), 64e-12), scales)
        plain.rng.bit_generator.state = chain.rng.bit_generator.state


def corpus(seed, n_documents=400, n_words=500, n_topics=5, length=80):
    """Documents of five subjects whose label is which of the first two has more."""
    rng = np.random.default_rng(seed)
    subjects = rng.dirichlet(np.full(n_words, 0.05), n_topics)
    shares = rng.dirichlet(np.full(n_topics, 0.5), n_documents)
    X = np.array([rng.multinomial(length, share @ subjects) for share in shares])
    difference = shares[:, 0] - shares[:, 1]
    return X, (difference + rng.normal(0, 0.05, n_documents) > 0).astype(int), difference


def allocation_and_machine(X, y, n_topics, seed):
    """Accuracy of plain allocation followed by a support vector machine."""
    train, test = (tokens_of(whole_counts(part)) for part in (X[:400], X[400:]))
    state = CollapsedTopics(train, n_topics, 1.0 / n_topics, 0.01, np.random.default_rng(seed))
    for _ in range(50):
        state.sweep()
    shares = [infer_shares(part, state.word_shares(), 1.0 / n_topics) for part in (train, test)]
    return LinearSVC().fit(shares[0], y[:400]).score(shares[1], y[400:])


def test_it_is_near_allocation_and_a_machine_where_allocation_is_right_and_better_with_few_topics():
    gains = np.zeros((5, 2))
    for seed in range(5):
        X, y, _ = corpus(seed, n_documents=800)
        for at, n_topics in enumerate((5, 2)):
            model = GibbsMedLDAClassifier(n_topics, random_state=seed).fit(sparse.csr_matrix(X[:400]), y[:400])
            ours = model.score(sparse.csr_matrix(X[400:]), y[400:])
            gains[seed, at] = ours - allocation_and_machine(X, y, n_topics, seed)
    # Documents drawn from plain allocation with its own number of topics: all that labels can do there is no harm.
    assert gains[:, 0].mean() >= -0.02
    assert gains[:, 1].mean() > 0.02


def test_it_predicts_numbers_in_any_unit():
    X, _, y = corpus(0)
    model = GibbsMedLDARegressor(10, random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.7
    scaled = GibbsMedLDARegressor(10, random_state=0).fit(X[:200], 2.0**20 * y[:200])
    np.testing.assert_array_equal(scaled.predict(X), 2.0**20 * model.predict(X))  # a power of two rounds nothing
    moved = GibbsMedLDARegressor(10, random_state=0).fit(X[:200], 1e3 + y[:200])
    assert moved.score(X[200:], 1e3 + y[200:]) > 0.7


def test_several_classes_share_topics_and_one_vs_rest_has_its_own():
    rng = np.random.default_rng(3)
    kinds = rng.dirichlet(np.full(60, 0.1), 3)
    y = np.array(["b", "a", "c"])[np.arange(90) % 3]
    X = np.array([rng.multinomial(40, kinds[k]) for k in np.arange(90) % 3])
    model = GibbsMedLDAClassifier(6, random_state=0).fit(X[:60], y[:60])
    assert model.classes_.tolist() == ["a", "b", "c"] and model.coef_.shape == (3, 6)
    assert model.decision_function(X).shape == (90, 3) and model.score(X[60:], y[60:]) > 0.9
    apart = OneVsRestClassifier(GibbsMedLDAClassifier(6, random_state=0)).fit(X[:60], y[:60])
    assert apart.score(X[60:], y[60:]) > 0.9


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_several_labels_are_learned_at_once(form):
    X, y = make_multilabel_classification(300, 40, n_classes=4, n_labels=2, length=60, random_state=0)
    model = GibbsMedLDAClassifier(10, random_state=0).fit(X[:200], form(y[:200]))
    found = model.predict(X[200:])
    assert found.shape == (100, 4) and set(np.unique(found)) <= {0, 1}
    assert np.mean(found == y[200:]) > np.mean(y[:200].mean(axis=0).round() == y[200:]) + 0.05
    assert model.decision_function(X[200:]).shape == (100, 4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_default_number_of_topics_follows_the_scores():
    X, y, difference = corpus(5, n_documents=60)
    assert len(GibbsMedLDAClassifier(n_burn=1).fit(X, y).components_) == 10
    assert len(GibbsMedLDAClassifier(n_burn=1).fit(X, np.arange(60) % 7).components_) == 14
    assert len(GibbsMedLDARegressor(n_burn=1).fit(X, difference).components_) == 10


def test_one_seed_gives_the_same_bits_and_another_others():
    X, y, _ = corpus(1, n_documents=60)
    scores = [GibbsMedLDAClassifier(5, random_state=seed).fit(X, y).decision_function(X) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])


def test_an_empty_document_teaches_nothing_and_is_judged_by_equal_shares():
    X, y, _ = corpus(2, n_documents=60)
    plain = GibbsMedLDAClassifier(5, random_state=0).fit(X, y)
    more = GibbsMedLDAClassifier(5, random_state=0).fit(np.insert(X, 7, 0, axis=0), np.insert(y, 7, 1))
    np.testing.assert_array_equal(plain.coef_, more.coef_)
    assert plain.decision_function(0 * X[:1])[0] == pytest.approx(plain.coef_.mean())


def test_shares_instead_of_counts_are_taken_where_tokens_are_asked_for():
    X, y, _ = corpus(4, n_documents=100)
    shares = X / X.sum(axis=1, keepdims=True)
    with pytest.raises(ValueError, match=r"no count of a word.*tokens_per_row"):
        GibbsMedLDAClassifier().fit(shares, y)
    model = GibbsMedLDAClassifier(5, tokens_per_row=80, random_state=0).fit(shares, y)
    counted = GibbsMedLDAClassifier(5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(3.0 * shares), counted.decision_function(X))


@pytest.mark.parametrize("estimator", [GibbsMedLDAClassifier, GibbsMedLDARegressor])
def test_bad_input_is_refused_in_words(estimator):
    X, y, _ = corpus(0, n_documents=20)
    with pytest.raises(ValueError, match="Negative values in data"):
        estimator().fit(-X, y)
    with pytest.raises(ValueError, match="NaN"):
        estimator().fit(np.where(X == 1, np.nan, X), y)
    with pytest.raises(ValueError, match="none of the 20 documents has a word"):
        estimator().fit(0 * X, y)
    with pytest.raises(ValueError, match="n_topics"):
        estimator(1).fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        estimator(alpha=0.0).fit(X, y)


def test_bad_labels_are_refused_in_words():
    X, y, _ = corpus(0, n_documents=20)
    with pytest.raises(ValueError, match="one class only"):
        GibbsMedLDAClassifier().fit(X, np.zeros(20))
    with pytest.raises(ValueError, match="column of 0 and 1 for each label"):
        GibbsMedLDAClassifier().fit(X, sparse.csr_matrix(np.column_stack([y, 2 * y])))


def test_a_loss_that_still_falls_is_told():
    model = GibbsMedLDAClassifier(n_burn=0, n_samples=20)
    model.losses_ = np.linspace(1.0, 0.5, 20)
    with pytest.warns(ConvergenceWarning, match=r"the loss still falls, from 0.882 to 0.618.* raise n_burn=0"):
        assert not model._at_rest(20)
    model.losses_ = 0.5 + 0.01 * np.random.default_rng(0).normal(size=20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model._at_rest(20)


def test_one_sweep_that_is_kept_is_judged_by_those_before_it():
    model = GibbsMedLDAClassifier(n_burn=40, n_samples=1)
    model.losses_ = np.append(np.linspace(1.0, 0.5, 30), np.full(11, 0.5))
    assert model._at_rest(1)
    model.losses_ = np.linspace(1.0, 0.5, 41)
    with pytest.warns(ConvergenceWarning, match="over the last 8 sweeps; raise n_burn=40"):
        assert not model._at_rest(1)
    X, y, _ = corpus(5, n_documents=60)
    with pytest.warns(ConvergenceWarning, match="2 sweeps are too few to tell"):
        assert not GibbsMedLDAClassifier(3, n_burn=1, n_samples=1, random_state=0).fit(X, y).converged_


def test_pictures_show_words_and_classes():
    X, y, _ = corpus(0, n_documents=60)
    model = GibbsMedLDAClassifier(5, random_state=0).fit(X, y)
    names = [f"w{i}" for i in range(X.shape[1])]
    panels = plot_topics(model, names, topics=[1, 3], n_words=4)
    assert [label.get_text() for label in panels[0].get_yticklabels()] == model.top_words(4, names)[1]
    ax = plot_class_topics(model, X, y, class_names=["few", "many"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["few", "many"]
    with pytest.raises(ValueError, match="topics from 0 to 4"):
        plot_topics(model, names, topics=[5])
    with pytest.raises(ValueError, match="there are 500 words"):
        model.top_words(names=["w"])
