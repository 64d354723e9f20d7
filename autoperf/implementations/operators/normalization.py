"""Batch, layer, instance, group and other normalization."""

from __future__ import annotations

from autoperf.implementations.implementation import line

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

LINES = (
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
)
