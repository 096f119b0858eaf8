"""A kind of input that the product does not know: lines of two numbers, of which the second follows from the first."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.pipeline import Pipeline

from treatise.catalog import ComparisonEntry, Cost, EstimatorEntry
from treatise.compare.candidates import Candidate
from treatise.compare.inputs import HeldOut, Input, Part, Size
from treatise.compare.inputs.base import written_usage
from treatise.compare.metrics import Predictions
from treatise.report.record import DataRecord, Fact, Metric

ERROR = Metric("typical_error", "typical error", False, 0.0)
METHODS = ("sklearn.linear_model.LinearRegression", "sklearn.dummy.DummyRegressor")


@dataclass(frozen=True)
class PairsInput(Input):
    kind = "pairs"
    task = "pairing"
    name: str
    source: str
    pairs: np.ndarray

    @classmethod
    def accepts(cls, request):
        return str(request.source).endswith(".pairs")

    @classmethod
    def read(cls, request):
        return cls(Path(request.source).stem, str(request.source), np.loadtxt(request.source))

    def identity(self):
        return {"kind": self.kind, "data": hashlib.sha256(self.pairs.tobytes()).hexdigest()}

    def describe(self):
        number = len(self.pairs)
        return DataRecord(
            kind=self.kind, name=self.name, source=self.source, sha256=self.identity()["data"], task=self.task,
            target=None, rows=number, size=f"{number} pairs", question="the second of each pair",
            purpose=f"Completing {number} pairs", facts=(Fact("Pairs", str(number)), Fact("Task", "completing pairs")),
        )  # fmt: skip

    def options(self):
        return {}

    @property
    def size(self):
        return Size(len(self.pairs), 1, 2)

    grouped = False

    def number_of_folds(self, most=5):
        return 3

    def divide(self, k, repeat, fold, seed):
        own = np.random.default_rng(seed + repeat).permutation(len(self.pairs)) % k == fold
        training = replace(self, pairs=self.pairs[~own])
        return training, HeldOut(np.flatnonzero(own), self.pairs[own, :1], self.pairs[own, 1])

    def sample(self, rows, seed):
        return replace(self, pairs=self.pairs[:rows])

    def candidates(self):
        compare = ComparisonEntry(tasks=("pairing",), seconds=Cost(1e-9), bytes=Cost(1.0))
        return [Candidate(EstimatorEntry(path, compare), compare, None, self.task) for path in METHODS]

    def pipeline(self, candidate, params, seed):
        return Pipeline([("method", candidate.method(seed).set_params(**params))])

    def fit(self, pipeline):
        return pipeline.fit(self.pairs[:, :1], self.pairs[:, 1])

    def apply(self, model, X):
        return Predictions(model.predict(X))

    metrics = (ERROR,)

    def judge(self, held_out, found):
        return {"typical_error": float(np.median(np.abs(held_out.actual - found.values)))}

    def usage(self, model):
        return written_usage(["complete(MODEL)"], "treatise predict MODEL new.pairs", model)

    @classmethod
    def predict(cls, model, source, *, header=None):
        first = np.loadtxt(source, ndmin=1)
        yield Completed(first, model.model.predict(first[:, None]))


@dataclass(frozen=True)
class Completed(Part):
    first: np.ndarray
    second: np.ndarray

    @property
    def counts(self):
        return {"pairs": len(self.first)}

    @property
    def about(self):
        return {"format": "pairs"}

    def text(self, first):
        return "".join(f"{a:g} -> {b:.3f}\n" for a, b in zip(self.first, self.second))

    def rows(self):
        return [{"first": a, "second": b} for a, b in zip(self.first, self.second)]

    def said(self, counts, label):
        return f"{counts['pairs']} pairs completed by {label}"
