"""Models from a stranger: what compiled code would follow is checked, for every estimator."""

import ast
import inspect
import os
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest
from forged_examples import EXAMPLES
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import treatise
import treatise.rl
from treatise._core.errors import TreatiseError
from treatise.applications import GreedyElimination
from treatise.bayes import GPBinaryClassifier, VariationalGLMM
from treatise.bayesnet import (
    AveragedNaiveBayes,
    ConstrainedStructureLearner,
    ModelAveragedClassifier,
    TreeAugmentedClassifier,
    arc,
    indegree,
)
from treatise.catalog import FAMILIES
from treatise.compare.inputs.encoding.groups import WithGroups
from treatise.compare.unlabelled import SelfTrainedLogistic
from treatise.decomposition import ConditionalRBM
from treatise.io import load_model, save_model
from treatise.linear import HybridLinearRegressor
from treatise.online import AROW, PartitionTreeClassifier
from treatise.ranking import EloRater
from treatise.rl import FreeEnergySARSA
from treatise.selection import MomentSparseClassifier
from treatise.semisupervised import ActivePreferenceRanker
from treatise.sequence import (
    GridSpace,
    GroupedClassifier,
    LearnedOutputSearch,
    MaximumMarginRegression,
    RecurrentClassifier,
    SequenceVectorizer,
)

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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda model: model._feature_parent.fill(9), "one other as its parent, or none"),
        (lambda model: setattr(model, "_coder", model.class_prior_), "tables are coded by their coder"),
        (lambda model: model._without.reverse(), "of classes and states"),
    ],
)
def test_trees_of_features_whose_tables_are_of_others_are_refused(refused, change, words):
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 200)
    X = np.column_stack([first, np.where(rng.random(200) < 0.9, first, 2), rng.integers(0, 4, 200)])
    model = TreeAugmentedClassifier().fit(X.astype(str), first ^ (rng.random(200) < 0.2))
    change(model)
    assert words in refused(model)


def test_roots_that_cannot_be_divided_by_are_refused(table, refused):
    model = GPBinaryClassifier().fit(*table)
    model._root[3, 3] = 0.0
    assert "the root can be divided by" in refused(model)


def test_formulas_that_are_none_are_refused(refused):
    rng = np.random.default_rng(0)
    data = {"y": rng.poisson(3.0, 60), "x": rng.normal(size=60), "g": np.repeat(np.arange(12), 5)}
    model = VariationalGLMM("poisson").fit_formula("y ~ x + (1 | g)", data)
    model._formula = "y ~ x + ("
    assert "VariationalGLMM" in refused(model)


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


def test_costs_of_other_labels_than_the_space_has_are_refused(refused):
    labels = [np.eye(3, dtype=int)] * 2
    grids = [np.eye(3)[..., np.newaxis]] * 2
    model = LearnedOutputSearch(GridSpace(), epochs=1, random_state=0).fit(grids, labels)
    model.space_.n_labels_ = 1
    assert "labels are numbered" in refused(model)
    model.space_.n_labels_ = 3
    assert "the classifier knows them all" in refused(model)
    model.space_.n_labels_ = 2
    model.cost_coef_ = model.cost_coef_[:-1]
    assert "the cost weighs what the space tells" in refused(model)


def test_columns_of_a_group_that_the_table_lacks_are_refused(table, refused):
    X, y = table
    model = GroupedClassifier(min_samples=5).fit(sparse.csr_matrix(X), y, groups=np.arange(60) % 2)
    fitted, columns = model.models_[0]
    model.models_[0] = (fitted, columns + 4)
    assert "columns of a model are columns of X" in refused(model)
    model.models_[0] = (fitted, columns[:-1])
    assert "models take these columns" in refused(model)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda model: setattr(model, "dual_coef_", model.dual_coef_[:, :-1]), "a coefficient of each row"),
        (lambda model: setattr(model, "kernel_", "precomputed"), "the kernel is a kernel"),
        (lambda model: setattr(model.kernel_, "gamma", "wide"), "'gamma' parameter"),
        (lambda model: setattr(model._support_objects, "companions", ()), "such as the kernel takes"),
        (
            lambda model: setattr(model._support_objects, "objects", model._support_objects.objects[:, :-1]),
            "rows that are kept have the columns of X",
        ),
        (
            lambda model: setattr(model._support_objects, "objects", model._support_objects.objects[:-1]),
            "every object has its companions",
        ),
    ],
)
def test_support_vectors_that_the_kernel_cannot_take_are_refused(table, refused, change, words):
    model = MaximumMarginRegression().fit(*table)
    change(model)
    said = refused(model)
    assert words in said or "its values belong together" in said


