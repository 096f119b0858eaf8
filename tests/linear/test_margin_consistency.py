"""Consistency of multi-category losses: the paper's verdicts, its counter-example, its bounds."""

import numpy as np
import pytest
from scipy.special import logit

from treatise.linear import check_consistency, conditional_risk, excess_error_bound, minimize_conditional_risk

Q = np.array([0.45, 0.38, 0.17])
SMOOTH = ["logistic", "squared_hinge", "exponential"]


@pytest.mark.parametrize(
    ("formulation", "loss", "scores", "risk"),
    [
        ("pairwise", "hinge", [1, 1, 0], 2.51),
        ("pairwise", "logistic", np.log(Q / Q[2]), None),
        ("max_margin", "logistic", [0, 0, 0], np.log(2)),
        ("max_margin", "squared_hinge", [0, 0, 0], 1.0),
        ("max_margin", "hinge", None, 1.0),
        ("constrained", "hinge", [2, -1, -1], 1.65),
        ("constrained", "logistic", [0.35832, 0.08875, -0.44707], None),
        ("one_vs_rest", "logistic", logit(Q), None),
        ("one_vs_rest", "exponential", 0.5 * logit(Q), None),
        ("one_vs_rest", "least_squares", 2 * Q - 1, None),
        ("one_vs_rest", "squared_hinge", 2 * Q - 1, None),
        ("one_vs_rest", "hinge", [-1, -1, -1], 2.0),
    ],
)
def test_scores_of_least_risk(formulation, loss, scores, risk):
    found, least = minimize_conditional_risk(Q, formulation, loss)
    if scores is not None:
        np.testing.assert_allclose(found, scores, atol=1e-4)
    if risk is not None:
        assert least == pytest.approx(risk, abs=1e-6)
    assert conditional_risk(Q, found, formulation, loss) == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge", "least_squares", "exponential"])
@pytest.mark.parametrize("formulation", ["pairwise", "max_margin", "constrained", "one_vs_rest"])
def test_no_random_scores_have_less_risk(formulation, loss):
    rng = np.random.default_rng(0)
    q = rng.dirichlet(np.full(4, 2.0))
    _, least = minimize_conditional_risk(q, formulation, loss)
    trials = rng.normal(scale=1.5, size=(400, 4))
    assert min(conditional_risk(q, f, formulation, loss) for f in trials) >= least - 1e-9
    _, forced = minimize_conditional_risk(q, formulation, loss, winner=2)
    leading = trials[np.argmax(trials, axis=1) == 2]
    assert min(conditional_risk(q, f, formulation, loss) for f in leading) >= forced - 1e-9


def test_the_counter_example_of_pairwise_comparison_with_the_hinge():
    # 0 < q3 < q2 < q1 < q2 + q3 and q2 > 2 q3: the least risk is 1 + q1 + q2 + 4 q3, the two best classes tied.
    for q in ([0.45, 0.38, 0.17], [0.48, 0.4, 0.12], [0.42, 0.4, 0.18]):
        _, least = minimize_conditional_risk(q, "pairwise", "hinge")
        assert least == pytest.approx(1 + q[0] + q[1] + 4 * q[2], abs=1e-9)
        _, forced = minimize_conditional_risk(q, "pairwise", "hinge", winner=1)
        assert forced == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("formulation", ["pairwise", "constrained", "one_vs_rest"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_smooth_losses_are_consistent(formulation, loss):
    report = check_consistency(formulation, loss)
    assert report.consistent and report.excess > 1e-3 and report.n_checked == 48


def test_the_constrained_hinge_is_consistent():
    assert check_consistency("constrained", "hinge").consistent
    assert check_consistency("constrained", "hinge", n_classes=4, n_parts=12).consistent


@pytest.mark.parametrize(
    ("formulation", "loss"),
    [("pairwise", "hinge"), ("one_vs_rest", "hinge"), *(("max_margin", loss) for loss in [*SMOOTH, "hinge"])],
)
def test_the_others_are_not_and_the_report_names_the_culprit(formulation, loss):
    report = check_consistency(formulation, loss)
    assert not report.consistent
    assert max(report.probabilities) <= 0.5
    assert report.probabilities[report.winner] < max(report.probabilities)


def test_two_classes_are_safe_with_every_loss():
    for formulation in ("pairwise", "max_margin", "constrained", "one_vs_rest"):
        for loss in ("hinge", "logistic"):
            assert check_consistency(formulation, loss, n_classes=2, n_parts=9).consistent


@pytest.mark.parametrize("loss", ["least_squares", "squared_hinge", "logistic", "exponential"])
def test_the_excess_bound_holds_and_is_tight_to_its_constant(loss):
    def least(q):
        return minimize_conditional_risk([q, 1 - q], "constrained", loss)[1]

    # V(q) of Theorem 11; two classes with the constrained formulation are the binary problem.
    ratios = []
    for q, other in [(0.3, 0.5), (0.45, 0.55), (0.1, 0.2), (0.5, 0.9), (0.49, 0.51)]:
        curved = 2 * least((q + other) / 2) - least(q) - least(other)
        assert abs(q - other) <= excess_error_bound(curved, loss) * (1 + 1e-4)
        ratios.append(abs(q - other) / excess_error_bound(curved, loss))
    assert max(ratios) > 0.99


def test_small_noise_sharpens_the_bound():
    # Exponents (a + 1) / (a + 2): from 1/2 towards 1.
    assert excess_error_bound(1e-4, "logistic") == pytest.approx(1e-2)
    assert excess_error_bound(1e-4, "logistic", noise_exponent=1.0) == pytest.approx(1e-4 ** (2 / 3))
    wide = excess_error_bound(1e-4, "squared_hinge", noise_exponent=2.0, noise_moment=3.0)
    assert wide == pytest.approx(0.5**0.75 * 1e-4**0.75 * 3**0.25)


def test_bad_input_is_told():
    with pytest.raises(ValueError, match="sum 1"):
        conditional_risk([0.5, 0.6], [0, 0])
    with pytest.raises(ValueError, match="one for each class"):
        conditional_risk([0.5, 0.5], [0, 0, 0])
    with pytest.raises(ValueError, match="formulation='weston' is unknown"):
        conditional_risk([0.5, 0.5], [0, 0], "weston")
    with pytest.raises(ValueError, match="loss='ramp' is unknown"):
        minimize_conditional_risk([0.5, 0.5], loss="ramp")
    with pytest.raises(ValueError, match="winner=2 is no class"):
        minimize_conditional_risk([0.5, 0.5], winner=2)
    with pytest.raises(ValueError, match="n_parts=5"):
        check_consistency(n_parts=5)
    with pytest.raises(ValueError, match="no bound for loss='hinge'"):
        excess_error_bound(0.1, "hinge")
    with pytest.raises(ValueError, match="must not be negative"):
        excess_error_bound(-0.1)
