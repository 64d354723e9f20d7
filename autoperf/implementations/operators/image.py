"""Image transformation, sampling at a grid, and boxes."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_FLIPS = (("left_right", -2), ("top_bottom", -3))
_AFFINE = "F.affine_grid({}.reshape(-1, 2, 3), (data.shape[0], 1, *target_shape), align_corners=True)"

LINES = (
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
)
