"""Linear estimators of values against batch solutions, against each other, and against bad input."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from treatise.io import load_model, save_model
from treatise.rl import (
    BRM,
    FPKF,
    GPTD,
    GTD,
    GTD2,
    KTD,
    LSPE,
    LSTD,
    TD,
    TDC,
    FiniteEvaluation,
    FiniteMDP,
    GradientBRM,
    MonteCarlo,
    PenalizedLSTD,
    ResidualGradient,
    baird_features,
    baird_star,
    transitions_of,
)

GAMMA = 0.9
ALL = [TD, TDC, GTD2, GTD, ResidualGradient, GradientBRM, LSTD, LSPE, FPKF, BRM, PenalizedLSTD]
TRACED = [TD, TDC, GTD2, GradientBRM, LSTD, LSPE, FPKF]


def steps(n=60, p=4, seed=0, ratios=True):
    """Features, rewards, next features, ratios with zeros among them, two starts."""
    rng = np.random.default_rng(seed)
    chain = rng.normal(size=(n + 1, p))
    starts = np.zeros(n, dtype=bool)
    starts[[0, n // 3]] = True
    weights = rng.choice([0.0, 0.5, 1.3], n) if ratios else np.ones(n)
    return chain[:-1], rng.normal(size=n), chain[1:], weights, starts


def episodes(n_episodes=8, length=12, p=3, seed=1):
    """Episodes that end for good."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_episodes, length + 1, p))
    starts, ends = np.zeros((2, n_episodes, length), dtype=bool)
    starts[:, 0], ends[:, -1] = True, True
    rewards = rng.normal(size=(n_episodes, length))
    flat = features[:, :-1].reshape(-1, p), rewards.ravel(), features[:, 1:].reshape(-1, p)
    return *flat, np.ones(rewards.size), starts.ravel(), ends.ravel()


def traces(features, ratios, starts, decay):
    z, rows = np.zeros(features.shape[1]), []
    for t in range(len(features)):
        z = features[t] + (0.0 if starts[t] else GAMMA * decay * ratios[t - 1]) * z
        rows.append(z)
    return np.array(rows)


@pytest.mark.parametrize("decay", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("weighting", ["transition", "standard"])
@pytest.mark.parametrize("solver", ["block", "recursive"])
def test_lstd_solves_its_batch_system_with_ridge(decay, weighting, solver):
    phi, r, after, rho, starts = steps()
    z = traces(phi, rho, starts, decay)
    if weighting == "transition":
        A, b = (z * rho[:, None]).T @ (phi - GAMMA * after), z.T @ (rho * r)
    else:
        A, b = z.T @ (phi - GAMMA * rho[:, None] * after), z.T @ (rho * r)
    start = np.arange(4.0)
    expected = np.linalg.solve(A + np.eye(4) / 50.0, b + start / 50.0)
    model = LSTD(GAMMA, decay, weighting=weighting, eps=50.0, solver=solver, initial=start)
    np.testing.assert_allclose(model.fit(phi, r, after, rho, starts).coef_, expected, rtol=1e-9)
    split = LSTD(GAMMA, decay, weighting=weighting, eps=50.0, solver=solver, initial=start)
    split.partial_fit(phi[:25], r[:25], after[:25], rho[:25], starts[:25])
    split.partial_fit(phi[25:], r[25:], after[25:], rho[25:], starts[25:])
    np.testing.assert_allclose(split.coef_, expected, rtol=1e-9)


@pytest.mark.parametrize("decay", [0.0, 0.5, 1.0])
def test_brm_is_the_ridge_regression_of_summed_differences(decay):
    phi, r, after, rho, starts = steps()
    differences, targets = [], []
    for j in range(len(r)):
        weight, psi, q = 1.0, np.zeros(4), 0.0
        for k in range(j, len(r)):
            if k > j:
                if starts[k]:
                    break
                weight *= GAMMA * decay * rho[k - 1]
            psi = psi + weight * (phi[k] - GAMMA * rho[k] * after[k])
            q += weight * rho[k] * r[k]
        differences.append(psi)
        targets.append(q)
    psi, q = np.array(differences), np.array(targets)
    expected = np.linalg.solve(psi.T @ psi + np.eye(4) / 1000.0, psi.T @ q)
    model = BRM(GAMMA, decay, eps=1000.0, weighting="standard").fit(phi, r, after, rho, starts)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-9)


