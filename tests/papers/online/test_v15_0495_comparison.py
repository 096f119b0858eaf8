"""Learners side by side: the same orders for all, the search of the paper, the table and the picture."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from single_pass import once_in_order
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier

from treatise.online import (
    ALMA,
    AROW,
    OnlineGradientDescent,
    OnlinePerceptron,
    PassiveAggressive,
    SoftConfidenceWeighted,
)
from treatise.papers.online.v15_0495._comparison import OnlineComparison, libol_learners


@pytest.fixture(scope="module")
def data():
    return make_classification(250, 6, n_informative=4, flip_y=0.1, random_state=0)


def test_runs_hold_what_each_learner_does_on_each_order(data):
    X, y = data
    orders = np.array([np.random.RandomState(seed).permutation(250) for seed in range(3)])
    learners = {"P": once_in_order(OnlinePerceptron), "A": once_in_order(AROW)}
    comparison = OnlineComparison(learners, permutations=orders, grid=None).run(X, y)
    for name, learner in learners.items():
        runs = comparison.runs_.filter(learner=name)
        alone = [learner.fit(X[order], y[order]).n_mistakes_ for order in orders]
        assert runs["mistakes"].to_list() == alone
        assert runs["seconds"].min() > 0
        row = comparison.table().filter(learner=name)
        assert row["mistake_rate"].item() == pytest.approx(np.mean(alone) / 250)
        assert row["mistake_rate_std"].item() == pytest.approx(np.std(alone, ddof=1) / 250)
        ends = [learner.fit(X[order], y[order]).mistake_curve_[-1] for order in orders]
        seen, mistakes, updates = np.mean(ends, axis=0)
        np.testing.assert_allclose(comparison.curves_[name][-1], [seen, mistakes / seen, updates])
    assert comparison.table()["mistake_rate"].is_sorted()


def test_search_keeps_the_largest_of_the_best_values_one_parameter_after_the_other(data):
    X, y = data
    order = np.random.RandomState(9).permutation(250)
    learner = once_in_order(SoftConfidenceWeighted)
    comparison = OnlineComparison({"S": learner}, permutations=1, selection_order=order).run(X, y)

    def last_best(name, values, **fixed):
        mistakes = [
            once_in_order(SoftConfidenceWeighted, **{**fixed, name: v}).fit(X[order], y[order]).n_mistakes_
            for v in values
        ]
        return [v for v, m in zip(values, mistakes) if m == min(mistakes)][-1]

    C = last_best("C", [2.0**e for e in range(-4, 5)])
    eta = last_best("eta", [0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95], C=C)
    assert comparison.parameters_["S"] == {"C": C, "eta": eta}


def test_search_over_the_norm_trades_the_margin_of_alma_for_its_step(data):
    X, y = data
    chosen = (
        OnlineComparison({"ALMA": once_in_order(ALMA)}, permutations=1, random_state=0).run(X, y).parameters_["ALMA"]
    )
    root = chosen["B"] * chosen["alpha"]
    assert round(root**2 + 1) in (2, 4, 6, 8, 10)
    assert np.log2(chosen["C"] * root) == pytest.approx(round(np.log2(chosen["C"] * root)))


def test_learners_without_parameters_are_not_searched(data):
    learners = {"P": once_in_order(OnlinePerceptron), "PA": once_in_order(PassiveAggressive, variant=0)}
    comparison = OnlineComparison(learners, permutations=2, random_state=0).run(*data)
    assert comparison.parameters_ == {"P": {}, "PA": {}}


def test_the_learners_of_the_paper_run_on_two_classes_and_on_more():
    for n_classes, count in ((2, 16), (3, 13)):
        X, y = make_classification(60, 6, n_informative=4, n_classes=n_classes, random_state=0)
        comparison = OnlineComparison(permutations=2, random_state=0).run(X, y)
        assert len(comparison.table()) == len(libol_learners(n_classes)) == count
        assert comparison.table()["mistake_rate"].is_between(0, 1).all()


def test_same_seed_gives_the_same_runs(data):
    learners = {"A": once_in_order(AROW)}
    one, two = (OnlineComparison(learners, permutations=3, random_state=4).run(*data) for _ in range(2))
    assert one.runs_["mistakes"].to_list() == two.runs_["mistakes"].to_list()


def test_plot_draws_the_mistakes_the_updates_and_the_time_of_each_learner(data):
    comparison = OnlineComparison(
        {"P": once_in_order(OnlinePerceptron), "A": once_in_order(AROW)}, permutations=2, grid=None
    ).run(*data)
    axes = comparison.plot(Figure().subplots(1, 3))
    assert [len(ax.lines) for ax in axes[:2]] == [2, 2]
    np.testing.assert_array_equal(axes[0].lines[1].get_ydata(), comparison.curves_["A"][:, 1])
    np.testing.assert_array_equal(axes[1].lines[0].get_ydata(), comparison.curves_["P"][:, 2])
    seconds = comparison.table().sort("seconds", descending=True)["seconds"]
    np.testing.assert_allclose([bar.get_width() for bar in axes[2].patches], 1000 * seconds)


def test_wrong_requests_are_told(data):
    X, y = data
    with pytest.raises(TypeError, match=r"'S' is SGDClassifier\(\)"):
        OnlineComparison({"S": SGDClassifier()}).run(X, y)
    for wrong in ([AROW()], {}):
        with pytest.raises(TypeError, match="must be a dictionary of at least one learner"):
            OnlineComparison(wrong).run(X, y)
    with pytest.raises(ValueError, match="learner 'A': The 'r' parameter of AROW"):
        OnlineComparison({"P": OnlinePerceptron(), "A": AROW(-1.0)}).run(X, y)
    with pytest.raises(ValueError, match=r"learner 'N': the scores overflowed after \d+ examples"):
        OnlineComparison({"N": OnlineGradientDescent(loss="squared_error")}, grid=None).run(1e9 * X, y)
    for act in (OnlineComparison().table, OnlineComparison().plot):
        with pytest.raises(NotFittedError, match=r"call run\(X, y\) first"):
            act()
    with pytest.raises(ValueError, match="grid='fine' is unknown"):
        OnlineComparison(grid="fine").run(X, y)
    with pytest.raises(ValueError, match="permutations=0 must be an integer of at least 1"):
        OnlineComparison(permutations=0).run(X, y)
    with pytest.raises(ValueError, match="permutations must hold each of the 250 rows once"):
        OnlineComparison(permutations=[[0, 1, 2]]).run(X, y)
    with pytest.raises(ValueError, match="selection_order must hold each of the 250 rows once"):
        OnlineComparison(selection_order=np.zeros(250, int)).run(X, y)
