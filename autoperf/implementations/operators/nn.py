"""Layers of networks: dense, convolution, pooling, normalization, activations, losses, embeddings, images."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import WHOLE, TableLine, line


def _per(torch: str, numpy: str, jax: str) -> dict[str, Any]:
    """An expression per framework."""
    return {"torch": torch, "numpy": numpy, "jax": jax}


_RELU = _per("torch.relu(data)", "np.maximum(data, 0)", "jax.nn.relu(data)")
_SIGMOID = _per("torch.sigmoid(data)", "1 / (1 + np.exp(-data))", "jax.nn.sigmoid(data)")
_SOFTSIGN = _per("F.softsign(data)", "data / (1 + np.abs(data))", "jax.nn.soft_sign(data)")
_SOFTPLUS = _per("F.softplus(data)", "np.logaddexp(data, 0)", "jax.nn.softplus(data)")
_ALL = "not use_length and dtype is None and temperature in (None, 1.0)"
_SCALED = "not use_length and dtype is None"
_TIMES = {"scale": "1 / temperature"}


def along(function: str, data: str, axis: str = "axis", within: str = "{}") -> dict[str, Any]:
    """A function of the softmax family along an axis, as each framework spells it, within another expression."""
    prefixes = {"torch": "torch.", "numpy": "", "jax": "jax.nn."}
    return {name: within.format(f"{prefix}{function}({data}, {axis})") for name, prefix in prefixes.items()}


_FLAT = {True: ("data.flatten(1)", "data.reshape(data.shape[0], -1)"), False: ("data", "data")}
_OWN = "torch jax"

_TRAINED = "training and not use_global_stats and not output_mean_var"
_GLOBAL = "(not training or use_global_stats) and not output_mean_var"
_NOTE = "the running statistics are not updated"
_WEIGHT = "None if fix_gamma else gamma"
_TORCH = "F.batch_norm({}, None, None, " + _WEIGHT + ", beta, True, 0.0, eps)"
_FIXED = "F.batch_norm({}, moving_mean, moving_var, " + _WEIGHT + ", beta, False, 0.0, eps)"
_MOVED = ("data.movedim(axis, 1)", ".movedim(1, axis)")
_BATCH = "batch_norm(xp, data, gamma, beta, {}, eps, fix_gamma)"
_GIVEN = "global_norm(xp, data, gamma, beta, moving_mean, moving_var, {}, eps, fix_gamma)"
_ONE = "BatchNorm_v1 _contrib_SyncBatchNorm"

_CHANNELS = "layout in (None, 'NCW', 'NCHW', 'NCDHW')"
_WINDOW = {
    "strides": "spread(stride, len(kernel), 1)",
    "dilation": "spread(dilate, len(kernel), 1)",
    "padding": "spread(pad, len(kernel), 0)",
}
_KERNEL_BIAS = {True: ("no_bias", ""), False: ("not no_bias", ", bias")}
_LAX = (
    "lax.conv_general_dilated(data, weight, strides, [(size, size) for size in padding], rhs_dilation=dilation, "
    "feature_group_count=num_group)"
)
_CONV = "F.conv{}d(data, weight{}, {}strides, padding, dilation, num_group)"

_FLIPS = (("left_right", -2), ("top_bottom", -3))
_AFFINE = "F.affine_grid({}.reshape(-1, 2, 3), (data.shape[0], 1, *target_shape), align_corners=True)"

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
    line("Activation", when="act_type == 'relu'", **_RELU),
    line("relu _npx_relu", **_RELU),
    line("Activation", when="act_type == 'sigmoid'", **_SIGMOID),
    line("sigmoid _npx_sigmoid", **_SIGMOID),
    line("Activation", "xp.tanh(data)", when="act_type == 'tanh'"),
    line("Activation", when="act_type == 'softrelu'", **_SOFTPLUS),
    line("Activation", when="act_type == 'softsign'", **_SOFTSIGN),
    line("softsign", **_SOFTSIGN),
    line(
        "LeakyReLU",
        when="act_type == 'leaky'",
        **_per("F.leaky_relu(data, slope)", "np.where(data > 0, data, data * slope)", "jax.nn.leaky_relu(data, slope)"),
    ),
    line(
        "LeakyReLU",
        when="act_type == 'elu'",
        **_per("F.elu(data, slope)", "np.where(data > 0, data, slope * np.expm1(data))", "jax.nn.elu(data, slope)"),
    ),
    line(
        "LeakyReLU",
        torch="F.selu(data)",
        numpy="1.0507009873554805 * np.where(data > 0, data, 1.6732632423543772 * np.expm1(data))",
        jax="jax.nn.selu(data)",
        undifferentiated="torch jax",
        when="act_type == 'selu'",
    ),
    line("LeakyReLU", torch="F.gelu(data)", jax="jax.nn.gelu(data, approximate=False)", when="act_type == 'gelu'"),
    line(
        "LeakyReLU",
        torch="F.prelu(data, gamma)",
        when="act_type == 'prelu' and len(data.shape) > 1 and gamma.shape in ((1,), data.shape[1:2])",
    ),
    line(
        "LeakyReLU",
        both="np.where(data > 0, data, data * np.reshape(gamma, shape))",
        when="act_type == 'prelu' and len(gamma.shape) == 1 and len(data.shape) > 1",
        prepare={"shape": "per_channel(data, 1)"},
    ),
    line("SoftmaxActivation", when="mode == 'channel'", **along("softmax", "data", "1")),
    line("SoftmaxActivation", when="mode == 'instance' and len(data.shape) == 2", **along("softmax", "data", "-1")),
    line("_contrib_div_sqrt_dim", "data / (data.shape[-1] ** 0.5)"),
    line("hard_sigmoid", "xp.clip(alpha * data + beta, 0, 1)"),
    line("softmax", when=_ALL, **along("softmax", "data")),
    line("softmax", when=_SCALED, prepare=_TIMES, **along("softmax", "data * scale")),
    line("softmin", when=_ALL, **along("softmax", "-data")),
    line("softmin", when=_SCALED, prepare={"scale": "-1 / temperature"}, **along("softmax", "data * scale")),
    line("log_softmax", when=_ALL, **along("log_softmax", "data")),
    line("log_softmax", when=_SCALED, prepare=_TIMES, **along("log_softmax", "data * scale")),
    line(
        "softmax",
        **along("softmax", "masked(data * scale, mask, -INFINITY)", within="masked({}, mask, 0)"),
        when="use_length and dtype is None",
        prepare={"scale": "1 / (temperature or 1)", "mask": "length_mask(xp, data, length, axis)"},
        note="the mask of the lengths is made before",
    ),
    line(
        "smooth_l1",
        "xp.where(xp.abs(data) < bound, 0.5 * square * data * data, xp.abs(data) - 0.5 * bound)",
        prepare={"square": "scalar ** 2", "bound": "1 / scalar ** 2"},
    ),
    *(
        line(
            "FullyConnected",
            torch=f"F.linear({of_torch}, weight{bias and ', bias'})",
            both=f"{flat} @ weight.T{bias}",
            when=f"bool(flatten) == {flatten} and bool(no_bias) == {not bias}",
        )
        for flatten, (of_torch, flat) in _FLAT.items()
        for bias in ("", " + bias")
    ),
    line(
        "Embedding _contrib_SparseEmbedding",
        torch="F.embedding(data, weight)",
        both="np.take(weight, data, 0)",
        prepare={"data": "in_range(xp, whole(data), input_dim, 'clip')"},
        note=WHOLE,
    ),
    line(
        "Dropout",
        torch="F.dropout(data, p)",
        numpy="data * ((random.random(data.shape, 'float32') >= p) / (1 - p)).astype(data.dtype)",
        jax="jnp.where(jax.random.bernoulli(key, 1 - p, data.shape), data / (1 - p), 0)",
        when="not axes and (training or mode == 'always')",
        prepare={"random": "generator()", "key": "generator()"},
        random=True,
        undifferentiated="torch jax",
    ),
    line("Dropout", torch="data.clone()", both="np.copy(data)", when="not training and mode != 'always'"),
    line(
        "LinearRegressionOutput MAERegressionOutput SVMOutput IdentityAttachKLSparseReg",
        torch="data.clone()",
        both="np.copy(data)",
        undifferentiated=_OWN,
    ),
    line("LogisticRegressionOutput", undifferentiated=_OWN, **_SIGMOID),
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
    line("BatchNorm", torch=_TORCH.format("data"), both=_BATCH.format(1), when=f"{_TRAINED} and axis == 1", note=_NOTE),
    line(
        "BatchNorm", torch=_TORCH.format(_MOVED[0]) + _MOVED[1], both=_BATCH.format("axis"), when=_TRAINED, note=_NOTE
    ),
    line("BatchNorm", torch=_FIXED.format(_MOVED[0]) + _MOVED[1], both=_GIVEN.format("axis"), when=_GLOBAL),
    line(_ONE, torch=_TORCH.format("data"), both=_BATCH.format(1), when=_TRAINED, note=_NOTE),
    line(_ONE, torch=_FIXED.format("data"), both=_GIVEN.format(1), when=_GLOBAL),
    line(
        "_contrib_BatchNormWithReLU",
        torch=f"torch.relu({_TORCH.format('data')})",
        both=f"np.maximum({_BATCH.format(1)}, 0)",
        when=f"{_TRAINED} and axis == 1",
        note=_NOTE,
    ),
    line(
        "GroupNorm",
        torch="F.group_norm(data, num_groups, torch.repeat_interleave(gamma, size), "
        "torch.repeat_interleave(beta, size), eps)",
        both="group_norm(xp, data, num_groups, np.repeat(gamma, size), np.repeat(beta, size), eps)",
        when="not output_mean_var",
        prepare={"size": "data.shape[1] // gamma.shape[0]"},
    ),
    line(
        "InstanceNorm",
        torch="F.instance_norm(data, weight=gamma, bias=beta, eps=eps)",
        both="group_norm(xp, data, data.shape[1], gamma, beta, eps)",
    ),
    line(
        "L2Normalization",
        torch="data / torch.sqrt(torch.sum(data * data, axes, keepdim=True) + eps)",
        both="data / np.sqrt(np.sum(data * data, axes, keepdims=True) + eps)",
        prepare={"axes": "l2_axes(data, mode)"},
    ),
    line(
        "LRN",
        torch="F.local_response_norm(data, nsize, alpha, beta, knorm)",
        both="local_response_norm(xp, data, nsize, alpha, beta, knorm)",
    ),
    line(
        "LayerNorm",
        torch="F.layer_norm(data, gamma.shape, gamma, beta, eps)",
        both="layer_norm(xp, data, gamma, beta, eps)",
        when="axis in (-1, len(data.shape) - 1) and not output_mean_var",
    ),
    line(
        "LayerNorm",
        torch="F.layer_norm(data.movedim(axis, -1), gamma.shape, gamma, beta, eps).movedim(-1, axis)",
        both="np.moveaxis(layer_norm(xp, np.moveaxis(data, axis, -1), gamma, beta, eps), -1, axis)",
        when="not output_mean_var",
    ),
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
        for condition, bias in _KERNEL_BIAS.values()
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
        for condition, bias in _KERNEL_BIAS.values()
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
    # MXNet leaves the middle of an odd number of columns or rows unwritten, and doesn't flip gradients.
    *(
        line(
            f"_image_flip_{name}",
            f"xp.flip(data, ({axis},))",
            when=f"data.shape[{axis}] % 2 == 0",
            undifferentiated="torch jax",
        )
        for name, axis in _FLIPS
    ),
    *(
        line(
            f"_image_random_flip_{name}",
            torch=f"torch.flip(data, ({axis},)) if torch.rand(()) < 0.5 else data",
            numpy=f"np.flip(data, ({axis},)) if random.random() < 0.5 else data",
            jax=f"jnp.where(jax.random.uniform(random) < 0.5, jnp.flip(data, ({axis},)), data)",
            prepare={"random": "generator()"},
            random=True,
        )
        for name, axis in _FLIPS
    ),
    line("_image_crop", "data[..., y : y + height, x : x + width, :]"),
    line(
        "_image_to_tensor",
        torch="data.movedim(-1, -3).float() / 255",
        both="np.moveaxis(data, -1, -3).astype('float32') / np.float32(255)",
    ),
    line(
        "_image_normalize",
        "(data - centre) / width",
        prepare={"centre": "channels(xp, mean, data)", "width": "channels(xp, std, data)"},
    ),
    line(
        "_cvcopyMakeBorder",
        torch="F.pad(src, (0, 0, left, right, top, bot), value=value)",
        both="np.pad(src, ((top, bot), (left, right), (0, 0)), constant_values=value)",
        when="type == 0 and not values",
    ),
    line("BilinearSampler", torch="F.grid_sample(data, grid.permute(0, 2, 3, 1), align_corners=True)"),
    line("GridGenerator", torch=_AFFINE.format("data") + ".permute(0, 3, 1, 2)", when="transform_type == 'affine'"),
    line(
        "SpatialTransformer",
        torch=f"F.grid_sample(data, {_AFFINE.format('loc')}, align_corners=True)",
        when="transform_type == 'affine' and sampler_type == 'bilinear'",
    ),
    line(
        "Correlation",
        "correlation(xp, padded, data1, data2, max_displacement, stride2, pad_size)",
        when="kernel_size == 1 and stride1 == 1 and is_multiply",
    ),
    line("_contrib_box_iou", "box_iou(xp, lhs, rhs)", when="format == 'corner'"),
    line("_contrib_box_iou", "box_iou(xp, corners(xp, lhs), corners(xp, rhs))", when="format == 'center'"),
    line("_contrib_box_decode", "box_decode(xp, data, anchors, (std0, std1, std2, std3), clip, format == 'corner')"),
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
