"""Every rule as a user first meets it: at its defaults, on real tables that lie sorted by class."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

import treatise.online
from treatise.online.rules._base import OnlineClassifier

KINDS = [
    member
    for name in treatise.online.__all__
    if isinstance(member := getattr(treatise.online, name), type) and issubclass(member, OnlineClassifier)
]
# How far below its peer a rule may end; two seeds differ by up to 0.015, the ellipsoid by 0.03. NAROW learns from half
# of the rows, the herd and the ellipsoid follow every one of them.
USUAL_SHORTFALL = 0.03
SHORTFALL = {"NormalHerd": 0.05, "NAROW": 0.07, "ImprovedEllipsoid": 0.06}


def sorted_halves(load):
    """Rows to learn from, sorted by class, and as many others, all in units of the first."""
    X, y = load(return_X_y=True)
    order = np.argsort(y, kind="stable")
    scaler = StandardScaler().fit(X[order][::2])
    return scaler.transform(X[order][::2]), y[order][::2], scaler.transform(X[order][1::2]), y[order][1::2]


@pytest.fixture(scope="module")
def tables():
    return [sorted_halves(load) for load in (load_iris, load_wine, load_breast_cancer, load_digits)]


def mean_score(learner, tables):
    scores = []
    for X, y, X_test, y_test in tables:
        scores.append(balanced_accuracy_score(y_test, clone(learner).fit(X, y).predict(X_test)))
    return np.mean(scores)


@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_at_its_defaults_holds_on_tables_sorted_by_class(tables, kind):
    peer = mean_score(SGDClassifier(random_state=0), tables)
    assert mean_score(kind(random_state=0), tables) > peer - SHORTFALL.get(kind.__name__, USUAL_SHORTFALL)


def test_one_pass_in_the_order_of_the_classes_loses_a_class():
    """What the defaults are for."""
    X, y = load_iris(return_X_y=True)
    once = treatise.online.AROW(n_passes=1, fit_intercept=False, shuffle=False).fit(X, y)
    assert once.score(X, y) < 0.7
    assert treatise.online.AROW(random_state=0).fit(X, y).score(X, y) > 0.9
