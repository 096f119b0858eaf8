"""Selected machine learning reductions (Choromanska, 2014): bounds, partition trees, clustering with experts."""

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_english_treebank, load_mnist_test, load_table, locate, make_hypercube_gaussians
from treatise.inference import FactorGraph, junction_tree_bound
from treatise.io import read_table
from treatise.linear import (
    LatentLogLinearClassifier,
    MajorizedLogisticRegression,
    SemiStochasticLogisticRegression,
)
from treatise.online import DoublingKCenter, OnlineClusteringExperts, PartitionTreeClassifier, online_kmeans_centers
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.papers.online.thesis_choromanska._gaussians import make_separated_gaussians
from treatise.papers.online.thesis_choromanska._solver_race import SolverRace, race_logistic_solvers
from treatise.sequence import CRF, word_features
from treatise.sequence.crf._likelihood import ChainLikelihood
from treatise.sequence.crf._majorized import majorized_descent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _two_classes(name: str, positive: str | int) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_table(name).arrays()
    return X, (y == positive).astype(int)


TABLES: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "Wine": lambda: load_wine(return_X_y=True),
    "Bupa": lambda: load_table("keel/bupa.dat").arrays(),
    "Heart": lambda: _two_classes("keel/heart.dat", 2),
    "Ion": lambda: _two_classes("keel/ionosphere.dat", "g"),
}
# Seconds of the bound in Table 2.1, at lambda = 1, 100 and 10 000.
BOUND_SECONDS = {
    "Wine": (0.07, 0.04, 0.04),
    "Bupa": (0.01, 0.01, 0.01),
    "Heart": (0.07, 0.02, 0.02),
    "Ion": (0.16, 0.09, 0.07),
}
# Seconds of BFGS and of CG in Table 2.1, at lambda = 1.
PEER_SECONDS = {"Wine": (3.14, 0.70), "Bupa": (1.90, 0.78), "Heart": (4.09, 0.65), "Ion": (5.62, 1.36)}
# Passes and seconds on the Penn Treebank in Table 2.3, at lambda = 10.
TREEBANK = {"L-BFGS": (7, 62848.08), "CG": (18, 76332.39), "bound": (2, 27073.42)}
# Test log-likelihood of the bound in Table 2.5, by the number of hidden states; of Wine that of the best.
LATENT = {
    "Bupa": {1: -21.85, 2: -19.95, 3: -20.01, 4: -19.97},
    "Wine": {3: -0.48},
    "Ion": {1: -6.08, 2: -4.84, 3: -4.18, 4: -5.17},
}
# Depth and test error in per cent (Table 4.1), of the partition tree and of the random tree.
CUBES = {64: (7, 1.6, 43.8), 128: (9, 0.8, 40.3), 1024: (13, 1.2, 65.2), 8192: (16, 1.4, 58.7)}
# Mean k-means cost so far on Spam (Table 5.1), in units of 1e8, with three experts.
SPAM = {
    "lloyd": 0.2706, "kmeans++": 0.1042, "online": 1.6291, "static": 0.1059, "learn_alpha": 0.1076,
    "doubling": 0.1971, "online, whole stream": 0.8222,
}  # fmt: skip
# The same on 25 Gaussians.
MIXED = {"lloyd": 0.6193, "online": 2.0859, "learn_alpha": 0.0012, "doubling": 0.0179, "online, whole stream": 1.7714}

MERGES = ("sum", "join")

STARTS = "a tenth: one draw of the starts on either side"

