"""The picture of a selection says what became of each feature."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from treatise.datasets import make_corral
from treatise.selection import FCBF, plot_relevance


@pytest.fixture
def fitted():
    pandas = pytest.importorskip("pandas")
    X, y, names = make_corral("corral-47")
    return FCBF(0.05, n_features=3).fit(pandas.DataFrame(X, columns=names), y)


def test_bars_are_the_scores_in_order_and_labels_tell_the_fate(fitted):
    ax = plot_relevance(fitted, max_features=20, ax=Figure().subplots())
    bars = sorted((bar.get_y(), bar.get_width()) for bar in ax.patches)
    np.testing.assert_allclose([width for _, width in bars], np.sort(fitted.scores_)[::-1][:20])
    ticks = [label.get_text() for label in ax.get_yticklabels()]
    assert ticks[:5] == ["R", "A0", "A1", "B0", "B1"]
    fates = [text.get_text() for text in ax.get_legend().get_texts()]
    covered = np.count_nonzero(fitted.blanket_ >= 0)
    cut_off = np.count_nonzero(fitted.relevant_) - 3 - covered
    assert fates[:3] == ["kept (3)", f"covered by a better feature ({covered})", f"beyond n_features ({cut_off})"]
    notes = {text.get_text() for text in ax.texts}
    # The third feature is the last: what it would cover is not looked at.
    assert notes == {"covered by A0"}


def test_names_may_be_given_and_must_fit():
    X, y, names = make_corral()
    fitted = FCBF().fit(X, y)
    ticks = [label.get_text() for label in plot_relevance(fitted, ax=Figure().subplots()).get_yticklabels()]
    assert ticks == ["x5", "x0", "x1", "x2", "x3", "x4"]
    ax = plot_relevance(fitted, feature_names=names, ax=Figure().subplots())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["R", "A0", "A1", "B0", "B1", "I"]
    with pytest.raises(ValueError, match="5 feature_names do not fit the 6 features"):
        plot_relevance(fitted, feature_names=names[:5])


def test_an_unfitted_selector_is_refused():
    with pytest.raises(NotFittedError):
        plot_relevance(FCBF())
