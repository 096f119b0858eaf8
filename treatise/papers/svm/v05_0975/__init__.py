"""Pairwise coupling (Wu, Lin & Weng, JMLR 5:975): simulated pairs of Section 6, SVMs of Section 7, forests."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from scipy.stats import t as student
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from treatise._core.errors import DataNotFoundError
from treatise.datasets import make_waveform
from treatise.papers._evidence import DEVIATIONS, Evidence, Gap, Row
from treatise.papers.svm.v05_0975._data import load_coupling_table, make_noisy_pairs
from treatise.svm import PairwiseCouplingClassifier, exponential_decoding, pairwise_coupling, platt_sigmoid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SYMBOLS = {
    "row_sum": "δHT (row sums)", "vote": "δV", "markov": "δ1", "least_squares": "δ2", "price": "δPKPD",
}  # fmt: skip
SETTINGS = {"level": "(a)", "half": "(b)", "two": "(c)"}
# Table 2, error in per cent of exponential decoding: from decision values, and from r - 1/2.
TABLE_2 = {
    "300/500": {
        "dna": (10.47, 10.47), "waveform": (16.23, 15.11), "satimage": (14.12, 14.45), "segment": (6.21, 6.03),
        "usps": (11.57, 11.08), "mnist": (14.99, 13.58), "letter": (38.59, 38.27),
    },
    "800/1000": {
        "dna": (6.36, 6.22), "waveform": (14.20, 13.45), "satimage": (11.55, 11.6), "segment": (3.35, 3.19),
        "usps": (8.47, 7.71), "mnist": (8.97, 7.95), "letter": (22.54, 20.29),
    },
}  # fmt: skip
PROBABILITIES = ("hastie_tibshirani", "markov", "least_squares", "price")
DECODINGS = ("decision values", "r - 1/2")
LOWER = Gap(
    "lower here: gamma goes down to 2^-11. Tried: the paper's own range from 2^-5, with which features in [-1, 1] are "
    "too far apart; decision values then err about three times as often as published on USPS (5 draws), and five times "
    "on MNIST (4 draws). The images must have been scaled otherwise. The cause is not known",
    band=0.5,
)
GAPS = {(size, "usps", decoding): LOWER for size in TABLE_2 for decoding in DECODINGS}


def experiment(*, full: bool = False) -> Evidence:
    """Simulated pairs, and SVMs on three tables at the smaller size; on all seven at both sizes in full."""
    simulated = Simulation.run(
        1000 if full else 200, (4, 5, 8, 11, 16, 22, 32, 45, 64, 90, 128) if full else (4, 16, 64)
    )
    rows, skipped, trials = simulated.rows(), [], []
    plan = [("300/500", name, 20) for name in TABLE_2["300/500"]] if full else QUICK
    plan = plan + [("800/1000", name, 10) for name in TABLE_2["800/1000"]] if full else plan
    for size, name, draws in plan:
        try:
            trials.append(Trial.run(name, size, draws, FULL_GRID if full else QUICK_GRID))
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    for trial in trials:
        rows += trial.rows()
    if full:
        try:
            rows += forest_rows(10)
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(simulated, trials), skipped)


@dataclass(frozen=True)
class Simulation:
    """Accuracy and mean squared error of every method, by setting and number of classes (Figures 2 and 3)."""

    classes: tuple[int, ...]
    accuracy: dict[tuple[str, str], list[float]]
    error: dict[tuple[str, str], list[float]]

    @classmethod
    def run(cls, replicates: int, classes: tuple[int, ...]) -> "Simulation":
        """Couple fresh noisy pairs of every setting and size with every method."""
        rng = np.random.RandomState(0)
        accuracy: dict[tuple[str, str], list[float]] = {(s, m): [] for s in SETTINGS for m in SYMBOLS}
        error = {key: list[float]() for key in accuracy}
        for setting in SETTINGS:
            for k in classes:
                R, p = make_noisy_pairs(setting, k, replicates, random_state=rng)
                for method in SYMBOLS:
                    P = pairwise_coupling(R, method)
                    accuracy[setting, method].append(float(np.mean(_decide(P, rng) == 0)))
                    error[setting, method].append(float(np.mean((P - p) ** 2)))
        return cls(classes, accuracy, error)

    def rows(self) -> list[Row]:
        """What the text says of the figures; the paper prints no numbers."""

        def at(values: dict[tuple[str, str], list[float]], setting: str, k: int) -> dict[str, float]:
            return {m: values[setting, m][self.classes.index(k)] for m in SYMBOLS}

        largest = self.classes[-1]
        level, two = at(self.accuracy, "level", 16), at(self.accuracy, "two", largest)
        errors = at(self.error, "two", 16)
        rows = [
            Row.claim(
                "k = 16: voting is the least accurate", "Figure 2(a)", min(level, key=lambda m: level[m]) == "vote"
            ),
            Row.claim(
                f"k = {largest}: row sums are the least accurate",
                "Figure 2(c)",
                min(two, key=lambda m: two[m]) == "row_sum",
            ),
            Row.claim(
                "accuracy of row sums falls as classes are added",
                "Figure 2(c)",
                self.accuracy["two", "row_sum"][0] > self.accuracy["two", "row_sum"][-1],
            ),
            Row.claim(
                "k = 16: row sums and votes have the largest errors",
                "Figure 3(c)",
                ", ".join(sorted(sorted(errors, key=lambda m: -errors[m])[:2])) == "row_sum, vote",
            ),
        ]
        for setting, letter in SETTINGS.items():
            for method, symbol in SYMBOLS.items():
                here = round(at(self.accuracy, setting, 16)[method], 3)
                rows.append(Row.ours(f"Figure 2{letter}, k = 16: accuracy of {symbol}", here))
        return rows


def _decide(P: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """The likeliest class, at random among those level, as the paper breaks ties of votes."""
    level = P.max(axis=1, keepdims=True) - 1e-12 <= P
    return (level * rng.random_sample(P.shape)).argmax(axis=1)


@dataclass(frozen=True)
class Grid:
    """Exponents of two of C and of gamma."""

    C: tuple[int, ...]
    gamma: tuple[int, ...]

    def points(self) -> Iterator[tuple[float, float]]:
        """Every pair, the smallest C first: of points level in error the paper takes the first."""
        return ((2.0**c, 2.0**g) for c in self.C for g in self.gamma)


# The paper's grid is 2^-5, 2^-3, ..., 2^15 in both. On features in [-1, 1] all widths above 2^3 make the kernel an
# identity matrix; below 2^-5 lie the widths that serve hundreds of pixels.
FULL_GRID = Grid((-1, 3, 7, 11), (-11, -9, -7, -5, -3, -1, 1))
QUICK_GRID = Grid((1, 5), (-7, -5, -3, -1))
QUICK = [("300/500", "dna", 5), ("300/500", "segment", 6), ("300/500", "letter", 5)]


@dataclass(frozen=True)
class Trial:
    """Test errors over draws of one table: per rule its error in per cent, squared error and log-likelihood."""

    name: str
    size: str
    errors: dict[str, list[float]] = field(default_factory=dict)
    brier: dict[str, list[float]] = field(default_factory=dict)
    likelihood: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def run(cls, name: str, size: str, draws: int, grid: Grid) -> "Trial":
        """Draw, choose C and gamma for each rule by cross-validation, and test."""
        n_train, n_test = (int(part) for part in size.split("/"))
        X, y = make_waveform(random_state=0) if name == "waveform" else load_coupling_table(name)
        if name == "waveform":
            X = 2.0 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1.0
        trial = cls(name, size)
        for seed in range(draws):
            rng = np.random.RandomState(seed)
            train, test = _split(y, n_train, n_test, rng)
            for rule, chosen in _chosen(X[train], y[train], grid, rng).items():
                trial._test(rule, *chosen.test(X[test]), y[test], rng)
        return trial

    def _test(self, rule: str, F: np.ndarray, R: np.ndarray, y: np.ndarray, rng: np.random.RandomState) -> None:
        scores = RULES[rule](F, R)
        self.errors.setdefault(rule, []).append(100.0 * float(np.mean(_decide(scores, rng) != y)))
        if rule in PROBABILITIES:
            truth = np.eye(R.shape[1])[y]
            self.brier.setdefault(rule, []).append(float(np.mean((scores - truth) ** 2)))
            own = np.maximum(scores[np.arange(len(y)), y], np.finfo(float).tiny)
            self.likelihood.setdefault(rule, []).append(float(np.mean(np.log(own))))

    def mean(self, rule: str) -> float:
        """Average test error in per cent."""
        return float(np.mean(self.errors[rule]))

    def rows(self) -> list[Row]:
        """Table 2, what the text says of Figures 5 to 7, and the errors of all rules."""
        where, draws = f"{self.name}, {self.size}", len(self.errors["vote"])
        rows = []
        for decoding, published in zip(DECODINGS, TABLE_2[self.size][self.name]):
            spread = float(np.std(self.errors[decoding], ddof=1)) * np.sqrt(1 / 20 + 1 / draws)
            # Of few draws the deviation is not known well: Student's quantile in place of the three.
            error = float(student.ppf(0.99865, draws - 1)) / DEVIATIONS * float(spread)
            quantity = f"{where}: error %, exponential decoding of {decoding}"
            rows.append(
                Row.printed(
                    quantity, "Table 2", published, round(self.mean(decoding), 2), standard_error=error,
                    why=f"{draws} draws here and the paper's 20 others", gap=GAPS.get((self.size, self.name, decoding)),
                )
            )  # fmt: skip
        if (self.name, self.size) == ("letter", "300/500"):
            for rule in ("least_squares", "vote"):
                gains = np.array(self.errors["hastie_tibshirani"]) - np.array(self.errors[rule])
                quantity = f"{where}: points by which {rule} beats Hastie & Tibshirani"
                error = float(gains.std(ddof=1)) / draws**0.5
                rows.append(
                    Row.printed_at_least(
                        quantity, "Section 7.2", 4.0, round(float(gains.mean()), 2), standard_error=error
                    )
                )
            worst = max(self.brier, key=lambda rule: np.mean(self.brier[rule]))
            rows.append(
                Row.claim(
                    f"{where}: Hastie & Tibshirani have the largest squared error",
                    "Figure 5",
                    worst == "hastie_tibshirani",
                )
            )
        rows += [
            Row.ours(f"{where}: error %, {rule}", round(self.mean(rule), 2))
            for rule in self.errors
            if rule not in DECODINGS
        ]
        return rows


def _coupling(method: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    return lambda F, R: pairwise_coupling(R, method)


# What each rule makes of decision values F and probabilities R: scores, the largest of which wins.
RULES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    **{method: _coupling(method) for method in (*PROBABILITIES, "vote")},
    "decision values": lambda F, R: -exponential_decoding(F),
    "r - 1/2": lambda F, R: -exponential_decoding(R - 0.5),
}


@dataclass(frozen=True)
class PairModels:
    """SVMs of all pairs at one point of the grid, and their sigmoids."""

    X: np.ndarray
    y: np.ndarray
    C: float
    gamma: float
    sigmoids: np.ndarray

    def test(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Decision values and probabilities of all pairs on new rows."""
        K, K_new = (np.exp(-self.gamma * euclidean_distances(A, self.X, squared=True)) for A in (self.X, X))
        decision = _pair_machine(K, self.y, self.C).decision_function(K_new)
        k = int(self.y.max()) + 1
        return _matrices(decision, k), _matrices(_probability(decision, self.sigmoids) - 0.5, k) + 0.5


