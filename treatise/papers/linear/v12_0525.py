"""Dhillon, Foster & Ungar: bits per feature (Table 1), and features found in made-up data (Tables 2 and 3)."""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LassoCV, MultiTaskLassoCV

from treatise.linear import MICGroup, MICMulti, MICMultiClassifier, TransFeat
from treatise.linear.mic._base import savings
from treatise.linear.mic._search import best_entry, feature_prices, select
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.statistics import integer_code_constant, subset_code_length

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEATURES, RESPONSES, SAMPLES, TRUE = 2000, 20, 100, 4
MEASURES = ("test error", "precision", "recall")
CODINGS = ("partial", "full", "independent")
# Of Table 2: test error, precision and recall of coefficients, each with its standard error.
TABLE_2 = {
    ("partial", "partial"): ((0.10, 0.00), (0.84, 0.02), (0.77, 0.02)),
    ("partial", "full"): ((0.17, 0.01), (0.26, 0.01), (0.71, 0.03)),
    ("partial", "independent"): ((0.12, 0.01), (0.84, 0.02), (0.56, 0.02)),
    ("full", "partial"): ((0.08, 0.00), (0.98, 0.01), (1.00, 0.00)),
    ("full", "full"): ((0.08, 0.00), (0.80, 0.00), (1.00, 0.00)),
    ("full", "independent"): ((0.11, 0.01), (0.86, 0.02), (0.63, 0.02)),
    ("independent", "partial"): ((0.17, 0.01), (0.95, 0.01), (0.44, 0.02)),
    ("independent", "full"): ((0.36, 0.01), (0.06, 0.01), (0.15, 0.02)),
    ("independent", "independent"): ((0.13, 0.01), (0.84, 0.02), (0.58, 0.02)),
}
ROUNDING = 0.005
"""Half of the last digit that the tables print."""
NOISE = "current"
"""The text has the variance before a feature; the numbers are nearer to those of the variance after it."""
ONE_PAST = "Table 2, shared codes going one feature past the end: distance from print in standard errors (rms)"
PAST_THE_END = Gap(
    "the printed numbers look like those of a search that adds one feature more after the last that pays: so run, "
    "those of the shared codes agree, and 4 of 5 features are the printed 0.80; the paper does not say so",
    0.1,
    shown_by=ONE_PAST,
)
NOT_KNOWN = Gap(
    "not known: going one feature past the end explains the shared codes; separate ones find then about as much of the "
    "truth as printed, but with more that is wrong",
    0.1,
    shown_by=ONE_PAST,
)
GAPS = {
    ("partial", "full", "precision"): PAST_THE_END,
    ("full", "full", "precision"): PAST_THE_END,
    ("partial", "independent", "precision"): NOT_KNOWN,
    ("full", "independent", "precision"): NOT_KNOWN,
    ("full", "independent", "recall"): NOT_KNOWN,
    ("independent", "independent", "precision"): NOT_KNOWN,
}
WHOLE_GROUP = "bits of naming 10 of 10 features beyond 7 of 10, against those that 3 features of noise save"
CODE_FAVOURS_ALL = Gap(
    "in the printed code the rest of a group costs less than features of noise save by chance, once most of it is in",
    0.5,
    shown_by=WHOLE_GROUP,
)


def experiment(*, full: bool = False) -> Evidence:
    """Tables 1 to 3 on the paper's generators, the consistency of Section 6 and transfer between tasks."""
    scores = {(scene, coding): scene_scores(scene, coding, 20 if full else 3) for scene, coding in TABLE_2}
    rows = [*code_rows(), *table_2_rows(scores), one_past_row(20 if full else 3)]
    rows += table_3_rows(50 if full else 10, full)
    rows += [*consistency_rows(40 if full else 10), *transfer_rows(50 if full else 15)]
    if full:
        rows += lasso_rows(3)
    skipped = [
        "Table 2, rows of BBLasso and AndoZhang: the Berkeley toolkit is not at hand; scikit-learn's multi-task lasso "
        "stands in for the former in the full form",
        "Table 3, Lasso and elastic net as printed (how they were tuned is not said) and the errors of "
        "cross-validation (their unit is not said); a cross-validated lasso is shown beside",
        "Figures 1 and 2 (yeast growth, breast cancer): data not at hand",
        "Figures 3 to 7 and Tables 4 and 5 (word senses, gene sets, SENSEVAL-2, OntoNotes): data not at hand",
    ]
    return Evidence(rows, _figure(scores), skipped)


