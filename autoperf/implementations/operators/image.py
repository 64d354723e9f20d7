"""Image transformation, and sampling at a grid."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_LEFT_RIGHT, _TOP_BOTTOM = "(-2,)", "(-3,)"
_AFFINE = "F.affine_grid({}.reshape(-1, 2, 3), (data.shape[0], 1, *target_shape), align_corners=True)"

LINES = (
    # MXNet leaves the middle of an odd number of columns or rows unwritten, and doesn't flip gradients.
    line(
        "_image_flip_left_right",
        f"xp.flip(data, {_LEFT_RIGHT})",
        when="data.shape[-2] % 2 == 0",
        undifferentiated="torch jax",
    ),
    line(
        "_image_flip_top_bottom",
        f"xp.flip(data, {_TOP_BOTTOM})",
        when="data.shape[-3] % 2 == 0",
        undifferentiated="torch jax",
    ),
    *(
        line(
            f"_image_random_flip_{name}",
            torch=f"torch.flip(data, {axes}) if torch.rand(()) < 0.5 else data",
            numpy=f"np.flip(data, {axes}) if random.random() < 0.5 else data",
            jax=f"jnp.where(jax.random.uniform(random) < 0.5, jnp.flip(data, {axes}), data)",
            prepare={"random": "generator()"},
            random=True,
        )
        for name, axes in (("left_right", _LEFT_RIGHT), ("top_bottom", _TOP_BOTTOM))
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
)
