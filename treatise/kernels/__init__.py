"""Kernel objects: similarities of rows, strings and distributions, and the rows of their Gram matrices."""

from treatise.kernels._encoded_strings import EncodedStrings
from treatise.kernels.alignment import align_kernels, kernel_alignment
from treatise.kernels.bank import NORMALIZATIONS, KernelBank
from treatise.kernels.bank_input import KernelBankInputMixin
from treatise.kernels.base import Kernel, KernelProduct, KernelSum, NormalizedKernel, Prepared, ScaledKernel
from treatise.kernels.columns import OnColumns
from treatise.kernels.definiteness import Definiteness, negative_definiteness, positive_definiteness
from treatise.kernels.dynamical_product import LinearDynamicalProductKernel, LinearDynamicalSystem
from treatise.kernels.factor import KernelFactor
from treatise.kernels.feature_space_product import FeatureSpaceProductKernel
from treatise.kernels.gaussian_product import GaussianProductKernel, Gaussians
from treatise.kernels.gram_plot import plot_gram
from treatise.kernels.gram_rows import GramRows
from treatise.kernels.gram_transformer import GramTransformer
from treatise.kernels.hidden_markov_product import HiddenMarkovModel, HiddenMarkovProductKernel, states_for_length
from treatise.kernels.input import KernelInputMixin, check_gram
from treatise.kernels.mixture_product import Mixture, MixtureProductKernel
from treatise.kernels.plot_transducer import plot_transducer
from treatise.kernels.probability_product import (
    GroupedModels,
    NormalizedProbabilityProductKernel,
    ProbabilityProductKernel,
)
from treatise.kernels.product_families import (
    BernoulliProductKernel,
    ExponentialProductKernel,
    GammaProductKernel,
    Gammas,
    MultinomialProductKernel,
    PoissonProductKernel,
)
from treatise.kernels.rational import (
    RationalKernel,
    WeightedStrings,
    convolution_transducer,
    edit_distance_transducer,
    mismatch_transducer,
    ngram_transducer,
)
from treatise.kernels.roc_n import plot_scores_exceeding, roc_n_score
from treatise.kernels.semirings import SEMIRINGS, Semiring
from treatise.kernels.splines import CubicSpline
from treatise.kernels.strings import (
    GappyKernel,
    MismatchKernel,
    SpectrumKernel,
    StringKernel,
    SubstitutionKernel,
    WildcardKernel,
)
from treatise.kernels.substitution import substitution_probabilities
from treatise.kernels.transducers import WeightedTransducer, string_acceptor
from treatise.kernels.vectors import (
    KERNEL_NAMES,
    FunctionKernel,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    kernel_gamma,
    resolve_kernel,
)

__all__ = [
    "KERNEL_NAMES",
    "NORMALIZATIONS",
    "SEMIRINGS",
    "BernoulliProductKernel",
    "CubicSpline",
    "Definiteness",
    "EncodedStrings",
    "ExponentialProductKernel",
    "FeatureSpaceProductKernel",
    "FunctionKernel",
    "GammaProductKernel",
    "Gammas",
    "GappyKernel",
    "Gaussian",
    "GaussianProductKernel",
    "Gaussians",
    "GramRows",
    "GramTransformer",
    "GroupedModels",
    "HiddenMarkovModel",
    "HiddenMarkovProductKernel",
    "Kernel",
    "KernelBank",
    "KernelBankInputMixin",
    "KernelFactor",
    "KernelInputMixin",
    "KernelProduct",
    "KernelSum",
    "Laplacian",
    "Linear",
    "LinearDynamicalProductKernel",
    "LinearDynamicalSystem",
    "MismatchKernel",
    "Mixture",
    "MixtureProductKernel",
    "MultinomialProductKernel",
    "NormalizedKernel",
    "NormalizedProbabilityProductKernel",
    "OnColumns",
    "PoissonProductKernel",
    "Polynomial",
    "Prepared",
    "ProbabilityProductKernel",
    "RationalKernel",
    "ScaledKernel",
    "Semiring",
    "SpectrumKernel",
    "StringKernel",
    "SubstitutionKernel",
    "WeightedStrings",
    "WeightedTransducer",
    "WildcardKernel",
    "align_kernels",
    "check_gram",
    "convolution_transducer",
    "edit_distance_transducer",
    "kernel_alignment",
    "kernel_gamma",
    "mismatch_transducer",
    "negative_definiteness",
    "ngram_transducer",
    "plot_gram",
    "plot_scores_exceeding",
    "plot_transducer",
    "positive_definiteness",
    "resolve_kernel",
    "roc_n_score",
    "states_for_length",
    "string_acceptor",
    "substitution_probabilities",
]