def test_brm_with_whole_transitions_weighted_is_weighted_least_squares():
    phi, r, after, rho, starts = steps()
    d = phi - GAMMA * after
    expected = np.linalg.solve((d * rho[:, None]).T @ d + np.eye(4) / 1000.0, d.T @ (rho * r))
    np.testing.assert_allclose(BRM(GAMMA, eps=1000.0).fit(phi, r, after, rho, starts).coef_, expected, rtol=1e-9)
    with pytest.raises(ValueError, match="standard weights alone"):
        BRM(GAMMA, 0.5).fit(phi, r, after, rho, starts)


def test_double_samples_remove_the_bias_of_random_steps():
    phi, r, after, rho, _ = steps()
    second = steps(seed=5)
    one, two = phi - GAMMA * after, phi - GAMMA * second[2]
    weight = rho * second[3]
    matrix = (one * weight[:, None]).T @ two
    right = 0.5 * (two.T @ (weight * r) + one.T @ (weight * second[1]))
    model = BRM(GAMMA, double_samples=True, eps=100.0)
    model.fit(phi, r, after, rho, second_rewards=second[1], second_next_features=second[2], second_ratios=second[3])
    # The recursion keeps M = (sum of weight d' d''^T + I / eps)^-1 and theta = M b.
    np.testing.assert_allclose(model.coef_, np.linalg.solve(matrix + np.eye(4) / 100.0, right), rtol=1e-8)
    theta = np.zeros(4)
    for t in range(len(r)):
        theta = theta + 0.01 * weight[t] * (r[t] - one[t] @ theta) * two[t]
    gradient = ResidualGradient(GAMMA, double_samples=True, alpha=0.01)
    gradient.fit(phi, r, after, rho, second_next_features=second[2], second_ratios=second[3])
    np.testing.assert_allclose(gradient.coef_, theta, rtol=1e-10)
    with pytest.raises(ValueError, match="needs second_next_features"):
        gradient.fit(phi, r, after)


def reference(rule, phi, r, after, rho, starts, decay, transition, alpha, beta, recompute):
    """The listings of both surveys, line by line."""
    p = phi.shape[1]
    theta, w, z, zeta, c, d = np.zeros(p), np.zeros(p), np.zeros(p), np.zeros(p), 0.0, 0.0
    for t in range(len(r)):
        k = 0.0 if starts[t] else GAMMA * decay * rho[t - 1]
        z = phi[t] + k * z
        plain = r[t] + GAMMA * after[t] @ theta - phi[t] @ theta
        standard = rho[t] * r[t] - (phi[t] - GAMMA * rho[t] * after[t]) @ theta
        folded = rho[t] * z  # the trace of JMLR 15:809 has the ratio inside
        old_w, ahead = w.copy(), GAMMA * (1 - decay) * rho[t] * after[t]
        if rule is TD:
            theta = theta + alpha * (plain * folded if transition else standard * z)
            continue
        if rule is GTD:
            theta = theta + alpha * rho[t] * (phi[t] - GAMMA * after[t]) * (phi[t] @ w)
            w = w + beta * rho[t] * (plain * phi[t] - w)
            continue
        if rule is GradientBRM:
            c = 1 + k**2 * c
            zeta = ahead * c + k * zeta
            d = standard * c + k * d
            theta = theta + alpha * (standard * (z + ahead * c - zeta) - d * ahead)
            continue
        if rule is TDC:
            theta = theta + alpha * ((plain * folded if transition else standard * z) - (z @ old_w) * ahead)
        else:
            lead = (rho[t] if transition else 1.0) * (phi[t] @ old_w) * phi[t]
            theta = theta + alpha * (lead - (z @ old_w) * ahead)
        if recompute:
            plain = r[t] + GAMMA * after[t] @ theta - phi[t] @ theta
            standard = rho[t] * r[t] - (phi[t] - GAMMA * rho[t] * after[t]) @ theta
        w = w + beta * ((plain * folded if transition else standard * z) - (phi[t] @ old_w) * phi[t])
    return theta


