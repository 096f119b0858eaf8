"""Hidden Markov models: fitting and decoding by us and by hmmlearn, and decoding over the length."""

import warnings
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.sequence import HMM, HMMDecoder

SYMBOLS = 20
STEPS = 10
LENGTHS = [200] * 1000


def benchmarks() -> Iterator[Contest | Scaling]:
    """Expectation-maximisation on 1000 sequences of 200, then hybrid decoding of one long sequence."""
    if find_spec("hmmlearn") is None:
        left_out("hmm: hmmlearn is not installed; its contests are left out")
    else:
        yield from _fitting_contests()
        yield from _decoding_contests()
    yield Scaling(
        work="hybrid decoding and its risks, 6 states, over the length",
        sizes=(100_000, 300_000, 1_000_000),
        prepare=_decoding,
        warm_up=lambda: _decoding(100)(),
    )


def _fitting_contests() -> Iterator[Contest]:
    X = np.concatenate(random_model(6, 0).sample(200, 1000, random_state=0)[0])
    start = random_model(6, 1)
    for implementation in ("log", "scaling"):
        yield Contest(
            work=f"{STEPS} steps of EM, 6 states, {SYMBOLS} symbols, 1000 sequences of 200 (peer: {implementation})",
            peer="hmmlearn",
            ours=partial(_fitted, start, X),
            theirs=partial(_peer_fitted, start, X, implementation),
            quality=float,
            warm_up=partial(_fitted, start, X),
            repeats=1 if implementation == "log" else 3,
        )
    vectors = np.random.default_rng(0).normal(size=(200_000, 4)) + 2 * np.repeat(np.arange(1000) % 6, 200)[:, None]
    for covariance in ("diagonal", "full"):
        yield Contest(
            work=f"{STEPS} steps of EM, 6 states, vectors of 4, {covariance} covariances, 1000 sequences of 200",
            peer="hmmlearn",
            ours=partial(_fitted_gaussian, vectors, covariance),
            theirs=partial(_peer_fitted_gaussian, vectors, covariance),
            quality=float,
            warm_up=partial(_fitted_gaussian, vectors, covariance),
            repeats=1,
        )


def _decoding_contests() -> Iterator[Contest]:
    for n_states, length in ((6, 1_000_000), (50, 50_000)):
        model = random_model(n_states, 0)
        x = model.sample(length, random_state=0)[0][0]
        for implementation in ("log", "scaling"):
            yield Contest(
                work=(
                    f"hybrid decoding with all risks, {n_states} states, one sequence of {length}, "
                    f"against Viterbi and forward-backward ({implementation})"
                ),
                peer="hmmlearn",
                ours=partial(_hybrid, model, x),
                theirs=partial(_peer_decoded, model, x, implementation),
                quality=float,
                warm_up=partial(_hybrid, model, x[:100]),
                repeats=1 if implementation == "log" else 2,
            )


def random_model(n_states: int, seed: int) -> HMM:
    """A model whose states last for a while."""
    rng = np.random.default_rng(seed)
    return HMM.from_parameters(
        rng.dirichlet(np.ones(n_states)),
        0.5 * np.eye(n_states) + 0.5 * rng.dirichlet(np.ones(n_states), n_states),
        emission_probabilities=rng.dirichlet(np.ones(SYMBOLS), n_states),
    )


def _decoding(length: int) -> Any:
    model = random_model(6, 0)
    x = model.sample(length, random_state=0)[0][0]
    return lambda: HMMDecoder().decode(model.chains(x))


def _fitted(start: HMM, X: np.ndarray) -> float:
    """Log-likelihood after the steps: both sides see it at the beginning of each, and we once more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HMM(init=start, alphabet=range(SYMBOLS), max_iter=STEPS - 1, tol=0.0).fit(X, lengths=LENGTHS)
    return float(model.history_[-1])


def _peer_fitted(start: HMM, X: np.ndarray, implementation: str) -> float:
    from hmmlearn.hmm import CategoricalHMM

    model = CategoricalHMM(len(start.start_), n_iter=STEPS, tol=-np.inf, init_params="", implementation=implementation)
    model.startprob_, model.transmat_ = start.start_, start.transitions_
    model.emissionprob_ = start.emission_probabilities_
    model.fit(X[:, np.newaxis], LENGTHS)
    return float(model.monitor_.history[-1])


def _gaussian_start(covariance: str) -> HMM:
    rng = np.random.default_rng(1)
    spread = np.full((6, 4), 4.0) if covariance == "diagonal" else np.repeat(4 * np.eye(4)[np.newaxis], 6, axis=0)
    moves = 0.5 * np.eye(6) + 0.5 * rng.dirichlet(np.ones(6), 6)
    return HMM.from_parameters(np.full(6, 1 / 6), moves, means=rng.normal(5, 3, (6, 4)), covariances=spread)


def _fitted_gaussian(X: np.ndarray, covariance: str) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HMM(
            emission="gaussian", covariance=covariance, init=_gaussian_start(covariance), max_iter=STEPS - 1, tol=0.0
        ).fit(X, lengths=LENGTHS)
    return float(model.history_[-1])


def _peer_fitted_gaussian(X: np.ndarray, covariance: str) -> float:
    from hmmlearn.hmm import GaussianHMM

    start = _gaussian_start(covariance)
    kind = "diag" if covariance == "diagonal" else "full"
    # Its priors off, so that both maximise the likelihood.
    model = GaussianHMM(
        6, covariance_type=kind, n_iter=STEPS, tol=-np.inf, init_params="", implementation="scaling",
        covars_prior=0.0 if kind == "diag" else np.zeros((4, 4)), covars_weight=0.0 if kind == "full" else 1.0,
    )  # fmt: skip
    model.startprob_, model.transmat_, model.means_ = start.start_, start.transitions_, start.means_
    model.covars_ = start.covariances_
    model.fit(X, LENGTHS)
    return float(model.monitor_.history[-1])


def _hybrid(model: HMM, x: np.ndarray) -> float:
    return float(HMMDecoder().decode(model.chains(x)).risks.error[0])


def _peer_decoded(model: HMM, x: np.ndarray, implementation: str) -> float:
    """The expected error of its Viterbi path; ours may only be lower."""
    from hmmlearn.hmm import CategoricalHMM

    peer = CategoricalHMM(len(model.start_), implementation=implementation)
    peer.startprob_, peer.transmat_, peer.emissionprob_ = (
        model.start_,
        model.transitions_,
        model.emission_probabilities_,
    )
    peer.n_features = SYMBOLS
    path, posterior = peer.predict(x[:, np.newaxis]), peer.predict_proba(x[:, np.newaxis])
    return float(1 - posterior[np.arange(len(x)), path].mean())
