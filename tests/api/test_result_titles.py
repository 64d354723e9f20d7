"""Results have the names of the design: MX_Add_Forward_Backward_Time, MX_Gluon_Imperative_Conv2D_..."""

from __future__ import annotations

import pytest

from autoperf.api.result_titles import configured_title, title_of
from autoperf.core.errors import UnknownNameError
from autoperf.rules.design_operations import design_group

# The titles that dl-operator-benchmark prints, by group.
KNOWN = {
    "arithmetic": "Add Subtract Multiply Divide Modulo Power Negative Inplace_Add Inplace_Subtract Inplace_Multiply "
    "Inplace_Division Inplace_Modulo",
    "comparison": "Lesser Lesser_Equal Greater Greater_Equal Equal Not_Equal",
    "tensor_creation": "Zeros Ones Zeros_Like Ones_Like Full Arange",
    "exponential_and_log": "Log Exp",
    "gemm": "Dot Batch_Dot",
    "logical_comparison": "Logical_And Logical_Or Logical_Xor Logical_Not",
    "powers": "Sqrt Square",
    "sort_and_search": "Sort ArgSort TopK ArgMax ArgMin",
    "gluon_nn_basic": "Gluon_Imperative_Dense Gluon_Imperative_Flatten Gluon_Imperative_Lambda",
    "gluon_nn_activation": "Gluon_Imperative_LeakyRelu Gluon_Imperative_PRelu Gluon_Imperative_Elu "
    "Gluon_Imperative_Selu Gluon_Imperative_Swish Softmax Log_Softmax",
    "gluon_nn_convolution": "Gluon_Imperative_Conv2D Gluon_Imperative_Conv2DTranspose Gluon_Imperative_Conv1D",
    "gluon_nn_loss": "Gluon_Imperative_L1Loss Gluon_Imperative_SoftmaxCrossEntropyLoss",
    "gluon_normalization": "Gluon_Imperative_Dropout Gluon_Imperative_BatchNorm",
    "gluon_nn_pooling": "Gluon_Imperative_MaxPool1D Gluon_Imperative_GlobalAvgPool2D",
    "gluon_recurrent": "Gluon_Imperative_RNN Gluon_Imperative_LSTM Gluon_Imperative_GRU",
}


@pytest.mark.parametrize("group", KNOWN)
def test_a_group_has_the_titles_that_are_known(group: str) -> None:
    assert set(KNOWN[group].split()) <= {title_of(entry) for entry in design_group(group)}


def test_activation_layers_by_their_function() -> None:
    assert configured_title("Gluon_Imperative_Activation", "tanh_imperative") == "Gluon_Imperative_Tanh"
    assert configured_title("Gluon_Imperative_Activation", "imperative") == "Gluon_Imperative_Activation"


def test_an_unknown_group_is_told_with_what_is_near() -> None:
    with pytest.raises(UnknownNameError, match="unknown group 'aritmetic'; did you mean arithmetic"):
        design_group("aritmetic")
