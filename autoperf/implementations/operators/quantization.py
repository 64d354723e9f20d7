"""8-bit inference."""

from __future__ import annotations

from autoperf.implementations.implementation import line

LINES = (
    line(
        "_contrib_quantized_flatten",
        torch="(torch.flatten(data, 1), min_data.clone(), max_data.clone())",
        both="(np.reshape(data, (data.shape[0], -1)), np.copy(min_data), np.copy(max_data))",
    ),
    line(
        "_contrib_quantized_act",
        torch="(torch.relu(data), min_data.clone(), max_data.clone())",
        both="(np.maximum(data, 0), np.copy(min_data), np.copy(max_data))",
        when="act_type == 'relu' and data.dtype == 'int8'",
    ),
    line(
        "_contrib_dequantize",
        "data * (xp.maximum(xp.abs(min_range), xp.abs(max_range)) / 127.5)",
        when="data.dtype == 'int8'",
    ),
    line("_contrib_dequantize", "data * ((max_range - min_range) / 255) + min_range", when="data.dtype == 'uint8'"),
    line(
        "_contrib_quantized_pooling",
        torch="(F.max_pool2d(data, kernel, strides, padding), min_data.clone(), max_data.clone())",
        both="(pool(data, kernel, strides, padding, 'max'), np.copy(min_data), np.copy(max_data))",
        when="pool_type == 'max' and not global_pool and pooling_convention == 'valid'",
        prepare={"strides": "spread(stride, len(kernel), 1)", "padding": "spread(pad, len(kernel), 0)"},
    ),
)
