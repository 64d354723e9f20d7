"""Pooling, resizing and regions of interest."""

from __future__ import annotations

from autoperf.implementations.implementation import TableLine, line

_WINDOW = {
    "strides": "spread(stride, len(kernel), 1)",
    "padding": "spread(pad, len(kernel), 0)",
    "full": "pooling_convention == 'full'",
}

_FIRST = "layout in (None, 'NCW', 'NCHW', 'NCDHW')"
_LAST = "layout in ('NWC', 'NHWC', 'NDHWC')"
_LAYOUTS = (("Pooling", f" and {_FIRST}", False), ("Pooling", f" and {_LAST}", True), ("Pooling_v1", "", False))
_VALID = "not global_pool and pooling_convention == 'valid'"


def _moved(text: str, last: bool, xp: str = "np") -> str:
    """An expression over data with channels second, for data that has them last."""
    if not last:
        return text
    if xp == "torch":
        return text.replace("(data", "(data.movedim(-1, 1)") + ".movedim(1, -1)"
    return f"np.moveaxis({text.replace('(data', '(np.moveaxis(data, -1, 1)')}, 1, -1)"


def _pooling(kind: str, torch: str, condition: str = "") -> list[TableLine]:
    """Windows that are wholly inside, for each number of axes and each layout."""
    return [
        line(
            operator,
            torch=_moved(torch.format(ndim), last, "torch") if torch else "",
            both=_moved(f"pool(data, kernel, strides, padding, '{kind}')", last),
            when=f"pool_type == '{kind}' and {_VALID} and len(kernel) == {ndim}{layout}{condition}",
            prepare=_WINDOW,
        )
        for operator, layout, last in _LAYOUTS
        for ndim in (1, 2, 3)
    ]


def _global(kind: str, function: str, torch: str) -> list[TableLine]:
    return [
        line(
            operator,
            torch=f"torch.{torch}(data, axes, True)",
            both=f"np.{function}(data, axes, keepdims=True)",
            when=f"pool_type == '{kind}' and global_pool{layout}",
            prepare={"axes": f"tuple(range({1 if last else 2}, data.ndim - {int(last)}))"},
        )
        for operator, layout, last in _LAYOUTS
    ]


LINES = (
    *_pooling("max", "F.max_pool{}d(data, kernel, strides, padding)"),
    *(entry for entry in _pooling("avg", "F.avg_pool{}d(data, kernel, strides, padding)", " and not any(pad)")),
    *(
        line(
            "Pooling",
            torch=_moved(f"F.avg_pool{ndim}d(data, kernel, strides, padding, False, count_include_pad)", last, "torch"),
            when=f"pool_type == 'avg' and {_VALID} and len(kernel) == {ndim} and count_include_pad is not None{layout}",
            prepare=_WINDOW,
        )
        for _, layout, last in _LAYOUTS[:2]
        for ndim in (1, 2, 3)
    ),
    *_pooling("sum", ""),
    *_global("max", "max", "amax"),
    *_global("avg", "mean", "mean"),
    *_global("sum", "sum", "sum"),
    line(
        "UpSampling",
        torch="F.interpolate(data[0], scale_factor=scale, mode='nearest')",
        both="np.repeat(np.repeat(data[0], scale, 2), scale, 3)",
        when="sample_type == 'nearest' and len(data) == 1",
    ),
    line(
        "_contrib_AdaptiveAvgPooling2D",
        torch="F.adaptive_avg_pool2d(data, size)",
        prepare={"size": "output_size if len(output_size) == 2 else (*output_size, *output_size) or 1"},
    ),
    line(
        "_contrib_AdaptiveAvgPooling2D",
        both="np.mean(data, (2, 3), keepdims=True)",
        when="output_size in ((), (1,), (1, 1))",
    ),
    line(
        "_contrib_AdaptiveAvgPooling2D",
        both="np.mean(data.reshape(*data.shape[:2], rows, data.shape[2] // rows, columns, -1), (3, 5))",
        when="data.shape[2] % output_size[0] == 0 and data.shape[3] % output_size[-1] == 0",
        prepare={"rows": "output_size[0]", "columns": "output_size[-1]"},
    ),
    line(
        "_contrib_BilinearResize2D",
        torch="F.interpolate(data, size, mode='bilinear', align_corners=align_corners)",
        when="mode == 'size'",
        prepare={"size": "resized(data, height, width, scale_height, scale_width)"},
        precision="float32",
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
