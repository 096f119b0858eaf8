"""Zhang, Dai & Jordan: kernel classifiers with few active rows (JMLR 12:111), Tables 2, 3, 7, 8, 10 and 13.

Twonorm, the letters, USPS digits, splice junctions and astroparticles are the paper's own data, and ringnorm is drawn
from its law; how the paper divided them into training and test rows is not printed, so that the divisions are others.
"""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from treatise.bayes import BayesianKernelClassifier, plot_active_rows
from treatise.bayes.kernel_classifier._chain import Chain, Prior
from treatise.bayes.kernel_classifier._factor import JITTER, ActiveFactor
from treatise.bayes.kernel_classifier._kernels import FixedKernel, mean_distance
from treatise.datasets import load_table, load_usps, make_ringnorm
from treatise.kernels import Gaussian
from treatise.papers._evidence import Evidence, Gap, Row

THIN = 5
CHAINS = 5
"""That begin at the cap: single ones differ much, as they walk slowly."""
PAPERS_MOVES: dict[str, Any] = {"n_moves": 1, "g_step": "gibbs"}
"""One birth, death or swap in a sweep, and g drawn given the coefficients, as in section 3.2."""
SKIPPED = [
    "Tables 2 to 7: BCI, g241d, Digit1, COIL2 and NewsGroups (not at hand as the paper has them), BSVM and CSVM",
    "Tables 8 to 12: Mushrooms and Adult; SGP+FIC and the full Gaussian process, by other programs",
    "Table 13: Thyroid and Waveform; SVM and IVM are cited by the paper from elsewhere",
]


class Task(NamedTuple):
    """Data of the paper, divided at random."""

    X: np.ndarray
    y: np.ndarray
    n_train: int
    n_test: int
    max_active: int

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows and labels for training and for test."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        train, test = order[: self.n_train], order[self.n_train : self.n_train + self.n_test]
        return self.X[train], self.y[train], self.X[test], self.y[test]


class Result(NamedTuple):
    """Of one fit: error in per cent, log-loss, seconds of the processor, active rows after the burn-in, the model."""

    error: float
    loss: float
    seconds: float
    active: np.ndarray
    model: BayesianKernelClassifier


