"""The front of the classifiers of bags: bags and labels in, a score for each bag out."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, column_or_1d

from treatise._core.classifier import ScoreClassifier, check_classes, classes_and_codes
from treatise._core.documentation import InheritsDocumentation
from treatise.applications.multiple_instance.bags import Bags


class BagReader(InheritsDocumentation):
    """Reads bags and their labels, and remembers how many features they have."""

    def _read_labelled(self, bags: Any, y: Any) -> tuple[Bags, np.ndarray, np.ndarray]:
        """The bags in an order that depends on their content alone, the classes, and each bag's number among them."""
        read = Bags.from_list(bags)
        labels = column_or_1d(y, warn=True)
        if len(labels) != len(read):
            raise ValueError(f"there are {len(read)} bags and {len(labels)} labels; each bag needs one")
        classes, codes = classes_and_codes(labels)
        check_classes(classes, who=f"{type(self).__name__}")
        self.n_features_in_ = read.n_features
        ordered, codes = read.in_fixed_order(codes)
        return ordered, classes, codes

    def _read(self, bags: Any) -> Bags:
        check_is_fitted(self)
        read = Bags.from_list(bags)
        if read.n_features != self.n_features_in_:
            raise ValueError(
                f"the bags have {read.n_features} features; {type(self).__name__} was fitted to {self.n_features_in_}"
            )
        return read


class BagClassifier(ScoreClassifier, BagReader, BaseEstimator):
    """A classifier of bags.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, the second is the positive one.
    n_features_in_ : int
        Features of an instance.
    """

    def _fit_labels(self, bags: Any, y: Any) -> tuple[Bags, np.ndarray]:
        read, self.classes_, codes = self._read_labelled(bags, y)
        return read, codes

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags
