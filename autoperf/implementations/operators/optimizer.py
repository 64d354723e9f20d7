"""Optimizer updates: new weights, then new states, by formulas that the frameworks share (`vocabulary/updates.py`)."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_GRAD = "rescale_grad, clip_gradient"
_SINGLE = "like(grad, weight32)"
_PRELOADED = {"lrs": "data[-2]", "wds": "data[-1]", "arrays": "data[:-2]"}
_ARRAYS = "arrays, {}, lrs, wds"
_ADAMW = {"rescale": "data[-1]", "arrays": "data[:-1]", "pairs": "list(zip(etas, wds))"}
_LAMB = "beta1, beta2, epsilon, rescale_grad, (lower_bound, upper_bound), clip_gradient, bias_correction"


def _each(step: str, size: int, lists: str = "data, {}, lrs, wds") -> str:
    return f"each({step}, {lists.format(size)})"


_SGD = f"lambda w, g, lr, wd: sgd(xp, w, g, lr, wd, {_GRAD})"
_MOM = f"lambda w, g, m, lr, wd: sgd_mom(xp, w, g, m, lr, momentum, wd, {_GRAD})"
_MP_SGD = f"lambda w, g, w32, lr, wd: mixed(like, w, sgd(xp, w32, like(g, w32), lr, wd, {_GRAD}))"
_MP_MOM = f"lambda w, g, m, w32, lr, wd: mixed(like, w, sgd_mom(xp, w32, like(g, w32), m, lr, momentum, wd, {_GRAD}))"

LINES = (
    line("sgd_update", f"sgd(xp, weight, grad, lr, wd, {_GRAD})"),
    line("sgd_mom_update", f"sgd_mom(xp, weight, grad, mom, lr, momentum, wd, {_GRAD})", updates="mom"),
    line("nag_mom_update", f"nag(xp, weight, grad, mom, lr, momentum, wd, {_GRAD})", updates="mom"),
    line("signsgd_update", f"signsgd(xp, weight, grad, lr, wd, {_GRAD})"),
    line("signum_update", f"signum(xp, weight, grad, mom, lr, momentum, wd, {_GRAD}, wd_lh)", updates="mom"),
    line(
        "adam_update", f"adam(xp, weight, grad, mean, var, lr, beta1, beta2, epsilon, wd, {_GRAD})", updates="mean var"
    ),
    # MXNet writes the clipped gradient over the gradient in all AdamW updates.
    line(
        "_adamw_update",
        "adamw(xp, weight, grad, mean, var, rescale_grad, lr, eta, beta1, beta2, epsilon, wd, clip_gradient)",
        updates="mean var",
        kept="grad",
    ),
    line(
        "rmsprop_update",
        f"rmsprop(xp, weight, grad, n, lr, gamma1, epsilon, wd, {_GRAD}, clip_weights, is_second=is_renamed)",
        updates="n",
    ),
    # 2.x takes g for n and n for g.
    line(
        "rmspropalex_update",
        f"rmsprop_alex(xp, weight, grad, g, n, delta, lr, gamma1, gamma2, epsilon, wd, {_GRAD}, clip_weights, "
        "is_second=True)",
        when="is_renamed",
        updates="g n delta",
    ),
    line(
        "rmspropalex_update",
        f"rmsprop_alex(xp, weight, grad, n, g, delta, lr, gamma1, gamma2, epsilon, wd, {_GRAD}, clip_weights)",
        updates="n g delta",
    ),
    line("ftrl_update", f"ftrl(xp, weight, grad, z, n, lr, lamda1, beta, wd, {_GRAD})", updates="z n"),
    line(
        "ftml_update",
        "ftml(xp, weight, grad, d, v, z, lr, beta1, beta2, epsilon, t, wd, rescale_grad, clip_grad)",
        updates="d v z",
    ),
    line(
        "lamb_update_phase1",
        f"lamb_direction(xp, weight, grad, mean, var, beta1, beta2, epsilon, t, bias_correction, wd, {_GRAD})",
        updates="mean var",
    ),
    line("lamb_update_phase2", "lamb_step(xp, weight, g, r1, r2, lr, lower_bound, upper_bound)"),
    line("mp_sgd_update", f"mixed(like, weight, sgd(xp, weight32, {_SINGLE}, lr, wd, {_GRAD}))", updates="weight32"),
    line(
        "mp_sgd_mom_update",
        f"mixed(like, weight, sgd_mom(xp, weight32, {_SINGLE}, mom, lr, momentum, wd, {_GRAD}))",
        updates="mom weight32",
    ),
    line(
        "mp_nag_mom_update",
        f"mixed(like, weight, nag(xp, weight32, {_SINGLE}, mom, lr, momentum, wd, {_GRAD}))",
        updates="mom weight32",
    ),
    line(
        "_mp_adamw_update",
        f"mixed(like, weight, adamw(xp, weight32, {_SINGLE}, mean, var, rescale_grad, lr, eta, beta1, beta2, epsilon, "
        "wd, clip_gradient))",
        updates="mean var weight32",
        kept="grad",
    ),
    line(
        "mp_lamb_update_phase1",
        f"lamb_direction(xp, weight32, {_SINGLE}, mean, var, beta1, beta2, epsilon, t, bias_correction, wd, {_GRAD})",
        updates="mean var",
    ),
    line(
        "mp_lamb_update_phase2",
        "like(lamb_step(xp, weight32, g, r1, r2, lr, lower_bound, upper_bound)[0], weight)",
        note="MXNet doesn't update weight32 either",
    ),
    line("multi_lars", "lars(xp, lrs, weights_sum_sq, grads_sum_sq, wds, eta, eps, rescale_grad)"),
    line("multi_sgd_update", _each(_SGD, 2)),
    line("multi_sgd_mom_update", _each(_MOM, 3), updates="data[2::3]"),
    line("multi_mp_sgd_update", _each(_MP_SGD, 3), updates="data[2::3]"),
    line("multi_mp_sgd_mom_update", _each(_MP_MOM, 4), updates="data[2::4] data[3::4]"),
    line("preloaded_multi_sgd_update", _each(_SGD, 2, _ARRAYS), prepare=_PRELOADED),
    line("preloaded_multi_sgd_mom_update", _each(_MOM, 3, _ARRAYS), prepare=_PRELOADED, updates="data[2:-2:3]"),
    line("preloaded_multi_mp_sgd_update", _each(_MP_SGD, 3, _ARRAYS), prepare=_PRELOADED, updates="data[2:-2:3]"),
    line(
        "preloaded_multi_mp_sgd_mom_update",
        _each(_MP_MOM, 4, _ARRAYS),
        prepare=_PRELOADED,
        updates="data[2:-2:4] data[3:-2:4]",
    ),
    line(
        "_multi_adamw_update",
        _each(
            "lambda w, g, m, v, lr, pair: adamw(xp, w, g, m, v, rescale, lr, pair[0], beta1, beta2, epsilon, pair[1], "
            "clip_gradient)",
            4,
            "arrays, {}, lrs, pairs",
        ),
        prepare=_ADAMW,
        updates="data[2:-1:4] data[3:-1:4]",
        kept="data[1:-1:4]",
        when="data[0].dtype != 'float64'",
        precision="float16",
    ),
    line(
        "_multi_mp_adamw_update",
        _each(
            "lambda w, g, m, v, w32, lr, pair: mixed(like, w, adamw(xp, w32, like(g, w32), m, v, rescale, lr, pair[0], "
            "beta1, beta2, epsilon, pair[1], clip_gradient))",
            5,
            "arrays, {}, lrs, pairs",
        ),
        prepare=_ADAMW,
        updates="data[2:-1:5] data[3:-1:5] data[4:-1:5]",
        kept="data[1:-1:5]",
        when="data[0].dtype != 'float64'",
        precision="float16",
    ),
    line(
        "_multi_lamb_update",
        _each(
            f"lambda w, g, m, v, lr, pair: lamb(xp, w, g, m, v, lr, *pair, {_LAMB})",
            4,
            "data, {}, learning_rates, pairs",
        ),
        prepare={"pairs": "list(zip(wds, step_count))"},
        updates="data[2::4] data[3::4]",
    ),
    line(
        "_multi_mp_lamb_update",
        _each(
            f"lambda w, g, m, v, w32, lr, pair: mixed(like, w, lamb(xp, w32, like(g, w32), m, v, lr, *pair, {_LAMB}, "
            "like(w, w32)))",
            5,
            "data, {}, learning_rates, pairs",
        ),
        prepare={"pairs": "list(zip(wds, step_count))"},
        updates="data[2::5] data[3::5] data[4::5]",
    ),
)
