"""The tuner inside ``treatise compare``, as it is and with a designed first rung, at equal numbers of fits.

Both score ten settings (the defaults among them) on the smallest sample of the rows, take the best third to the next
sample, and so on; they differ in where the ten come from: a Latin hypercube, or a designed search. Four methods for
classes that have three parameters take part.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata, wilcoxon

from benchmarks._contest import left_out
from benchmarks.search import tuners
from treatise._core.errors import DataNotFoundError
from treatise.catalog import SearchRange
from treatise.compare import understand
from treatise.compare.candidates import Candidate, all_candidates
from treatise.compare.contest.tuning import SHRINK, _rungs, _score, draw_settings
from treatise.compare.inputs import Input
from treatise.compare.metrics import METRICS
from treatise.compare.trial import score_of
from treatise.datasets import load_table
from treatise.search import Factor, designed_search

METHODS = ("MarginClassifier", "KernelMarginClassifier", "QNormSVC", "HistGradientBoostingClassifier")
TABLES = tuple(name for name in tuners.TABLES if name not in ("letter", "optdigits", "penbased"))
"""Ten classes and more take boosting minutes a table."""
TRAINING_ROWS, HELD_OUT = 400, 1000
DIVISIONS = 1
METRIC = METRICS["balanced_accuracy"]
TUNERS = ("halving of drawn settings", "halving of designed settings", "as it comes")
Score = Callable[[dict[str, Any]], float]


def drawn(search: Mapping[str, Any], score: Score, count: int, seed: int, usual: Mapping[str, Any]) -> list[Any]:
    """Scores of the defaults and a Latin hypercube, as :func:`treatise.compare.contest.tuning.tune` has them."""
    return [(setting, score(setting)) for setting in [{}, *draw_settings(search, count - 1, seed)]]


def designed(search: Mapping[str, Any], score: Score, count: int, seed: int, usual: Mapping[str, Any]) -> list[Any]:
    """Scores of the defaults and of as many settings of a designed search."""
    constant = {name: values[0] for name, values in search.items() if isinstance(values, tuple) and len(values) == 1}
    factors = {name: factor_of(v, usual.get(name, "centre")) for name, v in search.items() if name not in constant}
    seen: list[Any] = []

    def fun(**setting: Any) -> float:
        whole = {} if not seen else {**setting, **constant}  # the first run has the defaults, which need no setting
        seen.append((whole, score(whole)))
        return seen[-1][1]

    designed_search(fun, factors, max_runs=count, f_in=1.0, f_out=0.9, verbose=False)
    return seen


def factor_of(values: Any, usual: Any) -> Factor:
    """The factor of a parameter's search space."""
    if isinstance(values, SearchRange):
        return Factor(values.low, values.high, log=values.log, integer=values.integer, default=usual)
    return Factor(0, len(values) - 1, integer=True, choices=tuple(values), default=usual)


def tuned(first: Callable[..., list[Any]], candidate: Candidate, data: Input, count: int, seed: int) -> dict[str, Any]:
    """The setting that halving ends with, from first settings of one kind or the other."""
    usual = data.pipeline(candidate, {}, seed)[-1].get_params()
    rungs = _rungs(data.size.rows)
    sample = data if rungs[0] == data.size.rows else data.sample(rungs[0], seed)
    scored = first(candidate.compare.search, lambda s: _score(candidate, sample, s, METRIC, seed), count, seed, usual)
    alive = _best_of(scored)
    for rows in rungs[1:]:
        if len(alive) == 1:
            break
        sample = data if rows == data.size.rows else data.sample(rows, seed)
        alive = _best_of([(setting, _score(candidate, sample, setting, METRIC, seed)) for setting in alive])
    return alive[0]


def _best_of(scored: list[Any]) -> list[dict[str, Any]]:
    order = np.argsort([-value for _, value in scored], kind="stable")
    return [scored[i][0] for i in order[: max(1, len(scored) // SHRINK)]]


@dataclass(frozen=True)
class TuningContest:
    """One method tuned on every table by both tuners with the same number of settings."""

    method: str
    settings: int

    def run(self) -> dict[str, Any]:
        """Held-out scores by table, their mean ranks, and the processor seconds of each tuner."""
        by_table, seconds = {}, np.zeros(2)
        for name in TABLES:
            try:
                found = load_table(f"keel/{name}.dat")
            except DataNotFoundError as missing:
                left_out(str(missing))
                continue
            data = understand(found, found.target)
            known = {c.entry.name: c for c in all_candidates(data.task)}
            if self.method not in known:
                continue
            rows = []
            for seed in range(DIVISIONS):
                scores, spent = self._once(known[self.method], data, seed)
                rows.append(scores)
                seconds += spent
            by_table[name] = np.mean(rows, axis=0)
        scores = np.array(list(by_table.values()))
        ranks = np.array([rankdata(-row.round(6)) for row in scores])
        apart = (scores[:, 1] - scores[:, 0]).round(6)
        return {
            "work": f"{self.method} of treatise compare, {self.settings} settings, {len(by_table)} KEEL tables of "
            f"{TRAINING_ROWS} rows, half of each held out; mean rank of the balanced accuracy held out",
            "tables": len(by_table),
            "mean rank": dict(zip(TUNERS, ranks.mean(axis=0).round(3).tolist())),
            "mean accuracy": dict(zip(TUNERS, scores.mean(axis=0).round(4).tolist())),
            "designed better, equal, worse": [int(np.sum(sign)) for sign in (apart > 0, apart == 0, apart < 0)],
            "p": float(wilcoxon(apart[apart != 0]).pvalue) if (apart != 0).sum() > 4 else None,
            "processor seconds": dict(zip(TUNERS, seconds.round(1).tolist())),
            "by table": {name: row.round(4).tolist() for name, row in by_table.items()},
        }

    def _once(self, candidate: Candidate, data: Input, seed: int) -> tuple[list[float], np.ndarray]:
        training, held_out = data.divide(2, seed, 0, seed)
        if training.size.rows > TRAINING_ROWS:
            training = training.sample(TRAINING_ROWS, seed)
        held_out = held_out.thinned(HELD_OUT, seed)
        settings, seconds = [], []
        for first in (drawn, designed):
            began = time.process_time()
            settings.append(tuned(first, candidate, training, self.settings, seed))
            seconds.append(time.process_time() - began)
        scores = [score_of(data, training, held_out, candidate, s, METRIC, seed) for s in (*settings, {})]
        return [float(score) if score is not None else 0.0 for score in scores], np.array(seconds)


def benchmarks() -> Iterator[TuningContest]:
    """As many settings as a comparison scores."""
    for method in METHODS:
        yield TuningContest(method, 10)