def _chosen(X: np.ndarray, y: np.ndarray, grid: Grid, rng: np.random.RandomState) -> dict[str, PairModels]:
    """For each rule the point of the grid with the least error on rows held out in five folds.

    Sigmoids come from the held-out decision values of all five folds. The paper fits those of each fold in an
    inner cross-validation; two numbers for each pair make little difference.
    """
    k = int(y.max()) + 1
    distance = euclidean_distances(X, squared=True)
    with warnings.catch_warnings():
        # With 26 classes in 300 rows some are absent from a fold, as they must have been in the paper.
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(StratifiedKFold(5, shuffle=True, random_state=rng).split(X, y))
    first, second = np.triu_indices(k, 1)
    least: dict[str, tuple[float, PairModels]] = {}
    for C, gamma in grid.points():
        K = np.exp(-gamma * distance)
        held_out = np.empty((len(y), len(first)))
        for train, test in folds:
            machine = _pair_machine(K[np.ix_(train, train)], y[train], C)
            held_out[test] = machine.decision_function(K[np.ix_(test, train)])
        sigmoids = np.empty((len(first), 2))
        for pair, (i, j) in enumerate(zip(first, second)):
            members = (y == i) | (y == j)
            sigmoids[pair] = platt_sigmoid(held_out[members, pair], y[members] == i)
        F = _matrices(held_out, k)
        R = _matrices(_probability(held_out, sigmoids) - 0.5, k) + 0.5
        for rule, scores in RULES.items():
            wrong = float(np.mean(_decide(scores(F, R), rng) != y))
            if rule not in least or wrong < least[rule][0]:
                least[rule] = (wrong, PairModels(X, y, C, gamma, sigmoids))
    return {rule: models for rule, (_, models) in least.items()}