OTHER_TREEBANK = Gap(
    "the Penn Treebank is not free; this is the English Web Treebank, with 17 tags instead of 45, and the features of "
    "word_features. A penalty of 10 for each sentence outweighs the words, so that every solver needs a few passes, "
    "and L-BFGS and CG are within 1e-4 after 2 to 4; how those of the thesis searched their lines, and when they "
    "stopped, is not told: counted to its own end L-BFGS takes 6 passes here, CG 13. Tried: a penalty of 1 for each of "
    "300 sentences (5 passes of L-BFGS, 10 of CG, more than 30 of the bound, 18 of the accelerated one). "
    "The cause is not known",
    band=1.0,
)
SPREAD = Gap(
    "the thesis gives neither the spread of the Gaussians, nor the dimension of the cube, nor how examples walk down a "
    "random tree. Tried: examples sent by the cuts of their classes (71, 82 and 96 % with 64, 128 and 1 024 classes), "
    "and, so sent, vertices drawn from larger cubes, where a random cut is nearer to linear (44 % with 64 classes in "
    "16 dimensions, 45 % with 128 in 32, 65 % with 1 024 in 140, but then 4, 4 and 7 % for the partition tree). "
    "The cause is not known",
    band=5.0,
)
ORDER = Gap(
    "the error moves with the order of the examples, and the thesis gives neither the number of examples, nor that of "
    "passes, nor the learning rate. Tried: 1 to 10 passes, rates 1 to 5, splits after 1 to 50 examples, 60 to 200 "
    "examples a class. The cause is not known",
    band=0.5,
)
UNPENALISED = Gap(
    "without a penalty more hidden states fit the training rows too well; the thesis shows one split. "
    "The cause is not known",
    band=3.0,
)
SEPARABLE = Gap(
    "without a penalty the weights of these nearly separable classes grow until they are stopped, and the held-out "
    "likelihood falls. Tried: raw and standardised features, 5 to 200 iterations (-14 to -40 with one state), and a "
    "penalty, C = 1 (-14). The cause is not known",
    band=5.0,
)
RANDOM_CUT = Gap(
    "moves with the draw of the cuts (32 to 42 %) and falls with the passes (64 % after one), of which the thesis "
    "gives no number; with examples sent by the cuts of their classes it was 16 %. The cause is not known",
    band=3.0,
)
STREAM = Gap(
    "the thesis does not say which rows of the collection, and in which order, make its stream. Tried: the first "
    "1 000, the first 2 000, all, and 1 000 in random order (kmeans++ 0.066, 1.11, 3.95 and 0.039), and every length "
    "from 500 to 1 700: kmeans++ and kmeans# agree at about 1 050 rows, the online procedure only beyond 1 700. "
    "The cause is not known",
    band=0.3,
)
MIXTURE = Gap(
    "the thesis gives neither the mixture, nor the radius, nor the number of rows; here centres are drawn in a cube of "
    "side 500 around the origin, where the doubling algorithm finds them all, and the cost of the first rows, when all "
    "experts weigh alike, makes most of the mean of Learn-alpha, as the thesis says of its own. Tried: 600 and 1 000 "
    "rows (0.0078 and 0.0024 of the cost of lloyd), and the cube beside the origin (0.0099). The cause is not known",
    band=0.002,
)
FEW_IMAGES = Gap(
    "8 500 of the test images to learn from, where the thesis had the 60 000 training images; moves by 2 % with the "
    "order. Tried: rates 1 and 3 (16 and 17 % in the middle of five orders), splits after 50 and 200 examples; without "
    "the centring of nodes, which thousands of classes need, it was 14 %. The cause is not known",
    band=1.5,
)
ABSENT = (
    "Tables 2.1 and 2.5 on hepatitis, Tables 2.2 and 2.5 on SRBCT, Table 2.2 on Tumors, Text and SecStr, Tables 2.3 "
    "and 2.4 on CoNLL, Table 4.2 on RCV1 with its 99 classes, ImageNet (after Table 4.2), Table 5.1 on Cloud, "
    "Intrusion, Forest fire and Robot: not at hand"
)


def experiment(*, full: bool = False) -> Evidence:
    """Bounds on small tables, trees on Gaussians and digits, experts on streams; larger and longer in full."""
    rows: list[Row] = []
    skipped = [ABSENT]
    curves: dict[str, Any] = {}
    parts: list[Callable[[], list[Row]]] = [
        *(partial(table_rows, name) for name in TABLES),
        *(partial(race_rows, name, curves) for name in TABLES),
        theorem_rows,
        junction_tree_rows,
        partial(treebank_rows, full, curves),
        *(partial(latent_rows, name, full) for name in (LATENT if full else ["Bupa", "Wine"])),
        lambda: cube_rows(full, curves),
        partial(digit_rows, full),
        lambda: gaussian_stream_rows(full, curves),
        partial(spam_rows, full),
    ]
    if full:
        parts.append(adult_rows)
    for part in parts:
        try:
            rows += part()
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(curves), skipped)