# Table 1.


def code_rows() -> list[Row]:
    """Lengths of codes as printed."""
    printed = {"partial": (18.4, 39.8, 59.7), "full": (51.0, 51.0, 51.0), "independent": (13.0, 64.8, 259.3)}
    rows = []
    for coding, expected in printed.items():
        bits = feature_prices(coding, FEATURES, RESPONSES, 2.0)
        for k, value in zip((1, 5, 20), expected):
            here = bits[-1] if coding == "full" else bits[k - 1]
            rows.append(
                Row.printed(
                    f"bits of a feature in {k} of 20 responses, {coding} code", "Table 1", value, round(here, 3),
                    within=0.05, why="half of the last digit",
                )
            )  # fmt: skip
    rows.append(
        Row.printed(
            "constant of the code of whole numbers up to 1000", "Section 3.1.2", 1.199,
            round(integer_code_constant(1000), 5), within=0.0005, why="half of the last digit",
        )
    )  # fmt: skip
    return rows


# Table 2.


def scene(name: str, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Section 5.1.1: rows, responses cut at their means (0.1 is read as a variance), true coefficients."""
    W = np.zeros((FEATURES, RESPONSES))
    for t in range(RESPONSES):
        if name == "partial":
            shared = [0] + [f for f, last in ((1, 15), (2, 10), (3, 5)) if t < last]
            own = TRUE + rng.choice(FEATURES - TRUE, TRUE - len(shared), replace=False)
            chosen = np.concatenate([shared, own])
        else:
            chosen = np.arange(TRUE) if name == "full" else rng.choice(FEATURES, TRUE, replace=False)
        W[chosen, t] = rng.normal(size=TRUE)
    X = rng.normal(size=(n, FEATURES))
    Y = X @ W + np.sqrt(0.1) * rng.normal(size=(n, RESPONSES))
    return X, (Y[:SAMPLES].mean(axis=0) <= Y).astype(int), W


def scene_scores(name: str, coding: str, instances: int) -> np.ndarray:
    """Test error, precision and recall of each response: (3, instances x responses)."""
    found = []
    for seed in range(instances):
        X, Y, W = scene(name, np.random.default_rng(seed), SAMPLES + 500)
        model = MICMultiClassifier(coding, noise=NOISE).fit(X[:SAMPLES], Y[:SAMPLES])
        error = np.mean(model.predict(X[SAMPLES:]) != Y[SAMPLES:], axis=0)
        found.append(np.vstack([error, *precision_and_recall(model.coef_.T != 0, W != 0)]))
    return np.concatenate(found, axis=1)


def precision_and_recall(chosen: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the coefficients of each response; a response without any coefficient has no precision."""
    right, kept = (chosen & true).sum(axis=0), chosen.sum(axis=0)
    precision = np.divide(right, kept, out=np.full(len(kept), np.nan), where=kept > 0)
    return precision, right / true.sum(axis=0)


def _mean_and_error(values: np.ndarray, printed_error: float = 0.0) -> tuple[float, float]:
    """Mean, and the standard error of its difference from a printed number with its own and its rounding."""
    values = values[~np.isnan(values)]
    own = float(values.std(ddof=1)) / len(values) ** 0.5
    return float(values.mean()), (own**2 + printed_error**2 + ROUNDING**2) ** 0.5


def table_2_rows(scores: dict[tuple[str, str], np.ndarray]) -> list[Row]:
    """Every MIC row of Table 2."""
    rows = []
    for (name, coding), printed in TABLE_2.items():
        for words, (value, its_error), values in zip(
            ("test error", "precision", "recall"), printed, scores[name, coding]
        ):
            here, error = _mean_and_error(values, its_error)
            rows.append(
                Row.printed(
                    f"{name} data, {coding} code: {words} of coefficients".replace("error of coefficients", "error"),
                    "Table 2", value, round(here, 3), standard_error=round(error, 4), why="both means",
                    effect=max(0.5 * value, 0.2 if words != "test error" else 0.05),
                    gap=GAPS.get((name, coding, words)),
                )
            )  # fmt: skip
    return rows


def one_past_row(instances: int) -> Row:
    """Precision and recall of the shared codes when the search goes one feature on, with the variance after each."""
    distances = []
    saved_by = partial(savings, noise=NOISE)
    for (name, coding), printed in TABLE_2.items():
        if coding == "independent":
            continue
        found = []
        for seed in range(instances):
            X, Y, W = scene(name, np.random.default_rng(seed), SAMPLES)
            search, _ = select(X, Y.astype(float), coding, 2.0, saved_by)
            saved = saved_by(search.drops(), search.rss[:, np.newaxis], SAMPLES)
            saved[:, sorted(set().union(*search.sets))] = 0.0
            _, feature, responses = best_entry(saved, feature_prices(coding, FEATURES, RESPONSES, 2.0))
            search.add(feature, responses)
            chosen = np.array([np.isin(np.arange(FEATURES), columns) for columns in search.sets]).T
            found.append(np.vstack(precision_and_recall(chosen, W != 0)))
        for values, (value, its_error) in zip(np.concatenate(found, axis=1), printed[1:]):
            here, error = _mean_and_error(values, its_error)
            distances.append((here - value) / error)
    # Of independent normal numbers it would be one.
    return Row.check_at_most(ONE_PAST, 2.0, round(float(np.mean(np.square(distances))) ** 0.5, 2))


def lasso_rows(instances: int) -> list[Row]:
    """Section 5.1.1: the lasso that shares features puts in many more, and is no better than the partial code."""
    errors, kept, seconds = [], [], np.zeros(2)
    for seed in range(instances):
        X, Y, _ = scene("partial", np.random.default_rng(seed), SAMPLES + 500)
        start = time.process_time()
        lasso = MultiTaskLassoCV(cv=5).fit(X[:SAMPLES], Y[:SAMPLES].astype(float))
        middle = time.process_time()
        model = MICMultiClassifier().fit(X[:SAMPLES], Y[:SAMPLES])
        seconds += (middle - start, time.process_time() - middle)
        wrong = [np.mean((p > 0.5) != Y[SAMPLES:]) for p in (lasso.predict(X[SAMPLES:]), model.predict(X[SAMPLES:]))]
        errors.append(wrong[0] - wrong[1])
        kept.append([np.count_nonzero(fit.coef_) for fit in (lasso, model)])
    spread = float(np.std(errors, ddof=1)) / instances**0.5
    return [
        Row.claim_positive(
            "partial data: test error of the multi-task lasso less that of the partial code", "Table 2",
            round(float(np.mean(errors)), 3), standard_error=round(spread, 4),
        ),
        Row.ours("partial data: coefficients of the multi-task lasso, mean", round(float(np.mean(kept, axis=0)[0]))),
        Row.ours("partial data: coefficients of the partial code, mean", round(float(np.mean(kept, axis=0)[1]))),
        Row.ours("seconds of the multi-task lasso over those of the partial code", round(seconds[0] / seconds[1], 1)),
    ]  # fmt: skip


# Table 3.


def table_3_rows(runs: int, full: bool) -> list[Row]:
    """Correct and spurious features: seven of one group, unit coefficients (not given in the paper)."""
    sets = {"Set 1": np.repeat(np.arange(4), [12, 150, 300, 538]), "Set 2": np.repeat(np.arange(100), 10)}
    printed = {
        ("Set 1", "switch"): (6.8, 0.1), ("Set 2", "switch"): (5.6, 0.3),
        ("Set 1", "subset"): (6.7, 0.1), ("Set 2", "subset"): (5.4, 0.2),
    }  # fmt: skip
    rows, plain = [], np.array([_found(MICMulti(), seed) for seed in range(runs)])
    for (name, method), (correct, spurious) in printed.items():
        found = np.array([_found(MICGroup(sets[name], method=method), seed) for seed in range(runs)])
        (right, its_error), (wrong, wrong_error) = (_mean_and_error(column) for column in found.T)
        rows += [
            Row.printed_at_least(
                f"{name}, {method} code: correct features of 7", "Table 3", correct, round(right, 2),
                standard_error=round(its_error, 3),
            ),
            Row.printed_at_most(
                f"{name}, {method} code: spurious features", "Table 3", spurious, round(wrong, 2),
                standard_error=round(wrong_error, 3), gap=CODE_FAVOURS_ALL if method == "subset" else None,
            ),
            Row.claim_positive(
                f"{name}, {method} code: correct features more than without groups (RIC)", "Table 3",
                round(right - float(plain[:, 0].mean()), 2),
                standard_error=round(float((found - plain)[:, 0].std(ddof=1)) / runs**0.5, 3),
            ),
        ]  # fmt: skip
    bits = subset_code_length([7, 10], 10) + 2.0 * np.array([7, 10])
    # A column of noise takes 1 / n of the squares, which saves 1 / (2 ln 2) bits.
    rows.append(Row.check_at_most(WHOLE_GROUP, round(3 / (2 * np.log(2.0)), 3), round(float(bits[1] - bits[0]), 3)))
    if full:
        lasso = np.array([_found(LassoCV(), seed) for seed in range(10)]).mean(axis=0)
        rows += [Row.ours(f"cross-validated lasso: {words} features", lasso[i]) for i, words in enumerate(_WORDS)]
    return rows


_WORDS = ("correct", "spurious")


def _found(model: Any, seed: int) -> tuple[int, int]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 1000))
    chosen = model.fit(X, X[:, :7].sum(axis=1) + 1.7 * rng.normal(size=100)).coef_ != 0
    return int(chosen[:7].sum()), int(chosen[7:].sum())


