"""Cooperative teaching (Zilles, Lange, Holte & Zinkevich, JMLR 12:349): the dimensions of all its classes.

The paper has theorems, examples and tables, all exact, and no experiment with data; a pool of classifiers on real
tables is added.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from treatise.papers._evidence import Evidence, Gap, Row
from treatise.theory import (
    TEACHING_MODELS,
    ConceptClass,
    half_class,
    interval_class,
    monomial_class,
    or_dnf_class,
    pair_class,
    plot_teaching,
    singleton_class,
    teaching_rows,
    threshold_class,
)

NAMES = {"ts": "TD", "bts": "BTD", "sts": "STD", "rts": "RTD"}
TABLE_6 = [[], [0], [2, 3, 4], [1, 2, 3, 4], [0, 1, 4], [0, 1, 2, 4]]
TABLE_9 = [[], [0], [0, 1], [1, 2], [1, 3], [1, 2, 3]]
SEVENTH = "monomials of 2 variables: subset teaching sets of the contradiction that show 00 and 11"


def experiment(*, full: bool = False) -> Evidence:
    """Dimensions of the classes, the tables, the theorems on random classes, and a pool of classifiers.

    Parameters
    ----------
    full : bool, default=False
        Larger members of each class, and 2000 random classes instead of 200.
    """
    figure = Figure(figsize=(13, 3.6), layout="constrained")
    axes = figure.subplots(1, 5)
    for model, ax in zip(TEACHING_MODELS, axes):
        plot_teaching(monomial_class(2), model, ax=ax)
        ax.set_title(f"{NAMES[model]} of monomials: {monomial_class(2).teach(model).dimension}")
    rows = [
        *_class_rows(full),
        *_table_rows(),
        *_theorem_rows(2000 if full else 200),
        *_pool_rows(),
    ]
    _draw_growth(axes[-1], 5 if full else 4)
    return Evidence(rows, figure, [])


def _dimension_rows(name: str, place: str, concepts: ConceptClass, printed: dict[str, int]) -> list[Row]:
    return [
        Row.printed(f"{name}: {NAMES[model]}", place, value, concepts.teach(model).dimension)
        for model, value in printed.items()
    ]


def _class_rows(full: bool) -> list[Row]:
    """What the paper says of each class, for every member that is looked at."""
    rows = []
    for n in (4, 6, *((12, 20) if full else ())):
        rows += _dimension_rows(f"singletons of {n}", "Section 5.1", singleton_class(n), {"ts": n, "sts": 1})
        rows += _dimension_rows(f"singletons of {n}", "Theorem 32", singleton_class(n), {"bts": 2, "rts": 1})
    rows += _dimension_rows("thresholds on 3", "Table 1", threshold_class(3), {"ts": 2, "sts": 1})
    rows += _dimension_rows("thresholds on 3", "Section 8", threshold_class(3), {"rts": 1})
    for u in (2, 3, *((4, 5) if full else ())):
        rows += _dimension_rows(f"pairs of {u}", "Theorem 18", pair_class(u), {"ts": u + 1, "bts": u, "sts": 1})
        rows += _dimension_rows(f"pairs of {u}", "Theorem 35", pair_class(u), {"rts": u})
    for u in (3, 4, *((5, 6, 7) if full else ())):
        rows += _dimension_rows(f"halves of {u}", "Theorem 18", half_class(u), {"ts": u, "bts": 3, "sts": u})
        rows += _dimension_rows(f"halves of {u}", "Theorem 36", half_class(u), {"rts": 2})
        rows += _dimension_rows(f"halves of {u} and the empty set", "Theorem 21", half_class(u, empty=True), {"sts": 2})
    for m in (2, 3, *((4, 5) if full else ())):
        rows += _dimension_rows(f"monomials of {m}", "Theorem 8", monomial_class(m), {"ts": 2**m, "bts": m + 2})
        rows += _dimension_rows(f"monomials of {m}", "Theorem 19", monomial_class(m), {"sts": 2})
        rows += _dimension_rows(f"monomials of {m}", "Theorem 33", monomial_class(m), {"rts": 2})
    for m in (2, 3, *((4, 5, 6) if full else ())):
        rows += _dimension_rows(f"disjunctions of {m}", "Theorem 20", or_dnf_class(m), {"ts": 2 ** (m - 1), "sts": 1})
        rows += _dimension_rows(f"disjunctions of {m}", "Theorem 34", or_dnf_class(m), {"rts": 1})
    intervals = interval_class(20 if full else 8)
    rows += [Row.ours(f"intervals of {intervals.n_instances}: {NAMES[m]}", intervals.teach(m).dimension)
             for m in TEACHING_MODELS]  # fmt: skip
    return rows


def _table_rows() -> list[Row]:
    """Tables 4, 6, 8 and 9."""
    monomials, six = monomial_class(2), ConceptClass.of_sets(TABLE_6, 5)
    subsets, levels = monomials.teach("sts"), monomials.teach("rts").hierarchy
    false = monomials.n_concepts - 1
    last = ConceptClass.of_sets(TABLE_9, 4)
    found = last.teach("sts")
    together = last.teach("rts").dimension
    most = max(
        ConceptClass.of_sets([c for i, c in enumerate(TABLE_9) if chosen >> i & 1], 4).teach("sts").dimension
        for chosen in range(1, 2 ** len(TABLE_9))
    )
    exception = monomials.subset_teaching_exception()
    gap = Gap(
        "a plan of order 2 may leave the contradiction with v1 v2 and its opposite alone; it is then taught by 00 and "
        "11, which no subset teaching set of it holds, as they are two apart: read to the letter, the definition fails",
        band=0.0, shown_by=SEVENTH,
    )  # fmt: skip
    return [
        Row.printed("monomials of 2: iterations until the subset teaching sets stay", "Table 4", 2, subsets.iterations),
        Row.printed("monomials of 2: subset teaching sets of the contradiction", "Table 4", 4,
                    len(subsets.families[false])),
        Row.printed("monomials of 2: levels of the hierarchy", "Table 8", 4, len(levels)),
        Row.printed("monomials of 2: examples for the contradiction in the hierarchy", "Table 8", 0, levels[-1][1]),
        Row.printed("six concepts: teaching sets", "Table 6", 14, sum(map(len, six.teach("ts").families))),
        Row.printed("six concepts: instances without the redundant ones", "Table 6", 3, len(six.reduced()[1])),
        Row.printed("six concepts of four instances: STD", "Table 9", 1, found.dimension),
        Row.printed("six concepts of four instances: subset teaching sets at the end", "Table 9", 8,
                    sum(map(len, found.families))),
        Row.printed("six concepts of four instances: RTD", "Theorem 35", 2, together),
        Row.printed("six concepts of four instances: largest STD of a class of some of them", "Theorem 35", 1, most),
        Row.claim("thresholds on 3 have the subset teaching property", "Section 8",
                  threshold_class(3).subset_teaching_exception() is None),
        Row.claim("monomials of 2 variables have the subset teaching property", "Section 8", exception is None,
                  gap=gap),
        Row.check(SEVENTH, 0, sum(set(each) >= {0, 3} for each in subsets.families[false])),
    ]  # fmt: skip


def random_class(rng: np.random.Generator) -> ConceptClass:
    """Up to eight different concepts over up to six instances."""
    n = int(rng.integers(2, 7))
    return ConceptClass(np.unique(rng.integers(0, 2, (int(rng.integers(2, 9)), n)), axis=0))


def _theorem_rows(n_classes: int) -> list[Row]:
    """Orders of the dimensions, and which of them fall with the class."""
    rng = np.random.default_rng(0)
    broken = {"RTD <= BTD <= TD": 0, "STD <= TD": 0, "BTD falls with the class": 0, "RTD falls with the class": 0}
    larger = 0
    for _ in range(n_classes):
        concepts = random_class(rng)
        whole = {model: concepts.teach(model).dimension for model in TEACHING_MODELS}
        broken["RTD <= BTD <= TD"] += not whole["rts"] <= whole["bts"] <= whole["ts"]
        broken["STD <= TD"] += not whole["sts"] <= whole["ts"]
        if concepts.n_concepts > 1:
            fewer = ConceptClass(np.delete(concepts.matrix, int(rng.integers(concepts.n_concepts)), axis=0))
            part = {model: fewer.teach(model).dimension for model in TEACHING_MODELS}
            broken["BTD falls with the class"] += part["bts"] > whole["bts"]
            broken["RTD falls with the class"] += part["rts"] > whole["rts"]
            larger += part["sts"] > whole["sts"]
    places = {"RTD <= BTD <= TD": "Theorem 32", "STD <= TD": "Section 5.2", "BTD falls with the class": "Theorem 22",
              "RTD falls with the class": "Proposition 26"}  # fmt: skip
    rows = [Row.claim(f"{name}, on {n_classes} random classes", places[name], count == 0)
            for name, count in broken.items()]  # fmt: skip
    smaller, whole_class = half_class(4).teach("sts").dimension, half_class(4, empty=True).teach("sts").dimension
    return [
        *rows,
        Row.claim("STD can rise when a concept is left out", "Theorem 21", smaller > whole_class),
        Row.ours(f"random classes of {n_classes} whose STD rises when a concept is left out", larger),
    ]


def _draw_growth(ax: Any, most: int) -> None:
    sizes = range(1, most + 1)
    for model, style in zip(TEACHING_MODELS, ("o-", "s-", "^-", "v--")):
        ax.plot(sizes, [monomial_class(m).teach(model).dimension for m in sizes], style, label=NAMES[model])
    ax.set(title="monomials of m variables", xlabel="m", ylabel="examples", xticks=list(sizes), yscale="log")
    ax.legend(frameon=False)


def _pool_rows() -> list[Row]:
    """Six classifiers on three tables: the rows that tell the support vector machine from the others."""
    rows = []
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        models = (SVC(), LogisticRegression(max_iter=1000), GaussianNB(), KNeighborsClassifier(),
                  DecisionTreeClassifier(random_state=0), RandomForestClassifier(30, random_state=0))  # fmt: skip
        predictions = np.array([cross_val_predict(make_pipeline(StandardScaler(), m), X, y) for m in models])
        found = teaching_rows(predictions)
        rows.append(Row.ours(f"{name}, six classifiers: rows that tell the first from the others", len(found.rows)))
        told = [np.array_equal(p[list(found.rows)], found.labels) for p in predictions]
        rows.append(Row.check(f"{name}: classifiers that agree with the first on those rows, itself and its equals",
                              1 + len(found.alike), int(sum(told))))  # fmt: skip
    return rows
