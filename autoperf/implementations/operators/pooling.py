"""Pooling, resizing and regions of interest."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_WINDOW = {
    "strides": "spread(stride, len(kernel), 1)",
    "padding": "spread(pad, len(kernel), 0)",
    "full": "pooling_convention == 'full'",
}

LINES = (
    *(
        line(
            "Pooling Pooling_v1",
            torch=f"F.max_pool{ndim}d(data, kernel, strides, padding, ceil_mode=full)",
            numpy="pool(data, kernel, strides, padding, 'max')",
            jax="pool(data, kernel, strides, padding, 'max')",
            when=f"pool_type == 'max' and not global_pool and len(kernel) == {ndim} and pooling_convention == 'valid'",
            prepare=_WINDOW,
        )
        for ndim in (1, 2, 3)
    ),
    *(
        line(
            "Pooling",
            torch=f"F.avg_pool{ndim}d(data, kernel, strides, padding, count_include_pad=count_include_pad is not False)",
            numpy="pool(data, kernel, strides, padding, 'avg')",
            jax="pool(data, kernel, strides, padding, 'avg')",
            when=f"pool_type == 'avg' and not global_pool and len(kernel) == {ndim} and pooling_convention == 'valid' "
            "and (count_include_pad is not False or not any(pad))",
            prepare=_WINDOW,
        )
        for ndim in (1, 2, 3)
    ),
    line(
        "Pooling_v1",
        torch="F.avg_pool2d(data, kernel, strides, padding)",
        numpy="pool(data, kernel, strides, padding, 'avg')",
        jax="pool(data, kernel, strides, padding, 'avg')",
        when="pool_type == 'avg' and not global_pool and pooling_convention == 'valid'",
        prepare=_WINDOW,
    ),
    line(
        "Pooling",
        torch="F.avg_pool2d(data, kernel, strides, padding, count_include_pad=False)",
        when="pool_type == 'avg' and not global_pool and len(kernel) == 2 and pooling_convention == 'valid'",
        prepare=_WINDOW,
    ),
    line(
        "Pooling Pooling_v1",
        torch="torch.amax(data, axes, True)",
        both="np.max(data, axes, keepdims=True)",
        when="pool_type == 'max' and global_pool",
        prepare={"axes": "tuple(range(2, data.ndim))"},
    ),
    line(
        "Pooling Pooling_v1",
        torch="torch.mean(data, axes, True)",
        both="np.mean(data, axes, keepdims=True)",
        when="pool_type == 'avg' and global_pool",
        prepare={"axes": "tuple(range(2, data.ndim))"},
    ),
    line(
        "Pooling Pooling_v1",
        "xp.sum(data, axes, keepdims=True)",
        when="pool_type == 'sum' and global_pool",
        prepare={"axes": "tuple(range(2, data.ndim))"},
    ),
    line(
        "Pooling Pooling_v1",
        numpy="pool(data, kernel, strides, padding, 'sum')",
        jax="pool(data, kernel, strides, padding, 'sum')",
        when="pool_type == 'sum' and not global_pool and pooling_convention == 'valid'",
        prepare=_WINDOW,
    ),
    line(
        "UpSampling",
        torch="F.interpolate(data[0], scale_factor=scale, mode='nearest')",
        both="np.repeat(np.repeat(data[0], scale, 2), scale, 3)",
        when="sample_type == 'nearest' and len(data) == 1",
    ),
    line("_contrib_AdaptiveAvgPooling2D", torch="F.adaptive_avg_pool2d(data, output_size or 1)"),
    line(
        "_contrib_AdaptiveAvgPooling2D",
        both="np.mean(data, (2, 3), keepdims=True)",
        when="output_size in ((), (1,), (1, 1))",
    ),
    line(
        "_contrib_AdaptiveAvgPooling2D",
        both="np.mean(data.reshape(*data.shape[:2], rows, data.shape[2] // rows, columns, data.shape[3] // columns), (3, 5))",
        when="data.shape[2] % output_size[0] == 0 and data.shape[3] % output_size[-1] == 0",
        prepare={"rows": "output_size[0]", "columns": "output_size[-1]"},
    ),
    line(
        "_contrib_BilinearResize2D",
        torch="F.interpolate(data, size, mode='bilinear', align_corners=align_corners)",
        when="mode == 'size'",
        prepare={"size": "resized(data, height, width, scale_height, scale_width)"},
    ),
    line(
        "Crop",
        "data[0][:, :, top : top + h_w[0], left : left + h_w[1]]",
        when="len(data) == 1 and center_crop",
        prepare={"top": "(data[0].shape[2] - h_w[0]) // 2", "left": "(data[0].shape[3] - h_w[1]) // 2"},
    ),
    line(
        "Crop",
        "data[0][:, :, offset[0] : offset[0] + h_w[0], offset[1] : offset[1] + h_w[1]]",
        when="len(data) == 1 and not center_crop",
    ),
)