# Sections 6 and 7.


def consistency_rows(runs: int) -> list[Row]:
    """Section 6: with log2(n) bits a coefficient the true features alone are found as rows grow, with two bits not."""
    exact = {}
    for bits in ("bic", 2.0):
        hits = 0
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(4000, 20))
            Y = X[:, :3] @ rng.choice([-1.0, 1.0], (3, 4)) + rng.normal(size=(4000, 4))
            hits += int(np.array_equal(MICMulti(coef_bits=bits).fit(X, Y).support_, np.arange(20) < 3))
        exact[bits] = hits / runs
    return [
        Row.check_at_least("4 000 rows: share of draws with the true features alone, bits of BIC", 0.95, exact["bic"]),
        Row.ours("4 000 rows: share of draws with the true features alone, two bits", exact[2.0]),
    ]


def transfer_rows(runs: int) -> list[Row]:
    """Section 7: features that related tasks chose are found with fewer rows."""
    gains = []
    weights = np.repeat([1.0, 0.0], [TRUE, 496])
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        sources = []
        for _ in range(20):
            X = rng.normal(size=(200, 500))
            sources.append(MICMulti().fit(X, X @ weights + rng.normal(size=200)).support_)
        X = rng.normal(size=(30, 500))
        y = X @ weights + rng.normal(size=30)
        alone, helped = (TransFeat().fit(X, y, sources=given).support_[:TRUE].sum() for given in (None, sources))
        gains.append(int(helped) - int(alone))
    spread = float(np.std(gains, ddof=1)) / runs**0.5
    return [
        Row.claim_positive(
            "30 rows: true features found with 20 earlier tasks, less those found without", "Section 7",
            round(float(np.mean(gains)), 2), standard_error=round(spread, 3),
        )
    ]  # fmt: skip


