"""Multiple instances: classifiers of bags, of which each has a label and its rows have none."""

from treatise.applications.multiple_instance.bags import Bags, bags_from_table
from treatise.applications.multiple_instance.concept import EMDD, DiverseDensity
from treatise.applications.multiple_instance.dd_svm import DDSVM
from treatise.applications.multiple_instance.density import DensityGradient, bag_features, diverse_density
from treatise.applications.multiple_instance.image import ImageBag, image_to_bag
from treatise.applications.multiple_instance.prototypes import DiverseDensityMapper
from treatise.applications.multiple_instance.selected_svm import MISVM, miSVM

__all__ = [
    "DDSVM",
    "EMDD",
    "MISVM",
    "Bags",
    "DensityGradient",
    "DiverseDensity",
    "DiverseDensityMapper",
    "ImageBag",
    "bag_features",
    "bags_from_table",
    "diverse_density",
    "image_to_bag",
    "miSVM",
]