@pytest.mark.parametrize("coef", [np.zeros((0, 4)), np.zeros((1, 3)), np.zeros((1, 4), np.complex128), "other", None])
def test_coefficients_of_other_columns_are_refused(table, refused, coef):
    model = MomentSparseClassifier().fit(*table)
    model.coef_ = coef
    assert "coef" in refused(model)


def test_a_learner_that_asks_goes_on_after_loading_as_if_nothing_were(tmp_path):
    """Only its answers are kept, not the oracle, which may be any function."""
    strength = np.random.default_rng(0).permutation(20)
    ranker = ActivePreferenceRanker(random_state=0).begin(20)
    first = ranker.ask()
    ranker.tell(first, strength[first[:, 0]] > strength[first[:, 1]])
    save_model(ranker, tmp_path / "ranker.skops")
    for learner in (ranker, (again := load_model(tmp_path / "ranker.skops").model)):
        while len(pairs := learner.ask()):
            learner.tell(pairs, strength[pairs[:, 0]] > strength[pairs[:, 1]])
    np.testing.assert_array_equal(ranker.ranking_, again.ranking_)
    assert ranker.history_ == again.history_
    ranker._solution[:] = 10**6
    save_model(ranker, tmp_path / "ranker.skops")
    with pytest.raises(TreatiseError, match="solutions are of the items"):
        load_model(tmp_path / "ranker.skops")


def test_rules_are_saved_with_the_learner_that_obeys_them(tmp_path):
    rows = np.random.default_rng(0).integers(0, 2, (40, 3))
    rules = [arc(0, 1) | indegree(1, 0, "eq"), ~arc(2, 0) & ~arc(1, 0)]
    save_model(ConstrainedStructureLearner(rules=rules).fit(rows), tmp_path / "model.skops")
    model = load_model(tmp_path / "model.skops").model
    assert model.rules == rules
    assert not model.rules[1].holds(frozenset({1})) and model.rules[0].holds(frozenset())
    model.fit(rows)


def test_every_public_estimator_that_can_be_saved_is_forged():
    """What takes something else than X needs an example of its own."""
    left_out = {"GridSpace", "HyperparameterGrid"}  # parts of others
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


# Estimators that keep something beyond their parameters and state nothing about it, each with the reason.
UNSTATED = {
    "HyperparameterGrid": "it holds the function that builds its models, which no model file may",
}
SAID_OF_ALL = {"n_features_in_", "feature_names_in_"}
"""What is checked of every estimator, or read by Python alone."""


def public_estimators():
    """Every public estimator of the library, abstract ones aside."""
    for package in iter_modules(treatise.__path__, "treatise."):
        module = import_module(package.name) if package.ispkg else None
        for name in getattr(module, "__all__", ()):
            kind = getattr(module, name)
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator) and not inspect.isabstract(kind):
                yield kind


def kept_beyond_parameters(kind):
    """Names of attributes that the methods of an estimator's own classes set on it."""
    kept = set()
    for part in kind.__mro__:
        if part.__module__.startswith("treatise."):
            tree = ast.parse(textwrap.dedent(inspect.getsource(part)))
            found = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
            kept |= {
                node.attr
                for node in found
                if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self"
            }
    return kept - set(inspect.signature(kind).parameters) - SAID_OF_ALL


def test_every_estimator_that_keeps_something_states_what_must_hold_of_it():
    kinds = set(public_estimators())
    assert len(kinds) > 200
    unstated = {kind.__name__ for kind in kinds if not hasattr(kind, "_invariants") and kept_beyond_parameters(kind)}
    assert unstated == set(UNSTATED)


def test_what_states_nothing_and_keeps_nothing_is_looked_at_by_its_parameters():
    """Parameters of an estimator are checked on loading by the same rules as at a fit."""
    silent = [kind for kind in public_estimators() if not hasattr(kind, "_invariants")]
    taking = [kind for kind in silent if list(inspect.signature(kind).parameters) and kind.__name__ not in UNSTATED]
    assert {kind.__name__ for kind in taking if not hasattr(kind, "_parameter_constraints")} == set()