def table_rows(name: str) -> list[Row]:
    """Table 2.1: seconds to the solution of BFGS, by Algorithm 2 as printed, from zero."""
    X, y = TABLES[name]()
    X = scale(X)
    rows = []
    for penalty, published in zip((1.0, 100.0, 10_000.0), BOUND_SECONDS[name]):
        C = 1.0 / (penalty * len(y))
        model = MajorizedLogisticRegression(C, accelerate=False, tol=1e-6)
        seconds = min(_timed(partial(model.fit, X, y)) for _ in range(3))
        peer = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
        excess = model.objective_path_[-1] / _objective(peer, X, y, C) - 1.0
        where = f"{name}, lambda = {penalty:g}"
        rows += [
            Row.time(f"{where}: seconds of the bound", "Table 2.1", published, round(seconds, 5)),
            Row.check_at_most(f"{where}: excess over the optimum, relative (the same solution)", 1e-6, float(excess)),
        ]
    return rows


def race_rows(name: str, curves: dict[str, Any]) -> list[Row]:
    """Table 2.1 at lambda = 1: seconds of BFGS and CG over those of the bound, to the same objective."""
    X, y = TABLES[name]()
    races = [race_logistic_solvers(scale(X), y, 1.0 / len(y)) for _ in range(3)]
    curves.setdefault("race", races[-1])
    # The best of three, of each: the machine has other things to do now and then.
    seconds = {solver: min(race.seconds_to(1e-6)[solver] for race in races) for solver in races[0].objectives}
    rows = [
        Row.time(
            f"{name}, lambda = 1: seconds of {solver} over those of the bound",
            "Table 2.1",
            round(published / BOUND_SECONDS[name][0], 1),
            round(seconds[solver] / seconds["bound"], 2),
            rule="at least",
        )
        for solver, published in zip(("BFGS", "CG"), PEER_SECONDS[name])
    ]
    faster = f"{name}, lambda = 1: seconds of L-BFGS over those of the accelerated bound"
    return [*rows, Row.ours(faster, round(seconds["L-BFGS"] / seconds["bound, accelerated"], 2))]


def theorem_rows() -> list[Row]:
    """Theorem 2: iterations that suffice for all but a share epsilon of the gain."""
    X, y = load_wine(return_X_y=True)
    X, penalty, epsilon = scale(X), 0.1, 1e-4
    model = MajorizedLogisticRegression(
        1.0 / (penalty * len(y)), fit_intercept=False, accelerate=False, tol=1e-10, max_iter=5000
    ).fit(X, y)
    path = np.array(model.objective_path_)
    needed = int(np.argmax(path[0] - path >= (1.0 - epsilon) * (path[0] - path[-1])))
    r = float(np.sqrt(np.max(np.sum(X**2, axis=1))))
    omega = 2.0 * r**2 * (0.5 + 1.0 / (3.0 * np.log(2.0)))  # three classes: i = 1 and 2
    allowed = int(np.ceil(np.log(1.0 / epsilon) / np.log1p(penalty / omega)))
    # Hundreds of times as many as are needed: kept by any solver, so that it checks none.
    return [
        Row.ours("Wine, lambda = 0.1: iterations to 99.99 % of the gain", needed),
        Row.ours("Wine, lambda = 0.1: iterations that suffice for it by Theorem 2", allowed),
    ]


def junction_tree_rows() -> list[Row]:
    """Algorithm 3: how far its curvature exceeds the Hessian's on a chain, as printed and with one that dominates."""
    rng = np.random.default_rng(0)
    rows = []
    for length in (4, 8):
        scopes = [*((v,) for v in range(length)), *((v, v + 1) for v in range(length - 1))]
        shapes = [(3,) * len(scope) for scope in scopes]
        graph = FactorGraph([3] * length, [(scope, np.zeros(shape)) for scope, shape in zip(scopes, shapes)])
        features = [rng.normal(size=(*shape, 5)) for shape in shapes]
        traces = {m: np.trace(junction_tree_bound(graph, features, np.zeros(5), merge=m).curvature) for m in MERGES}
        quantity = f"chain of {length} positions: summed curvature over the dominating one (Algorithm 3)"
        rows.append(Row.ours(quantity, round(float(traces["sum"] / traces["join"]), 1)))
    return rows


def treebank_rows(full: bool, curves: dict[str, Any]) -> list[Row]:
    """Table 2.3: passes and seconds to within 1e-4 of the L-BFGS solution, at lambda = 10, from zero."""
    sentences = load_english_treebank("dev")[: None if full else 100]
    X, y = [word_features(each["form"]) for each in sentences], [each["upos"] for each in sentences]
    race = _race(X, y, 10.0 * len(X))
    curves["treebank"] = race
    goal = race.objectives["L-BFGS"][-1] * (1.0 + 1e-4)
    # The objectives fall; a solver that stopped above the goal has its last pass counted, and one more.
    passes = {name: int(np.sum(values > goal)) for name, values in race.objectives.items()}
    seconds = {name: float(race.seconds[name][min(passes[name], len(race.seconds[name]) - 1)]) for name in passes}
    of = f"English tagging, {len(X)} sentences, lambda = 10:"
    rows = [
        Row.printed_at_most(
            f"{of} passes of the bound", "Table 2.3", TREEBANK["bound"][0], passes["bound"], gap=OTHER_TREEBANK
        )
    ]
    for peer in ("L-BFGS", "CG"):
        for what, column, found in (("passes", 0, passes), ("seconds", 1, seconds)):
            ratio, here = round(TREEBANK["bound"][column] / TREEBANK[peer][column], 2), found["bound"] / found[peer]
            quantity = f"{of} {what} of the bound over those of {peer}"
            if what == "passes":
                rows.append(Row.printed_at_most(quantity, "Table 2.3", ratio, round(here, 2), gap=OTHER_TREEBANK))
            else:
                rows.append(Row.time(quantity, "Table 2.3", ratio, round(here, 2)))
    return [*rows, *_weak_penalty_rows(X[:500], y[:500], curves)] if full else rows


def _weak_penalty_rows(X: list, y: list, curves: dict[str, Any]) -> list[Row]:
    """The solvers of CRF with the penalty that tagging wants; passes to an objective within a hundredth."""
    models = {
        solver: CRF(l2=1.0, solver=solver, tol=0.0 if solver == "lbfgs" else 1e-3, max_iter=100, random_state=0)
        for solver in ("lbfgs", "majorized", "semistochastic")
    }
    rows = []
    for solver, model in models.items():
        path = np.minimum.accumulate(model.fit(X, y).objective_path_)
        best = models["lbfgs"].objective_path_[-1]
        near = path <= 1.01 * best
        where = f"English tagging, {len(X)} sentences, l2 = 1: passes of {solver} to within 1 %"
        rows.append(Row.ours(where, float(model.passes_[np.argmax(near)]) if near[-1] else None))
    curves["solvers"] = models
    return rows


class _Raced(CRF):
    """Hands its objective to other solvers as well."""

    def _descend(self, likelihood: ChainLikelihood) -> np.ndarray:
        self.likelihood = likelihood
        return np.zeros(likelihood.n_weights)


def _race(X: list, y: list, l2: float) -> SolverRace:
    """Objectives that L-BFGS and CG of SciPy, and the bound as printed, met after each pass, and when."""
    model = _Raced(l2=l2, solver="majorized").fit(X, y)
    start = np.zeros(model.likelihood.n_weights)
    solvers: dict[str, Callable[[Any], Any]] = {
        "L-BFGS": lambda likelihood: minimize(likelihood.objective, start, jac=True, method="L-BFGS-B"),
        "CG": lambda likelihood: minimize(likelihood.objective, start, jac=True, method="CG", options={"gtol": 1e-3}),
        "bound": lambda likelihood: majorized_descent(
            likelihood, start, max_iter=20, tol=1e-5, advance=lambda steps: None, accelerate=False
        ),
        "bound, accelerated": lambda likelihood: majorized_descent(
            likelihood, start, max_iter=20, tol=1e-5, advance=lambda steps: None
        ),
    }
    seconds, objectives = {}, {}
    for name, solve in solvers.items():
        watched = _Watched(model.likelihood)
        solve(watched)
        seconds[name] = np.array(watched.times) - watched.start
        objectives[name] = np.minimum.accumulate(watched.values)
    return SolverRace(seconds, objectives)


