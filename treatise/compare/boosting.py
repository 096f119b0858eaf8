"""Gradient boosting of other libraries as baselines: LightGBM, XGBoost and CatBoost, where they are installed.

A fitted model keeps its trees as the text in which its library writes them, and nothing else of the library, so that
model files stay plain data. Before the library reads such a text, every index in it is checked: it may have come from a
file, and compiled code would follow it blindly.
"""

import json
import os
import tempfile
from abc import abstractmethod
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.errors import TreatiseError
from treatise._core.invariants import Invariants

DAMAGED = "the trees in this model point outside their tables; the file is damaged or forged"


class Boosted(BaseEstimator):
    """Trees of a library, learnt by it and kept as its text."""

    library: ClassVar[str]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Boosted":
        """Let the library learn; ``X`` may be sparse, and rows may weigh differently."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.text_ = self._learn(needed(self.library), X, self._targets(y), sample_weight, seed)
        self.__dict__.pop("_read", None)
        return self

    def _outputs(self, X: Any) -> np.ndarray:
        """What the trees say of rows: amounts, or a probability of each class."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        if "_read" not in self.__dict__:
            try:
                self._read = self._load(needed(self.library))
            except (KeyError, ValueError, TypeError, IndexError) as error:
                raise TreatiseError(DAMAGED) from error
        return self._ask(needed(self.library), self._read, X)

    def _invariants(self) -> Invariants:
        yield "trees are text", isinstance(self.text_, str)
        if hasattr(self, "classes_"):
            in_a_row = isinstance(self.classes_, np.ndarray) and self.classes_.ndim == 1
            yield "there are two classes or more", in_a_row and self._number_of_classes > 1

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the library's own object, which is made of the text again."""
        return {name: value for name, value in self.__dict__.items() if name != "_read"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def _targets(self, y: np.ndarray) -> np.ndarray:
        """Amounts, or numbers of classes."""

    @abstractmethod
    def _learn(self, library: Any, X: Any, y: np.ndarray, weights: Any, seed: int) -> str:
        """The text of the trees."""

    @abstractmethod
    def _load(self, library: Any) -> Any:
        """The library's model of :attr:`text_`, after every index in it was checked."""

    @abstractmethod
    def _ask(self, library: Any, model: Any, X: Any) -> np.ndarray:
        """The library's answer."""

    @property
    def _number_of_classes(self) -> int:
        return len(getattr(self, "classes_", ()))


class BoostedClassifier(ClassifierMixin, Boosted):
    """Trees that give probabilities."""

    def _targets(self, y: np.ndarray) -> np.ndarray:
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({self.classes_.tolist()[0]!r}); give rows of two at least")
        return codes

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        found = self._outputs(X)
        found = np.column_stack([1.0 - found, found]) if found.ndim == 1 else found
        if found.shape[1] != self._number_of_classes:
            raise TreatiseError(
                f"the trees in this model tell {found.shape[1]} classes apart, and {self._number_of_classes} have a "
                "name; the file is damaged or forged"
            )
        return found

    def predict(self, X: Any) -> np.ndarray:
        """The class that is most probable."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class BoostedRegressor(RegressorMixin, Boosted):
    """Trees that give amounts."""

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(y, np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """The amounts."""
        return self._outputs(X)


class _LightGBM(Boosted):
    library = "lightgbm"

    def __init__(
        self, n_estimators: int = 200, learning_rate: float = 0.1, num_leaves: int = 31, min_child_samples: int = 20,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_child_samples = min_child_samples
        self.random_state = random_state

    def _learn(self, library: Any, X: Any, y: np.ndarray, weights: Any, seed: int) -> str:
        params = {
            "learning_rate": self.learning_rate, "num_leaves": self.num_leaves, "verbosity": -1, "seed": seed,
            "min_data_in_leaf": self.min_child_samples, "deterministic": True, "force_col_wise": True,
            **_objective(self._number_of_classes, "regression", "binary", "multiclass", "num_class"),
        }  # fmt: skip
        rows = library.Dataset(X, label=y, weight=weights, params={"verbosity": -1})
        return library.train(params, rows, num_boost_round=self.n_estimators).model_to_string()

    def _load(self, library: Any) -> Any:
        _check_lightgbm(self.text_, self.n_features_in_)
        return library.Booster(model_str=self.text_)

    def _ask(self, library: Any, model: Any, X: Any) -> np.ndarray:
        return model.predict(X)


class LightGBMClassifier(BoostedClassifier, _LightGBM):
    """LightGBM's trees for classes."""


class LightGBMRegressor(BoostedRegressor, _LightGBM):
    """LightGBM's trees for amounts."""


class _XGBoost(Boosted):
    library = "xgboost"

    def __init__(
        self, n_estimators: int = 200, learning_rate: float = 0.1, max_depth: int = 6, min_child_weight: float = 1.0,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_child_weight = min_child_weight
        self.random_state = random_state

    def _learn(self, library: Any, X: Any, y: np.ndarray, weights: Any, seed: int) -> str:
        params = {
            "learning_rate": self.learning_rate, "max_depth": self.max_depth, "verbosity": 0, "seed": seed,
            "min_child_weight": self.min_child_weight, "tree_method": "hist",
            **_objective(self._number_of_classes, "reg:squarederror", "binary:logistic", "multi:softprob", "num_class"),
        }  # fmt: skip
        rows = library.DMatrix(X, label=y, weight=weights)
        model = library.train(params, rows, num_boost_round=self.n_estimators)
        return model.save_raw("json").decode()

    def _load(self, library: Any) -> Any:
        _check_xgboost(self.text_, self.n_features_in_)
        model = library.Booster()
        model.load_model(bytearray(self.text_.encode()))
        return model

    def _ask(self, library: Any, model: Any, X: Any) -> np.ndarray:
        return model.predict(library.DMatrix(X)).astype(np.float64)


class XGBoostClassifier(BoostedClassifier, _XGBoost):
    """XGBoost's trees for classes."""


class XGBoostRegressor(BoostedRegressor, _XGBoost):
    """XGBoost's trees for amounts."""


class _CatBoost(Boosted):
    library = "catboost"

    def __init__(
        self, n_estimators: int = 200, learning_rate: float = 0.1, depth: int = 6, l2_leaf_reg: float = 3.0,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.depth = depth
        self.l2_leaf_reg = l2_leaf_reg
        self.random_state = random_state

    def _learn(self, library: Any, X: Any, y: np.ndarray, weights: Any, seed: int) -> str:
        params = {
            "iterations": self.n_estimators, "learning_rate": self.learning_rate, "depth": self.depth,
            "l2_leaf_reg": self.l2_leaf_reg, "random_seed": seed, "verbose": False, "allow_writing_files": False,
            "thread_count": int(os.environ.get("OMP_NUM_THREADS", "-1")),
            **_objective(self._number_of_classes, "RMSE", "Logloss", "MultiClass", "classes_count", "loss_function"),
        }  # fmt: skip
        model = library.CatBoost(params).fit(library.Pool(X, label=y, weight=weights))
        with tempfile.TemporaryDirectory() as folder:
            model.save_model(f"{folder}/model.json", format="json")
            return Path(folder, "model.json").read_text(encoding="utf-8")

    def _load(self, library: Any) -> Any:
        _check_catboost(self.text_, self.n_features_in_)
        model = library.CatBoost()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "model.json").write_text(self.text_, encoding="utf-8")
            model.load_model(f"{folder}/model.json", format="json")
        return model

    def _ask(self, library: Any, model: Any, X: Any) -> np.ndarray:
        if self._number_of_classes == 0:
            return model.predict(X, prediction_type="RawFormulaVal")
        return model.predict(X, prediction_type="Probability")


class CatBoostClassifier(BoostedClassifier, _CatBoost):
    """CatBoost's trees for classes."""


class CatBoostRegressor(BoostedRegressor, _CatBoost):
    """CatBoost's trees for amounts."""


def needed(library: str) -> Any:
    """The library, or an error that says how to get it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise TreatiseError(
            f"{library} is needed for this model and could not be imported ({error}); "
            "`python -m pip install treatise[boosting]` installs it"
        ) from error


def _objective(classes: int, amounts: str, two: str, many: str, number: str, name: str = "objective") -> dict[str, Any]:
    if classes == 0:
        return {name: amounts}
    return {name: two} if classes == 2 else {name: many, number: classes}


def _check_lightgbm(text: str, width: int) -> None:
    head, *trees = text.split("\nTree=")
    if not trees or int(_lines(head)["max_feature_idx"]) >= width:
        raise TreatiseError(DAMAGED)
    for tree in trees:
        values = _lines(tree.partition("\nend of trees")[0])
        leaves = int(values["num_leaves"])
        if int(values["num_cat"]) or len(values["leaf_value"].split()) != leaves:
            raise TreatiseError(DAMAGED)
        if leaves > 1:
            features, left, right = (_numbers(values[key]) for key in ("split_feature", "left_child", "right_child"))
            _check_tree(features, left, right, width, leaves - 1)
            if min(left.min(), right.min()) < -leaves or len(values["threshold"].split()) != leaves - 1:
                raise TreatiseError(DAMAGED)


def _lines(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def _numbers(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=np.int64)


def _check_xgboost(text: str, width: int) -> None:
    learner = json.loads(text)["learner"]
    model = learner["gradient_booster"]["model"]
    if int(learner["learner_model_param"]["num_feature"]) != width:
        raise TreatiseError(DAMAGED)
    owners, ends = np.asarray(model["tree_info"]), np.asarray(model["iteration_indptr"])
    classes = max(1, int(learner["learner_model_param"]["num_class"]))
    if len(owners) != len(model["trees"]) or owners.min() < 0 or owners.max() >= classes:
        raise TreatiseError(DAMAGED)
    if ends[0] != 0 or ends[-1] != len(owners) or (np.diff(ends) < 0).any():
        raise TreatiseError(DAMAGED)
    for tree in model["trees"]:
        keys = ("split_indices", "left_children", "right_children", "split_conditions", "default_left")
        features, left, right, *others = (np.asarray(tree[key]) for key in keys)
        nodes = int(tree["tree_param"]["num_nodes"])
        if tree["categories"] or any(len(other) != nodes for other in others):
            raise TreatiseError(DAMAGED)
        _check_tree(features, left, right, width, nodes)
        if min(left.min(), right.min()) < -1 or ((left < 0) != (right < 0)).any():
            raise TreatiseError(DAMAGED)


def _check_tree(features: np.ndarray, left: np.ndarray, right: np.ndarray, width: int, nodes: int) -> None:
    """Children come after their parent, which also means that there is no cycle, and inside the table."""
    sizes = {len(features), len(left), len(right), nodes}
    if len(sizes) > 1 or nodes == 0 or features.min() < 0 or features.max() >= width:
        raise TreatiseError(DAMAGED)
    for children in (left, right):
        inner = children >= 0
        if (children[inner] <= np.flatnonzero(inner)).any() or (children[inner] >= nodes).any():
            raise TreatiseError(DAMAGED)


def _check_catboost(text: str, width: int) -> None:
    model = json.loads(text)
    features = model["features_info"].get("float_features", [])
    if set(model["features_info"]) - {"float_features"} or "oblivious_trees" not in model:
        raise TreatiseError(DAMAGED)
    if any(not 0 <= feature["flat_feature_index"] < width for feature in features):
        raise TreatiseError(DAMAGED)
    sizes = set()
    for tree in model["oblivious_trees"]:
        splits = tree["splits"] or []
        if not all(0 <= split["float_feature_index"] < len(features) for split in splits):
            raise TreatiseError(DAMAGED)
        sizes.add(len(tree["leaf_values"]) / 2 ** len(splits))
    if len(sizes) != 1:
        raise TreatiseError(DAMAGED)