@pytest.mark.parametrize("decay", [0.0, 0.6])
@pytest.mark.parametrize("transition", [True, False])
@pytest.mark.parametrize("rule", [TD, TDC, GTD2, GTD, GradientBRM])
def test_gradient_methods_follow_the_listings(rule, transition, decay):
    if (rule is GTD and (decay or not transition)) or (rule is GradientBRM and transition):
        pytest.skip("there is no such form")
    phi, r, after, rho, starts = steps()
    others = {} if rule in (GTD, GradientBRM) else {"weighting": "transition" if transition else "standard"}
    if rule is not GTD:
        others["trace_decay"] = decay
    if rule in (TDC, GTD2, GTD):
        others["beta"] = 0.03
    for recompute in (True, False) if rule in (TDC, GTD2) else (False,):
        if rule in (TDC, GTD2):
            others["recompute"] = recompute
        model = rule(GAMMA, alpha=0.02, **others).fit(phi, r, after, rho, starts)
        expected = reference(rule, phi, r, after, rho, starts, decay, transition, 0.02, 0.03, recompute)
        np.testing.assert_allclose(model.coef_, expected, rtol=1e-9, atol=1e-12)


def sparse_steps(n=80, p=30, seed=3):
    """Four features of thirty at each step, some with two entries at one place, ratios with zeros, ends and starts."""
    rng = np.random.default_rng(seed)
    rows, columns = np.repeat(np.arange(n + 1), 4), rng.integers(0, p, 4 * (n + 1))
    chain = sparse.csr_array((rng.normal(size=len(rows)), columns, 4 * np.arange(n + 2)), shape=(n + 1, p))
    ends = np.arange(n) % 25 == 24
    return chain[:-1], rng.normal(size=n), chain[1:], rng.choice([0.0, 0.5, 1.3], n), None, ends