class _Watched(ChainLikelihood):
    """Notes every evaluation of the objective and its time."""

    def __init__(self, whole: ChainLikelihood) -> None:
        super().__init__(whole.emissions, whole.codes, whole.lengths, whole.pairs, whole.l2)
        self.start = time.process_time()
        self.times: list[float] = []
        self.values: list[float] = []

    def objective(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = super().objective(w)
        self.times.append(time.process_time())
        self.values.append(value)
        return value, gradient


def latent_rows(name: str, full: bool) -> list[Row]:
    """Table 2.5: log-likelihood of the tenth of the rows that was held out, no penalty."""
    X, y = TABLES[name]()
    X = scale(X)
    X = X[:, np.std(X, axis=0) > 0]
    draws = 6 if full else 4
    rows = []
    for m, published in list(LATENT[name].items())[: None if full else 2]:
        found = []
        for seed in range(draws):
            X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.1, random_state=seed)
            model = LatentLogLinearClassifier(
                m, C=np.inf, n_restarts=3 if full else 1, max_iter=200 if full else 60, tol=1e-6, accelerate=False,
                random_state=seed,
            )  # fmt: skip
            with warnings.catch_warnings():
                # Without a penalty the weights grow without end; the thesis stops after some iterations.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X_train, y_train)
            shares = model.predict_proba(X_test)[np.arange(len(y_test)), np.searchsorted(model.classes_, y_test)]
            found.append(float(np.log(np.maximum(shares, 1e-300)).sum()))
        rows.append(
            Row.printed(
                f"{name}, {m} hidden: test log-likelihood", "Table 2.5", published, round(float(np.mean(found)), 2),
                standard_error=float(np.std(found, ddof=1)) * (1 + 1 / draws) ** 0.5,
                why=f"the thesis' one split beside {draws}", gap={"Bupa": UNPENALISED, "Ion": SEPARABLE}.get(name),
            )
        )  # fmt: skip
    return rows


def cube_rows(full: bool, curves: dict[str, Any]) -> list[Row]:
    """Table 4.1: trees on Gaussians at the vertices of a hypercube, three passes, median of the orders."""
    rows = []
    for k in CUBES if full else (64, 128):
        depth, error, random_error = CUBES[k]
        X, y = make_hypercube_gaussians(k, 200, random_state=0)
        X_test, y_test = make_hypercube_gaussians(k, 50, random_state=1)
        orders = range(5 if k < 1000 else 1)
        trees = [PartitionTreeClassifier(n_passes=3, random_state=seed).fit(X, y) for seed in orders]
        randoms = [PartitionTreeClassifier(split="random", n_passes=3, random_state=seed).fit(X, y) for seed in orders]
        here, random_here = (
            float(np.median([100 * (1 - tree.score(X_test, y_test)) for tree in found])) for found in (trees, randoms)
        )
        deepest = int(np.median([tree.depth_ for tree in trees]))
        curves.setdefault("trees", []).append((k, here, random_here, error, random_error))
        curves["tree"] = trees[0]
        of = f"{k} Gaussians:"
        levels = "a level more or less with the order of the examples"
        rows += [
            Row.printed_at_most(
                f"{of} test error of the partition tree, %", "Table 4.1", error, round(here, 2), gap=ORDER
            ),
            Row.printed(
                f"{of} depth of the partition tree", "Table 4.1", depth, deepest, within=1, why=levels, gap=ORDER
            ),
            Row.printed(
                f"{of} test error of the random tree, %",
                "Table 4.1",
                random_error,
                round(random_here, 2),
                within=4.0,
                why="one draw of the cuts",
                gap=SPREAD,
            ),
        ]
    return rows


def digit_rows(full: bool) -> list[Row]:
    """Table 4.2, on the part of MNIST that is at hand; the median of five orders in full."""
    X, y = load_mnist_test()
    X_train, X_test, y_train, y_test = X[:8500], X[8500:], y[:8500], y[8500:]
    orders = range(5 if full else 1)
    trees = [
        [PartitionTreeClassifier(n_passes=5, split=split, random_state=seed).fit(X_train, y_train) for seed in orders]
        for split in ("learned", "random")
    ]
    errors = [round(float(np.median([100 * (1 - tree.score(X_test, y_test)) for tree in found])), 2) for found in trees]
    depth = int(np.median([tree.depth_ for tree in trees[0]]))
    return [
        Row.printed_at_most("MNIST: test error of the partition tree, %", "Table 4.2", 9.1, errors[0], gap=FEW_IMAGES),
        Row.printed(
            "MNIST: depth of the partition tree", "Table 4.2", 5, depth, within=1, why="ten classes need four levels"
        ),
        Row.printed(
            "MNIST: test error of the random tree, %",
            "Table 4.2",
            34.8,
            errors[1],
            within=3.0,
            why="one draw of cuts",
            gap=RANDOM_CUT,
        ),
    ]


