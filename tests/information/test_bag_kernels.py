"""Kernels between distributions: definiteness, values of a bag with itself, machines on bags."""

import math

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from treatise.information import BagKernel, distribution_kernel, entropy
from treatise.information.bag_kernels import ExpectedKernel, JensenTsallisKernel, KnnProbabilityProduct
from treatise.kernels import Gaussian, GramTransformer, median_gamma


def bags(count=10, n=500):
    rng = np.random.default_rng(0)
    return [rng.normal(2 * rng.normal(size=2), 0.5 + rng.random(), size=(n, 2)) for _ in range(count)]


def test_the_expected_kernel_is_the_mean_over_pairs_and_its_gram_matrix_positive():
    samples = bags(6, 40)
    kernel = Gaussian(0.3)
    gram = BagKernel(ExpectedKernel(kernel))(samples)
    expected = [[kernel(a, b).mean() for b in samples] for a in samples]
    np.testing.assert_allclose(gram, expected, atol=1e-12)
    assert np.linalg.eigvalsh(BagKernel(ExpectedKernel(kernel))(bags()))[0] > -1e-10


@pytest.mark.parametrize("method", ["jensen_shannon", "exponentiated_jensen_shannon", "bhattacharyya_knn"])
def test_gram_matrices_of_many_rows_are_positive_up_to_the_noise_of_estimates(method):
    assert np.linalg.eigvalsh(BagKernel(method)(bags()))[0] > -0.05


def test_a_bag_with_itself_has_the_value_of_equal_laws():
    (bag,) = bags(1, 800)
    assert BagKernel("jensen_shannon").diagonal(np.array([bag, None], dtype=object)[:1])[0] == math.log(2)
    assert BagKernel("exponentiated_jensen_renyi")([bag])[0, 0] == 1.0
    # The integral of p^2 of a Gaussian law, from another sample of the same law.
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(2, 4000, 2))
    product = KnnProbabilityProduct(rho=1.0)
    assert product.self_value(X) == pytest.approx(1 / (4 * math.pi), abs=0.005)
    assert product.estimate(X, Y) == pytest.approx(1 / (4 * math.pi), abs=0.005)
    tsallis = JensenTsallisKernel(alpha=0.8)
    assert tsallis.estimate(X, Y) == pytest.approx(tsallis.self_value(X), abs=0.1)
    assert distribution_kernel(X, Y, "mixture_renyi", alpha=0.8) == pytest.approx(
        math.exp(-entropy(np.vstack([X, Y]), "renyi_knn", alpha=0.8)), abs=1e-12
    )


def test_a_machine_learns_from_bags():
    rng = np.random.default_rng(0)
    spread = np.repeat([0.5, 1.5], 12)
    samples = [rng.normal(0, s, size=(60, 2)) for s in spread]
    kernel = BagKernel(ExpectedKernel(Gaussian(median_gamma(np.vstack(samples)))))
    model = make_pipeline(GramTransformer(kernel), SVC(kernel="precomputed", C=100.0))
    train = np.arange(24) % 2 == 0
    model.fit([s for s, t in zip(samples, train) if t], spread[train] > 1)
    assert model.score([s for s, t in zip(samples, train) if not t], spread[~train] > 1) == 1.0


def test_a_width_of_its_own_for_each_pair_is_refused():
    with pytest.raises(ValueError, match="one kernel of rows for all bags"):
        BagKernel("expected")(bags(2, 20))
