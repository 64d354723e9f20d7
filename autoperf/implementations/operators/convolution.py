"""Convolutions, their transposes, and rearranging into columns."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_CHANNELS = "layout in (None, 'NCW', 'NCHW', 'NCDHW')"
_WINDOW = {
    "strides": "spread(stride, len(kernel), 1)",
    "dilation": "spread(dilate, len(kernel), 1)",
    "padding": "spread(pad, len(kernel), 0)",
}
_BIAS = {True: ("no_bias", ""), False: ("not no_bias", ", bias")}
_LAX = (
    "lax.conv_general_dilated(data, weight, strides, [(size, size) for size in padding], rhs_dilation=dilation, "
    "feature_group_count=num_group)"
)
_CONV = "F.conv{}d(data, weight{}, {}strides, padding, dilation, num_group)"

LINES = (
    *(
        line(
            name,
            torch=_CONV.format(ndim, bias, "" if bias else "None, "),
            jax=_LAX + (" + bias.reshape(-1, *(1,) * len(kernel))" if bias else ""),
            numpy="convolution(data, weight, {}, strides, padding, dilation, num_group)".format(
                "bias" if bias else "None"
            ),
            when=f"len(kernel) == {ndim} and {condition} and {_CHANNELS}{dilations}",
            prepare=_WINDOW,
            # The gradients of dilated ones are wrong in Convolution_v1.
            undifferentiated="torch jax" if dilated else "",
        )
        for name, dilations, dilated in (
            ("Convolution", "", False),
            ("Convolution_v1", " and all(step == 1 for step in dilate)", False),
            ("Convolution_v1", "", True),
        )
        for ndim in (1, 2, 3)
        for condition, bias in _BIAS.values()
    ),
    *(
        line(
            "Deconvolution",
            torch=f"F.conv_transpose{ndim}d(data, weight, {bias[2:] or 'None'}, strides, padding, extra, "
            "num_group, dilation)",
            jax="transposed_convolution(data, weight, strides, padding, extra, dilation, num_group)"
            + (" + bias.reshape(-1, *(1,) * len(kernel))" if bias else ""),
            when=f"len(kernel) == {ndim} and {condition} and not target_shape and {_CHANNELS}",
            prepare={**_WINDOW, "extra": "spread(adj, len(kernel), 0)"},
        )
        for ndim in (1, 2, 3)
        for condition, bias in _BIAS.values()
    ),
    line(
        "im2col",
        torch="F.unfold(data, kernel, dilation, padding, strides)",
        numpy="columns(data, kernel, strides, padding, dilation)",
        jax="lax.conv_general_dilated_patches(data, kernel, strides, [(size, size) for size in padding], "
        "rhs_dilation=dilation).reshape(data.shape[0], data.shape[1] * kernel[0] * kernel[1], -1)",
        when="len(kernel) == 2",
        prepare=_WINDOW,
    ),
    line(
        "col2im",
        torch="F.fold(data, output_size, kernel, dilation, padding, strides)",
        when="len(kernel) == 2",
        prepare=_WINDOW,
    ),
)