def gaussian_stream_rows(full: bool, curves: dict[str, Any]) -> list[Row]:
    """Theorem 7, Lemma 7 and the order of Table 5.1 on 25 separated Gaussians."""
    X, _ = make_separated_gaussians(1000 if full else 600, random_state=1)
    X -= 250.0  # the cube of the centres around the origin, which keeps the radius small
    radius = 1.01 * float(np.sqrt(np.max(np.sum(X**2, axis=1))))
    static = OnlineClusteringExperts(25, mixing="static", radius=radius, random_state=0)
    learned = OnlineClusteringExperts(25, radius=radius, random_state=0)
    costs = _costs_so_far(X, {"static": static, "learn_alpha": learned}, 25, stride=10)
    curves["costs"] = costs
    means = {name: float(values.mean()) for name, (_, values) in costs.items()}
    regret = static.loss_ - float(static.expert_losses_.min())
    of = "25 Gaussians:"
    return [
        Row.check_at_most(
            f"{of} loss of Static-Expert above the best expert's (Theorem 7)", 2 * float(np.log(3)), regret
        ),
        Row.check_at_most(
            f"{of} loss of Learn-alpha (Lemma 7: twice its log-loss)", 2 * learned.log_loss_, learned.loss_
        ),
        *(
            Row.printed_at_most(
                f"{of} mean cost of {name} over that of {other}",
                "Table 5.1",
                round(MIXED[name] / MIXED[other], 4),
                round(means[name] / means[other], 4),
                gap=MIXTURE._replace(band=1.0) if other == "doubling" else MIXTURE,
            )
            for name, other in (
                ("learn_alpha", "lloyd"),
                ("learn_alpha", "online"),
                ("learn_alpha", "doubling"),
                ("learn_alpha", "online, whole stream"),
                ("doubling", "lloyd"),
            )
        ),
    ]


def spam_rows(full: bool) -> list[Row]:
    """Table 5.1, column Spam: mean over the stream of the k-means cost of all rows so far."""
    X = load_table("keel/spambase.dat").arrays()[0][:1000]
    radius = 1.01 * float(np.sqrt(np.max(np.sum(X**2, axis=1))))
    models = {
        mixing: OnlineClusteringExperts(15, mixing=mixing, radius=radius, random_state=0)
        for mixing in (("static", "learn_alpha") if full else ("learn_alpha",))
    }
    costs = _costs_so_far(X, models, 15, stride=20)
    means = {name: float(values.mean()) / 1e8 for name, (_, values) in costs.items()}
    best, here = SPAM["kmeans++"], means["kmeans++"]
    quantity = "Spam: mean cost of kmeans++, 1e8"
    rows = [Row.printed(quantity, "Table 5.1", best, round(here, 4), within=0.01, why=STARTS, gap=STREAM)]
    for name in ("lloyd", "static", "learn_alpha", "online", "online, whole stream", "doubling"):
        if name in means:
            published, ratio = round(SPAM[name] / best, 3), round(means[name] / here, 3)
            quantity = f"Spam: mean cost of {name} over that of kmeans++"
            tenth = 0.1 * published
            rows.append(Row.printed(quantity, "Table 5.1", published, ratio, within=tenth, why=STARTS, gap=STREAM))
    return rows


def adult_rows() -> list[Row]:
    """Figure 3.1, adult: the semi-stochastic bound with the thesis' growth and inner iterations, and its step of 1."""
    parts = [read_table(locate(f"libsvm/{name}"), format="libsvm") for name in ("a9a", "a9a.t")]
    X, X_test = (sparse.csr_matrix(part.matrix, copy=True) for part in parts)
    X_test.resize(X_test.shape[0], X.shape[1])
    y, y_test = (part.frame["label"].to_numpy() for part in parts)
    best = MajorizedLogisticRegression().fit(X, y)
    rows = [Row.ours("Adult: test error of the optimum, %", round(100 * (1 - best.score(X_test, y_test)), 2))]
    for step in (1.0, 0.1):
        semi = SemiStochasticLogisticRegression(step=step, n_passes=10, growth=0.05, n_inner=5, random_state=0).fit(
            X, y
        )
        excess = (semi.objective_path_[-1] - best.objective_path_[-1]) / X.shape[0]
        error = round(100 * (1 - semi.score(X_test, y_test)), 2)
        where = f"Adult, steps of {step:g}, 10 passes:"
        rows += [
            Row.ours(f"{where} excess training cost a row (Figure 3.1)", round(float(excess), 4)),
            Row.ours(f"{where} test error, %", error),
        ]
    return rows


def _costs_so_far(
    X: np.ndarray, models: dict[str, OnlineClusteringExperts], n_clusters: int, stride: int
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The k-means cost of all rows so far at every stride-th row, by the centres of each expert, model and baseline."""
    names = ["lloyd", "kmeans++", "online", *models, "doubling", "online, whole stream"]
    times, costs = [], []
    doubling = DoublingKCenter(n_clusters)
    for t, row in enumerate(X, 1):
        doubling.partial_fit(row[None])
        for model in models.values():
            model.partial_fit(row[None])
        if t % stride == 0:
            centers = [*next(iter(models.values())).expert_centers_, *(m.cluster_centers_ for m in models.values())]
            centers += [doubling.cluster_centers_, online_kmeans_centers(X[:t], n_clusters, None)]
            costs.append([_kmeans_cost(X[:t], found) for found in centers])
            times.append(t)
    return {name: (np.array(times), column) for name, column in zip(names, np.array(costs).T)}


def _kmeans_cost(X: np.ndarray, centers: np.ndarray) -> float:
    squares = np.sum(X**2, axis=1)[:, None] - 2.0 * X @ centers.T + np.sum(centers**2, axis=1)
    return float(np.maximum(squares, 0.0).min(axis=1).sum())


def _objective(model: LogisticRegression, X: np.ndarray, y: np.ndarray, C: float) -> float:
    """Negative log-likelihood and penalty over C."""
    scores = np.atleast_2d(model.decision_function(X).T).T
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    codes = np.searchsorted(model.classes_, y)
    loss = np.sum(logsumexp(scores, axis=1) - scores[np.arange(len(y)), codes])
    return float(loss + np.sum(model.coef_**2) / (2.0 * C))


def _timed(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _figure(curves: dict[str, Any]) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(16, 8), layout="constrained")
    (errors, balance, treebank), (race, stream, solvers) = figure.subplots(2, 3)
    if "trees" in curves:
        k, here, random_here, error, random_error = np.array(curves["trees"]).T
        errors.plot(k, here, "o-", label="partition tree")
        errors.plot(k, random_here, "s-", label="random tree")
        errors.plot(k, error, "o:", color="C0", alpha=0.5, label="partition tree, thesis")
        errors.plot(k, random_error, "s:", color="C1", alpha=0.5, label="random tree, thesis")
        errors.set(xscale="log", yscale="log", xlabel="classes", ylabel="test error, %")
        errors.set_title("Gaussians on a hypercube")
        errors.legend()
        curves["tree"].plot_balance(balance).set_title(f"Splits of the tree of {len(curves['tree'].classes_)} classes")
    if "race" in curves:
        curves["race"].plot(race).set_title("Wine, lambda = 1")
    if "costs" in curves:
        for name, (times, costs) in curves["costs"].items():
            stream.plot(times, costs, label=name)
        stream.set(yscale="log", xlabel="rows so far", ylabel="k-means cost of them", title="25 Gaussians")
        stream.legend()
    if "treebank" in curves:
        curves["treebank"].plot(treebank).set_title("English tagging, lambda = 10")
    if "solvers" not in curves:
        solvers.set_axis_off()
    else:
        best = min(model.objective_path_.min() for model in curves["solvers"].values())
        for name, model in curves["solvers"].items():
            solvers.plot(model.passes_, model.objective_path_ / best - 1.0, ".-", label=name)
        solvers.set(xscale="log", yscale="log", ylim=(1e-4, None), xlabel="passes", ylabel="excess over the optimum")
        solvers.set_title("English tagging, l2 = 1")
        solvers.legend()
    return figure