@pytest.mark.parametrize("name", sorted(name for name in EXAMPLES if hasattr(treatise.rl, name.partition(" ")[0])))
def test_whoever_learns_from_decisions_can_be_saved(name, tmp_path):
    """Forgeries of what cannot be saved at all would try nothing."""
    save_model(EXAMPLES[name].fit(), tmp_path / "model.skops")
    EXAMPLES[name].use(load_model(tmp_path / "model.skops").model)


def test_values_in_the_place_of_methods_and_bad_parameters_are_refused(table, refused):
    model = AROW().fit(*table)
    model._walk = np.zeros(3)
    assert "_walk is a method" in refused(model)
    model = AROW(r=1.0).fit(*table)
    model.r = -1.0
    assert "'r' parameter" in refused(model)


@pytest.mark.parametrize(
    "foreign",
    [lambda held: held.astype(held.dtype.newbyteorder()), lambda held: held.astype(np.float16),
     lambda held: held.astype(np.longdouble)],
)  # fmt: skip
def test_numbers_that_compiled_code_does_not_take_are_refused(table, refused, foreign):
    """Such arrays pass for floating-point numbers of the right shape, and fail as their first loop is compiled."""
    model = AROW().fit(*table)
    model._weights = foreign(model._weights)
    assert "numbers that compiled code can hold" in refused(model)
    model = EloRater().fit([([["ann"], ["bob"]], [1, 2])])
    model.mu_ = foreign(model.mu_)
    assert "numbers that compiled code can hold" in refused(model)


def test_masked_arrays_are_refused_where_compiled_code_reads_and_kept_where_it_does_not(table, refused, tmp_path):
    model = AROW().fit(*table)
    model._weights = np.ma.masked_less(model._weights, 0.0)
    assert "every score has weights" in refused(model)
    # What a search tried is masked, as scikit-learn has it.
    save_model(EXAMPLES["DesignedSearchCV"].fit(), tmp_path / "model.skops")
    EXAMPLES["DesignedSearchCV"].use(load_model(tmp_path / "model.skops").model)


def test_an_array_of_one_number_is_no_number(table, refused):
    model = AROW().fit(*table)
    model._n_learners = np.array([model._n_learners])
    assert "AROW" in refused(model)


