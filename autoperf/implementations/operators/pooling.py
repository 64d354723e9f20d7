"""Pooling, resizing and regions of interest."""

from __future__ import annotations

from autoperf.implementations.implementation import TableLine, line

_FIRST = "layout in (None, 'NCW', 'NCHW', 'NCDHW')"
_LAST = "layout in ('NWC', 'NHWC', 'NDHWC')"
_LAYOUTS = (("Pooling", f" and {_FIRST}", False), ("Pooling", f" and {_LAST}", True), ("Pooling_v1", "", False))
_COUNTED = "count_include_pad is not False"
_SLIDES = "not global_pool and pooling_convention in ('valid', 'full')"


def _moved(text: str, last: bool, xp: str = "np") -> str:
    """An expression over data with channels second, for data that has them last."""
    if not last:
        return text
    if xp == "torch":
        return text.replace("(data", "(data.movedim(-1, 1)") + ".movedim(1, -1)"
    return f"np.moveaxis({text.replace('(data', '(np.moveaxis(data, -1, 1)')}, 1, -1)"


def _prepared(*, last: bool = False, counted: bool = False) -> dict[str, str]:
    """The names of windows: `full` has a last, incomplete one, `edges` are the pads with its rest, `sizes` theirs."""
    spatial = f"data.shape[{'1:-1' if last else '2:'}]"
    return {
        "strides": "spread(stride, len(kernel), 1)",
        "padding": "spread(pad, len(kernel), 0)",
        "full": "pooling_convention == 'full'",
        "edges": f"window_edges({spatial}, kernel, strides, padding, full)",
        **({"sizes": f"window_sizes({spatial}, kernel, strides, padding, edges, {_COUNTED})"} if counted else {}),
    }


def _pooling(kind: str, torch: str, both: str) -> list[TableLine]:
    """Windows for each number of axes and each layout."""
    return [
        line(
            operator,
            torch=_moved(torch.format(ndim), last, "torch") if torch else "",
            both=_moved(both, last),
            when=f"pool_type == '{kind}' and {_SLIDES} and len(kernel) == {ndim}{layout}",
            prepare=_prepared(last=last, counted="sizes" in both),
        )
        for operator, layout, last in (_LAYOUTS if kind == "sum" else _LAYOUTS[:2])
        for ndim in ((1, 2, 3) if operator == "Pooling" else (2,))
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
    *_pooling(
        "max", "F.max_pool{}d(data, kernel, strides, padding, 1, full)", "pool(data, kernel, strides, edges, 'max')"
    ),
    *_pooling(
        "avg",
        f"F.avg_pool{{}}d(data, kernel, strides, padding, full, {_COUNTED})",
        "pool(data, kernel, strides, edges, 'sum') / like(sizes, data)",
    ),
    # The first version takes pads for zeros, divides by the kernel's size, and gives each of several equal maxima the
    # gradient, which numbers of half precision often are.
    *(
        line(
            "Pooling_v1",
            torch="F.max_pool2d(F.pad(data, zeros), kernel, strides, 0, 1, full)",
            both="pool(np.pad(data, ((0, 0), (0, 0), *both_sides(padding))), kernel, strides, rest, 'max')",
            when=f"pool_type == 'max' and {_SLIDES} and data.dtype {'==' if is_half else '!='} 'float16'",
            prepare={
                **_prepared(),
                "zeros": "(padding[1], padding[1], padding[0], padding[0])",
                "rest": "[(0, after - before) for before, after in edges]",
            },
            undifferentiated="torch jax" if is_half else "",
        )
        for is_half in (False, True)
    ),
    line(
        "Pooling_v1",
        torch="F.avg_pool2d(data, kernel, strides, padding, full, True, kernel[0] * kernel[1])",
        both="pool(data, kernel, strides, edges, 'sum') / (kernel[0] * kernel[1])",
        when=f"pool_type == 'avg' and {_SLIDES}",
        prepare=_prepared(),
    ),
    *_pooling("sum", "", "pool(data, kernel, strides, edges, 'sum')"),
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
