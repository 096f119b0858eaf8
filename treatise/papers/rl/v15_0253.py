"""Trajectories in Bayesian optimisation of policies (Wilson, Fern & Tadepalli, JMLR 15:253): returns over the trials.

The paper draws learning curves and prints statements about them. Box, kernels, ``alpha = 1`` and sizes of the policies
are the paper's. What it does not print (scale of the features, noise, constants of the cart's and the arm's rewards) is
ours; ``rho`` was tuned, as in the paper, on other seeds than those shown.
"""

import warnings
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import binomtest

from treatise.papers._evidence import Evidence, Gap, Row
from treatise.rl import (
    Acrobot,
    CartPole,
    EndRule,
    GaussianControl,
    LinearDynamics,
    MountainCar,
    PlanarArm,
    PolicyBO,
    SoftmaxControl,
    StateTerms,
    expected_improvement,
    plot_policy_search,
)

SKIPPED = [
    "Figure 9 (bicycle): 300 episodes of up to 60,000 steps, 100 parameters, 15 times; the world is there as Bicycle",
    "PILCO in Figures 5 to 8, which took its authors weeks of computing",
    "Q-learning and Dyna-Q with tilings (CMAC), OLPOMDP and LSPI in Figures 5 to 8: other methods, over 1000 episodes",
    "Figure 6, models of the acrobot; the kernels are there",
    "40 runs; 10 are made, and all 40 of the two kernels on the car",
]
FIRST_SEED = 100
CAR_FEATURES = [(0,), (1,), (0, 0), (0, 1), (1, 1), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
"""Eight products up to cubes of place and speed; the paper says eight, and not which."""
CART_FEATURES = StateTerms([("identity", k, scale) for k, scale in enumerate((1.0, 1.0, 5.0, 2.0))])
ALIKE = "cart-pole: median distance of the behaviour of two random policies (5 is a likeness below 0.01)"
HIGHER = "car: mean returns of the behaviour kernel are higher by a sign test at 0.05"
APART = Gap(
    "with alpha = 1 episodes of hundreds of steps set all policies apart, so that nothing is learned from one about "
    "another; with alpha drawn from the distances the pole is held in every run",
    200.0, ALIKE,
)  # fmt: skip
FEW_TRIALS = Gap(
    "not known; the paper prints neither the constants of the arm nor the length of the acrobot's episodes",
    30.0,
)  # fmt: skip
DRAWN = "BOA (BBK), alpha by the median"
Curves = dict[str, np.ndarray]


def experiment(*, full: bool = False) -> Evidence:
    """Returns of the trials of each method in four worlds."""
    n_runs = 10 if full else 4
    curves = {
        "mountain car": mountain_car(4 * n_runs if full else n_runs, 60 if full else 12, n_runs, 20 if full else 8),
        "acrobot": acrobot(n_runs, 25 if full else 8),
        "cart-pole": cart_pole(n_runs, 25 if full else 8),
        "planar arm": planar_arm(n_runs, 25 if full else 8),
    }
    improvement = float(expected_improvement(0.3, 0.7, 1.0))
    rows = [
        Row.check("expected improvement at mean 0.3, deviation 0.7, best 1", 0.05832083, improvement, within=5e-9,
                  why="half of the last digit"),
        *car_rows(curves["mountain car"], full),
        *(row for world in curves for row in mean_rows(world, curves[world])),
        likeness_row(),
        *world_rows(curves, full),
    ]  # fmt: skip
    return Evidence(rows, _figure(curves), SKIPPED)


def runs(world: Any, policy: Any, n_runs: int, n_trials: int, **options: Any) -> np.ndarray:
    """Returns of the trials of searches with different seeds."""
    found = []
    for seed in range(n_runs):
        search = PolicyBO(policy, n_init=5, random_state=FIRST_SEED + seed, **{"alpha": 1.0, **options})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # models that do not suit the world are part of the experiment
            found.append(search.optimize(world, n_trials, show_progress=False).y_)
    return np.array(found)


def mountain_car(n_runs: int, n_trials: int, n_models: int, n_model_trials: int) -> Curves:
    """Section 5.2: 16 parameters, two actions; models with the features of Table 1 and with the cosine of the hill."""
    policy = SoftmaxControl(2, StateTerms([("identity", 0, 1 / 0.9, 1 / 3), ("identity", 1, 1 / 0.07)],
                                          products=CAR_FEATURES))  # fmt: skip
    one, goal = StateTerms(0, products=[()]), EndRule(StateTerms(1), np.ones((1, 1)), np.array([0.5]))
    known: dict[str, Any] = {"action_values": MountainCar.ACTIONS, "end": goal, "max_steps": 400}
    poor = LinearDynamics(StateTerms([0, 1, ("cos", 0), ("cos", 1), 2], degree=2, constant=True), one, **known)
    good = LinearDynamics(StateTerms([0, 1, ("cos", 0, 3.0), 2], constant=True), one, **known)
    shared: dict[str, Any] = {"noise": 1.0, "acq_optimizer": "nes", "n_candidates": 256}
    modelled: dict[str, Any] = {**shared, "mean": "model", "n_rollouts": 2}
    return {
        "BOA (BBK)": runs(MountainCar(), policy, n_runs, n_trials, kernel="bbk", **shared),
        "BOA (SE)": runs(MountainCar(), policy, n_runs, n_trials, kernel="se", rho=0.3, **shared),
        "MBOA, good features": runs(
            MountainCar(), policy, n_models, n_model_trials, kernel="se", rho=0.3, model=good, **modelled
        ),
        "Combined, poor features": runs(
            MountainCar(), policy, n_models, n_model_trials, kernel="bbk", model=poor, **modelled
        ),
    }


def acrobot(n_runs: int, n_trials: int) -> Curves:
    """Section 5.3: four features, three actions, 12 parameters."""
    policy = SoftmaxControl(3, StateTerms(4))
    shared: dict[str, Any] = {"noise": 1.0, "acq_optimizer": "nes", "n_candidates": 256}
    return {
        "BOA (BBK)": runs(Acrobot(), policy, n_runs, n_trials, kernel="bbk", **shared),
        DRAWN: runs(Acrobot(), policy, n_runs, n_trials, kernel="bbk", alpha="median", **shared),
        "BOA (SE)": runs(Acrobot(), policy, n_runs, n_trials, kernel="se", rho=0.3, **shared),
    }


def cart_pole(n_runs: int, n_trials: int) -> Curves:
    """Section 5.4: a force linear in four features; the model with the features of Table 1."""
    policy = GaussianControl(1, CART_FEATURES)
    signals = [0, 1, 2, 3, 4, ("sin", 2), ("cos", 2), ("1/cos", 2)]
    square = StateTerms([5, 7], products=[(), (0,), (1,), (0, 0), (1, 1)])
    limits = EndRule(StateTerms([0, 2]), np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]]), np.array([4, 4, 0.785, 0.785]))
    model = LinearDynamics(StateTerms(signals, constant=True), square, end=limits, max_steps=1000)
    shared: dict[str, Any] = {"noise": 0.1, "acq_optimizer": "nes", "n_candidates": 128}
    return {
        "BOA (BBK)": runs(CartPole(), policy, n_runs, n_trials, kernel="bbk", **shared),
        DRAWN: runs(CartPole(), policy, n_runs, n_trials, kernel="bbk", alpha="median", **shared),
        "BOA (SE)": runs(CartPole(), policy, n_runs, n_trials, kernel="se", rho=1.0, **shared),
        "MBOA": runs(CartPole(), policy, n_runs, n_trials, kernel="se", rho=1.0, mean="model", model=model,
                     n_rollouts=1, **shared),
    }  # fmt: skip


