"""Small models of Section 4.5, whose marginals are known exactly or from long chains."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr

from treatise.bayes import DoubleExponential, LatentGaussianModel, Marginal, Probit
from treatise.papers._evidence import Row

PROBIT_TOYS = ((3, 1.0, 0.25), (3, 4.0, 0.9), (32, 4.0, 0.95))
STEP_TOYS = ((3, 4.0, 0.5), (3, 9.0, 0.95))
EP = ("ep-g", "ep-l", "ep-fact", "ep-1step", "ep-full", "ep-opw")
LM = ("lm-g", "lm-l", "la-fact", "la-cm", "la-cm2", "la-tk")


def alike(n: int, v: float, c: float) -> np.ndarray:
    """The prior covariance of the toys: variances v, correlations c."""
    return v * ((1 - c) * np.eye(n) + c * np.ones((n, n)))


def exact(
    n: int, v: float, c: float, x: np.ndarray, term: Callable[[np.ndarray, float], np.ndarray]
) -> tuple[float, np.ndarray]:
    """Log evidence and marginal of the first entry: given what all entries share they are independent.

    ``term(mean, variance)`` is the integral of a term under a normal law, and the term itself for variance zero.
    """
    shared = np.linspace(-10, 10, 2001) * np.sqrt(c * v)
    weight = np.exp(-0.5 * shared**2 / (c * v))
    weight /= weight.sum()
    each = term(shared, (1 - c) * v)
    density = np.exp(-0.5 * (x[:, None] - shared) ** 2 / ((1 - c) * v)) @ (weight * each ** (n - 1)) * term(x, 0.0)
    return float(np.log(weight @ each**n)), density / np.trapezoid(density, x)


def steep(mean: np.ndarray, variance: float) -> np.ndarray:
    """``Phi(4 x)``, the probit terms of the toys."""
    return ndtr(4 * mean / np.sqrt(1 + 16 * variance))


def side(mean: np.ndarray, variance: float) -> np.ndarray:
    """One to the right of zero, the step terms."""
    return ndtr(mean / np.sqrt(variance)) if variance else (mean >= 0).astype(np.float64)


def distance(law: Marginal, x: np.ndarray, density: np.ndarray) -> float:
    """Total variation."""
    return float(0.5 * np.trapezoid(np.abs(law.pdf(x) - density), x))


def toy(n: int, v: float, c: float, *, steps: bool = False) -> dict[str, Any]:
    """Marginals by all methods, their distances from the exact one, and both evidences."""
    x = np.linspace(0.0 if steps else -6.0, 18.0 if steps else 14.0, 2001)
    evidence, density = exact(n, v, c, x, side if steps else steep)
    likelihood = "step" if steps else Probit(4.0)
    fits = {"ep": LatentGaussianModel(covariance=alike(n, v, c), likelihood=likelihood).fit(np.ones(n))}
    if not steps:
        fits["lm"] = LatentGaussianModel(
            covariance=alike(n, v, c), likelihood=likelihood, inference="laplace"
        ).fit(np.ones(n))  # fmt: skip
    laws = {name: fits["ep"].marginal(0, name) for name in EP}
    laws |= {name: fits["lm"].marginal(0, name) for name in LM} if "lm" in fits else {}
    return {
        "x": x, "exact": density, "laws": laws, "evidence": evidence, "fits": fits,
        "distance": {name: distance(law, x, density) for name, law in laws.items()},
    }  # fmt: skip


def toy_rows() -> tuple[list[Row], list[dict[str, Any]], list[dict[str, Any]]]:
    """What Figures 2 and 3 show, with distances where the paper has curves."""
    weak, strong, wide = (toy(*setting) for setting in PROBIT_TOYS)
    rows = []
    for setting, found in zip(PROBIT_TOYS, (weak, strong, wide)):
        for name, value in found["distance"].items():
            rows.append(Row.ours(f"total variation, {name.upper()}, probit {setting}", value))
        for how, fit in zip(("EP", "Laplace"), found["fits"].values()):
            gap = fit.log_evidence_ - found["evidence"]
            rows.append(Row.ours(f"log evidence by {how} less exact, probit {setting}", gap))
    w, s, f = weak["distance"], strong["distance"], wide["distance"]
    place = "Figure 2"
    negative = min(float(found["laws"]["ep-opw"].density.min()) for found in (weak, strong, wide))
    rows += [
        Row.claim("EP-L is accurate at weak correlations: within 0.002 of exact", place, w["ep-l"] < 0.002),
        Row.claim("and insufficient at strong ones: ten times as far as EP-FACT", place, s["ep-l"] > 10 * s["ep-fact"]),
        Row.claim("EP-FACT and EP-1STEP nearly the same and exact, n = 3: within 0.005", place,
                  max(s["ep-fact"], s["ep-1step"], w["ep-fact"], w["ep-1step"]) < 0.005),
        Row.claim("with 32 entries EP-1STEP is the better of the two", place, f["ep-1step"] < 0.5 * f["ep-fact"]),
        Row.claim("EP-OPW is somewhat worse than EP-FACT", place, all(d["ep-opw"] > d["ep-fact"] for d in (w, s, f))),
        Row.claim("EP-OPW can be negative", place, negative < 0),
        Row.claim("LA-CM and LA-FACT outperform LM-G and LM-L at weak correlations", place,
                  max(w["la-cm"], w["la-fact"]) < min(w["lm-g"], w["lm-l"])),
        Row.claim("and are far off at strong ones: above 0.1", place,
                  min(d[name] for d in (s, f) for name in ("la-cm", "la-fact")) > 0.1),
        Row.claim("LA-CM2 is almost as accurate as LA-TK: within 0.01", place,
                  all(abs(d["la-cm2"] - d["la-tk"]) < 0.01 for d in (s, f))),
        Row.claim("every EP correction is closer than every Laplace one, strong correlations", place,
                  all(max(d[name] for name in ("ep-fact", "ep-1step", "ep-full")) < min(d[name] for name in LM)
                      for d in (s, f))),
        Row.claim("accuracy falls as correlation, variance and size grow", place,
                  all(w[name] < s[name] < f[name] for name in ("ep-fact", "ep-1step", "la-cm", "la-cm2"))),
    ]  # fmt: skip
    stepped = [toy(*setting, steps=True) for setting in STEP_TOYS]
    for setting, found in zip(STEP_TOYS, stepped):
        rows += [Row.ours(f"total variation, {name.upper()}, step {setting}", found["distance"][name]) for name in EP]
    rows.append(
        Row.claim("step terms: EP-FACT within 0.03 of the exact marginals, closer than EP-L", "Figure 3",
                  all(found["distance"]["ep-fact"] < min(0.03, found["distance"]["ep-l"]) for found in stepped))
    )  # fmt: skip
    return rows, [weak, strong, wide], stepped


def chain_draws(model: LatentGaussianModel, n: int) -> tuple[np.ndarray, float]:
    """Draws of the exact posterior by elliptical slices, two chains, and the smallest effective number of them."""
    draws = model.sample_posterior(n, thin=2, random_state=0)
    return draws.pooled("x"), draws.diagnostics("x")["x"]["ess"]


def histogram_distance(law: Marginal, draws: np.ndarray) -> float:
    """Total variation of a law and draws over forty bins between the outer half percents."""
    edges = np.append(np.append(-np.inf, np.quantile(draws, np.linspace(0.005, 0.995, 39))), np.inf)
    share = np.histogram(draws, edges)[0] / len(draws)
    ends = law.cdf(np.clip(edges, law.x[0], law.x[-1]))
    ends[0], ends[-1] = 0.0, 1.0
    return float(0.5 * np.abs(np.diff(ends) - share).sum())


def sparse_regression(n_draws: int) -> tuple[list[Row], dict[str, Any]]:
    """Linear regression with double exponential terms on the coefficients, Figure 4."""
    rng = np.random.default_rng(3)
    U = rng.standard_normal((8, 8))
    U /= np.linalg.norm(U, axis=0)
    truth, noise, rate = np.array([1.0, 1.0, 0, 0, 0, 0, 0, 0]), 0.01, 4.0
    y = U @ truth + np.sqrt(noise) * rng.standard_normal(8)
    Q = U.T @ U / noise
    mean = np.linalg.solve(Q, U.T @ y / noise)
    model = LatentGaussianModel(Q, mean=mean, likelihood=DoubleExponential(1 / rate)).fit(np.zeros(8))
    draws, effective = chain_draws(model, n_draws)
    found = {name: [histogram_distance(model.marginal(i, name), draws[:, i]) for i in range(8)]
             for name in ("ep-g", "ep-l", "ep-fact", "ep-1step")}  # fmt: skip
    rows = [Row.ours(f"double exponential terms, mean distance of {name.upper()} from draws", float(np.mean(values)))
            for name, values in found.items()]  # fmt: skip
    noise_floor = float(np.sqrt(40 / effective))
    rows += [
        Row.ours("double exponential terms, fewest effective draws", effective),
        Row.claim("double exponential terms: EP-FACT is accurate: as far from the draws as these from each other",
                  "Figure 4", float(np.mean(found["ep-fact"])) < noise_floor),
    ]  # fmt: skip
    return rows, {"model": model, "draws": draws}


def probit_regression(n_draws: int) -> list[Row]:
    """Probit terms of linear maps of all coefficients, Figure 5."""
    rng = np.random.default_rng(1)
    U = rng.normal(0, np.sqrt(10.0), (8, 8))
    y = np.where(U @ (10 * rng.standard_normal(8)) > 0, 1.0, -1.0)
    model = LatentGaussianModel(0.01 * np.eye(8), likelihood="probit", linear=U).fit(y)
    draws, effective = chain_draws(model, n_draws)
    found = {name: float(np.mean([histogram_distance(model.marginal(i, name), draws[:, i]) for i in range(8)]))
             for name in ("ep-g", "ep-fact")}  # fmt: skip
    return [
        Row.ours("probit regression, fewest effective draws", effective),
        *[Row.ours(f"probit regression, mean distance of {name.upper()} from draws", found[name]) for name in found],
        Row.claim("probit regression: EP-FACT is closer than EP-G though terms depend on all entries", "Figure 5",
                  found["ep-fact"] < found["ep-g"]),
    ]  # fmt: skip
