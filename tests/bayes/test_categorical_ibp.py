"""Hidden features behind categories: evidence, sampler and bound against brute force; bad input."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.special import digamma, gammaln, log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning

from treatise.bayes import CategoricalIBP, plot_hidden_features
from treatise.bayes.categorical_ibp._gibbs import BuffetChain
from treatise.bayes.categorical_ibp._rows import posterior_of_rows
from treatise.bayes.categorical_ibp._table import modal_weights, table_of
from treatise.bayes.categorical_ibp._variational import VariationalFeatures
from treatise.statistics import effective_sample_size, geweke_joint_test, normal_nodes
from treatise.statistics.indian_buffet import (
    buffet_classes,
    draw_buffet,
    expected_buffet_features,
    log_buffet_probability,
)


def fitted(X, **parameters):
    """A short fit whose warning about short chains is of no interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return CategoricalIBP(**{"n_burn": 20, "n_samples": 20, "random_state": 0, **parameters}).fit(X)


def two_causes(n=200, seed=0):
    """Two causes of four symptoms each."""
    rng = np.random.default_rng(seed)
    causes = (rng.random((n, 2)) < 0.3).astype(int)
    shown = np.repeat(causes, 4, axis=1)
    return causes, (rng.random(shown.shape) < np.where(shown, 0.8, 0.05)).astype(int)


def paper_evidence(x, Z, n_answers, sigma2, B):
    """Equation 6 as printed, all answers of all rows, at weights that maximise the posterior."""
    Z = np.column_stack([np.ones(len(Z)), Z])
    pi = softmax(Z @ B, axis=1)
    inner = np.eye(n_answers * Z.shape[1])
    for z, p in zip(Z, pi):
        inner += sigma2 * np.kron(np.diag(p) - np.outer(p, p), np.outer(z, z))
    likelihood = np.log(pi[np.arange(len(x)), x]).sum()
    return -0.5 * (B**2).sum() / sigma2 - 0.5 * np.linalg.slogdet(inner)[1] + likelihood


def random_table(seed, n=12, n_answers=(2, 3, 4), n_features=3):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, r, n) for r in n_answers])
    return table_of(codes, np.array(n_answers)), (rng.random((n, n_features)) < 0.4).astype(int)