def planar_arm(n_runs: int, n_trials: int) -> Curves:
    """Section 5.5: three controllers of two features, 12 parameters."""
    x, y = PlanarArm.TARGET
    policy = SoftmaxControl(2, StateTerms([("identity", 3, 1.0, -x), ("identity", 4, 1.0, -y)]), n_heads=3)
    shared: dict[str, Any] = {"noise": 0.1, "acq_optimizer": "nes", "n_candidates": 256}
    return {
        "BOA (BBK)": runs(PlanarArm(), policy, n_runs, n_trials, kernel="bbk", **shared),
        DRAWN: runs(PlanarArm(), policy, n_runs, n_trials, kernel="bbk", alpha="median", **shared),
        "BOA (SE)": runs(PlanarArm(), policy, n_runs, n_trials, kernel="se", rho=0.3, **shared),
    }


def difference(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Mean difference of paired runs and its standard error."""
    n = min(len(first), len(second))
    gap = first[:n] - second[:n]
    return {"here": float(gap.mean()), "standard_error": float(gap.std(ddof=1) / np.sqrt(n))}


def car_rows(curves: Curves, full: bool) -> list[Row]:
    """The two kernels on the car, run by run, and the learned models."""
    best = {name: found.max(axis=1) for name, found in curves.items()}
    own, plain = best["BOA (BBK)"], best["BOA (SE)"]
    wins, told = int((own > plain).sum()), int((own != plain).sum())
    higher = curves["BOA (BBK)"].mean(axis=1) > curves["BOA (SE)"].mean(axis=1)
    sign, of_means = binomtest(wins, max(told, 1)).pvalue, binomtest(int(higher.sum()), len(higher)).pvalue
    rows = [
        Row.ours("car: median best return, behaviour kernel", float(np.median(own))),
        Row.ours("car: median best return, squared exponential kernel", float(np.median(plain))),
        Row.ours(f"car: runs in which the behaviour kernel has the better best return, of {told}", wins),
        Row.ours("car: p of the two-sided sign test of best returns", float(sign)),
        Row.ours("car: p of the two-sided sign test of mean returns", float(of_means)),
    ]
    if full:
        above, best_above = higher.mean() > 0.5 and of_means < 0.05, wins > told / 2 and sign < 0.05
        rows.append(Row.claim(HIGHER, "Figure 5", bool(above)))
        rows.append(Row.claim("car: best returns of the behaviour kernel are higher by a sign test at 0.05",
                              "Figure 5", bool(best_above)))  # fmt: skip
    return rows


def likeness_row() -> Row:
    """How alike the first random policies of the cart are: episodes of hundreds of steps set them all apart."""
    search = PolicyBO(GaussianControl(1, CART_FEATURES), alpha=1.0, n_init=20, random_state=FIRST_SEED)
    K = search.optimize(CartPole(), 20, show_progress=False).kernel_matrix()
    return Row.check_at_least(ALIKE, 5.0, float(-np.log(np.median(K[np.triu_indices(20, 1)]))))


def mean_rows(world: str, curves: Curves) -> list[Row]:
    """Mean return over all trials, which is the height of the paper's curves."""
    return [Row.ours(f"{world}: mean return of all trials, {name}", round(float(found.mean()), 1))
            for name, found in curves.items()]  # fmt: skip


def world_rows(curves: dict[str, Curves], full: bool) -> list[Row]:
    """What the text says of the figures, as differences of paired runs."""
    rows: list[Row] = []
    for world, place, gap in (
        ("mountain car", "Figure 5", None), ("acrobot", "Figure 6", FEW_TRIALS), ("cart-pole", "Figure 7", APART),
        ("planar arm", "Figure 8", FEW_TRIALS),
    ):  # fmt: skip
        own, plain = curves[world]["BOA (BBK)"].mean(axis=1), curves[world]["BOA (SE)"].mean(axis=1)
        what = f"{world}: mean return, behaviour kernel less squared exponential"
        rows.append(Row.claim_positive(what, place, **difference(own, plain), gap=gap))
    car, cart = curves["mountain car"], curves["cart-pole"]
    n = car["MBOA, good features"].shape[1]
    rows.append(Row.claim_positive(
        "mountain car: mean return after five trials, model with good features less behaviour kernel", "Section 5.2",
        **difference(car["MBOA, good features"][:, 5:].mean(axis=1), car["BOA (BBK)"][:, 5:n].mean(axis=1)),
    ))  # fmt: skip
    combined = difference(car["Combined, poor features"].mean(axis=1), car["BOA (BBK)"][:, :n].mean(axis=1))
    rows.append(Row.claim_positive("mountain car: mean return, both together less behaviour kernel", "Section 5.2",
                                   **combined))  # fmt: skip
    rows.append(Row.claim_positive("cart-pole: mean return, model less squared exponential", "Section 5.4",
                                   **difference(cart["MBOA"].mean(axis=1), cart["BOA (SE)"].mean(axis=1))))  # fmt: skip
    held = {name: float((found.max(axis=1) > 1000.0).mean()) for name, found in cart.items()}
    rows += [Row.ours(f"cart-pole: share of runs that held the pole for 1000 steps, {name}", share)
             for name, share in held.items()]  # fmt: skip
    if full:
        rows.append(Row.claim("cart-pole: Bayesian optimisation finds a policy that holds the pole, in every run",
                              "Section 5.4", held["BOA (BBK)"] == held["BOA (SE)"] == 1.0, gap=APART))  # fmt: skip
    return rows


def _figure(curves: dict[str, Curves]) -> Figure:
    figure = Figure(figsize=(10, 7), layout="constrained")
    for ax, (world, found) in zip(figure.subplots(2, 2).ravel(), curves.items()):
        plot_policy_search(found, ax=ax)
        ax.set_title(world, fontsize=10)
    return figure
