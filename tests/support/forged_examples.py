"""A small fitted model of every public estimator, and what it is used for once it comes from a file."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from contract_examples import example_of
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.datasets import make_classification

from treatise.catalog import FAMILIES
from treatise.kernels import (
    Additive,
    BernoulliProductKernel,
    CubicSpline,
    Distance,
    ExponentialProductKernel,
    FeatureSpaceProductKernel,
    GammaProductKernel,
    GappyKernel,
    Gaussian,
    GaussianProductKernel,
    GramTransformer,
    HiddenMarkovProductKernel,
    Laplacian,
    Linear,
    LinearDynamicalProductKernel,
    LogNormalizedKernel,
    MismatchKernel,
    MixtureProductKernel,
    MultinomialProductKernel,
    OnColumns,
    PoissonProductKernel,
    Polynomial,
    RationalKernel,
    SpectrumKernel,
    SubstitutionKernel,
    WildcardKernel,
    ngram_transducer,
)
from treatise.sequence import SequenceVectorizer

ROWS = 24
X, y = make_classification(ROWS, 4, n_informative=3, n_redundant=0, random_state=0)
X = np.abs(X)
THREE = np.searchsorted(np.quantile(X[:, 0], [1 / 3, 2 / 3]), X[:, 0])
"""Labels of three classes: one that loses its name is still predicted."""
SEQUENCES = [np.eye(3)[[0, 1, 2, 1]], np.eye(3)[[2, 1, 0]], np.eye(3)[[1, 0, 2]]] * 2
LABELS = [["a", "b", "a", "b"], ["a", "b", "b"], ["b", "a", "a"]] * 2
WORDS = [[{"word": "ab"[k % 2], "size": float(k)} for k in range(4)], [{"word": "b"}, {"word": "c"}]] * 2
TAGS = [["N", "V", "N", "V"], ["N", "N"]] * 2
SYMBOLS = ["abba", "abab", "bbaa"]
SEGMENTS = [[(0, 2, "p"), (2, 4, "q")], [(0, 1, "p"), (1, 3, "q")], [(0, 2, "q"), (2, 3, "p")]] * 2
GAMES = [([["ann"], ["bob"]], [1, 2]), ([["bob"], ["cy"]], [1, 2]), ([["ann"], ["cy"]], [2, 1])]
LOSSES = np.random.default_rng(0).random((12, 3))
VOTES = [np.array([[1, 2], [2, 1], [3, 0], [0, 3]]), np.array([[2, 2], [1, 3], [3, 1]])] * 2
LEVELS = [[2, 1, 0, 0], [1, 2, 0]] * 2
STRINGS = ["ACGTACGT", "ACGATCGT", "TTTTACGT", "GGGACGTA"]


class Example(NamedTuple):
    """How to fit a small model, and what to ask of it."""

    name: str
    fit: Callable[[], Any]
    use: Callable[[Any], None]


ON_ROWS = (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples", "apply",
    "pairwise_proba", "predict_interval",
)  # fmt: skip
ON_LABELLED_ROWS = ("score", "partial_fit")
ON_NOTHING = ("to_networkx", "get_support", "get_feature_names_out")


def use_on_a_table(model: Any, y: np.ndarray = y) -> None:
    """Ask a model everything that it answers about rows, then let it learn on, where it can."""
    for name in ON_ROWS:
        if hasattr(model, name):
            answer = getattr(model, name)(X)
            found = answer.shape[0] if hasattr(answer, "shape") else len(answer)
            assert found == ROWS, f"{name} gives {found} answers for {ROWS} rows"
    for name in ON_NOTHING:
        if hasattr(model, name):
            getattr(model, name)()
    if hasattr(model, "predict_topk"):
        model.predict_topk(X, 2)
    if hasattr(model, "sample"):
        model.sample(3)
    for name in ON_LABELLED_ROWS:
        if hasattr(model, name):
            getattr(model, name)(X, y)
    if hasattr(model, "partial_fit") and hasattr(model, "predict"):
        model.predict(X)


def use_of_three(model: Any) -> None:
    """The same of a model that tells three classes apart."""
    use_on_a_table(model, THREE)


def asking(*calls: tuple) -> Callable[[Any], None]:
    """Calls of the methods that are named, each with its arguments."""

    def use(model: Any) -> None:
        for name, *arguments in calls:
            getattr(model, name)(*arguments)

    return use


def table_examples() -> dict[str, Example]:
    """Every public estimator that takes X."""
    found = {}
    for package in [*FAMILIES, "statistics", "optimize", "kernels", "inference"]:
        module = import_module(f"treatise.{package}")
        for name in getattr(module, "__all__", []):
            kind = getattr(module, name)
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator) and not inspect.isabstract(kind):
                takes = list(inspect.signature(kind.fit).parameters)[1:2] if hasattr(kind, "fit") else []
                if takes == ["X"]:
                    found[name] = Example(name, lambda kind=kind: example_of(kind).fit(X, y), use_on_a_table)
                    if _tells_several_classes(example_of(kind)):
                        several = f"{name} of three classes"
                        found[several] = Example(
                            several, lambda kind=kind: example_of(kind).fit(X, THREE), use_of_three
                        )
                elif takes == ["losses"]:
                    play = asking(("predict", LOSSES), ("partial_fit", LOSSES), ("update", LOSSES[0]))
                    found[name] = Example(name, lambda kind=kind: kind().fit(LOSSES), play)
                elif takes == ["games"]:
                    learn = [("partial_fit", GAMES)] if hasattr(kind, "partial_fit") else []
                    rate = asking(("predict_rank", [["ann"], ["cy"]]), *learn, ("leaderboard",))
                    found[name] = Example(name, lambda kind=kind: kind().fit(GAMES), rate)
    return found


def _tells_several_classes(model: Any) -> bool:
    return is_classifier(model) and model.__sklearn_tags__().classifier_tags.multi_class


def _sequence_models() -> list[Example]:
    from treatise.sequence import (
        CRF,
        HMM,
        AdditiveCRF,
        DependencyModelWithValence,
        OutputSpaceSearch,
        RecurrentClassifier,
        SemiCRF,
    )

    label = asking(("predict", SEQUENCES), ("predict_marginals", SEQUENCES), ("score", SEQUENCES, LABELS))
    words = asking(("predict", WORDS), ("predict_marginals", WORDS))
    decode = asking(("predict", SYMBOLS), ("predict_proba", SYMBOLS), ("score", SYMBOLS))
    parse = asking(("predict", TAGS), ("predict_proba", TAGS), ("score", TAGS), ("ambiguity", TAGS), ("sample", 3))
    return [
        Example("DependencyModelWithValence", lambda: DependencyModelWithValence(max_iter=2).fit(TAGS), parse),
        Example("CRF", lambda: CRF(max_iter=5).fit(SEQUENCES, LABELS), label),
        Example("CRF of order 2", lambda: CRF(order=2, max_iter=5).fit(WORDS, TAGS), words),
        Example("SemiCRF", lambda: SemiCRF(max_iter=5).fit(SEQUENCES, SEGMENTS), asking(("predict", SEQUENCES))),
        Example("HMM", lambda: HMM(2, max_iter=3, random_state=0).fit(SYMBOLS), decode),
        Example(
            "HMM of vectors",
            lambda: HMM(2, emission="gaussian", max_iter=3, random_state=0).fit(list(SEQUENCES)),
            asking(("predict", SEQUENCES), ("score", SEQUENCES)),
        ),
        Example("AdditiveCRF", lambda: AdditiveCRF(max_iter=2).fit(SEQUENCES, LABELS), label),
        Example(
            "RecurrentClassifier",
            lambda: RecurrentClassifier(epochs=3, random_state=0).fit(SEQUENCES, LABELS),
            asking(("predict", SEQUENCES), ("score", SEQUENCES, LABELS)),
        ),
        Example(
            "OutputSpaceSearch",
            lambda: OutputSpaceSearch(epochs=3, random_state=0).fit(SEQUENCES, LABELS),
            asking(("predict", SEQUENCES), ("score", SEQUENCES, LABELS)),
        ),
        Example("SequenceVectorizer", lambda: SequenceVectorizer().fit(WORDS), asking(("transform", WORDS))),
    ]


def _bag_models() -> list[Example]:
    from treatise.applications import DDSVM, EMDD, MISVM, DiverseDensity, DiverseDensityMapper, miSVM

    rng = np.random.default_rng(0)
    bags, labels = [rng.normal(size=(1 + k % 3, 2)) + 2 * (k % 2) for k in range(8)], np.arange(8) % 2
    asked = asking(("predict", bags), ("decision_function", bags), ("score", bags, labels))
    kinds = (DDSVM, MISVM, miSVM, DiverseDensity, EMDD)
    return [
        *(Example(kind.__name__, lambda kind=kind: kind().fit(bags, labels), asked) for kind in kinds),
        Example("DDSVM of classes", lambda: DDSVM().fit(bags, np.arange(8) % 3), asking(("predict", bags))),
        Example("DiverseDensityMapper", lambda: DiverseDensityMapper().fit(bags, labels), asking(("transform", bags))),
    ]


def _hidden_markov_mixtures() -> list[Example]:
    from treatise.bayes import HMMClusterer, HMMHierarchy, HMMMixture, SampledHMMClusterer, fit_hmms

    waves = [np.random.default_rng(seed).normal(5.0 * (seed % 2), 1.0, (15, 2)) for seed in range(4)]
    models = fit_hmms(waves, 2, random_state=0)
    on_sequences = (("sequence_log_likelihood", waves), ("score_sequences", waves))
    asked = (("predict", waves), ("predict_proba", waves), *on_sequences)
    few = {"n_init": 1, "random_state": 0}
    way = HMMClusterer(n_states=2, **few)
    return [
        Example("HMMClusterer", lambda: HMMClusterer(2, n_states=2, **few).fit(waves), asking(*asked)),
        Example("HMMMixture", lambda: HMMMixture(2, n_states=2, **few).fit(waves), asking(*asked)),
        Example("SampledHMMClusterer", lambda: SampledHMMClusterer(2, **few).fit(models), asking(*on_sequences)),
        Example(
            "HMMHierarchy",
            lambda: HMMHierarchy((3, 2), clusterer=way, random_state=0).fit(waves),
            asking(("predict", waves)),
        ),
    ]


def _recordings() -> list[Example]:
    from treatise.applications import SegmentSymbolizer, SimilarityAnomalyDetector

    rng = np.random.default_rng(0)
    segments, apart = [rng.normal(size=5 + k % 3) for k in range(12)], rng.random((6, 6))
    apart = apart + apart.T
    found = [Example("SegmentSymbolizer", lambda: SegmentSymbolizer().fit(segments), asking(("predict", segments)))]
    for method in ("knn", "ocsvm", "hierarchical"):
        model = SimilarityAnomalyDetector(method, n_neighbors=2)
        found.append(
            Example(
                f"SimilarityAnomalyDetector by {method}",
                lambda model=model: model.fit(apart),
                asking(("predict", apart)),
            )
        )
    return found


def _kernels() -> list[Example]:
    """A kernel is stored with what it compares."""
    rows, counts = X[:6], np.arange(12).reshape(6, 2)
    sets, waves = [X[k : k + 4] for k in range(5)], [X[k : k + 9, :2] for k in range(5)]
    of_strings = {
        "strings": SpectrumKernel(2),
        "mismatches": MismatchKernel(3, 1),
        "gaps": GappyKernel(4, 2),
        "gaps that decay": GappyKernel(4, 2, decay=0.5),
        "substitutions": SubstitutionKernel(2, 4.0),
        "wildcards": WildcardKernel(3, 1),
        "transducers by logarithms": LogNormalizedKernel(RationalKernel(ngram_transducer("ACGT", 2))),
        "transducers": RationalKernel(ngram_transducer("ACGT", 2)),
    }
    of_others = {
        "Laplacians": (Laplacian(p=2), rows),
        "polynomials": (0.5 * Polynomial(2) + Linear() * Distance(), rows),
        "columns": (Additive(CubicSpline()) + OnColumns(Gaussian(), [0, 2]).normalized(), rows / (1.0 + rows.max())),
        "shares": (BernoulliProductKernel(), counts / 12.0),
        "counts": (MultinomialProductKernel(), counts),
        "rates": (PoissonProductKernel(), counts + 1.0),
        "waiting times": (GammaProductKernel(), sets),
        "lifetimes": (ExponentialProductKernel(), sets),
        "bells": (GaussianProductKernel(ridge=0.1), sets),
        "features": (FeatureSpaceProductKernel(), sets),
        "mixtures": (MixtureProductKernel(n_components=1), sets),
        "hidden states": (HiddenMarkovProductKernel(n_states=2, max_iter=2), STRINGS),
        "hidden places": (LinearDynamicalProductKernel(max_iter=2), waves),
    }
    pairs = [(name, kernel, STRINGS) for name, kernel in of_strings.items()]
    pairs += [(name, kernel, objects) for name, (kernel, objects) in of_others.items()]
    return [
        Example(
            f"GramTransformer of {name}",
            lambda kernel=kernel, objects=objects: GramTransformer(clone(kernel)).fit(objects),
            asking(("transform", objects)),
        )
        for name, kernel, objects in pairs
    ]


def _aggregators() -> list[Example]:
    from treatise.ranking import CRFRankAggregator, MultinomialPreferenceModel, SVDRankAggregator

    aggregate = asking(("predict", VOTES[0]), ("predict", VOTES))
    kinds = (CRFRankAggregator, SVDRankAggregator, MultinomialPreferenceModel)
    return [Example(kind.__name__, lambda kind=kind: kind().fit(VOTES, LEVELS), aggregate) for kind in kinds]


def _boltzmann_machines() -> list[Example]:
    from treatise.decomposition import ConditionalDBN, ConditionalRBM, FactoredConditionalRBM

    frames = [np.random.default_rng(seed).normal(size=(12, 3)) for seed in range(2)]
    past, few = frames[0], {"n_epochs": 2, "order": 2, "random_state": 0}
    on_frames = (("transform", frames), ("predict", past, 2), ("sample", past, 2))
    more = (("impute", past), ("free_energy", frames), ("log_likelihood", frames), ("partial_fit", frames))
    styled = [("transform", frames, ["a", "b"]), ("free_energy", frames, ["a", "b"]), ("score", frames, ["a", "b"])]
    return [
        Example("ConditionalRBM", lambda: ConditionalRBM(3, **few).fit(frames), asking(*on_frames, *more)),
        Example(
            "FactoredConditionalRBM",
            lambda: FactoredConditionalRBM(3, n_factors=4, **few).fit(frames, ["a", "b"]),
            asking(*styled),
        ),
        Example("ConditionalDBN", lambda: ConditionalDBN((3, 2), **few).fit(frames), asking(*on_frames)),
    ]


def _latent_fields() -> list[Example]:
    from treatise.bayes import LatentGaussianModel, random_walk

    signs = np.where(np.arange(12) % 3 == 0, -1.0, 1.0)
    ask = asking(("marginal", 3), ("sample", 2), ("forget_factors",), ("marginal", 5, "ep-1step"))
    return [
        Example(
            "LatentGaussianModel",
            lambda: LatentGaussianModel(random_walk(12), linear=np.arange(12)).fit(signs),
            ask,
        ),
    ]


def _value_estimators() -> list[Example]:
    from treatise.rl import BRM, FPKF, GPTD, KTD, LSPE, LSTD, TDC, GradientBRM, PenalizedLSTD

    rng = np.random.default_rng(0)
    chain, earned = rng.normal(size=(31, 3)), rng.normal(size=30)
    steps = chain[:-1], earned, chain[1:]
    use = asking(("predict", chain), ("partial_fit", *steps), ("predict", chain))
    models = [
        TDC(trace_decay=0.5, keep_every=10), GradientBRM(trace_decay=0.5), LSTD(trace_decay=0.5, keep_every=10),
        LSTD(solver="recursive"), LSPE(), FPKF(trace_decay=0.5), BRM(trace_decay=0.5), GPTD(), KTD(), PenalizedLSTD(),
    ]  # fmt: skip
    return [
        Example(f"{type(model).__name__} of steps {place}", lambda model=model: model.fit(*steps), use)
        for place, model in enumerate(models)
    ]


def _inverse_learners() -> list[Example]:
    from hidden_worlds import TIGER

    from treatise.rl import FiniteMDP, MDPInverseRL, POMDPInverseRL, tiger

    def use(model: Any) -> None:
        model.predict([0, 1])
        model.policy_.sample(tiger(), 3, 5, random_state=0)

    seen = FiniteMDP(tiger().transitions, [0.0, 0.0])
    return [
        Example("POMDPInverseRL", lambda: POMDPInverseRL().fit(tiger(), TIGER), use),
        Example("MDPInverseRL", lambda: MDPInverseRL().fit(seen, [0, 0]), asking(("predict", [0, 1]))),
    ]


def _networks() -> list[Example]:
    from treatise.datasets import make_changing_network, make_signed_network
    from treatise.network import AutoregressiveLinkPredictor, GraphCommunities, SignedClustering, SignedLinkPredictor

    snapshots = make_changing_network(10, 2, 6, random_state=0)
    signed, _ = make_signed_network([5, 6], sparsity=0.6, random_state=0)
    pairs, signs = np.array([[0, 1], [0, 10], [10, 3]]), np.array([1, -1, -1])
    judge = asking(("predict", pairs), ("decision_function", pairs), ("score", pairs, signs))
    read = asking(("get_params",))
    return [
        Example(
            "AutoregressiveLinkPredictor",
            lambda: AutoregressiveLinkPredictor().fit(snapshots[:-1]),
            asking(("predict",), ("predict", pairs % 10), ("score", snapshots[-1])),
        ),
        *(
            Example(
                f"SignedLinkPredictor by {method}",
                lambda method=method: SignedLinkPredictor(method, rank=2, random_state=0).fit(signed),
                judge,
            )
            for method in ("als", "hoc")
        ),
        Example("GraphCommunities", lambda: GraphCommunities(random_state=0).fit(np.abs(signed)), read),
        Example("SignedClustering", lambda: SignedClustering(random_state=0).fit(signed), read),
    ]


def _agents() -> list[Example]:
    from treatise.rl import GTD, GTD2, TD, FiniteMDP, FreeEnergySARSA, MonteCarlo, QLambda, ResidualGradient

    left, right = np.eye(4)[[0, 0, 1, 3]], np.eye(4)[[1, 2, 3, 3]]
    corridor = FiniteMDP([left, right], [-1, -1, -1, 0], terminal=[False, False, False, True])
    rng = np.random.default_rng(0)
    chain, earned = rng.normal(size=(31, 3)), rng.normal(size=30)
    ends = np.arange(30) == 29
    value = asking(("predict", chain))
    learn = asking(("predict", chain), ("partial_fit", chain[:-1], earned, chain[1:]))
    state, action = [True, False], [True, False, True]
    return [
        Example(
            "QLambda",
            lambda: QLambda(steps_per_episode=20, n_rounds=3, random_state=0).fit(corridor),
            asking(("predict", [0, 1, 2])),
        ),
        Example(
            "FreeEnergySARSA",
            lambda: FreeEnergySARSA(4, random_state=0).start([1, 1], [1, 1, 1]),
            asking(("act", state), ("value", state, action), ("learn", state, action, 1.0, state, action)),
        ),
        *(
            Example(
                kind.__name__,
                lambda kind=kind: kind().fit(chain[:-1], earned, chain[1:], ends=ends),
                value if kind is MonteCarlo else learn,
            )
            for kind in (TD, GTD, GTD2, ResidualGradient, MonteCarlo)
        ),
    ]


def _more_sequence_models() -> list[Example]:
    import polars as pl

    from treatise.sequence import GridSpace, LearnedOutputSearch, PhrasePairFeatures, SequenceTagger

    tokens = pl.DataFrame({"sentence": [0, 0, 1, 1], "form": ["dogs", "bark", "cats", "sleep"]})
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 2, (3, 3)) for _ in range(4)]
    grids = [(y + 0.5 * rng.normal(size=y.shape))[..., np.newaxis] for y in labels]
    phrases = [(["the", "red", "house"], 1, 1, ["rouge"])]
    return [
        Example("SequenceTagger", lambda: SequenceTagger().fit(tokens, list("NVNV")), asking(("predict", tokens))),
        Example(
            "LearnedOutputSearch",
            lambda: LearnedOutputSearch(GridSpace(), epochs=2, random_state=0).fit(grids, labels),
            asking(("predict", grids), ("score", grids, labels)),
        ),
        Example("PhrasePairFeatures", lambda: PhrasePairFeatures().fit(phrases), asking(("transform", phrases))),
    ]


def _models_of_several_tables() -> list[Example]:
    from treatise.bayes import HierarchicalStickBreaking
    from treatise.datasets import make_perturbed_graphs
    from treatise.graphical import CoHubGraphs, NodePerturbationGraphs
    from treatise.information import ComplexISA, ConvolutiveISA
    from treatise.metric import LowRankKernelLearner, PartialOrderEmbedding

    rng = np.random.default_rng(0)
    states = [np.repeat([0, 1], [12, 8]), np.repeat([1, 0], [10, 10])]
    sets, places = [rng.normal(4.0 * state)[:, np.newaxis] for state in states], [np.arange(20)] * 2
    tables = make_perturbed_graphs(30, 6, n_perturbed=1, n_hubs=0, random_state=0).tables
    waves = np.exp(2j * np.pi * rng.random((60, 2)))
    sensors = rng.laplace(size=(80, 2)) @ rng.normal(size=(2, 4))
    pairs = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    corners, views = [1, 1, 2, 2, 1, 1], [rng.normal(size=(8, 2)), rng.normal(size=(8, 3))]
    triplets = np.array([[0, 1, 2], [3, 4, 5], [5, 6, 7], [1, 2, 7]])
    return [
        Example(
            "HierarchicalStickBreaking",
            lambda: HierarchicalStickBreaking(3, 4, centers=5, max_iter=5, random_state=0).fit(sets, locations=places),
            asking(("predict", sets[0], places[0]), ("similarity",)),
        ),
        *(
            Example(kind.__name__, lambda kind=kind: kind(2.0, 20.0).fit(tables), asking(("score", tables), ask))
            for kind, ask in ((CoHubGraphs, ("hubs",)), (NodePerturbationGraphs, ("perturbed_nodes",)))
        ),
        Example(
            "ComplexISA",
            lambda: ComplexISA([1, 1], n_restarts=1, random_state=0).fit(waves),
            asking(("transform", waves)),
        ),
        Example(
            "ConvolutiveISA",
            lambda: ConvolutiveISA(2, n_restarts=1, random_state=0).fit(sensors),
            asking(("transform", sensors)),
        ),
        Example(
            "LowRankKernelLearner",
            lambda: LowRankKernelLearner(2, random_state=0).fit(pairs, corners),
            asking(("predict", pairs), ("partial_fit", pairs, corners), ("predict", pairs)),
        ),
        Example(
            "PartialOrderEmbedding",
            lambda: PartialOrderEmbedding("linear").fit(views, triplets),
            asking(("transform", views), ("score", views, triplets)),
        ),
    ]


def _learners_that_ask() -> list[Example]:
    from treatise.semisupervised import ActivePairClustering, ActivePreferenceRanker

    def go_on(model: Any) -> None:
        pairs = model.ask(3)
        model.tell(pairs, pairs[:, 0] > pairs[:, 1]).update()

    def halfway(model: Any, **items: Any) -> Any:
        """A learner in the midst of its questions."""
        pairs = model.begin(**items).ask()
        return model.tell(pairs[3:], pairs[3:, 0] > pairs[3:, 1]).update()

    features = np.random.default_rng(0).normal(size=(17, 2))
    return [
        Example("ActivePairClustering", lambda: halfway(ActivePairClustering(2, random_state=0), n_items=9), go_on),
        Example("ActivePreferenceRanker", lambda: halfway(ActivePreferenceRanker(random_state=0), n_items=17), go_on),
        Example(
            "ActivePreferenceRanker by features",
            lambda: halfway(ActivePreferenceRanker(sampling="paper", random_state=0), features=features),
            lambda model: (go_on(model), model.decision_function(features)),
        ),
    ]


def _structures() -> list[Example]:
    from treatise.bayesnet import ConstrainedStructureLearner, DynamicStructureLearner, arc, indegree

    rng = np.random.default_rng(0)
    series = [rng.integers(0, 2, (9, 2)) for _ in range(6)]
    rows = np.concatenate(series)
    rules = [arc(0, 1) | ~indegree(1, 1)]
    return [
        Example(
            "DynamicStructureLearner",
            lambda: DynamicStructureLearner().fit(series),
            lambda model: (
                model.initial_.score_samples(rows),
                model.transition_.to_network(),
                model.transition_.to_networkx(),
                model.fit(series),
            ),
        ),
        Example(
            "ConstrainedStructureLearner under rules",
            lambda: ConstrainedStructureLearner(rules=rules).fit(rows),
            asking(("score_samples", rows), ("to_network",), ("to_networkx",), ("fit", rows)),
        ),
    ]


def _parts_of_comparisons() -> list[Example]:
    """What only ``treatise compare`` stores: blends, encoders of tables, wrappers."""
    import datetime
    from importlib.util import find_spec

    import polars as pl
    from sklearn.cluster import DBSCAN, KMeans
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import Pipeline

    from treatise.compare import BlendedClassifier, BlendedRegressor, TableEncoder, boosting
    from treatise.compare.groups import Grouped
    from treatise.compare.inputs.encoding.bags import BagEncoder
    from treatise.compare.inputs.encoding.groups import BesideGroups, WithGroups
    from treatise.compare.inputs.encoding.pipeline import Scale, Screen
    from treatise.compare.inputs.encoding.sequences import SequenceEncoder
    from treatise.compare.lifetimes import KaplanMeier
    from treatise.compare.several import LogisticPerTarget, RidgePerTarget
    from treatise.compare.unlabelled import SelfTrainedLogistic, WithUnlabelled
    from treatise.sequence import GroupedClassifier

    names = [f"n{k % 5}" for k in range(ROWS)]
    days = [datetime.date(2020, 1 + k % 12, 1 + k) for k in range(ROWS)]
    table = pl.DataFrame(
        {
            "amount": [None, *X[1:, 0].tolist()], "town": names, "when": days,
            "many": [f"value {k}" for k in range(ROWS)], "said": ["some words", "other words here"] * (ROWS // 2),
        }
    )  # fmt: skip
    lists = pl.DataFrame({"a": [[1.0, 2.0], [3.0]] * 12, "b": [[0.0, 1.0], [2.0]] * 12})
    both, lives = (
        np.column_stack([y, 1 - y]),
        np.array(list(zip(y == 1, X[:, 0])), dtype=[("event", "?"), ("time", "f8")]),
    )
    beside = BesideGroups("town", Pipeline([("table", TableEncoder())]))
    numbered = np.column_stack([X, np.arange(ROWS) % 3])
    encode = asking(("transform", table), ("unseen", table), ("get_feature_names_out",))
    models = [LogisticRegression(), GaussianNB()]
    found = [
        Example("BlendedClassifier", lambda: BlendedClassifier(models, [0.5, 0.5]).fit(X, y), use_on_a_table),
        Example(
            "BlendedRegressor", lambda: BlendedRegressor([LinearRegression()] * 2, [0.5, 0.5]).fit(X, y), use_on_a_table
        ),
        Example("TableEncoder", lambda: TableEncoder(10).fit(table, y), encode),
        Example("TableEncoder sparse", lambda: TableEncoder(sparse=True, scaling="standard").fit(table, y), encode),
        Example("Screen", lambda: Screen(2).fit(X, y), asking(("transform", X))),
        Example("Scale", lambda: Scale().fit(X), asking(("transform", X))),
        Example("BesideGroups", lambda: beside.fit(table, y), asking(("transform", table), ("unseen", table))),
        Example(
            "WithGroups",
            lambda: WithGroups(GroupedClassifier(min_samples=2), classes=True).fit(numbered, y),
            asking(("predict", numbered), ("predict_proba", numbered)),
        ),
        Example("BagEncoder", lambda: BagEncoder(summary=True).fit(lists), asking(("transform", lists))),
        Example("SequenceEncoder", lambda: SequenceEncoder().fit(lists), asking(("transform", lists))),
        Example("RidgePerTarget", lambda: RidgePerTarget().fit(X, both), asking(("predict", X))),
        Example(
            "LogisticPerTarget", lambda: LogisticPerTarget().fit(X, both), asking(("predict", X), ("predict_proba", X))
        ),
        Example(
            "WithUnlabelled",
            lambda: WithUnlabelled(SelfTrainedLogistic()).fit(X, y, X[:5]),
            asking(("predict_proba", X)),
        ),
        Example("Grouped", lambda: Grouped(KMeans(2, random_state=0)).fit(X), asking(("predict", X))),
        Example("Grouped of neighbours", lambda: Grouped(DBSCAN(2.0)).fit(X), asking(("predict", X))),
        Example(
            "KaplanMeier",
            lambda: KaplanMeier().fit(X, lives),
            asking(("predict", X), ("predict_survival_function", X, [0.5, 1.0])),
        ),
    ]
    for library, kind in (("lightgbm", "LightGBM"), ("xgboost", "XGBoost"), ("catboost", "CatBoost")):
        if find_spec(library):
            boosted = getattr(boosting, f"{kind}Classifier")
            found.append(
                Example(boosted.__name__, lambda boosted=boosted: boosted(3, random_state=0).fit(X, y), use_on_a_table)
            )
    return found


def _event_logs() -> list[Example]:
    from treatise.applications import EventLogFeatures

    rng = np.random.default_rng(0)
    log = {
        "entity": [f"e{k}" for k in rng.integers(0, 4, 40)],
        "time": np.sort(rng.integers(0, 10_000, 40)),
        "address": [f"a{k}" for k in rng.integers(0, 5, 40)],
        "page": [f"p{k}" for k in rng.integers(0, 3, 40)],
    }
    used = asking(("transform", log), ("partial_fit", log), ("transform", log))
    return [
        Example(
            "EventLogFeatures",
            lambda: EventLogFeatures(fields=["address", "page"], visitor="address", page="page").fit(log),
            used,
        ),
    ]


OTHERS = (
    *_sequence_models(),
    *_bag_models(),
    *_hidden_markov_mixtures(),
    *_recordings(),
    *_kernels(),
    *_aggregators(),
    *_boltzmann_machines(),
    *_latent_fields(),
    *_value_estimators(),
    *_inverse_learners(),
    *_networks(),
    *_agents(),
    *_more_sequence_models(),
    *_models_of_several_tables(),
    *_learners_that_ask(),
    *_structures(),
    *_parts_of_comparisons(),
    *_event_logs(),
)
EXAMPLES = table_examples() | {example.name: example for example in OTHERS}