@pytest.mark.parametrize("weighting", ["transition", "standard"])
@pytest.mark.parametrize("decay", [0.0, 0.7])
@pytest.mark.parametrize("method", [TD, TDC, GTD2, GTD])
def test_sparse_features_teach_what_dense_ones_do(method, decay, weighting):
    options = {"alpha": 0.02, "alpha_decay": 50.0, "keep_every": 10}
    if method is not GTD:
        options |= {"trace_decay": decay, "weighting": weighting}
    if method is not TD:
        options |= {"beta": 0.05}
    phi, rewards, after, ratios, starts, ends = sparse_steps()
    whole = method(GAMMA, **options).fit(phi, rewards, after, ratios, starts, ends)
    plain = method(GAMMA, **options).fit(phi.toarray(), rewards, after.toarray(), ratios, starts, ends)
    np.testing.assert_allclose(whole.coef_, plain.coef_, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(whole.path_, plain.path_, rtol=1e-10, atol=1e-13)
    parts = method(GAMMA, **options)
    for part in (slice(0, 33), slice(33, None)):  # the trace and the second estimate are carried over
        parts.partial_fit(phi[part], rewards[part], after[part], ratios[part], None, ends[part])
    np.testing.assert_allclose(parts.coef_, plain.coef_, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(whole.predict(phi), plain.predict(phi.toarray()), rtol=1e-10, atol=1e-13)


def test_a_second_estimate_that_is_begun_anew_at_every_step_stays_finite():
    phi, rewards, after, _, starts, ends = sparse_steps()
    for beta in (1.0, 0.999):  # 1 leaves nothing of the estimate; the other shrinks it by a thousand a step
        whole, plain = (
            GTD(GAMMA, alpha=0.02, beta=beta).fit(first, rewards, later, None, starts, ends)
            for first, later in ((phi, after), (phi.toarray(), after.toarray()))
        )
        np.testing.assert_allclose(whole.coef_, plain.coef_, rtol=1e-10, atol=1e-13)


def test_sparse_features_are_taken_or_refused_in_a_sentence():
    phi, rewards, after, *_ = sparse_steps()
    with pytest.raises(TypeError, match="dense"):
        LSTD(GAMMA).fit(phi, rewards, after)
    mixed = TD(GAMMA, alpha=0.01).fit(phi, rewards, after.toarray()).coef_
    np.testing.assert_allclose(mixed, TD(GAMMA, alpha=0.01).fit(phi, rewards, after).coef_)
    beyond = phi.copy()
    beyond.indices[0] = 30
    with pytest.raises(ValueError, match="indices"):
        TD(GAMMA).fit(beyond, rewards, after)


@pytest.mark.parametrize("decay", [0.0, 0.6])
def test_lspe_and_fpkf_follow_the_listings(decay):
    phi, r, after, rho, starts = steps()
    p, eps = 4, 100.0
    for transition in (True, False):
        theta, N, A, b = np.zeros(p), eps * np.eye(p), np.zeros((p, p)), np.zeros(p)
        z = traces(phi, rho, starts, decay)
        for t in range(len(r)):
            N = N - np.outer(N @ phi[t], N @ phi[t]) / (1 + phi[t] @ N @ phi[t])
            d = phi[t] - GAMMA * (1.0 if transition else rho[t]) * after[t]
            A = A + (rho[t] if transition else 1.0) * np.outer(z[t], d)
            b = b + rho[t] * r[t] * z[t]
            theta = theta + 0.5 * N @ (b - A @ theta)
        weighting = "transition" if transition else "standard"
        model = LSPE(GAMMA, decay, alpha=0.5, eps=eps, weighting=weighting).fit(phi, r, after, rho, starts)
        np.testing.assert_allclose(model.coef_, theta, rtol=1e-8)
    theta, N, Z = np.zeros(p), eps * np.eye(p), np.zeros((p, p))
    for t in range(len(r)):
        k = 0.0 if starts[t] else GAMMA * decay * rho[t - 1]
        Z = k * Z + np.outer(phi[t], theta)
        N = N - np.outer(N @ phi[t], N @ phi[t]) / (1 + phi[t] @ N @ phi[t])
        length = 0.7 * (t + 1) * 5 / (5 + t + 1) if t + 1 > 3 else 0.0
        theta = theta + length * N @ (z[t] * rho[t] * r[t] - Z @ (phi[t] - GAMMA * rho[t] * after[t]))
    model = FPKF(GAMMA, decay, alpha=0.7, beta=5.0, delay=3, eps=eps).fit(phi, r, after, rho, starts)
    np.testing.assert_allclose(model.coef_, theta, rtol=1e-8)


def test_with_a_whole_trace_lstd_is_the_regression_of_returns_and_the_gradient_methods_are_td():
    run = episodes()
    expected = np.linalg.lstsq(run[0], discounted(run), rcond=None)[0]
    np.testing.assert_allclose(LSTD(GAMMA, 1.0, eps=1e9).fit(*run).coef_, expected, atol=1e-6)
    np.testing.assert_allclose(MonteCarlo(GAMMA, ridge=1e-9).fit(*run).coef_, expected, atol=1e-6)
    paths = [
        model.fit(*run).path_
        for model in (
            TD(GAMMA, 1.0, alpha=0.01, keep_every=1),
            GradientBRM(GAMMA, 1.0, alpha=0.01, keep_every=1),
            TDC(GAMMA, 1.0, alpha=0.01, beta=0.0, keep_every=1),
        )
    ]
    np.testing.assert_allclose(paths[1], paths[0], atol=1e-12)
    np.testing.assert_allclose(paths[2], paths[0], atol=1e-12)


def discounted(run):
    rewards, lasts = run[1], np.append(run[4][1:], True)
    found, later = np.zeros(len(rewards)), 0.0
    for t in reversed(range(len(rewards))):
        later = rewards[t] + GAMMA * (0.0 if lasts[t] else later)
        found[t] = later
    return found


def test_gptd_is_the_ridge_regression_of_returns_and_ktd_without_drift_is_gptd():
    run = episodes(n_episodes=3)
    noise = 0.7
    precision = run[0].T @ run[0] / noise**2 + np.eye(3)
    expected = np.linalg.solve(precision, run[0].T @ discounted(run) / noise**2)
    model = GPTD(GAMMA, noise=noise).fit(*run)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-8)
    np.testing.assert_allclose(model.covariance_, np.linalg.inv(precision), atol=1e-8)
    values, deviations = model.predict(np.eye(3), return_std=True)
    np.testing.assert_allclose(values, model.coef_)
    np.testing.assert_allclose(deviations, np.sqrt(np.diag(model.covariance_)))
    # Cut off in the middle of an episode, too.
    part = tuple(values[:20] for values in run)
    one, other = GPTD(GAMMA, noise=noise).fit(*part), KTD(GAMMA, noise=noise).fit(*part)
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-9)
    np.testing.assert_allclose(other.covariance_, one.covariance_, atol=1e-9)
    with pytest.raises(ValueError, match="cannot judge another"):
        GPTD().fit(*steps()[:4])


