"""Composites compute what their sources say: their outputs are those of plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.backends.mxnet.capi.library import Library
from autoperf.pipeline.release import Release
from tests.rules.composites import detection_references, layer_references, training_references
from tests.rules.composites.composite_runs import composites, computed, contents, small_cases

REFERENCES = {**detection_references.REFERENCES, **training_references.REFERENCES, **layer_references.REFERENCES}


@pytest.mark.parametrize("name", REFERENCES)
def test_outputs_are_those_of_numpy(release: Release, library: Library, name: str) -> None:
    case = small_cases(release, name)["imperative"]
    arrays = contents(case)
    expected = REFERENCES[name]({key: values.astype("float64") for key, values in arrays.items()})
    outputs = computed(library, case, arrays).outputs
    for mine, theirs in zip(outputs, expected if isinstance(expected, list) else [expected], strict=True):
        np.testing.assert_allclose(mine.reshape(np.shape(theirs) or (1,)), theirs, rtol=2e-4, atol=2e-5)


def test_most_composites_have_a_reference() -> None:
    assert len(REFERENCES) > len(composites()) / 2
