"""Inverse reinforcement learning where states are hidden (Choi & Kim, JMLR 12:691).

Tables 4 to 6 and 9 follow from the worlds and the experts without chance; Table 10 and Figure 10 from runs drawn.
"""

import time
import warnings
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from treatise.datasets import locate
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.rl.v12_0691.experts import Problem, belief_controller, compact_features, problems
from treatise.rl import (
    POMDPInverseRL,
    heaven_hell,
    plot_controller,
    plot_rewards,
    read_pomdp,
    rock_sample,
    solve_pomdp,
    tiger,
)
from treatise.rl.inverse.conditions import controller_conditions, new_nodes

NODES = {
    "Tiger": {"q": 375, "dp": 75, "witness": 39},
    "1d Maze": {"q": 54, "dp": 18, "witness": 12},
    "5 x 5 Grid World": {"q": 4096, "dp": 2048, "witness": 1044},
    "Heaven/Hell": {"witness": 3260},
}
SIZES = {
    "Tiger": (2, 3, 2, 5, 5),
    "1d Maze": (4, 2, 2, 3, 4),
    "5 x 5 Grid World": (25, 4, 9, 2, 13),
    "Heaven/Hell": (20, 4, 11, 18, 19),
}
LETTERS = {"q": "Q-IRL", "dp": "D-IRL", "witness": "W-IRL"}
TIMES = {"Tiger": 0.03, "1d Maze": 0.02, "5 x 5 Grid World": 1.54, "Heaven/Hell": 6.20}
TABLE_10 = {
    ("Tiger", "SA"): {"mmv": 1.79, "mmfe": 1.93, "prj": 1.93},
    ("1d Maze", "SA"): {"mmv": 1.02, "mmfe": 1.02, "prj": 1.02},
    ("5 x 5 Grid World", "SA"): {"mmv": 0.70, "mmfe": 0.70, "prj": 0.70},
    ("Heaven/Hell", "C"): {"mmv": 8.49, "mmfe": 8.64, "prj": 8.64},
    ("Heaven/Hell", "S"): {"mmv": 5.70, "mmfe": 8.64, "prj": 8.64},
    ("Heaven/Hell", "SA"): {"mmv": 8.47, "mmfe": 8.64, "prj": 8.64},
}
HALF_DIGIT: dict[str, Any] = {"within": 0.0051, "why": "half of the last printed digit, and rounding"}
IDLE_COUNT = "Heaven/Hell: other successors after observations that cannot come give another count"
BETTER = "Rock Sample[4,3]: value of the planner's controller"
IDLE_GAP = Gap(
    "the count depends on where the controller goes after observations that cannot come, which the paper does not "
    "print; the behaviour does not", 200.0, IDLE_COUNT,
)  # fmt: skip
MAP_GAP = Gap(
    "map and sensor are in a figure; on the published map with the published sensor the planner finds a controller "
    "that earns more than the paper's expert, with other nodes and beliefs", 60.0, BETTER,
)  # fmt: skip
TIES = "Heaven/Hell: the expert earns as much of the learned reward as its best policy"
TIE_GAP = Gap(
    "the learned reward has several best policies, the expert among them; which one a planner gives is chance",
    9.0,
    TIES,
)
R2_BEST = "Tiger: most that any policy earns more of R2 than the planner's"
R2_GAP = Gap("the best policy for R2 as printed is another one than the paper's", 1.0, R2_BEST)
FEW_GAP = Gap("not known; from ten runs MMV does as well here as MMFE, or better", 6.0)
MMV_GAP = Gap("not known; the stopping distance, penalty and number of beliefs of MMV are not printed", 9.0)
SKIPPED = [
    "Table 6, Rock Sample[4,3]: differences of values and times (tens of thousands of dense rows of 1032 entries)",
    "Table 10, Rock Sample[4,3]: the paper took 2 to 9 hours for each method",
    "Figure 9 (values by iteration)",
]


def experiment(*, full: bool = False) -> Evidence:
    """Tables 4, 5, 6, 9 and 10, and the claims on Figure 10."""
    known = problems()
    rows = [*file_rows(), *size_rows(known), *tiger_rows(), *controller_rows(known), *rock_rows(full)]
    rows += run_rows(known, full)
    few = few_runs_values(12 if full else 3, (10, 160) if full else (10,))
    rows += few_run_rows(few)
    return Evidence(rows, _figure(known), SKIPPED)