# Those whose stored numbers lead compiled code; all others too in ``make fuzz``.
LEADING = [
    "AROW", "AdaHedge", "AveragedNaiveBayes", "CRF", "DecisionTreeMarkovNetwork", "DoublingKCenter", "EloRater",
    "GramTransformer of transducers", "HMM",
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


def test_a_class_that_has_no_name_is_told(refused):
    X, y = make_classification(60, 4, n_informative=3, n_redundant=0, n_classes=3, random_state=0)
    model = WithGroups(GroupedClassifier(min_samples=2), classes=True).fit(np.column_stack([X, np.arange(60) % 3]), y)
    model.classes_ = model.classes_[:-1]
    assert "the method tells so many apart" in refused(model)
    model = SelfTrainedLogistic().fit(X, y)
    model.classes_ = model.classes_[:-1]
    assert "its classes are these" in refused(model)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("BlendedClassifier", lambda model: setattr(model, "weights", [0.5])),
        ("BlendedClassifier", lambda model: setattr(model, "models", [*model.models[:1], "other"])),
        ("TableEncoder", lambda model: setattr(model, "columns_", ["other"])),
        ("TableEncoder", lambda model: setattr(model.parts_[0], "medians_", np.zeros(9))),
        ("BagEncoder", lambda model: setattr(model.encoder_, "sparse_", True)),
        ("Screen", lambda model: setattr(model, "kept_", np.array([0, 10**6]))),
        ("BesideGroups", lambda model: setattr(model, "groups_", model.groups_[::-1])),
        ("RidgePerTarget", lambda model: setattr(model, "estimators_", [None])),
        ("Grouped of neighbours", lambda model: setattr(model, "groups_", model.groups_[:-1])),
    ],
)
def test_what_comparisons_store_is_looked_at_too(refused, name, change):
    model = EXAMPLES[name].fit()
    change(model)
    assert type(model).__name__ in (said := refused(model)) or "Numbers" in said or "TableEncoder" in said


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("StructuredPerceptronClassifier of three classes", lambda model: setattr(model, "n_updates_", "other")),
        ("PartitionTreeClassifier", lambda model: setattr(model, "n_seen_", "other")),
        ("ExpertClassifier", lambda model: setattr(model, "estimators", ["other"])),
        ("ExpertClassifier", lambda model: setattr(model, "classes_", model.classes_[::-1])),
        ("ExpertRegressor", lambda model: setattr(model.strategy_, "excess_", np.array([-np.inf, 0.0]))),
        ("ExpertRegressor", lambda model: setattr(model.strategy_, "_record", model.strategy_._record[::-1])),
        ("DesignedSearchCV", lambda model: setattr(model, "scorer_", 0)),
        ("DesignedSearchCV", lambda model: setattr(model, "best_estimator_", None)),
        ("SignedLinkPredictor by hoc", lambda model: setattr(model, "model_", None)),
        ("SignedLinkPredictor by als", lambda model: setattr(model, "majority_", "other")),
        ("LpMKLOneClass", lambda model: setattr(model, "offset_", None)),
        ("MinlipOrdinal", lambda model: setattr(model, "levels_", model.levels_[:-1])),
        ("MinlipOrdinal", lambda model: setattr(model, "thresholds_", model.thresholds_[:0])),
        ("GlickoRater", lambda model: model.variance_.__setitem__(0, 0.0)),
        ("GlickoRater", lambda model: setattr(model, "sigma", 1e308)),
        ("FixedRankPSDRegressor", lambda model: setattr(model, "components_", model.components_[:, :-1])),
        ("PseudoEuclideanEmbedding", lambda model: setattr(model, "_extension", model._extension[:-1])),
        ("ForestDensity", lambda model: model.bandwidths_.__setitem__(0, 0.0)),
        ("RecurrentClassifier", lambda model: setattr(model, "coef_", model.coef_[:-1])),
        ("RecurrentClassifier", lambda model: setattr(model.encoder_, "window", 2)),
        ("LogisticStickBreaking", lambda model: model.atoms_.__setitem__("root", model.atoms_["root"][:, :-1])),
        ("LogisticStickBreaking", lambda model: model.atoms_.pop("strength")),
        ("EnrichedDPRegressor", lambda model: model._tables.__setitem__(slice(None), 2)),
        ("EnrichedDPRegressor", lambda model: model._center.__setitem__(0, 1e308)),
        ("EnrichedDPRegressor", lambda model: model.prior_.__setitem__("b_y", 1e308)),
        ("HeteroscedasticAdditiveRegressor", lambda model: setattr(model, "_scale", model._scale[:-1])),
        ("SemiSupervisedGenerative", lambda model: setattr(model, "_theta", model._theta[:-1])),
        ("ConfidenceWeighted", lambda model: model._weights.__setitem__(0, 1e308)),
        ("AdaptivePoolingClassifier", lambda model: setattr(model, "scale_", None)),
        ("AdaptivePoolingClassifier", lambda model: setattr(model, "support_tasks_", model.support_tasks_ == 1)),
        ("EnsembleSVC", lambda model: setattr(model, "aggregation_", None)),
        ("ExtremePointsSVC", lambda model: setattr(model, "dual_coef_", model.dual_coef_[:0])),
        ("QNormSVC", lambda model: setattr(model, "dual_coef_", model.dual_coef_[np.newaxis])),
        ("ForestDensity", lambda model: setattr(model, "n_edges_", np.nan)),
        ("PCSkeleton", lambda model: setattr(model, "edges_", np.array([[0, 10**6]]))),
        ("IsingGraph", lambda model: setattr(model, "values_", model.values_[:1])),
        ("NeighborhoodLasso", lambda model: setattr(model, "adjacency_", model.adjacency_[:-1])),
        ("MEDGraph", lambda model: setattr(model, "edge_scores_", model.edge_scores_[:-1])),
        ("CoHubGraphs", lambda model: setattr(model, "edges_", model.edges_[:-1])),
        ("NodePerturbationGraphs", lambda model: setattr(model, "location_", model.location_[:, :-1])),
        ("GraphCommunities", lambda model: setattr(model, "labels_", model.labels_ + 10**6)),
        ("SignedClustering", lambda model: setattr(model, "labels_", model.labels_[:-1])),
        ("ClusterFeatureSelector", lambda model: setattr(model, "selected_", np.array([10**6]))),
        ("GreedyElimination", lambda model: setattr(model, "support_", ~model.support_)),
        ("RandomizedVariableElimination", lambda model: setattr(model, "n_features_", 0)),
        ("SequenceTagger", lambda model: setattr(model, "_mean", np.zeros(9))),
        ("CorrelatedSLIM", lambda model: setattr(model, "loadings_", model.loadings_[:-1])),
        ("SparseFactorModel", lambda model: setattr(model, "_density_seed", "other")),
        ("HMMMixture", lambda model: model.covariances_.__setitem__(slice(None), 0.0)),
        ("FreeEnergySARSA", lambda model: setattr(model, "learning_rate", (0.02,))),
        ("POMDPInverseRL", lambda model: setattr(model, "policy_", None)),
        ("POMDPInverseRL", lambda model: model.policy_.actions.__setitem__(0, 10**6)),
        ("POMDPInverseRL", lambda model: model.policy_.successors.__setitem__((0, 0), 10**6)),
        ("POMDPInverseRL", lambda model: setattr(model.policy_, "successors", model.policy_.successors[:-1])),
        ("POMDPInverseRL", lambda model: setattr(model.policy_, "start", -1)),
        ("GPTD of steps 7", lambda model: setattr(model, "noise", 1e308)),
        ("EventLogFeatures", lambda model: model._counts["page"].__setitem__("p1", "other")),
        ("EventLogFeatures", lambda model: setattr(model, "visitor", "other")),
        ("EventLogFeatures", lambda model: setattr(model, "fields_", ("address",))),
        ("EventLogFeatures", lambda model: model.shares_.__setitem__("page", ("p1", "p1"))),
        ("PartialOrderEmbedding", lambda model: model.modalities_.__setitem__(0, "other")),
        ("PartialOrderEmbedding", lambda model: setattr(model.modalities_[0], "kernel", None)),
        ("PartialOrderEmbedding", lambda model: model.components_.__setitem__(0, model.components_[0][:-1])),
        ("AveragedSGDRegressor", lambda model: setattr(model, "scale_", 0.0)),
        ("OutputSpaceSearch", lambda model: setattr(model, "feature_order", 10**6)),
        ("OutputSpaceSearch", lambda model: setattr(model, "cost_coef_", model.cost_coef_[:-1])),
        ("DDSVM", lambda model: model.svms_.__setitem__(0, None)),
        ("LSTD of steps 2", lambda model: setattr(model, "keep_every", 10**30)),
        ("MISVM", lambda model: model.svms_.__setitem__(0, None)),
        ("SimilarityAnomalyDetector by knn", lambda model: setattr(model, "n_neighbors", 63)),
        ("ALMA", lambda model: setattr(model, "radius_", 1e308)),
        ("ALMA", lambda model: model._state.__setitem__((0, 2), -1.0)),
        ("OnlineGradientDescent", lambda model: model._state.__setitem__((0, 0), -np.inf)),
        ("CBMSHedge", lambda model: model.weights_.__setitem__(0, 1e308)),
        ("CBMSHedge", lambda model: model._record.__setitem__(0, np.inf)),
        ("OnlineClusteringExperts", lambda model: setattr(model, "_rng", "other")),
        ("PenalizedLSTD of steps 9", lambda model: setattr(model, "_summed", np.nan)),
        ("POMDPInverseRL", lambda model: model.policy_.successors.__setitem__((0, 0), 10**6)),
        ("KernelMinimaxProbabilityMachine", lambda model: setattr(model, "pivots_", model.pivots_[:-1])),
        ("MinimaxProbabilityMachine", lambda model: setattr(model, "coef_", model.coef_[:0])),
        ("BiasFreeSVC", lambda model: setattr(model, "dual_coef_", model.dual_coef_[:0])),
        ("SpAMClassifier", lambda model: model._starts.__setitem__(1, 2)),
        ("SpAMClassifier", lambda model: setattr(model, "active_", model.active_[np.newaxis])),
        # Of six knots compiled code would read the seventh.
        ("SpAMClassifier", lambda model: model._bases.__setitem__(0, (np.arange(6.0), np.zeros(2), np.eye(2)))),
        ("SpAMRegressor", lambda model: model._bases.__setitem__(0, model._bases[0][:2])),
        ("LinearKnowledgeRegressor", lambda model: setattr(model, "coef_", model.coef_[:-1])),
        ("CRF", lambda model: model._pattern_codes.__setitem__((2, 1), -1)),
        ("CRF of order 2", lambda model: model._pattern_codes.__setitem__((-1, 1), -1)),
        ("KernelAveragedSGDClassifier", lambda model: setattr(model, "X_fit_", model.X_fit_[:-1])),
        ("KernelMachineClassifier", lambda model: delattr(model, "_support_objects")),
        ("KernelMachineRegressor", lambda model: delattr(model, "dual_coef_")),
        ("KernelMachineRegressor", lambda model: setattr(model, "unpenalized", 3)),
        ("KnowledgeKernelRegressor", lambda model: delattr(model, "intercept_")),
        ("KnowledgeKernelRegressor", lambda model: delattr(model, "dual_coef_")),
        ("EarlyStoppedKernelRegressor", lambda model: delattr(model, "_objects")),
        ("EarlyStoppedKernelRegressor", lambda model: delattr(model, "dual_coef_")),
        ("SVMPath", lambda model: delattr(model, "_objects")),
        ("EnsembleSVC", lambda model: setattr(model, "n_support_total_", None)),
        ("EnsembleSVC", lambda model: delattr(model, "_n_rows_seen")),
        ("EnsembleSVC", lambda model: delattr(model, "converged_")),
        ("SpAMClassifier", lambda model: delattr(model, "_bases")),
        ("SpAMRegressor", lambda model: delattr(model, "intercept_")),
        ("AdaptivePoolingClassifier", lambda model: setattr(model, "weights_", model.weights_.tolist())),
        ("AdaptivePoolingClassifier", lambda model: setattr(model, "dual_coef_", model.dual_coef_[:, np.newaxis])),
        ("MultiTaskMEDRegressor", lambda model: delattr(model, "_columns")),
        ("MultiTaskMEDRegressor", lambda model: setattr(model, "target_means_", np.array(["other"]))),
        ("OnlineClusteringExperts", lambda model: setattr(model, "loss_", "other")),
        ("OnlineClusteringExperts", lambda model: delattr(model, "cluster_centers_")),
        ("AutoregressiveLinkPredictor", lambda model: setattr(model, "_columns", model._columns[:, np.newaxis])),
        ("AutoregressiveLinkPredictor", lambda model: delattr(model, "_loops")),
        ("MaximumMarginRegression", lambda model: delattr(model, "_support_objects")),
        ("LevelSetSpectralClustering", lambda model: delattr(model, "density_estimator_")),
        ("LevelSetSpectralClustering", lambda model: setattr(model, "log_level_", "other")),
        ("LPSeparableNMF", lambda model: setattr(model, "n_components_", None)),
        ("PseudoEuclideanEmbedding", lambda model: setattr(model, "_n_features_out", np.array([2]))),
        ("GeometricMedianSubspace", lambda model: setattr(model, "n_components_", np.array([2]))),
        ("VariationalGLMM", lambda model: delattr(model, "noise_law_")),
        ("VariationalGLMM", lambda model: setattr(model, "noise_law_", (1.0, "other"))),
        ("VariationalGLMM", lambda model: setattr(model, "noise_law_", "other")),
        ("KernelMomentSparseClassifier", lambda model: delattr(model, "dual_coef_")),
        ("KernelMomentSparseClassifier", lambda model: delattr(model, "intercept_")),
        ("ThermalPerceptron", lambda model: setattr(model, "coef_", model.coef_.tolist())),
        ("ThermalPerceptron", lambda model: delattr(model, "coef_")),
        ("VariationalGLMM", lambda model: setattr(model, "_random_units", None)),
        ("StructuredPerceptronClassifier", lambda model: setattr(model, "rate_", "other")),
        ("StructuredPerceptronClassifier", lambda model: delattr(model, "loss_curve_")),
        ("SLIM", lambda model: delattr(model, "_density_seed")),
        ("SLIM", lambda model: setattr(model, "missing", "other")),
        ("Clime", lambda model: setattr(model, "edge_weights_", model.edge_weights_.tolist())),
        (
            "ClassSampledForest",
            lambda model: setattr(model.estimators_[0], "n_classes_", np.array([model.estimators_[0].n_classes_])),
        ),
        ("GramTransformer of transducers", lambda model: model.kernel.transducer._final.__setitem__(0, np.nan)),
    ],
)
def test_what_would_fail_in_an_answer_is_refused(refused, name, change):
    model = EXAMPLES[name].fit()
    change(model)
    assert len(refused(model)) > 10
