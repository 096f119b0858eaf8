"""Ctrl-C during the chain of each sampler: what was drawn is kept, the model is usable, saved and seen by ArviZ."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.bayes import (
    BayesianKernelClassifier,
    CategoricalIBP,
    DPMixtureRegressor,
    EnrichedDPClassifier,
    EnrichedDPRegressor,
    GibbsMedLDAClassifier,
    GibbsMedLDARegressor,
)
from treatise.io import load_model, save_model
from treatise.statistics import to_arviz
from treatise.statistics.sampling import chains

BURN_IN, SAMPLES, KEPT = 4, 40, 9
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
CLASSES = np.where(X[:, 0] + 0.3 * RNG.normal(size=40) > 0, "high", "low")
COUNTS = RNG.poisson(1.0 + 4.0 * (np.arange(6) < 3) * (X[:, :1] > 0), size=(40, 6))
LEVELS = (X > 0).astype(int)
NESTED = {"n_chains": 2, "burn_in": BURN_IN, "n_samples": SAMPLES, "thin": 1, "random_state": 0}
TOPICS = {"n_topics": 3, "n_burn": BURN_IN, "n_samples": SAMPLES, "random_state": 0}
SAMPLERS = [
    (EnrichedDPRegressor(**NESTED), X, X[:, 0], "predict"),
    (EnrichedDPClassifier(**NESTED), X, CLASSES, "predict_proba"),
    (DPMixtureRegressor(**NESTED), X, X[:, 0], "predict"),
    (GibbsMedLDAClassifier(**TOPICS), COUNTS, CLASSES, "decision_function"),
    (GibbsMedLDARegressor(**TOPICS), COUNTS, X[:, 0], "predict"),
    (CategoricalIBP(n_chains=2, n_burn=BURN_IN, n_samples=SAMPLES, random_state=0), LEVELS, None, "transform"),
    (BayesianKernelClassifier(**NESTED), X, CLASSES, "predict_proba"),
]


@pytest.fixture
def interrupted(monkeypatch):
    """Presses Ctrl-C when a chain has one draw more than are to be kept; the others have yet to draw theirs."""
    keep = chains._Run._keep

    def pressing(run, drawn):
        keep(run, drawn)
        if run.n_kept > KEPT - (run.plan.n_chains == 1):
            raise KeyboardInterrupt

    monkeypatch.setattr(chains._Run, "_keep", pressing)
    monkeypatch.setattr(chains, "PASS", 0.0)  # a draw of each chain in turn


@pytest.mark.parametrize(("model", "data", "target", "ask"), SAMPLERS, ids=lambda each: type(each).__name__)
def test_what_was_drawn_before_an_interrupt_makes_a_model(model, data, target, ask, interrupted, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        with pytest.warns(UserWarning, match=f"interrupted; {KEPT} of {SAMPLES} draws"):
            model.fit(data, target)
    said = getattr(model, ask)(data[:5])
    assert len(said) == 5 and np.isfinite(said).all()
    assert all(draws.shape[:2] == (getattr(model, "n_chains", 1), KEPT) for draws in model.traces_.values())
    if hasattr(model, "n_iter_"):
        assert model.n_iter_ == BURN_IN + KEPT
    if hasattr(model, "components_"):
        np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    save_model(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(getattr(load_model(tmp_path / "model.skops").model, ask)(data[:5]), said)


@pytest.mark.parametrize(("model", "data", "target", "ask"), SAMPLERS, ids=lambda each: type(each).__name__)
def test_chains_of_every_sampler_leave_for_arviz(model, data, target, ask, interrupted):
    pytest.importorskip("arviz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data, target)
    posterior = to_arviz(model).posterior
    assert set(posterior.data_vars) == set(model.traces_)
    for name, draws in model.traces_.items():
        np.testing.assert_array_equal(posterior[name].values, draws)