def file_rows() -> list[Row]:
    """The models of two problems are those of the files that the field hands around."""
    file = read_pomdp(locate("pomdp/tiger.aaai.POMDP"))
    apart = max(
        float(np.abs(getattr(file, name) - getattr(tiger(), name)).max())
        for name in ("transitions", "observations", "rewards", "start")
    )
    maze = read_pomdp(locate("pomdp/1d.POMDP"))
    return [
        Row.check("Tiger: largest difference from the file tiger.aaai", 0.0, apart, within=1e-12, why="rounding"),
        Row.check("1d Maze: discount of the file 1d", 0.75, maze.discount),
    ]


def size_rows(known: list[Problem]) -> list[Row]:
    """Tables 4 and 9."""
    rows = []
    for problem in known:
        world, expert = problem.world, problem.expert
        beliefs = expert.visited_beliefs(world).n_beliefs
        found = world.n_states, world.n_actions, world.n_observations, expert.n_nodes, beliefs
        names = "states", "actions", "observations", "nodes of the expert", "beliefs of the expert"
        for name, published, here in zip(names, SIZES[problem.name], found):
            rows.append(Row.printed(f"{problem.name}: {name}", "Table 4", published, here))
        value = expert.value(world)
        rows.append(Row.printed(f"{problem.name}: value of the expert", "Table 9", problem.value, value, **HALF_DIGIT))
        best = solve_pomdp(world)
        short = best.value + best.error_bound - value
        rows.append(Row.check_at_most(f"{problem.name}: most that any policy earns more", 1e-6, short))
    return rows


def tiger_rows() -> list[Row]:
    """Table 5: a reward that is nearer to the true one explains less."""
    world, true = tiger(), tiger().expected_rewards
    expert = problems()[0].expert
    learned = 0.99 * POMDPInverseRL(r_max=100, lam=30).fit(world, expert).reward_ - 1.0
    other = np.where(true == -1.0, 3.05, true)
    rows = [
        Row.printed("Tiger: R1, success", "Table 5", 5.68, float(learned[0, 2]), **HALF_DIGIT),
        Row.printed("Tiger: R1, failure", "Table 5", -100.0, float(learned[0, 1]), within=1e-6, why="a bound"),
        Row.printed("Tiger: R1, listening", "Table 5", -1.0, float(learned[0, 0]), within=1e-6, why="rounding"),
    ]
    for name, reward, distance, value in (("R1", learned, 6.10, 1.93), ("R2", other, 5.73, 1.02)):
        apart = float(np.linalg.norm(reward - true))
        rows.append(Row.printed(f"Tiger: distance of {name}", "Table 5", distance, apart, **HALF_DIGIT))
        found = solve_pomdp(world, rewards=reward)
        gap = R2_GAP if name == "R2" else None
        here = found.controller.value(world)
        rows.append(
            Row.printed(f"Tiger: value of the best policy for {name}", "Table 5", value, here, gap=gap, **HALF_DIGIT)
        )
    rows.append(Row.check_at_most(R2_BEST, 1e-6, found.error_bound))
    return rows


def controller_rows(known: list[Problem]) -> list[Row]:
    """Table 6."""
    rows = []
    for problem in known:
        world, expert = problem.world, problem.expert
        for method, published in NODES[problem.name].items():
            here = controller_conditions(expert, world, method).n_comparisons
            gap = IDLE_GAP if problem.name == "Heaven/Hell" else None
            rows.append(Row.printed(f"{problem.name}: nodes of {LETTERS[method]}", "Table 6", published, here, gap=gap))
        model = POMDPInverseRL().fit(world, expert)
        began = time.process_time()
        model.fit(world, expert)
        rows.append(
            Row.time(f"{problem.name}: seconds of W-IRL", "Table 6", TIMES[problem.name], time.process_time() - began)
        )
        for name, reward in (("true", world.expected_rewards), ("learned", model.reward_)):
            apart = abs(expert.value(world, reward) - model.policy_.value(world, reward))
            gap = TIE_GAP if problem.name == "Heaven/Hell" and name == "true" else None
            rows.append(
                Row.printed(f"{problem.name}: difference of values on the {name} reward", "Table 6", 0.0, apart,
                            within=1e-6, why="rounding of linear programs", gap=gap)
            )  # fmt: skip
        rows.append(Row.check_at_least(f"{problem.name}: least condition on the reward", -1e-7, model.slack_))
    rows.append(Row.check(TIES, True, bool(apart < 1e-6)))
    world = heaven_hell()
    idle = belief_controller(known[-1].expert, world, idle=0)
    counts = {len(new_nodes(each, world, "witness").actions) for each in (idle, known[-1].expert)}
    same = abs(idle.value(world) - known[-1].expert.value(world)) < 1e-9
    rows.append(Row.check(IDLE_COUNT, True, same and len(counts) == 2))
    rows.append(Row.ours("Heaven/Hell: nodes of the planner's own controller", solve_pomdp(world).controller.n_nodes))
    return rows


