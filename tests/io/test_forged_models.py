"""Models from a stranger: what compiled code would follow is checked, for every estimator."""

import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from forged_examples import EXAMPLES
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from treatise._core.errors import TreatiseError
from treatise.applications import GreedyElimination
from treatise.bayesnet import AveragedNaiveBayes, ModelAveragedClassifier
from treatise.catalog import FAMILIES
from treatise.decomposition import ConditionalRBM
from treatise.io import load_model, save_model
from treatise.linear import HybridLinearRegressor
from treatise.online import AROW, PartitionTreeClassifier
from treatise.ranking import EloRater
from treatise.rl import FreeEnergySARSA
from treatise.sequence import RecurrentClassifier, SequenceVectorizer

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture(scope="module")
def table():
    return make_classification(60, 4, n_informative=3, n_redundant=0, random_state=0)


@pytest.fixture
def refused(tmp_path):
    """What is said of a model once it was changed and saved."""

    def saved_and_loaded(model):
        save_model(model, tmp_path / "forged.skops")
        with pytest.raises(TreatiseError) as caught:
            load_model(tmp_path / "forged.skops")
        assert "forged.skops" in str(caught.value) and "\n" not in str(caught.value)
        return str(caught.value)

    return saved_and_loaded


def test_trees_with_cycles_are_refused(table, refused):
    tree = PartitionTreeClassifier(min_visits=5, random_state=0).fit(*table)
    assert tree.n_nodes_ >= 3
    tree._arrays["children"][1] = (0, 0)
    assert "PartitionTreeClassifier" in (said := refused(tree)) and "children come after their node" in said


def test_tables_of_seen_pairs_without_a_free_place_are_refused(table, refused):
    tree = PartitionTreeClassifier(random_state=0).fit(*table)
    tree._arrays["keys"][:] = 0
    assert "pairs are as many as are counted" in refused(tree)


def test_other_bits_than_the_weights_have_are_refused(table, tmp_path, refused):
    model = HybridLinearRegressor("squared", bits=2).fit(*table)
    model.reading_ = {"format": "vw"}
    save_model(model, tmp_path / "sound.skops")
    load_model(tmp_path / "sound.skops")
    model.bits = 20
    assert "hashed to as many columns as have weights" in refused(model)


@pytest.mark.parametrize("change", [lambda starts: starts[::-1], lambda starts: starts + 10**6, lambda starts: -starts])
def test_tables_that_begin_elsewhere_are_refused(table, refused, change):
    model = AveragedNaiveBayes().fit(*table)
    model._starts = change(model._starts)
    assert "tables begin one after another" in refused(model)


def test_fewer_weights_than_features_are_refused(table, refused):
    model = AROW().fit(*table)
    model.n_features_in_ = 9
    assert "weights are of the features" in refused(model)


def test_names_that_stand_for_columns_beyond_the_last_are_refused(refused, monkeypatch):
    model = SequenceVectorizer().fit([[{"word": "a"}, {"word": "b"}]])
    # As a forger would write it, past the form in which names are stored.
    monkeypatch.setattr(SequenceVectorizer, "__getstate__", lambda self: dict(vars(self)))
    model.vocabulary_ = {"word:a": 0, "word:b": 10**6}
    assert "names stand for columns in their order" in refused(model)


def test_what_is_made_again_after_loading_is_not_taken_from_a_file(refused, monkeypatch):
    model = EloRater().fit([([["ann"], ["bob"]], [1, 2])])
    monkeypatch.setattr(EloRater, "__getstate__", lambda self: dict(vars(self)))
    model._room, model._last_log, model._rows_by_name = {}, (None, None), {"ann": 10**6}
    assert "rows of players follow from their names" in refused(model)


@pytest.mark.parametrize("change", [lambda mask: mask[:-1], lambda mask: mask[np.newaxis], lambda mask: mask * 2.0])
def test_selections_of_other_columns_than_there_are_are_refused(table, refused, change):
    model = GreedyElimination(LogisticRegression(), random_state=0).fit(*table)
    model.support_ = change(model.support_)
    assert "of every column whether it is kept" in refused(model)


@pytest.mark.parametrize(
    ("part", "change", "words"),
    [("unions_", lambda held: [], "have tables"), ("tables_", lambda held: held[:-1], "have tables"),
     ("unions_", lambda held: [union + 99 for union in held], "unions hold variables"),
     ("tables_", lambda held: [table[np.newaxis] for table in held], "tables have the states")],
)  # fmt: skip
def test_tables_of_other_variables_are_refused(table, refused, part, change, words):
    model = ModelAveragedClassifier().fit(*table)
    setattr(model._summaries[0], part, change(getattr(model._summaries[0], part)))
    assert words in refused(model)


def test_numbers_of_steps_that_never_end_are_refused(refused):
    agent = FreeEnergySARSA(4, random_state=0).start([1, 1], [1, 1, 1])
    agent.n_sweeps = 2**62
    assert "at most ten thousand sweeps" in refused(agent)
    labeller = RecurrentClassifier(epochs=1, random_state=0).fit([np.eye(3)], [["a", "b", "a"]])
    labeller.encoder_.window = 2**31
    assert "at most ten thousand positions" in refused(labeller)
    model = ConditionalRBM(2, n_epochs=1, order=1, random_state=0).fit([np.eye(4)])
    model.cd_steps = 2**62
    assert "at most ten thousand steps" in refused(model)


def test_every_public_estimator_that_can_be_saved_is_forged():
    """What takes something else than X needs an example of its own."""
    left_out = {
        "ActivePairClustering", "ActivePreferenceRanker", "DynamicStructureLearner",  # hold what no file may
        "GridSpace", "HyperparameterGrid",  # parts of others
    }  # fmt: skip
    forged = {name.partition(" ")[0] for name in EXAMPLES}
    forgotten = set()
    for family in FAMILIES:
        module = import_module(f"treatise.{family}")
        for name in module.__all__:
            kind = getattr(module, name)
            learns = inspect.isclass(kind) and issubclass(kind, BaseEstimator) and hasattr(kind, "fit")
            if learns and not inspect.isabstract(kind):
                forgotten |= {name} - forged - left_out
    assert forgotten == set()


def test_values_in_the_place_of_methods_and_bad_parameters_are_refused(table, refused):
    model = AROW().fit(*table)
    model._walk = np.zeros(3)
    assert "_walk is a method" in refused(model)
    model = AROW(r=1.0).fit(*table)
    model.r = -1.0
    assert "'r' parameter" in refused(model)


# Those whose stored numbers lead compiled code; all others too in ``make fuzz``.
LEADING = [
    "AROW", "AdaHedge", "AveragedNaiveBayes", "CRF", "DecisionTreeMarkovNetwork", "DoublingKCenter", "EloRater", "HMM",
    "HybridLinearClassifier", "MDLDiscretizer", "PairwiseCouplingClassifier", "PartitionTreeClassifier", "QLambda",
    "RecurrentClassifier", "SequenceVectorizer", "SignedLinkPredictor by hoc",
]  # fmt: skip


def test_forged_files_are_refused_or_answer():
    """A few of each estimator, in a process of its own, whose children may crash."""
    done = subprocess.run(
        [sys.executable, "-m", "forged_models", "--forgeries", "5", *LEADING],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SUPPORT), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" refused, ") == len(LEADING)