def table(name: str, *keep: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of a table, or of some of its classes."""
    rows_of: Any
    rows_of, y = load_table(name).arrays()
    X = rows_of.toarray() if sparse.issparse(rows_of) else rows_of
    rows = np.isin(y, keep) if keep else slice(None)
    return X[rows], y[rows]


def run(task: Task, seed: int, sweeps: int, **settings: Any) -> Result:
    """Half of the sweeps are burn-in, every fifth of the others is kept (section 5.1)."""
    X, y, new, truth = task.split(seed)
    model = BayesianKernelClassifier(
        max_active=task.max_active, burn_in=sweeps // 2, n_samples=sweeps // 2, thin=THIN, random_state=seed, **settings
    )
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # how well the chains mix is a row of the experiment
        model.fit(X, y)
    seconds = time.process_time() - start
    chances = model.predict_proba(new)
    error = 100.0 * float(np.mean(model.classes_[chances.argmax(axis=1)] != truth))
    active = model.n_active_trace_[:, sweeps // 2 :]
    return Result(error, float(log_loss(truth, chances)), seconds, active, model)


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Mean over divisions, and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def printed_row(name: str, place: str, printed: float, spread: float, values: list[float], **more: Any) -> Row:
    """An error printed as a mean over twenty divisions beside ours; both means have their noise."""
    mean, error = mean_and_error(values)
    noise = float(np.hypot(error, spread / np.sqrt(20)))
    return Row.printed_at_most(f"{name}: error, %", place, printed, mean, standard_error=noise, **more)


def experiment(*, full: bool = False) -> Evidence:
    """The quick form has fewer divisions and shorter chains, and leaves Tables 8 and 10 to the full one."""
    rows = formula_rows()
    more, shown, errors = norm_rows(20 if full else 3, 10_000 if full else 1500, full)
    rows += more
    rows += pair_rows(range(20 if full else 2), 10_000 if full else 1200, full)
    rows += table_10_rows() + width_rows() if full else []
    skipped = SKIPPED if full else [*SKIPPED, "Tables 8 and 10; chains of 10 000 sweeps; twenty divisions"]
    return Evidence(rows, drawn(shown, errors), skipped)


def formula_rows() -> list[Row]:
    """Equation 11 against the dense normal density, before and after births, deaths and swaps."""
    rng = np.random.default_rng(0)
    kernel = Gaussian(0.2)
    X, S = rng.normal(size=(60, 4)), rng.normal(size=(1, 60))
    factor = ActiveFactor(FixedKernel(kernel, kernel.prepare(X)), [0, 7, 30], 0.4, 0.8, S, 40)
    for _ in range(500):
        k, row = factor.size - 1, int(rng.integers(60))
        if k < 35 and row not in factor.active and factor.try_birth(row) > -np.inf:
            factor.give_birth(row)
        elif k > 2:
            factor.drop(int(rng.integers(k)))
    K = factor.kernel.block(factor.active)
    inner = K[factor.active] + JITTER * np.eye(len(factor.active))
    Q = np.eye(60) + 1.0 / factor.eta + K @ np.linalg.solve(inner, K.T) / factor.g
    exact = float(-0.5 * np.linalg.slogdet(Q)[1] - 0.5 * S[0] @ np.linalg.solve(Q, S[0]))
    return [
        Row.check("log p(s | active rows) of equations 8 and 11 after 500 births and deaths", exact,
                  factor.log_likelihood(), within=1e-7, why="rounding of 500 rank-one changes")
    ]  # fmt: skip


def norm_rows(n_splits: int, sweeps: int, full: bool) -> tuple[list[Row], BayesianKernelClassifier, dict[str, Any]]:
    """Table 13: ringnorm and twonorm, 400 training and 7000 test rows, all rows may be active."""
    rows, errors = file_rows(), {}
    printed = {"ringnorm": ((1.51, 0.10), (1.56, 0.12)), "twonorm": ((2.86, 0.21), (2.79, 0.23))}
    tasks = {
        "ringnorm": Task(*make_ringnorm(7400, random_state=0), 400, 7000, 400),
        "twonorm": Task(*table("keel/twonorm.dat"), 400, 7000, 400),
    }
    for name, task in tasks.items():
        ours = [run(task, seed, sweeps) for seed in range(n_splits)]
        slow = [run(task, seed, 2000 if full else sweeps, **PAPERS_MOVES) for seed in range(n_splits if full else 2)]
        twin = [run(task, seed, sweeps, model="sgpc") for seed in range(5 if full else 1)]
        every = [run(task, seed, 1000, model="full") for seed in range(5)] if full else []
        machine = [_machine_error(task, seed) for seed in range(n_splits)]
        errors[name] = {
            "FBGKM": [r.error for r in ours], "the paper's moves, short chains": [r.error for r in slow],
            "SGPC": [r.error for r in twin], "all rows active": [r.error for r in every], "SVM": machine,
        }  # fmt: skip
        rows.append(printed_row(f"{name}, FBGKM", "Table 13", *printed[name][0], errors[name]["FBGKM"]))
        if full:
            rows.append(printed_row(f"{name}, SGPC", "Table 13", *printed[name][1], errors[name]["SGPC"]))
            rows.append(Row.ours(f"{name}: error with all rows active, %", float(np.mean([r.error for r in every]))))
        rows += [
            Row.check_at_most(f"{name}: mean log-loss of FBGKM", 0.075 if name == "ringnorm" else 0.10,
                              float(np.mean([r.loss for r in ours]))),
            Row.ours(f"{name}: error of a support vector machine (scikit-learn, default), %", float(np.mean(machine))),
            Row.ours(f"{name}: error with the paper's moves in chains of {2000 if full else sweeps} sweeps, %",
                     float(np.mean([r.error for r in slow]))),
            Row.ours(f"{name}: mean number of active rows, of 400 allowed",
                     float(np.mean([r.active.mean() for r in ours]))),
            Row.ours(f"{name}: median R-hat of log g, ours", float(np.median([_r_hat(r) for r in ours]))),
            Row.ours(f"{name}: median R-hat of log g, the paper's moves", float(np.median([_r_hat(r) for r in slow]))),
            Row.check_at_most(f"{name}: mean difference of probabilities, SGPC and FBGKM, of one posterior",
                              0.01, float(np.mean(np.abs(_chances(ours[0], task) - _chances(twin[0], task))))),
        ]  # fmt: skip
    gain, error = mean_and_error(list(np.subtract(errors["ringnorm"]["SVM"], errors["ringnorm"]["FBGKM"])))
    rows.append(Row.claim_positive("ringnorm: a support vector machine errs more often than FBGKM", "Section 5.4",
                                   gain, standard_error=error))  # fmt: skip
    return rows, ours[0].model, errors


def file_rows() -> list[Row]:
    """Why ringnorm is drawn anew: KEEL's file has lost the zeros at the end of its decimals with their point.

    0.310 stands as 31 beside 312 for 0.312, so that a tenth of the numbers are ten or more times too small. The rule
    that is best for ringnorm then errs in 2.3 per cent, and no classifier can be expected at 1.5.
    """
    X, y = table("keel/ring.dat")
    drawn_X, drawn_y = make_ringnorm(200_000, random_state=0)
    ended = float(np.mean((X % 10 == 0) & (X != 0)))
    return [
        Row.check_at_most("KEEL's ring.dat: share of the numbers that end in zero, a tenth if none were lost", 0.01,
                          ended),
        Row.check_at_least("KEEL's ring.dat: error of the best rule of ringnorm, %; above the 1.51 of Table 13",
                           1.51, 100.0 * float(np.mean(_best_rule(X / 1000.0) != (y == 0)))),
        Row.ours("ringnorm: error of the best rule, %", 100.0 * float(np.mean(_best_rule(drawn_X) != (drawn_y == 1)))),
    ]  # fmt: skip


def _best_rule(X: np.ndarray) -> np.ndarray:
    """Whether a row is more likely to be of the wide cloud."""
    narrow = -0.5 * np.sum((X - 2.0 / np.sqrt(20)) ** 2, axis=1)
    return -0.125 * np.sum(X**2, axis=1) - 20.0 * np.log(2.0) > narrow


def _machine_error(task: Task, seed: int) -> float:
    X, y, new, truth = task.split(seed)
    center, scale = X.mean(axis=0), X.std(axis=0)
    machine = SVC().fit((X - center) / scale, y)
    return 100.0 * float(np.mean(machine.predict((new - center) / scale) != truth))


def _r_hat(result: Result) -> float:
    return result.model.diagnostics_["log_g"]["r_hat"]


def _chances(result: Result, task: Task) -> np.ndarray:
    return result.model.predict_proba(task.split(0)[2][:500])[:, 1]


def pair_rows(seeds: range, sweeps: int, full: bool) -> list[Row]:
    """Tables 2, 3 and 7: pairs of letters and of digits."""
    digits, labels = load_usps()
    first = np.flatnonzero(np.isin(labels, (0, 1)))
    tasks = {
        "Letters (A vs. B)": (Task(*table("keel/letter.dat", "A", "B"), 300, 1255, 100), (0.77, 0.24), 593.0, 80),
        "USPS (0 vs. 1)": (Task(digits[first], labels[first], 500, 1500, 200), (0.28, 0.06), 2700.0, 151),
    }
    if full:
        third = Task(*table("keel/letter.dat", "A", "C"), 300, 1225, 100)
        tasks["Letters (A vs. C)"] = (third, (0.84, 0.15), 596.0, 80)
    rows: list[Row] = []
    for name, (task, printed, seconds, fewest) in tasks.items():
        found = [run(task, seed, sweeps) for seed in seeds]
        from_the_cap = f"{name}: fewest active rows after the burn-in of {CHAINS} chains that begin at the cap"
        rows.append(
            Row.check_at_most(from_the_cap, float(fewest - 1), fewest_from_the_cap(task, 10_000 if full else 4000))
        )
        rows.append(printed_row(f"{name}, FBGKM", "Table 2", *printed, [r.error for r in found]))
        least = float(np.mean([np.quantile(r.active, 0.05) for r in found]))
        rows.append(
            Row.printed_at_least(f"{name}: fewest active rows after the burn-in (ours: 5 % are below)", "Table 7",
                                 float(fewest), least, gap=Gap(FEWER, band=40.0, shown_by=from_the_cap))
        )  # fmt: skip
        if full:
            rows.append(Row.time(f"{name}: seconds for 10 000 sweeps", "Table 3", seconds,
                                 float(np.mean([r.seconds for r in found]))))  # fmt: skip
            rows.append(
                Row.ours(f"{from_the_cap}, with the paper's moves", fewest_from_the_cap(task, 10_000, **PAPERS_MOVES))
            )
    return rows


FEWER = (
    "the posterior reaches far below the paper's range, and chains that begin at the cap leave that range as well; "
    "the number of active rows walks by one at a time; why the paper's chains stayed near the cap is not known"
)


def fewest_from_the_cap(task: Task, sweeps: int, n_moves: int | str = "auto", g_step: str = "slice") -> int:
    """Fewest active rows, in the second half of their sweeps, of chains that begin with all that may be active."""
    X, y, _, _ = task.split(0)
    X, codes = StandardScaler().fit_transform(X), np.unique(y, return_inverse=True)[1]
    kernel = Gaussian(1.0 / mean_distance("rbf", X) ** 2)
    fewest = task.max_active
    for seed in range(CHAINS):
        chain = Chain(
            FixedKernel(kernel, kernel.prepare(X)), codes, 2, Prior(), most=task.max_active, n_moves=n_moves,
            g_step=g_step, spread=False, burn_in=sweeps // 2, rng=np.random.default_rng(seed),
        )  # fmt: skip
        for row in np.flatnonzero(~chain.is_active):
            if chain.factor.size - 1 < task.max_active and chain.factor.try_birth(row) > -np.inf:
                chain.factor.give_birth(row)
                chain.is_active[row] = True
        for _ in range(sweeps // THIN):
            chain.sweep(THIN)
        fewest = min(fewest, *chain.trace[sweeps // 2 :])
    return int(fewest)


def table_10_rows() -> list[Row]:
    """Splice junctions and astroparticles, at most 200 active rows."""
    parts = [table(name) for name in ("libsvm/svmguide1", "libsvm/svmguide1.t")]
    X, y = (np.concatenate(columns) for columns in zip(*parts))
    tasks = {
        "Splice": (Task(*table("libsvm/splice.gz"), 2000, 1175, 200), (12.53, 0.57), 14_970.0),
        "Astroparticle": (Task(X, y, 4000, 3089, 200), (3.59, 0.18), 34_430.0),
    }
    rows: list[Row] = []
    for name, (task, printed, seconds) in tasks.items():
        found = [run(task, seed, 2000) for seed in range(2)]
        rows.append(printed_row(f"{name}, FBGKM, 2 000 sweeps", "Table 10", *printed, [r.error for r in found]))
        rows.append(Row.time(f"{name}: seconds, for 10 000 sweeps by those of 2 000", "Table 11", seconds,
                             float(np.mean([r.seconds for r in found])) * 5.0))  # fmt: skip
    return rows


def width_rows() -> list[Row]:
    """Table 8: splice junctions with a learned width for each of 60 columns, beside one fixed width."""
    task = Task(*table("libsvm/splice.gz"), 1000, 1000, 100)
    learned = [run(task, seed, 2000, width="learn", ard=True) for seed in range(2)]
    plain = [run(task, seed, 2000) for seed in range(2)]
    gain, error = mean_and_error([b.error - a.error for a, b in zip(learned, plain)])
    return [
        printed_row(
            "Splice, FBGKM with learned widths, 2 000 sweeps", "Table 8", 7.49, 0.14, [r.error for r in learned]
        ),
        Row.claim_positive("Splice: learned widths lower the error", "Tables 8 and 10", gain, standard_error=error),
    ]


def drawn(model: BayesianKernelClassifier, errors: dict[str, Any]) -> Figure:
    """Errors on the two clouds, and the active rows of a chain on twonorm (as Figure 2 draws them)."""
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    above, below = figure.subplots(2, 2)
    for panel, (name, found) in zip(above, errors.items()):
        found = {kind: values for kind, values in found.items() if values}
        panel.boxplot(list(found.values()), orientation="horizontal", tick_labels=list(found))
        for value, style in ((1.51 if name == "ringnorm" else 2.86, "--"), (2.03 if name == "ringnorm" else 2.90, ":")):
            panel.axvline(value, color="C3", linestyle=style, linewidth=1)
        panel.set_title(f"{name} (dashed: FBGKM in Table 13, dotted: its SVM)", fontsize=9)
        panel.set_xlabel("error, %")
    plot_active_rows(model, ax=below)
    return figure