def _pair_machine(K: np.ndarray, y: np.ndarray, C: float) -> SVC:
    """All pairs in one call; decision values in the order (0, 1), (0, 2), ..., positive for the first class."""
    return SVC(C=C, kernel="precomputed", decision_function_shape="ovo").fit(K, y)


def _probability(decision: np.ndarray, sigmoids: np.ndarray) -> np.ndarray:
    return np.clip(expit(-(sigmoids[:, 0] * decision + sigmoids[:, 1])), 1e-7, 1.0 - 1e-7)


def _matrices(packed: np.ndarray, k: int) -> np.ndarray:
    """Antisymmetric matrices from the values of the pairs i < j."""
    M = np.zeros((len(packed), k, k))
    M[:, *np.triu_indices(k, 1)] = packed
    return M - M.transpose(0, 2, 1)


def _split(y: np.ndarray, n_train: int, n_test: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Random rows, drawn again where a class has fewer than two to learn from."""
    while True:
        order = rng.permutation(len(y))
        train, test = order[:n_train], order[n_train : n_train + n_test]
        if np.bincount(y[train], minlength=y.max() + 1).min() >= 2:
            return train, test


def forest_rows(draws: int) -> list[Row]:
    """Section 7.3: on dna coupled forests do better than one forest of three classes."""
    X, y = load_coupling_table("dna")
    errors: dict[str, list[float]] = {"coupled": [], "multi-class": []}
    for seed in range(draws):
        train, test = _split(y, 300, 500, np.random.RandomState(seed))
        forest = RandomForestClassifier(500, random_state=seed)
        for name, model in (("coupled", PairwiseCouplingClassifier(forest)), ("multi-class", forest)):
            errors[name].append(100.0 * (1.0 - model.fit(X[train], y[train]).score(X[test], y[test])))
    means = {name: round(float(np.mean(values)), 2) for name, values in errors.items()}
    gains = np.array(errors["multi-class"]) - np.array(errors["coupled"])
    return [
        Row.claim_positive(
            "dna, 300/500: forests do better coupled than as one of three classes, points",
            "Section 7.3",
            float(gains.mean()),
            standard_error=float(gains.std(ddof=1)) / draws**0.5,
        ),
        *(Row.ours(f"dna, 300/500: error %, {name} forest", value) for name, value in means.items()),
    ]


def _figure(simulated: Simulation, trials: list[Trial]) -> "Figure":
    """Accuracy over the number of classes in the three settings (Figure 2), and Table 2 beside ours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 4.2), layout="constrained")
    panels = figure.subplots(1, 4)
    for ax, (setting, letter) in zip(panels, SETTINGS.items()):
        for method, symbol in SYMBOLS.items():
            ax.plot(simulated.classes, simulated.accuracy[setting, method], marker="o", ms=3, label=symbol)
        ax.set_xscale("log", base=2)
        ax.set_ylim(0.0 if setting == "level" else 0.4, 1.02)
        ax.set_xlabel("classes")
        ax.set_title(f"Figure 2{letter}")
    panels[0].set_ylabel("accuracy")
    panels[0].legend()
    for trial in trials:
        for decoding, marker, published in zip(DECODINGS, "os", TABLE_2[trial.size][trial.name]):
            panels[3].plot(published, trial.mean(decoding), marker, color="#1b6ca8", alpha=0.7)
    limit = max([10.0, *(trial.mean(rule) for trial in trials for rule in DECODINGS)])
    panels[3].plot([0, limit], [0, limit], color="#999999", lw=1)
    panels[3].set_xlabel("published error %")
    panels[3].set_ylabel("error % here")
    panels[3].set_title("Table 2, exponential decoding")
    return figure
