"""Machines without offset: the paper's grid and single fits against scikit-learn's SVC, and cost over rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.datasets import locate
from treatise.svm import BiasFreeSVC, BiasFreeSVCGrid, steinwart_grid

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
NAMES = ("letter", "magic", "spambase", "a9a")


def benchmarks() -> Iterator[Contest | Scaling]:
    """Grids of four tables, with SVC given each Gram matrix ready; one as a user writes it; single fits; sizes."""
    tables = {}
    for name in NAMES:
        try:
            tables[name] = Table.load(name)
        except DataNotFoundError as missing:
            left_out(f"svm: no contest on {name}: {missing}")
    for name, table in tables.items():
        part = table.part(2000)
        yield Contest(
            work=f"{name}, 2000 rows: 10 x 10 grid, 3 folds, Gram matrices shared by both sides: accuracy on new rows",
            peer="scikit-learn",
            ours=part.our_grid,
            theirs=part.svc_on_grams,
            quality=part.accuracy,
            warm_up=table.part(60).our_grid,
            repeats=1,
        )
    for name, table in list(tables.items())[:1]:
        part = table.part(1000)
        yield Contest(
            work=f"{name}, 1000 rows: 10 x 10 grid, 3 folds, against GridSearchCV over SVC: accuracy on new rows",
            peer="scikit-learn",
            ours=part.our_grid,
            theirs=part.svc_search,
            quality=part.accuracy,
            warm_up=table.part(60).our_grid,
            repeats=1,
        )
    for name, table in tables.items():
        part = table.part(4000 if name != "spambase" else 3000)
        for C, gamma in ((1.0, "scale"), (10.0, 1.0)):
            yield Contest(
                work=f"{name}, {len(part.y)} rows: one fit, C={C:g}, gamma={gamma}: accuracy on new rows",
                peer="scikit-learn",
                ours=partial(_fit, BiasFreeSVC(C=C, gamma=gamma), part),
                theirs=partial(_fit, SVC(C=C, gamma=gamma), part),
                quality=part.accuracy,
                warm_up=partial(_fit, BiasFreeSVC(), table.part(60)),
            )
        if name == "letter":
            yield from _intelex_contests(table)
    for name, table in list(tables.items())[:1]:
        for model, peer in ((BiasFreeSVC(C=10.0, gamma=1.0), "BiasFreeSVC"), (SVC(C=10.0, gamma=1.0), "SVC")):
            yield Scaling(
                work=f"{name}: one fit of {peer}, C=10, gamma=1, over rows",
                sizes=(1000, 2000, 4000, 8000),
                prepare=lambda n, model=model, table=table: partial(_fit, model, table.part(n)),  # type: ignore[misc]
                warm_up=partial(_fit, BiasFreeSVC(), table.part(60)),
            )


@dataclass(frozen=True)
class Table:
    """Rows to learn from, scaled to [-1, 1], and 1500 new ones."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    truth: np.ndarray

    @classmethod
    def load(cls, name: str) -> "Table":
        """Rows in random order; letters A to M against N to Z."""
        if name == "a9a":
            sparse, labels = load_svmlight_file(str(locate("libsvm/a9a")))
            X, y = sparse.toarray(), labels > 0
        else:
            cells = np.char.strip(np.loadtxt(locate(f"keel/{name}.dat"), delimiter=",", dtype=str))
            X, y = (
                cells[:, :-1].astype(float),
                cells[:, -1] <= "M" if name == "letter" else cells[:, -1] == cells[0, -1],
            )
        order = np.random.default_rng(0).permutation(len(y))
        X, y = minmax_scale(X, (-1, 1))[order], np.where(y, 1, -1)[order]
        return cls(X[1500:], y[1500:], X[:1500], y[:1500])

    def part(self, n: int) -> "Table":
        """The first n rows, and all new ones."""
        return Table(self.X[:n], self.y[:n], self.new, self.truth)

    def accuracy(self, model: Any) -> float:
        """Share of the new rows that a model gets right."""
        return float(model.score(self.new, self.truth))

    def our_grid(self) -> Any:
        """The paper's procedure."""
        return BiasFreeSVCGrid(cv=FOLDS).fit(self.X, self.y)

    def svc_on_grams(self) -> Any:
        """The same with SVC: distances once, the Gram matrix of a fold once for all penalties."""
        lams, gammas = steinwart_grid(*self.X.shape)
        squares = euclidean_distances(self.X, squared=True)
        right = np.zeros((len(gammas), len(lams)))
        for at, gamma in enumerate(gammas):
            for train, test in FOLDS.split(self.X, self.y):
                gram, new = (np.exp(-gamma * squares[np.ix_(some, train)]) for some in (train, test))
                for column, lam in enumerate(lams):
                    C = 1.0 / (2.0 * lam * len(train))
                    machine = SVC(kernel="precomputed", C=C, cache_size=1000).fit(gram, self.y[train])
                    right[at, column] += np.count_nonzero(machine.predict(new) == self.y[test])
        width, penalty = divmod(int(np.argmax(right)), len(lams))
        return SVC(C=1.0 / (2.0 * lams[penalty] * len(self.y)), gamma=gammas[width]).fit(self.X, self.y)

    def svc_search(self) -> Any:
        """The same as a user of scikit-learn writes it."""
        lams, gammas = steinwart_grid(*self.X.shape)
        costs = 1.5 / (2.0 * lams * len(self.y))
        return GridSearchCV(SVC(), {"gamma": gammas, "C": costs}, cv=FOLDS).fit(self.X, self.y)


def _intelex_contests(table: Table) -> Iterator[Contest]:
    """One fit of 6 000 rows beside Intel's machine, which uses all cores; ours uses one."""
    if find_spec("sklearnex") is None:
        left_out("svm: scikit-learn-intelex is not installed; its contests are left out")
        return
    from sklearnex.svm import SVC as IntelSVC

    part = table.part(6000)
    for C, gamma in ((1.0, "scale"), (10.0, 1.0)):
        yield Contest(
            work=f"letter, {len(part.y)} rows: one fit, C={C:g}, gamma={gamma}: accuracy on new rows",
            peer="scikit-learn-intelex",
            ours=partial(_fit, BiasFreeSVC(C=C, gamma=gamma), part),
            theirs=partial(_fit, IntelSVC(C=C, gamma=gamma), part),
            quality=part.accuracy,
            warm_up=partial(_fit, BiasFreeSVC(), table.part(60)),
        )


def _fit(model: Any, table: Table) -> Any:
    return model.fit(table.X, table.y)
