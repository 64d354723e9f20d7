"""MXNet's messages, as its releases really word them."""

import pytest

from autoperf.backends.mxnet.capi.front_end import exception_text
from autoperf.processes.failures import MAX_CHARACTERS, first_sentence

REAL = {
    "1.9.1, a check with a trace": (
        "MXNetError: Check failed: num_inputs == infered_num_inputs (0 vs. 1) : Operator exp expects 1 inputs, but got "
        ' 0 instead.\nStack trace:\n  File "../src/imperative/imperative_utils.h", line 371\n',
        "Check failed: num_inputs == infered_num_inputs (0 vs. 1) : Operator exp expects 1 inputs, but got 0 instead",
    ),
    "1.6.0, clock and place": (
        "[02:51:53] src/operator/tensor/./dot-inl.h:1241: Check failed: L[!Ta].Size() == R[Tb].Size() (3 vs. 2) : dot "
        "shape error: [2,3] X [2,3]\nStack trace:\n  [bt] (0) libmxnet.so(+0x307d3b) [0x7f3ae7707d3b]\n",
        "Check failed: L[!Ta].Size() == R[Tb].Size() (3 vs. 2) : dot shape error: [2,3] X [2,3]",
    ),
    "inference names its operator": (
        "Error in operator dot0: [02:51:53] src/operator/tensor/./dot-inl.h:1241: Check failed: a == b (3 vs. 2) : dot "
        "shape error: [2,3] X [2,3]",
        "Check failed: a == b (3 vs. 2) : dot shape error: [2,3] X [2,3]",
    ),
    "2.0.0, like Python's": (
        'Traceback (most recent call last):\n  File "../src/operator/nn/pooling.cc", line 97\n'
        "MXNetError: Check failed: param.kernel.ndim() == 2 (0 vs. 2) : kernel must be 2-D",
        "Check failed: param.kernel.ndim() == 2 (0 vs. 2) : kernel must be 2-D",
    ),
    "a list of arguments behind it": (
        "MXNetError: Cannot find argument 'zz', Possible Arguments:\n----------------\naxis : int or None\n    Axis.\n",
        "Cannot find argument 'zz'",
    ),
    "a second sentence": (
        "MXNetError: Check failed: !is_none: Cannot differentiate node. You need to set is_recording to true.",
        "Check failed: !is_none: Cannot differentiate node",
    ),
    "a check that says nothing else": (
        'MXNetError: Check failed: !is_none(): \nStack trace:\n  File "ndarray.h", line 307\n',
        "Check failed: !is_none()",
    ),
    "a number with a point": (
        "Invalid Parameter format for p expect float but value='1.5.x', in operator Dropout(name=\"\", p=\"1.5.x\")\n",
        "Invalid Parameter format for p expect float but value='1.5.x', in operator Dropout(name=\"\", p=\"1.5.x\")",
    ),
    "nothing": ("", "no message was given"),
}  # fmt: skip


@pytest.mark.parametrize("label", REAL)
def test_first_sentence(label: str) -> None:
    text, expected = REAL[label]
    assert first_sentence(text) == expected


# Gluon hands MXNet's messages on in exceptions of Python's own classes.
DEFERRED = ValueError(
    "Deferred initialization failed because shape cannot be inferred. Error in operator conv0_fwd: [18:03:54] "
    "../src/operator/nn/convolution.cc:151: Check failed: dshp.ndim() == 4U (2 vs. 4) : Input data should be 4D\n"
)
PYTHON_STYLE = NotImplementedError(
    'Traceback (most recent call last):\n  File "../src/operator/tensor/./dot-inl.h", line 1241\n'
    "NotImplementedError: Check failed: a == b (3 vs. 2) : dot shape error: [2,3] X [2,3]"
)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (DEFERRED, "ValueError: Check failed: dshp.ndim() == 4U (2 vs. 4) : Input data should be 4D"),
        (PYTHON_STYLE, "NotImplementedError: Check failed: a == b (3 vs. 2) : dot shape error: [2,3] X [2,3]"),
        (RuntimeError("line one\nline two. And a third"), "RuntimeError: line one line two. And a third"),
        (KeyError(), "KeyError"),
    ],
)
def test_an_exception_has_no_time_of_day_and_no_place_in_the_source(error: Exception, told: str) -> None:
    assert exception_text(error) == told


def test_a_long_sentence_is_cut() -> None:
    sentence = first_sentence("Check failed: " + "x" * 1000)
    assert len(sentence) == MAX_CHARACTERS
    assert sentence.endswith("…")


def test_a_long_word_takes_no_square_of_its_length() -> None:
    """A million signs without a blank would take an hour."""
    assert first_sentence("x" * 1_000_000).startswith("xxx")
    assert first_sentence("x" * 1_000_000 + ".cc:12: Check failed: a == b") == "Check failed: a == b"
