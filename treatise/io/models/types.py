"""Which types a model file may name.

The names come from the file, so a name is never imported to see what it is, unless it lies inside the
installed Treatise. Everything else must stand on a list: skops' own, or the few types here.
"""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import skops.io
from sklearn.base import BaseEstimator

import treatise
from treatise._core.errors import TreatiseError
from treatise._core.version import __version__
from treatise.io.models.index_bounds import check_indices

# Types that fitted scikit-learn models hold and skops does not admit by itself: data types; trees and sparse
# matrices, whose indices are checked after loading; distances without parameters of their own; the parts of
# calibrated classifiers; and the step by which histogram trees check their categories, which is a partial
# call of a function: skops admits a partial call only together with what it calls; and what a search keeps beside its
# best model, the division into folds and the call of the model's own score; and the tree of a bisecting k-means with
# the step that it was grown by, which predictions do not call.
_FOREIGN = frozenset(
    {
        "numpy.dtype",
        "scipy.sparse._csr.csr_matrix",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csc.csc_matrix",
        "scipy.sparse._csc.csc_array",
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.neighbors._ball_tree.BallTree",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.metrics._dist_metrics.ManhattanDistance64",
        "sklearn.metrics._dist_metrics.ChebyshevDistance64",
        "sklearn.compose._column_transformer._RemainderColsList",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "functools.partial",
        "sklearn.utils.validation.check_array",
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.cluster._bisect_k_means._BisectingTree",
        "sklearn.cluster._kmeans._kmeans_single_lloyd",
        "sklearn.cluster._kmeans._kmeans_single_elkan",
    }
)
# Layers whose public classes open files, start work or draw, and those whose objects are made for one computation and
# hand all that they hold to compiled loops: of these only estimators are admitted.
_ACTING = frozenset(
    {
        "io", "datasets", "catalog", "papers", "report", "compare", "cli", "inference", "statistics",
        "rl", "applications", "cluster", "ranking",
    }
)  # fmt: skip


def refused_types(data: bytes) -> list[str]:
    """Names in a skops file that are not admitted."""
    return [name for name in skops.io.get_untrusted_types(data=data) if not _is_admitted(name)]


def load_admitted(data: bytes, version: str) -> Any:
    """The object in a skops file that a version of Treatise wrote, if every type that it names is admitted and its
    indices are sound."""
    named = skops.io.get_untrusted_types(data=data)
    refused = [name for name in named if not _is_admitted(name)]
    if refused:
        again = "; fit the model again" if all(name.startswith("treatise.") for name in refused) else ""
        raise TreatiseError(
            f"the file was saved by Treatise {version} and holds types that no model file may hold in Treatise "
            f"{__version__}, so that it was not loaded: {', '.join(refused)}{again}"
        )
    model = skops.io.loads(data, trusted=named)
    check_indices(model)
    return model


def _is_admitted(name: str) -> bool:
    return name in _FOREIGN or _is_own(name)


def _is_own(name: str) -> bool:
    """Whether the name is that of a class defined in the installed Treatise that is made to be stored.

    That is an estimator, a public class, or one that states what must hold of it once it comes from a file.
    """
    module_name, _, class_name = name.rpartition(".")
    package, *inner = module_name.split(".")
    if package != "treatise" or not inner or not all(part.isidentifier() for part in (*inner, class_name)):
        return False
    if any(part.startswith("__") for part in (*inner, class_name)):
        return False
    place = Path(inspect.getfile(treatise)).parent.joinpath(*inner)
    if not (place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()):
        return False
    member = getattr(import_module(module_name), class_name, None)
    if not inspect.isclass(member) or member.__module__ != module_name:
        return False
    if issubclass(member, BaseEstimator) or hasattr(member, "_invariants"):
        return True
    return inner[0] not in _ACTING and _is_public(member, inner[0])


def _is_public(member: type, family: str) -> bool:
    module = import_module(f"treatise.{family}")
    return any(getattr(module, name, None) is member for name in getattr(module, "__all__", ()))
