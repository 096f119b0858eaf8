"""Precision matrices by linear programs, and the Dantzig selector."""

import numpy as np
import pytest
from scipy.optimize import linprog

from treatise.graphical import Clime, dantzig_selector_path
from treatise.io import load_model, save_model


def chain(n, p, seed=0):
    T = np.eye(p) + 0.4 * (np.eye(p, k=1) + np.eye(p, k=-1))
    return np.random.default_rng(seed).standard_normal((n, p)) @ np.linalg.cholesky(np.linalg.inv(T)).T


def test_every_column_solves_its_program_and_the_smaller_of_two_entries_stands():
    X = chain(100, 8)
    found = Clime(0.15).fit(X)
    S = np.corrcoef(X.T)
    columns = []
    for j in range(8):
        sides = np.concatenate([np.eye(8)[j] + 0.15, 0.15 - np.eye(8)[j]])
        x = linprog(np.ones(16), A_ub=np.block([[S, -S], [-S, S]]), b_ub=sides).x
        columns.append(x[:8] - x[8:])
    raw = np.column_stack(columns)
    expected = np.where(np.abs(raw) <= np.abs(raw.T), raw, raw.T) / np.outer(X.std(axis=0), X.std(axis=0))
    # Sample programs of continuous rows have one solution; HiGHS finds it to 1e-7.
    np.testing.assert_allclose(found.precision_, expected, atol=1e-6)
    assert found.path_.gap < 1e-9


def test_the_criterion_finds_a_chain_and_the_path_gives_every_other_penalty():
    found = Clime().fit(chain(1000, 10))
    assert {tuple(edge) for edge in found.edges_.tolist()} == {(i, i + 1) for i in range(9)}
    sparser = found.path_.at(0.6).toarray()
    assert np.count_nonzero(sparser) < np.count_nonzero(found.precision_)
    np.testing.assert_allclose(found.path_.at(found.penalty_).toarray(), found.precision_)
    assert found.score(chain(200, 10, seed=1)) > Clime(0.6).fit(chain(1000, 10)).score(chain(200, 10, seed=1))


def test_the_graph_does_not_depend_on_the_units_unless_asked():
    X = chain(300, 6)
    units = np.array([1, 10, 0.1, 5, 100, 1])
    plain, scaled = Clime(0.2).fit(X), Clime(0.2).fit(X * units)
    np.testing.assert_array_equal(plain.edges_, scaled.edges_)
    np.testing.assert_allclose(plain.precision_, scaled.precision_ * np.outer(units, units), rtol=1e-8)
    assert not np.array_equal(Clime(0.2, correlation=False).fit(X * units).edges_, plain.edges_)


def test_more_columns_than_rows_have_a_path_to_where_it_ends():
    X = np.random.default_rng(0).standard_normal((15, 40))
    found = Clime(lowest=0.05).fit(X)
    assert found.path_.lowest > 0.05
    with pytest.raises(
        ValueError, match="no solution: the covariance of 15 rows and 40 columns is singular; choose at"
    ):
        Clime(0.01).fit(X)


def test_an_indefinite_estimate_scores_minus_infinity():
    X = chain(12, 10, seed=3)
    scores = [Clime(penalty).fit(X).score(X) for penalty in (0.9, 0.5, 0.35)]
    definite = [np.linalg.eigvalsh(Clime(penalty).fit(X).precision_)[0] > 0 for penalty in (0.9, 0.5, 0.35)]
    assert [np.isfinite(score) for score in scores] == definite


def test_a_saved_path_comes_back(tmp_path):
    found = Clime().fit(chain(100, 5))
    save_model(found, tmp_path / "clime.skops")
    again = load_model(tmp_path / "clime.skops").model
    np.testing.assert_array_equal(again.path_.at(0.3).toarray(), found.path_.at(0.3).toarray())


def test_the_dantzig_selector_meets_its_constraint_with_the_least_norm():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 20))
    y = X[:, 3] - 2 * X[:, 7] + 0.1 * rng.standard_normal(50)
    path = dantzig_selector_path(X, y, lowest=0.01)
    gram, moment = X.T @ X / 50, X.T @ y / 50
    for penalty in (1.0, 0.3, 0.05):
        w = path.at(penalty)
        assert np.abs(X.T @ (y - X @ w)).max() / 50 <= penalty + 1e-9
        sides = np.concatenate([moment + penalty, penalty - moment])
        theirs = linprog(np.ones(40), A_ub=np.block([[gram, -gram], [-gram, gram]]), b_ub=sides)
        assert np.abs(w).sum() == pytest.approx(theirs.fun, rel=1e-7)
    assert set(np.flatnonzero(path.at(0.3))) == {3, 7}
    with pytest.raises(ValueError, match="one value for each"):
        dantzig_selector_path(X, y[:-1])
    with pytest.raises(ValueError, match="not finite"):
        dantzig_selector_path(X * np.nan, y)