def rock_rows(full: bool) -> list[Row]:
    """What can be said of Rock Sample[4,3]."""
    world = rock_sample(4, 3)
    rows = [
        Row.printed(f"Rock Sample[4,3]: {name}", "Table 4", published, here)
        for name, published, here in (
            ("states", 129, world.n_states), ("actions", 8, world.n_actions), ("observations", 2, world.n_observations)
        )
    ]  # fmt: skip
    if full:
        solution = solve_pomdp(world, max_beliefs=400)
        beliefs = solution.controller.visited_beliefs(world).n_beliefs
        count = len(new_nodes(solution.controller, world, "witness").actions)
        rows += [
            Row.check_at_least(BETTER, 21.11, solution.value),
            Row.printed("Rock Sample[4,3]: value of the expert", "Table 9", 21.11, solution.value, within=0.0051,
                        why="half of the last printed digit", gap=MAP_GAP),
            Row.printed("Rock Sample[4,3]: nodes of the expert", "Table 4", 16, solution.controller.n_nodes,
                        gap=MAP_GAP),
            Row.printed("Rock Sample[4,3]: beliefs of the expert", "Table 4", 22, beliefs, gap=MAP_GAP),
            Row.ours("Rock Sample[4,3]: nodes of W-IRL with the planner's controller (634 printed)", count),
        ]  # fmt: skip
    return rows


def fitted(problem: Problem, kind: str, method: str, seed: int, *, n_runs: int = 2000, max_iter: int = 30) -> float:
    """Value, on the true reward, of the policy that runs of the expert led to."""
    features = None if kind == "SA" else compact_features(kind)
    runs = problem.expert.sample(problem.world, n_runs, problem.horizon, random_state=seed)
    model = POMDPInverseRL(method, max_iter=max_iter, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # runs never have the expectations exactly
        return model.fit(problem.world, runs, features).policy_.value(problem.world)


def run_rows(known: list[Problem], full: bool) -> list[Row]:
    """Table 10, with fewer trials: the mean value of the policies."""
    rows = []
    for (name, kind), published in TABLE_10.items():
        problem = next(each for each in known if each.name == name)
        if not full and (name, kind) not in (("Tiger", "SA"), ("1d Maze", "SA"), ("Heaven/Hell", "C")):
            continue
        for method in ("mmv", "mmfe", "prj") if full else ("mmfe", "prj"):
            values = [fitted(problem, kind, method, seed) for seed in range(3 if full else 1)]
            rows.append(
                Row.printed(f"{name} ({kind}): value by {method.upper()}", "Table 10", published[method],
                            float(np.mean(values)), gap=MMV_GAP if method == "mmv" else None, **HALF_DIGIT)
            )  # fmt: skip
    return rows


def few_runs_values(trials: int, numbers: tuple[int, ...]) -> dict[tuple[str, int], np.ndarray]:
    """Values by method and number of runs, on the Tiger."""
    problem = problems()[0]
    return {
        (method, number): np.array(
            [fitted(problem, "SA", method, seed, n_runs=number, max_iter=15) for seed in range(trials)]
        )
        for number in numbers
        for method in ("mmv", "mmfe", "prj")
    }


def few_run_rows(values: dict[tuple[str, int], np.ndarray]) -> list[Row]:
    """What the text says of Figure 10."""
    rows = [
        Row.ours(f"Tiger: mean value by {method.upper()} from {number} runs", round(float(found.mean()), 3))
        for (method, number), found in values.items()
    ]
    for other in ("mmv", "prj"):
        gain = values["mmfe", 10] - values[other, 10]
        rows.append(
            Row.claim_positive(
                f"Tiger, 10 runs: value by MMFE less that by {other.upper()}", "Figure 10", float(gain.mean()),
                standard_error=float(gain.std(ddof=1) / np.sqrt(len(gain))), gap=FEW_GAP,
            )
        )  # fmt: skip
    return rows


def _figure(known: list[Problem]) -> Figure:
    figure = Figure(figsize=(12, 4), layout="constrained")
    axes = figure.subplots(1, 3)
    names = ["listen", "left", "right"]
    plot_controller(known[0].expert, actions=names, observations=["TL", "TR"], pomdp=known[0].world, ax=axes[0])
    axes[0].set_title("expert of the Tiger (Figure 5)", fontsize=10)
    for ax, problem, title in ((axes[1], known[1], "Figure 6"), (axes[2], known[2], "Figure 7")):
        learned = POMDPInverseRL().fit(problem.world, problem.expert).reward_
        plot_rewards(learned, problem.world.expected_rewards, ax=ax)
        ax.set_title(f"{problem.name} ({title})", fontsize=10)
    return figure
