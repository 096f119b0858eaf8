"""Models on kernels of objects keep what they need of the training objects in a safe file."""

import pickle

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from treatise.io import load_model, save_model
from treatise.kernels import (
    FeatureSpaceProductKernel,
    GappyKernel,
    GaussianProductKernel,
    Gaussians,
    GramTransformer,
    HiddenMarkovModel,
    HiddenMarkovProductKernel,
    LinearDynamicalProductKernel,
    MismatchKernel,
    MixtureProductKernel,
    RationalKernel,
    SpectrumKernel,
    SubstitutionKernel,
    WildcardKernel,
    edit_distance_transducer,
    ngram_transducer,
)

STRINGS = ["ACGTACGT", "ACGATCGT", "TTTTACGT", "GGGACGTA", "CATTAGA", "GATTACA"]
SETS = list(np.random.default_rng(0).normal(size=(6, 12, 2)))
CHAINS = [HiddenMarkovModel([1.0], [[1.0]], Gaussians([[float(i)]], [1.0])) for i in range(6)]


@pytest.mark.parametrize(
    ("kernel", "objects"),
    [
        (SpectrumKernel(2), STRINGS),
        (MismatchKernel(3, 1), STRINGS),
        (GappyKernel(4, 3, decay=0.5), STRINGS),
        (SubstitutionKernel(2, 4.0), STRINGS),
        (WildcardKernel(3, 1), STRINGS),
        (RationalKernel(ngram_transducer("ACGT", 2)), STRINGS),
        (RationalKernel(edit_distance_transducer("ACGT"), symmetrize=False), STRINGS),
        (HiddenMarkovProductKernel(max_iter=3), STRINGS),
        (HiddenMarkovProductKernel(n_steps=2), CHAINS),
        (GaussianProductKernel(), SETS),
        (MixtureProductKernel(), SETS),
        (LinearDynamicalProductKernel(n_steps=2, max_iter=2), SETS),
        (FeatureSpaceProductKernel(), SETS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_pipeline_on_objects_is_saved_and_predicts_as_before(kernel, objects, tmp_path):
    model = make_pipeline(GramTransformer(kernel), SVC(kernel="precomputed")).fit(objects, [0, 1, 0, 1, 0, 1])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    # Arrays may lie in memory the other way round, which changes the order of sums.
    np.testing.assert_allclose(again[0].transform(objects), model[0].transform(objects), rtol=1e-12)
    np.testing.assert_array_equal(again.predict(objects), model.predict(objects))


@pytest.mark.parametrize(
    ("part", "forged"),
    [
        ("codes", np.array([0, 1, 2, 9], np.int8)),
        ("codes", np.array([0, 1, 2, -3], np.int8)),
        ("codes", np.array([0.0, 1.0, 2.0, 3.0])),
        ("offsets", np.array([0, 9])),
        ("offsets", np.array([0, 5, 4])),
    ],
)
def test_forged_strings_are_refused(part, forged):
    strings = SpectrumKernel(2).prepare(["ACGT"])
    assert pickle.loads(pickle.dumps(strings)).letters == "ACGT"
    setattr(strings, part, forged)
    with pytest.raises(ValueError, match="do not belong to their letters and lengths"):
        pickle.loads(pickle.dumps(strings))


@pytest.mark.parametrize("part", ["_source", "_target", "_in", "_out"])
@pytest.mark.parametrize("number", [-1, 99])
def test_forged_arcs_are_refused(part, number):
    machine = ngram_transducer("ab", 2)
    assert pickle.loads(pickle.dumps(machine)).weight_of("aab", "ab") == 1.0
    getattr(machine, part)[0] = number
    with pytest.raises(ValueError, match="leads to no state"):
        pickle.loads(pickle.dumps(machine))
    machine = ngram_transducer("ab", 2)
    machine._final = machine._final[:-1]
    with pytest.raises(ValueError, match="2 final weights for 3 states"):
        pickle.loads(pickle.dumps(machine))