def _figure(scores: dict[tuple[str, str], np.ndarray]) -> "Figure":
    """Bits against the number of responses, and the precision and recall of Table 2."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    bits, found = figure.subplots(1, 2)
    colours = dict(zip(CODINGS, ("#1b6ca8", "#e0a458", "#6c757d")))
    k = np.arange(1, RESPONSES + 1)
    for coding, colour in colours.items():
        price = feature_prices(coding, FEATURES, RESPONSES, 2.0)
        bits.plot(k, np.full(len(k), price[-1]) if coding == "full" else price, color=colour, label=coding)
        for marker, name in zip("osD", CODINGS):
            precision, recall = (float(np.nanmean(values)) for values in scores[name, coding][1:])
            found.plot(recall, precision, marker, color=colour)
            found.plot(TABLE_2[name, coding][2][0], TABLE_2[name, coding][1][0], marker, color=colour, mfc="none")
    bits.set(xlabel="responses that a feature enters", ylabel="bits", ylim=(0, 150), title="Code of a feature")
    bits.legend(title="code")
    found.set(xlabel="recall", ylabel="precision", xlim=(0, 1.05), ylim=(0, 1.05))
    found.set_title(
        "Coefficients: filled here, open in the paper\n(circle partial, square full, diamond independent data)"
    )
    return figure