def test_evidence_of_a_known_column():
    table = table_of(np.array([0, 0, 1, 1, 1, 0, 1, 1])[:, None], [2])
    (weights,), evidence = modal_weights(table, np.array([0, 0, 1, 1, 1, 0, 1, 0])[:, None], 1.0)
    assert evidence[0] == pytest.approx(-5.161623, abs=1e-6)
    np.testing.assert_allclose(np.abs(weights), [[0.073053] * 2, [0.781100] * 2], atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_evidence_is_equation_6_at_a_point_where_the_gradient_of_appendix_a_is_zero(seed):
    table, Z = random_table(seed)
    sigma2 = 1.7
    weights, evidence = modal_weights(table, Z, sigma2)
    extended = np.column_stack([np.ones(len(Z)), Z])
    for d, r in enumerate(table.n_answers):
        x = table.codes[:, d]
        # Rows were grouped and one answer's weight was zero there; here nothing is.
        assert evidence[d] == pytest.approx(paper_evidence(x, Z, r, sigma2, weights[d]), abs=1e-9)
        slope = extended.T @ (np.eye(r)[x] - softmax(extended @ weights[d], axis=1)) - weights[d] / sigma2
        assert np.abs(slope).max() < 1e-6


def test_determinant_by_the_recursion_of_section_3_2():
    table, Z = random_table(4)
    weights, evidence = modal_weights(table, Z, 0.8)
    extended, d = np.column_stack([np.ones(len(Z)), Z]), 2
    pi = softmax(extended @ weights[d], axis=1)
    blocks = [np.eye(4) / 0.8 + extended.T @ (p[:, None] * extended) for p in pi.T]
    inverse = np.zeros((16, 16))
    for r, block in enumerate(blocks):
        inverse[4 * r : 4 * r + 4, 4 * r : 4 * r + 4] = np.linalg.inv(block)
    log_determinant = sum(np.linalg.slogdet(block)[1] for block in blocks)
    for z, p in zip(extended, pi):
        v = np.kron(p, z)
        # The paper prints the determinant's lemma with D in place of its inverse.
        left = 1.0 - v @ inverse @ v
        log_determinant += np.log(left)
        inverse += np.outer(inverse @ v, inverse @ v) / left
    likelihood = np.log(pi[np.arange(len(Z)), table.codes[:, d]]).sum()
    expected = likelihood - 0.5 * (weights[d] ** 2).sum() / 0.8 - 0.5 * (log_determinant + 16 * np.log(0.8))
    assert evidence[d] == pytest.approx(expected, abs=1e-9)


def test_missing_cells_are_left_out_of_the_likelihood():
    table, Z = random_table(5)
    codes = table.codes.copy()
    codes[[1, 4], 1] = -1
    _, evidence = modal_weights(table_of(codes, table.n_answers), Z, 1.0)
    kept = np.delete(np.arange(len(Z)), [1, 4])
    _, fewer = modal_weights(table_of(table.codes[kept], table.n_answers), Z[kept], 1.0)
    assert evidence[1] == pytest.approx(fewer[1], abs=1e-9)
    assert evidence[0] != pytest.approx(fewer[0], abs=1e-3)


def test_book_keeping_of_a_chain_equals_a_fresh_computation():
    table, Z = random_table(6, n=30)
    codes = table.codes.copy()
    codes[::7, 1] = -1
    table = table_of(codes, table.n_answers)
    chain = BuffetChain(table, 2.0, 1.5, 3, Z, np.random.default_rng(0))
    for _ in range(30):
        chain.sweep(1)
        found = chain.features()
        assert found.any(axis=0).all()
        np.testing.assert_array_equal(found.sum(axis=0), chain.buffet.owners[: chain.n_features])
        expected = modal_weights(table, found, 1.5)[1]
        np.testing.assert_allclose(chain.buffet.evidence, expected, atol=1e-7)
        assert chain.log_joint() == pytest.approx(expected.sum() + log_buffet_probability(found, 2.0), abs=1e-6)


TINY = np.array([[0, 1, 2], [1, 1, 0], [0, -1, 2]])


def summaries(Z):
    """Functions of the features that do not see their order."""
    together = Z @ Z.T
    return [Z.shape[1], Z.sum(), together[0, 0], together[0, 1], together[0, 2], (Z.sum(axis=0) == 3).sum()]


def tiny_posterior(table, alpha, evidence):
    """Probabilities of all matrices of up to four features."""
    classes = list(buffet_classes(len(table.codes), 4))
    logs = np.array([log_buffet_probability(Z, alpha) + evidence(Z) for Z in classes])
    return classes, softmax(logs)


def test_sampler_draws_from_the_posterior_by_enumeration_and_gives_the_chances_of_a_missing_cell():
    table, alpha, sigma2 = table_of(TINY, [2, 2, 3]), 0.4, 2.0
    classes, chances = tiny_posterior(table, alpha, lambda Z: modal_weights(table, Z, sigma2)[1].sum())
    expected = chances @ np.array([summaries(Z) for Z in classes])
    filled = []
    for answer in (0, 1):
        codes = TINY.copy()
        codes[2, 1] = answer
        filled.append([modal_weights(table_of(codes, [2, 2, 3]), Z, sigma2)[1][1] for Z in classes])
    chance = chances @ softmax(np.array(filled), axis=0).T
    chain = BuffetChain(table, alpha, sigma2, 4, np.ones((3, 1), dtype=int), np.random.default_rng(0))
    draws = []
    for _ in range(3000):
        chain.sweep(1)
        chain.draw()
        draws.append(summaries(chain.features()))
    draws = np.array(draws, dtype=float)
    error = draws.std(axis=0) / np.sqrt(effective_sample_size(draws[np.newaxis]))
    # Matrices of more than four features are cut off; their chance under the prior is below 0.002.
    assert (np.abs(draws.mean(axis=0) - expected) < 4 * error + 0.01).all()
    np.testing.assert_allclose(chain.answers[0, :2] / chain.n_draws, chance, atol=0.01)


def test_laplace_posterior_is_close_to_the_exact_one():
    table, sigma2 = table_of(np.array([[0, 1], [1, 1], [0, 0]]), [2, 2]), 1.0
    nodes, masses = normal_nodes(15)

    def exact(Z):
        """The integral over the weights of answer 1 against answer 0, of variance 2 sigma2, on a grid."""
        Z = Z[:, np.argsort(-Z.sum(axis=0))]
        extended = np.column_stack([np.ones(3), Z])
        # Rows of Z span at most three directions: the weights in them are normal, too.
        _, values, turn = np.linalg.svd(extended, full_matrices=False)
        turn = turn[values > 1e-9]
        design = extended @ turn.T * np.sqrt(2.0 * sigma2)
        grid = np.array(list(product(nodes, repeat=len(turn))))
        weight = np.prod(list(product(masses, repeat=len(turn))), axis=1)
        logits = grid @ design.T
        total = 0.0
        for x in table.codes.T:
            total += np.log(weight @ np.exp(-np.logaddexp(0.0, np.where(x == 1, -logits, logits)).sum(axis=1)))
        return total

    few = list(buffet_classes(3, 3))
    prior = np.array([log_buffet_probability(Z, 0.8) for Z in few])
    approximate = softmax(prior + [modal_weights(table, Z, sigma2)[1].sum() for Z in few])
    true = softmax(prior + [exact(Z) for Z in few])
    # Total variation; the prior is several times as far.
    distance = 0.5 * np.abs(approximate - true).sum()
    assert distance < 0.02
    assert 0.5 * np.abs(softmax(prior) - true).sum() > 2 * distance


def test_sampler_and_model_tell_the_same_story_in_gewekes_joint_test():
    n, n_answers, alpha, sigma2 = 4, np.array([2, 3]), 1.0, 0.3

    def prior(rng):
        return draw_buffet(n, alpha, rng)

    def data(rng, Z):
        extended = np.column_stack([np.ones(n), Z])
        codes = np.empty((n, 2), dtype=int)
        for d, r in enumerate(n_answers):
            pi = softmax(extended @ rng.normal(0, np.sqrt(sigma2), (extended.shape[1], r)), axis=1)
            codes[:, d] = [rng.choice(r, p=p) for p in pi]
        return codes

    def step(rng, Z, codes):
        chain = BuffetChain(table_of(codes, n_answers), alpha, sigma2, 6, Z, rng)
        chain.sweep(1)
        return chain.features()

    def statistics(Z, codes):
        same = codes[0] == codes[1]
        shared = Z[0] @ Z[1] if Z.shape[1] else 0
        return np.array([Z.shape[1], Z.shape[1] ** 2, Z.sum(), shared, shared * same.sum(), (Z.sum(axis=0) == 1).sum()])

    # Laplace's approximation is nearly exact for weights of this variance: only a wrong conditional shows.
    scores = geweke_joint_test(prior, data, step, statistics, n_draws=1000)
    assert np.abs(scores).max() < 3.5


def test_without_answers_the_features_follow_the_buffet():
    table = table_of(np.full((20, 1), -1), [2])
    chain = BuffetChain(table, 1.5, 1.0, 8, np.zeros((20, 0), dtype=int), np.random.default_rng(0))
    draws = []
    for _ in range(6000):
        chain.sweep(1)
        draws.append([chain.n_features, chain.buffet.owners.sum() / 20])
    draws = np.array(draws, dtype=float)
    error = draws.std(axis=0) / np.sqrt(effective_sample_size(draws[np.newaxis]))
    assert (np.abs(draws.mean(axis=0) - [expected_buffet_features(20, 1.5), 1.5]) < 3 * error).all()


def test_chains_do_not_depend_on_how_many_run_at_once():
    _, X = two_causes(40)
    one, two = fitted(X, n_burn=5), fitted(X, n_burn=5, n_jobs=2)
    np.testing.assert_array_equal(one.traces_["log_joint"], two.traces_["log_joint"])
    np.testing.assert_array_equal(one.features_, two.features_)


def printed_bound(model, alpha):
    """The bound of Appendix B, term by term, with the entropy's sign as it must be."""
    nu, phi, variance, tau, terms = model.nu, model.phi, model.variance, model.sticks.tau, model.sticks.terms
    n_rows, K = nu.shape
    both = digamma(tau.sum(axis=1))
    value = 0.0
    for k in range(K):
        value += np.log(alpha) + (alpha - 1) * (digamma(tau[k, 0]) - both[k])
        a, b = tau[k]
        value += gammaln(a) + gammaln(b) - gammaln(a + b) - (a - 1) * digamma(a) - (b - 1) * digamma(b)
        value += (a + b - 2) * digamma(a + b)
        present = sum(digamma(tau[i, 0]) - both[i] for i in range(k + 1))
        absent = sum(terms[k, m] * digamma(tau[m, 1]) for m in range(k + 1))
        absent += sum(terms[k, m + 1 : k + 1].sum() * digamma(tau[m, 0]) for m in range(k))
        absent -= sum(terms[k, m : k + 1].sum() * both[m] for m in range(k + 1))
        absent -= sum(t * np.log(t) for t in terms[k, : k + 1] if t > 0)
        value += (nu[:, k] * present + (1 - nu[:, k]) * absent).sum()
        value -= (nu[:, k] * np.log(nu[:, k]) + (1 - nu[:, k]) * np.log1p(-nu[:, k])).sum()
    for d, r in enumerate(model.table.n_answers):
        p, v = phi[d, :, :r], variance[d, :, :r]
        value += (-0.5 * np.log(2 * np.pi * model.sigma2) - (p**2 + v) / (2 * model.sigma2)).sum()
        value += 0.5 * np.log(2 * np.pi * np.e * v).sum()
        e = np.exp(p + 0.5 * v)
        for n in range(n_rows):
            x = model.table.codes[n, d]
            if x >= 0:
                S = (e[0] * np.prod(1 - nu[n][:, None] + nu[n][:, None] * e[1:], axis=0)).sum()
                xi = 1 / S
                value += p[0, x] + nu[n] @ p[1:, x] + np.log(xi) + 1 - xi * S
    return value


def variational(seed=0):
    table, _ = random_table(seed, n=25)
    codes = table.codes.copy()
    codes[[2, 9], [0, 2]] = -1
    nu = np.random.default_rng(seed).random((25, 4))
    return VariationalFeatures(table_of(codes, table.n_answers), 1.4, 0.9, nu)


def test_bound_is_that_of_appendix_b_and_every_block_raises_it():
    model = variational()
    values = [model.bound()]
    assert values[0] == pytest.approx(printed_bound(model, 1.4), abs=1e-9)
    for _ in range(6):
        for update in (model.sticks.update_terms, None, model.update_weights, model.update_features):
            if update is None:
                model.sticks.update_tau(model.nu.sum(axis=0), len(model.nu))
            else:
                update()
            values.append(model.bound())
    assert values[-1] == pytest.approx(printed_bound(model, 1.4), abs=1e-9)
    assert np.diff(values).min() > -1e-9 and values[-1] > values[0] + 1.0


def test_bound_is_flat_in_every_parameter_at_the_end():
    model = variational(1)
    for _ in range(500):
        model.update_sticks()
        model.update_weights()
        model.update_features()
    weights = [(0, 0, 1), (1, 2, 0), (2, 3, 3)]
    places = [("nu", (5, 2)), ("nu", (11, 0)), *(("phi", at) for at in weights), *(("variance", at) for at in weights)]
    for part, place in places:
        array = getattr(model, part)
        kept, values = array[place], []
        step = 1e-4 * min(kept, 1 - kept) if part == "nu" else 1e-4
        for side in (-step, step):
            array[place] = kept + side
            model.e = np.exp(model.phi + 0.5 * model.variance)
            values.append(model.bound())
        array[place] = kept
        model.e = np.exp(model.phi + 0.5 * model.variance)
        assert abs(values[1] - values[0]) / (2 * step) < 1e-3


def test_bound_is_below_the_evidence_of_a_tiny_table():
    codes = np.array([[0, 1], [1, 1], [0, 0]])
    table = table_of(codes, [2, 2])
    model = VariationalFeatures(table, 1.0, 1.0, np.full((3, 1), 0.3))
    bound = model.run(200, 1e-9)[0][-1]
    # One feature of the truncated process: its share is uniform, so a set of m owners has a Beta chance.
    evidence = []
    for owners in product((0, 1), repeat=3):
        m = sum(owners)
        prior = gammaln(m + 1) + gammaln(4 - m) - gammaln(5)
        evidence.append(prior + modal_weights(table, np.array(owners)[:, None], 1.0)[1].sum())
    exact = np.logaddexp.reduce(evidence)
    assert exact - 2.5 < bound < exact


def test_variational_fit_reports_a_bound_that_never_falls():
    _, X = two_causes(600)
    model = CategoricalIBP("variational", n_components=6, random_state=0).fit(X)
    assert model.converged_ and len(model.lower_bound_trace_) == model.n_iter_ + 1
    assert np.diff(model.lower_bound_trace_).min() > -1e-7
    with pytest.warns(ConvergenceWarning, match="the bound still rises after 2 sweeps"):
        CategoricalIBP("variational", n_components=6, max_iter=2, tol=1e-12, random_state=0).fit(X)


def test_a_start_that_is_not_exact_is_nothing_to_warn_of():
    X = np.random.default_rng(0).integers(0, 3, (30, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CategoricalIBP("variational", n_components=4, random_state=0).fit(X).converged_


@pytest.mark.parametrize("method", ["gibbs", "variational"])
def test_causes_that_made_the_table_are_found(method):
    causes, X = two_causes(600 if method == "variational" else 120)
    model = fitted(X, method=method, n_components=8, n_chains=1)
    found = np.abs(np.corrcoef(model.features_[:, :2].T, causes.T)[:2, 2:])
    assert (found.max(axis=0) > 0.7).all() and set(found.argmax(axis=0)) == {0, 1}
    assert (model.prevalence_[2:] < 0.05).all()
    profiles = np.array(model.profiles())
    assert profiles.shape == (8, model.n_components_ + 1, 2)
    k = int(found[:, 0].argmax())
    assert (profiles[:4, k + 1, 1] > 0.6).all() and (profiles[4:, k + 1, 1] < 0.2).all()


def test_noise_leaves_the_chances_of_hidden_cells_near_a_half():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 10)).astype(float)
    hidden = rng.random(X.shape) < 0.1
    model = fitted(np.where(hidden, np.nan, X), missing="mask", alpha=0.5, n_chains=1)
    truth = X[hidden].astype(int)
    loss = -np.log(model.missing_proba_[np.arange(len(truth)), truth]).mean()
    # Features of rows that are alike by chance come and go; they must not be believed.
    assert np.abs(model.missing_proba_[:, 0] - 0.5).mean() < 0.1
    assert loss < np.log(2) + 0.05


def test_chances_of_features_are_bayes_rule_over_all_patterns():
    rng = np.random.default_rng(3)
    table, _ = random_table(3)
    weights = [rng.normal(size=(3, r)) for r in table.n_answers]
    prevalence = np.array([0.3, 0.1])
    found = posterior_of_rows(table, weights, prevalence)
    for n in (0, 7):
        joint = {}
        for z in product((0, 1), repeat=2):
            log = sum(np.log(p if own else 1 - p) for own, p in zip(z, prevalence))
            for d, x in enumerate(table.codes[n]):
                log += log_softmax(np.array([1, *z]) @ weights[d])[x]
            joint[z] = np.exp(log)
        total = sum(joint.values())
        expected = [sum(p for z, p in joint.items() if z[k]) / total for k in range(2)]
        np.testing.assert_allclose(found.features[n], expected, atol=1e-12)


def test_mean_field_of_many_features_is_near_enumeration_where_features_do_not_meet():
    rng = np.random.default_rng(4)
    n_features = 11
    codes = rng.integers(0, 2, (40, n_features))
    table = table_of(codes, np.full(n_features, 2))
    weights = []
    for d in range(n_features):
        own = np.zeros((n_features + 1, 2))
        own[0], own[d + 1] = [1.0, -1.0], [-1.5, 1.5]
        weights.append(own)
    found = posterior_of_rows(table, weights, np.full(n_features, 0.3))
    # Each column has a feature of its own, so Bayes' rule is that of one feature.
    off, on = np.array([1.0, -1.0]), np.array([-0.5, 0.5])
    for x in (0, 1):
        exact = 0.3 * softmax(on)[x] / (0.3 * softmax(on)[x] + 0.7 * softmax(off)[x])
        # The first-order bound on the normaliser costs some of the log odds.
        assert np.abs(found.features[codes == x] - exact).max() < 0.12


def test_missing_cells_are_filled_in_better_than_by_the_usual_answer():
    _, X = two_causes(150)
    table = np.where(X == 1, "yes", "no").astype(object)
    hidden = np.random.default_rng(5).random(X.shape) < 0.15
    masked = table.copy()
    masked[hidden] = None
    model = fitted(masked, missing="mask", n_chains=1)
    np.testing.assert_array_equal(model.missing_cells_, np.argwhere(hidden))
    np.testing.assert_allclose(model.missing_proba_.sum(axis=1), 1.0)
    filled = model.impute(masked)
    assert (filled[~hidden] == table[~hidden]).all()
    usual = np.mean(table[hidden] == "no")
    assert np.mean(filled[hidden] == table[hidden]) > usual + 0.05
    true = np.array([model.states_[d].tolist().index(table[n, d]) for n, d in model.missing_cells_])
    proba = model.missing_proba_[np.arange(len(true)), true]
    constant = np.where(table[hidden] == "no", usual, 1 - usual)
    assert np.log(proba).mean() > np.log(constant).mean() + 0.05


def test_features_of_most_rows_are_turned_into_their_opposites():
    causes, X = two_causes(200)
    table = table_of(X, np.full(8, 2))
    model = CategoricalIBP()
    model._keep(table, np.column_stack([1 - causes[:, 0], causes[:, 1], np.zeros(200, dtype=int)]))
    assert model.n_components_ == 2 and (model.prevalence_ < 0.5).all()
    np.testing.assert_array_equal(np.sort(model.features_.sum(axis=0)), np.sort(causes.sum(axis=0)))
    together, by_chance = model.cooccurrence()
    assert together[0, 1] == pytest.approx((causes[:, 0] * causes[:, 1]).mean())
    assert by_chance[0, 1] == pytest.approx(causes[:, 0].mean() * causes[:, 1].mean())


def test_names_of_categories_and_order_of_columns_change_nothing():
    _, X = two_causes(50)
    few = {"n_burn": 5, "n_samples": 8, "n_chains": 1}
    plain = fitted(X, **few)
    named = fitted(np.where(X == 1, "present", "absent"), **few)
    np.testing.assert_array_equal(plain.features_, named.features_)
    turned = fitted(X[:, ::-1], **few)
    # Sums over columns run in another order: the draws are the same until a coin falls within the last digit.
    np.testing.assert_allclose(turned.traces_["log_joint"], plain.traces_["log_joint"], atol=1e-6)


def test_short_chains_are_told():
    _, X = two_causes(60)
    with pytest.warns(ConvergenceWarning, match="too short to rely on"):
        model = CategoricalIBP(n_burn=0, n_samples=8, random_state=0).fit(X)
    assert not model.converged_ and "log_joint" in model.diagnostics_
    with pytest.warns(ConvergenceWarning, match="2 draws are too few"):
        CategoricalIBP(n_burn=0, n_samples=2, random_state=0).fit(X)


def test_bad_tables_are_refused_with_their_column():
    _, X = two_causes(40)
    constant = X.copy()
    constant[:, 3] = 1
    with pytest.raises(ValueError, match="column 3 has the one category 1"):
        CategoricalIBP().fit(constant)
    assert len(fitted(constant, categories=[0, 1], n_burn=2, n_samples=5).states_[3]) == 2
    with pytest.raises(ValueError, match=r"column 0 holds 1, which is not among its categories \[0, 2\]"):
        CategoricalIBP(categories=[0, 2]).fit(X)
    with pytest.raises(ValueError, match="categories has 2 sequences for the 8 columns"):
        CategoricalIBP(categories=[[0, 1], [0, 1]]).fit(X)
    holes = X.astype(float)
    holes[4, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        CategoricalIBP().fit(holes)
    holes[:, 2] = np.nan
    with pytest.raises(ValueError, match="column 2 has no known cell"):
        CategoricalIBP(missing="mask").fit(holes)
    with pytest.raises(ValueError, match="60 different values"):
        CategoricalIBP().fit(np.random.default_rng(0).normal(size=(60, 2)))
    model = fitted(X, n_burn=5, n_samples=5, n_chains=1)
    with pytest.raises(ValueError, match="column 1 holds 2, which the fit did not see"):
        model.transform([[0, 2, 0, 0, 0, 0, 0, 0]])
    cut = fitted(np.random.default_rng(0).normal(size=(60, 3)), n_bins=3, missing="mask", n_burn=2, n_chains=1)
    with pytest.raises(ValueError, match="column 0 was cut into 3 bins"):
        cut.impute([[np.nan, 0.0, 0.0]])


def test_more_rows_in_other_groups_than_there_was_room_for():
    rng = np.random.default_rng(0)
    Z = (rng.random((100, 8)) < 0.5).astype(int)
    table = table_of(rng.integers(0, 2, (100, 2)), [2, 2])
    chain = BuffetChain(table, 3.0, 1.0, 3, Z[:, :1], rng)
    wide = BuffetChain(table, 3.0, 1.0, 3, Z, rng)
    for each in (chain, wide):
        each.sweep(2)
        expected = modal_weights(table, each.features(), 1.0)[1]
        np.testing.assert_allclose(each.buffet.evidence, expected, atol=1e-7)


def test_picture_has_a_curve_for_each_feature():
    _, X = two_causes(40)
    model = fitted(X, n_burn=5, n_samples=5, n_chains=1)
    axes = plot_hidden_features(model, most_features=2)
    assert len(axes[0].lines) == 1 + min(2, model.n_components_)
    unusual = 1 - model.profiles()[0][0].max()
    assert axes[0].lines[0].get_ydata()[0] == pytest.approx(unusual)
