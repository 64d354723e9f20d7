"""Losses and output layers. Output layers ignore head gradients, so only their forward passes are comparable."""

from __future__ import annotations

from autoperf.implementations.implementation import WHOLE, line
from autoperf.implementations.operators.nn import along

_OWN = "torch jax"

LINES = (
    line(
        "LinearRegressionOutput MAERegressionOutput SVMOutput IdentityAttachKLSparseReg",
        torch="data.clone()",
        both="np.copy(data)",
        undifferentiated=_OWN,
    ),
    line(
        "LogisticRegressionOutput",
        torch="torch.sigmoid(data)",
        numpy="1 / (1 + np.exp(-data))",
        jax="jax.nn.sigmoid(data)",
        undifferentiated=_OWN,
    ),
    line(
        "SoftmaxOutput",
        **along("softmax", "data", "1"),
        when="multi_output or (not preserve_shape and len(data.shape) == 2)",
        undifferentiated=_OWN,
    ),
    line(
        "SoftmaxOutput",
        **along("softmax", "data", "-1"),
        when="preserve_shape and not multi_output",
        undifferentiated=_OWN,
    ),
    line(
        "SoftmaxOutput",
        torch="torch.softmax(data.flatten(1), 1).reshape(data.shape)",
        numpy="softmax(data.reshape(len(data), -1), 1).reshape(data.shape)",
        jax="jax.nn.softmax(data.reshape(len(data), -1), 1).reshape(data.shape)",
        when="not multi_output",
        undifferentiated=_OWN,
    ),
    line(
        "softmax_cross_entropy",
        torch="F.cross_entropy(data, label, reduction='sum')",
        numpy="-np.sum(np.take_along_axis(log_softmax(data, 1), label[:, None], 1))",
        jax="-jnp.sum(jnp.take_along_axis(jax.nn.log_softmax(data, 1), label[:, None], 1))",
        prepare={"label": "whole(label)"},
        note=WHOLE,
    ),
    line(
        "CTCLoss",
        torch="F.ctc_loss(torch.log_softmax(data, 2), labels, lengths, sizes, reduction='none')",
        when="blank_label == 'first' and not use_data_lengths and not use_label_lengths",
        prepare={
            "labels": "whole(label)",
            "lengths": "xp.arange(data.shape[1]) * 0 + data.shape[0]",
            "sizes": "label_lengths(label)",
        },
        note=WHOLE,
    ),
)