def test_gptd_has_the_covariance_of_equation_33_where_the_run_is_cut_off():
    phi, r, after, _, _ = steps(n=15, ratios=False)
    after = np.vstack([phi[1:], after[-1:]])
    band = (1 + GAMMA**2) * np.eye(15) - GAMMA * (np.eye(15, k=1) + np.eye(15, k=-1))
    d = phi - GAMMA * after
    inverse = np.linalg.inv(0.49 * band)
    expected = np.linalg.solve(d.T @ inverse @ d + np.eye(4), d.T @ inverse @ r)
    np.testing.assert_allclose(GPTD(GAMMA, noise=0.7).fit(phi, r, after).coef_, expected, atol=1e-9)


def test_tabular_lstd_is_the_value_of_the_counted_model():
    rng = np.random.default_rng(3)
    mdp = FiniteMDP(rng.dirichlet(np.ones(4), size=(1, 4)), rng.normal(size=(4, 1)), discount=GAMMA)
    run = mdp.sample(np.ones((4, 1)), 500, random_state=0)
    counts, earned = np.zeros((4, 4)), np.zeros(4)
    np.add.at(counts, (run.states, run.next_states), 1.0)
    np.add.at(earned, run.states, run.rewards)
    visits = counts.sum(axis=1, keepdims=True)
    expected = np.linalg.solve(np.eye(4) - GAMMA * counts / visits, earned / visits[:, 0])
    found = LSTD(GAMMA, eps=1e12).fit(*transitions_of(run, np.eye(4))).coef_
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("method", TRACED)
def test_starts_and_ratios_of_zero_cut_the_trace(method):
    phi, r, after, _, _ = steps(ratios=False)
    halves = [method(GAMMA, 0.7, **({"alpha": 0.01} if method in (TD, TDC, GTD2, GradientBRM) else {})) for _ in "12"]
    starts = np.zeros(60, dtype=bool)
    starts[30] = True
    halves[0].fit(phi, r, after, starts=starts)
    halves[1].fit(phi[:30], r[:30], after[:30])
    halves[1]._trace[:] = 99.0  # what a fresh start must forget
    first = np.zeros(30, dtype=bool)
    first[0] = True
    halves[1].partial_fit(phi[30:], r[30:], after[30:], starts=first)
    if method in (TD, TDC, GTD2, GradientBRM):  # the others draw their penalty from the first call
        np.testing.assert_allclose(halves[1].coef_, halves[0].coef_, rtol=1e-12)
    ratios = np.ones(60)
    ratios[29] = 0.0
    alike = [method(GAMMA, 0.7) for _ in "12"]
    alike[0].fit(phi, r, after, ratios)
    alike[1].fit(phi, r, after, ratios, starts=starts)
    np.testing.assert_allclose(alike[1].coef_, alike[0].coef_, rtol=1e-10)


@pytest.mark.parametrize("method", ALL)
def test_on_policy_both_weightings_agree_and_steps_kept_are_those_of_shorter_runs(method):
    phi, r, after, _, _ = steps(n=200, ratios=False)
    if "weighting" in method().get_params():
        one, other = (method(GAMMA, weighting=weighting) for weighting in ("transition", "standard"))
        a, b = one.fit(phi, r, after).coef_, other.fit(phi, r, after).coef_
        np.testing.assert_allclose(a, b, rtol=1e-8)
    kept = method(GAMMA, keep_every=50).fit(phi, r, after)
    assert kept.path_.shape == (4, 4) and kept.path_steps_.tolist() == [50, 100, 150, 200]
    np.testing.assert_allclose(kept.path_[-1], kept.coef_)
    halves = method(GAMMA, keep_every=50).fit(phi[:70], r[:70], after[:70])
    halves.partial_fit(phi[70:], r[70:], after[70:])
    assert halves.path_steps_.tolist() == [50, 100, 150, 200]
    if method not in (LSTD, LSPE, FPKF, BRM) and "alpha" not in method().get_params():
        np.testing.assert_allclose(halves.coef_, kept.coef_, rtol=1e-10)


