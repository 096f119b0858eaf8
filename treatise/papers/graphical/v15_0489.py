"""fastclime (Pang, Liu & Vanderbei, JMLR 15:489): whole paths by parametric simplex, Table 1."""

import time
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

from treatise.datasets import make_random_gaussian_graph
from treatise.graphical import Clime
from treatise.papers._evidence import Evidence, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Seconds of Table 1 on an Intel i5-3320 at 2.6 GHz: clime, flare (both on a grid of penalties) and fastclime's path.
TABLE_1 = {
    50: {"clime": 103.52, "flare": 0.632, "fastclime": 0.248},
    100: {"clime": 937.37, "flare": 1.886, "fastclime": 0.928},
    200: {"flare": 10.770, "fastclime": 9.928},
    400: {"flare": 74.106, "fastclime": 53.038},
    800: {"flare": 763.632, "fastclime": 386.880},
}
ROWS = 200
LOWEST = 0.1


def experiment(*, full: bool = False) -> Evidence:
    """Whole paths to a penalty of 0.1 on 200 rows of random Gaussian graphs, timed and checked against HiGHS.

    Parameters
    ----------
    full : bool, default=False
        All sizes of Table 1, up to 800 variables; otherwise up to 200.
    """
    Clime(LOWEST).fit(make_random_gaussian_graph(50, 10, random_state=0)[0])  # compiled before the clock runs
    sizes = [d for d in TABLE_1 if full or d <= 200]
    rows, seconds = [], {}
    for d in sizes:
        X, _ = make_random_gaussian_graph(ROWS, d, random_state=d)
        begin = time.process_time()
        # With 800 variables some columns have no solution at the lowest penalty, where their paths end before it.
        model = Clime(2 * LOWEST, lowest=LOWEST).fit(X)
        seconds[d] = time.process_time() - begin
        for name, published in TABLE_1[d].items():
            rows.append(
                Row.time(f"seconds for the whole path, {d} variables, against {name}", "Table 1", published, seconds[d])
            )
        rows.append(Row.ours(f"breakpoints of all columns, {d} variables", model.path_.n_breakpoints))
        rows.append(
            Row.check_at_most(
                f"relative gap between primal and dual along the path, {d} variables", 1e-5, model.path_.gap
            )
        )
        if d == 50:
            rows += _against_highs(X, model)
    return Evidence(rows, _figure(seconds, model))


def _against_highs(X: np.ndarray, model: Clime) -> list[Row]:
    """The objective of a few columns against one linear program each; the paper's precision is 1e-5."""
    S = np.corrcoef(X.T)
    d = len(S)
    worst, begin = 0.0, time.process_time()
    columns = range(0, d, 10)
    for j in columns:
        sides = np.concatenate([np.eye(d)[j] + LOWEST, LOWEST - np.eye(d)[j]])
        theirs = linprog(np.ones(2 * d), A_ub=np.block([[S, -S], [-S, S]]), b_ub=sides)
        ours = float(np.abs(model.path_.columns[j].at(LOWEST)).sum())
        worst = max(worst, abs(ours - theirs.fun) / theirs.fun)
    spent = (time.process_time() - begin) / len(columns) * d
    return [
        Row.check_at_most("relative distance from the optimum of one linear program per column (HiGHS)", 1e-5, worst),
        Row.ours("seconds of HiGHS for 50 variables at this one penalty", spent),
    ]


def _figure(seconds: dict[int, float], model: Clime) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name in ("clime", "flare", "fastclime"):
        known = {d: row[name] for d, row in TABLE_1.items() if name in row}
        left.loglog(list(known), list(known.values()), "o--", label=f"{name}, published")
    left.loglog(list(seconds), list(seconds.values()), "ks-", label="here")
    left.set_xlabel("variables")
    left.set_ylabel("seconds")
    left.legend()
    path = model.path_.columns[0]
    grid = np.linspace(path.breakpoints[-1], 1, 200)
    right.plot(grid, np.array([path.at(penalty) for penalty in grid]), linewidth=1)
    right.set_xlabel("penalty")
    right.set_ylabel("entries of the first column")
    return figure