@pytest.mark.parametrize("method", ALL)
def test_the_scale_of_the_features_does_not_change_the_values(method):
    phi, r, after, rho, starts = steps(n=200)
    small = method(GAMMA).fit(phi, r, after, rho, starts).predict(phi)
    large = method(GAMMA).fit(1e4 * phi, r, after * 1e4, rho, starts).predict(1e4 * phi)
    np.testing.assert_allclose(large, small, rtol=1e-6)
    if method in (LSTD, LSPE, FPKF, BRM, PenalizedLSTD):
        scales = np.array([1e-5, 1.0, 10.0, 1e6])
        uneven = method(GAMMA).fit(phi * scales, r, after * scales, rho, starts).predict(phi * scales)
        np.testing.assert_allclose(uneven, small, rtol=1e-5, atol=1e-8)


def test_td_on_bairds_star_diverges_and_says_so_and_tdc_does_not():
    behaviour, target = np.tile([7 / 8, 1 / 8], (8, 1)), np.tile([0.0, 1.0], (8, 1))
    star = FiniteEvaluation(baird_star(), baird_features(), target, behaviour)
    assert round(star.growth(), 3) == 0.339
    first = np.array([1.0] * 7 + [10.0, 1.0])
    run = star.sample(1000, random_state=0)
    with pytest.warns(ConvergenceWarning, match="TD diverged"):
        td = TD(0.99, alpha=0.1, initial=first).fit(*run)
    assert td.diverged_ and np.abs(td.coef_).max() > 1e6
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        tdc = TDC(0.99, alpha=0.006, beta=16 * 0.006, initial=first).fit(*run)
    assert not tdc.diverged_
    assert round(float(np.sqrt(star.objective(first))), 2) == 8.31
    assert np.sqrt(star.objective(tdc.coef_)) < 0.4
    assert (
        TDC(0.99, alpha=0.1, beta=0.0, initial=first, keep_every=1).fit(*(values[:50] for values in run)).path_.tolist()
        == TD(0.99, alpha=0.1, initial=first, keep_every=1).fit(*(values[:50] for values in run)).path_.tolist()
    )


def test_values_that_overflow_end_the_pass():
    phi, r, after, _, _ = steps(n=400, ratios=False)
    with pytest.warns(ConvergenceWarning, match="diverged"):
        assert TD(GAMMA, alpha=1e6).fit(phi, r, after).diverged_


@pytest.mark.parametrize("method", [LSTD, LSPE, BRM, FPKF, MonteCarlo, GPTD, KTD])
def test_fewer_steps_than_features_are_told(method):
    phi, r, after, _, _ = steps(n=5, p=20)
    with pytest.warns(UserWarning, match="5 steps are fewer than the 20 features"):
        assert np.isfinite(method(GAMMA).fit(phi, r, after).coef_).all()


def test_features_that_depend_on_each_other_are_told():
    phi, r, after, _, _ = steps(ratios=False)
    with pytest.warns(ConvergenceWarning, match="nearly singular"):
        LSTD(GAMMA, eps=1e30).fit(np.c_[phi, phi[:, 0]], r, np.c_[after, after[:, 0]])


def test_heavy_traces_are_told():
    phi, r, after, _, _ = steps(ratios=False)
    with pytest.warns(UserWarning, match="no finite variance"):
        LSTD(GAMMA, 1.0).fit(phi, r, after, np.where(np.arange(60) % 2, 0.1, 1.9))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratios": [-0.5] + [1.0] * 59}, "ratios hold -0.5 at step 0"),
        ({"ratios": [1.0, np.inf] + [1.0] * 58}, "ratios hold inf at step 1"),
        ({"ratios": [1.0, np.nan] + [1.0] * 58}, "ratios hold nan at step 1"),
        ({"ratios": [1.0]}, r"ratios have the shape \(1,\)"),
        ({"rewards": np.ones(59)}, "rewards have the shape"),
        ({"rewards": np.full(60, np.nan)}, "rewards hold nan at step 0"),
        ({"next_features": np.ones((60, 3))}, r"next_features have the shape \(60, 3\) and features \(60, 4\)"),
        ({"features": np.ones(60)}, "Expected 2D array"),
        ({"starts": [2] * 60}, "give True or False"),
        ({"ends": [True]}, "ends have the shape"),
    ],
)
def test_bad_steps_are_refused_with_a_sentence(change, message):
    names = ("features", "rewards", "next_features", "ratios", "starts")
    given = dict(zip(names, steps())) | change
    with pytest.raises(ValueError, match=message):
        LSTD(GAMMA).fit(**given)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([[0.5, 0.6], [0.5, 0.5]], r"target at \(0,\) sum to 1.1; every row sums to 1"),
        ([[1.5, -0.5], [0.5, 0.5]], "target hold -0.5"),
        ([[np.nan, 0.5], [0.5, 0.5]], "target hold a number that is not finite"),
        ([[1.0], [1.0]], r"target has the shape \(2, 1\) and behaviour \(2, 2\)"),
    ],
)
def test_what_is_no_policy_gives_no_ratios(target, message):
    even = np.full((2, 2), 0.5)
    run = FiniteMDP([even, even], [0.0, 1.0]).sample(even, 20, random_state=0)
    with pytest.raises(ValueError, match=message):
        transitions_of(run, np.eye(2), target=target, behaviour=even)


def test_other_mistakes_are_refused_with_a_sentence():
    phi, r, after, _, _ = steps()
    with pytest.raises(ValueError, match="'discount' parameter"):
        TD(1.5).fit(phi, r, after)
    with pytest.raises(ValueError, match="initial has the shape"):
        TD(initial=[1.0]).fit(phi, r, after)
    model = TD(alpha=0.01).fit(phi, r, after)
    with pytest.raises(ValueError, match="features have 3 columns; the estimate has 4"):
        model.predict(phi[:, :3])
    with pytest.raises(ValueError, match="those learned from before had 4"):
        model.partial_fit(phi[:, :3], r, after[:, :3])
    with pytest.raises(ValueError, match="say double_samples=True"):
        BRM().fit(phi, r, after, second_next_features=after)
    assert not hasattr(MonteCarlo(), "partial_fit")


@pytest.mark.parametrize("method", [TD, TDC, LSTD, LSPE, FPKF, BRM, GPTD, PenalizedLSTD])
def test_a_stored_estimator_learns_on(method, tmp_path):
    phi, r, after, _, _ = steps(ratios=False)
    whole = method(GAMMA, keep_every=10).fit(phi[:30], r[:30], after[:30])
    save_model(whole, tmp_path / "model.skops")
    stored = load_model(tmp_path / "model.skops").model
    for model in (whole, stored):
        model.partial_fit(phi[30:], r[30:], after[30:])
    np.testing.assert_array_equal(stored.coef_, whole.coef_)


def test_a_forged_trace_is_refused(tmp_path):
    phi, r, after, _, _ = steps(ratios=False)
    model = TD(GAMMA, alpha=0.01).fit(phi, r, after)
    model._trace = np.zeros(2)
    save_model(model, tmp_path / "model.skops")
    with pytest.raises(Exception, match="_trace has a number for each feature"):
        load_model(tmp_path / "model.skops")


@pytest.mark.parametrize("kind", [*ALL, KTD, GPTD, MonteCarlo])
def test_numbers_whose_squares_overflow_are_refused(kind):
    """Coefficients of zero would be learned from them in silence."""
    rng = np.random.default_rng(0)
    phi, rewards = rng.normal(size=(11, 2)), rng.normal(size=10)
    with pytest.raises(ValueError, match=r"features holds .* whose square overflows"):
        kind().fit(1e160 * phi[:-1], rewards, phi[1:])
    with pytest.raises(ValueError, match=r"rewards holds .* whose square overflows"):
        kind().fit(phi[:-1], 1e160 * rewards, phi[1:])


def test_a_ridge_tells_that_steps_are_fewer_than_features_and_a_choice_of_features_does_not():
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(5, 30)), rng.normal(size=5), rng.normal(size=(5, 30))
    with pytest.warns(UserWarning, match="5 steps are fewer than the 30 features"):
        PenalizedLSTD().fit(*steps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PenalizedLSTD(penalty="l1").fit(*steps)


@pytest.mark.parametrize("kind", [KTD, GPTD])
def test_ratios_of_other_steps_are_refused_where_ratios_are_of_no_use(kind):
    phi = np.ones((4, 1))
    with pytest.raises(ValueError, match="one for each of the 3 steps"):
        kind().fit(phi[:-1], np.ones(3), phi[1:], np.ones(2))
