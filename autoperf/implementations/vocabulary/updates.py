"""Steps of optimizers; `xp` is the framework's module. Each returns the new weight, then the new states.

The formulas are those of MXNet's `src/operator/optimizer_op-inl.h` and `src/operator/contrib/adamw-inl.h`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Step = tuple[Any, ...]


def rescaled(xp: Any, grad: Any, rescale_grad: Any, clip_gradient: float) -> Any:
    """An optimizer's gradient: rescaled, and clipped if the bound is not negative."""
    grad = grad * rescale_grad
    return xp.clip(grad, -clip_gradient, clip_gradient) if clip_gradient >= 0 else grad


def sgd(xp: Any, weight: Any, grad: Any, lr: Any, wd: Any, rescale_grad: Any, clip_gradient: float) -> Step:
    """Stochastic gradient descent."""
    return (weight - lr * (rescaled(xp, grad, rescale_grad, clip_gradient) + wd * weight),)


def sgd_mom(
    xp: Any, weight: Any, grad: Any, mom: Any, lr: Any, momentum: float, wd: Any, rescale_grad: Any,
    clip_gradient: float,
) -> Step:  # fmt: skip
    """Stochastic gradient descent with momentum."""
    mom = momentum * mom - lr * (rescaled(xp, grad, rescale_grad, clip_gradient) + wd * weight)
    return weight + mom, mom


def nag(
    xp: Any, weight: Any, grad: Any, mom: Any, lr: Any, momentum: float, wd: Any, rescale_grad: Any,
    clip_gradient: float,
) -> Step:  # fmt: skip
    """Nesterov's accelerated gradient. The new momentum has the decay of the new weight, which MXNet writes first."""
    grad = rescaled(xp, grad, rescale_grad, clip_gradient)
    step = lr * (grad + wd * weight)
    new = weight + momentum * (momentum * mom - step) - step
    return new, momentum * mom - lr * (grad + wd * new)


def signsgd(xp: Any, weight: Any, grad: Any, lr: float, wd: float, _rescale: float, _clip: float) -> Step:
    """Descent by the signs of the gradient."""
    return ((1 - lr * wd) * weight - lr * xp.sign(grad),)


def signum(
    xp: Any, weight: Any, grad: Any, mom: Any, lr: float, momentum: float, wd: float, rescale_grad: float,
    clip_gradient: float, wd_lh: float,
) -> Step:  # fmt: skip
    """Descent by the signs of the momentum."""
    mom = momentum * mom - (1 - momentum) * (rescaled(xp, grad, rescale_grad, clip_gradient) + wd * weight)
    return (1 - lr * wd_lh) * weight + lr * xp.sign(mom), mom


def _moments(grad: Any, mean: Any, var: Any, beta1: float, beta2: float) -> tuple[Any, Any]:
    return beta1 * mean + (1 - beta1) * grad, beta2 * var + (1 - beta2) * grad * grad


def adam(
    xp: Any, weight: Any, grad: Any, mean: Any, var: Any, lr: float, beta1: float, beta2: float, epsilon: float,
    wd: float, rescale_grad: float, clip_gradient: float,
) -> Step:  # fmt: skip
    """Adam without bias correction, which MXNet's optimizer puts into the learning rate; the decay is clipped too."""
    grad = rescaled(xp, grad * rescale_grad + wd * weight, 1.0, clip_gradient)
    mean, var = _moments(grad, mean, var, beta1, beta2)
    return weight - lr * mean / (xp.sqrt(var) + epsilon), mean, var


def adamw(
    xp: Any, weight: Any, grad: Any, mean: Any, var: Any, rescale_grad: Any, lr: float, eta: float, beta1: float,
    beta2: float, epsilon: float, wd: float, clip_gradient: float,
) -> Step:  # fmt: skip
    """Adam with decoupled weight decay."""
    mean, var = _moments(rescaled(xp, grad, rescale_grad, clip_gradient), mean, var, beta1, beta2)
    return weight - eta * (lr * mean / (xp.sqrt(var) + epsilon) + wd * weight), mean, var


def _clipped_weight(xp: Any, weight: Any, bound: float) -> Any:
    return xp.clip(weight, -bound, bound) if bound >= 0 else weight


def _decayed(
    xp: Any, weight: Any, grad: Any, wd: float, rescale_grad: float, clip_gradient: float, *, is_second: bool
) -> Any:
    """The gradient with weight decay, which MXNet 1.x clips as a whole, and 2.x without the decay."""
    if is_second:
        return rescaled(xp, grad, rescale_grad, clip_gradient) + wd * weight
    return rescaled(xp, grad * rescale_grad + wd * weight, 1.0, clip_gradient)


def rmsprop(
    xp: Any, weight: Any, grad: Any, n: Any, lr: float, gamma1: float, epsilon: float, wd: float, rescale_grad: float,
    clip_gradient: float, clip_weights: float, *, is_second: bool = False,
) -> Step:  # fmt: skip
    """RMSProp by Tieleman and Hinton. `is_second`: as MXNet 2.x, which adds epsilon to the root, not below it."""
    grad = _decayed(xp, weight, grad, wd, rescale_grad, clip_gradient, is_second=is_second)
    n = (1 - gamma1) * grad * grad + gamma1 * n
    root = xp.sqrt(n) + epsilon if is_second else xp.sqrt(n + epsilon)
    return _clipped_weight(xp, weight - lr * grad / root, clip_weights), n


def rmsprop_alex(
    xp: Any, weight: Any, grad: Any, n: Any, g: Any, delta: Any, lr: float, gamma1: float, gamma2: float,
    epsilon: float, wd: float, rescale_grad: float, clip_gradient: float, clip_weights: float, *,
    is_second: bool = False,
) -> Step:  # fmt: skip
    """RMSProp by Graves; `is_second`: as MXNet 2.x."""
    grad = _decayed(xp, weight, grad, wd, rescale_grad, clip_gradient, is_second=is_second)
    n = (1 - gamma1) * grad * grad + gamma1 * n
    g = (1 - gamma1) * grad + gamma1 * g
    delta = gamma2 * delta - lr * grad / xp.sqrt(n - g * g + epsilon)
    return _clipped_weight(xp, weight + delta, clip_weights), n, g, delta


def ftrl(
    xp: Any, weight: Any, grad: Any, z: Any, n: Any, lr: float, lamda1: float, beta: float, wd: float,
    rescale_grad: float, clip_gradient: float,
) -> Step:  # fmt: skip
    """Follow the regularized leader."""
    grad = rescaled(xp, grad, rescale_grad, clip_gradient)
    total = n + grad * grad
    z = z + grad - (xp.sqrt(total) - xp.sqrt(n)) * weight / lr
    step = (xp.sign(z) * lamda1 - z) / ((beta + xp.sqrt(total)) / lr + wd)
    return step * (xp.abs(z) > lamda1), z, total


def ftml(
    xp: Any, weight: Any, grad: Any, d: Any, v: Any, z: Any, lr: float, beta1: float, beta2: float, epsilon: float,
    t: int, wd: float, rescale_grad: float, clip_grad: float,
) -> Step:  # fmt: skip
    """Follow the moving leader."""
    grad = rescaled(xp, grad * rescale_grad + wd * weight, 1.0, clip_grad)
    v = beta2 * v + (1 - beta2) * grad * grad
    new = (1 - beta1**t) / lr * (xp.sqrt(v / (1 - beta2**t)) + epsilon)
    z = beta1 * z + (1 - beta1) * grad - (new - beta1 * d) * weight
    return -z / new, new, v, z


def lamb_direction(
    xp: Any, weight: Any, grad: Any, mean: Any, var: Any, beta1: float, beta2: float, epsilon: float, t: int,
    bias_correction: bool, wd: float, rescale_grad: float, clip_gradient: float,
) -> Step:  # fmt: skip
    """LAMB's direction before the trust ratio."""
    mean, var = _moments(rescaled(xp, grad, rescale_grad, clip_gradient), mean, var, beta1, beta2)
    first, second = (mean / (1 - beta1**t), var / (1 - beta2**t)) if bias_correction else (mean, var)
    return first / (xp.sqrt(second) + epsilon) + wd * weight, mean, var


def lamb_step(xp: Any, weight: Any, g: Any, r1: Any, r2: Any, lr: float, lower: float, upper: float) -> Step:
    """LAMB's step by the trust ratio of two norms, the first one between bounds, of which a negative doesn't hold."""
    r1 = xp.where(r1 < lower, lower, r1) if lower >= 0 else r1
    r1 = xp.where(r1 > upper, upper, r1) if upper >= 0 else r1
    ratio = xp.where((r1 == 0) | (r2 == 0), 1, r1 / r2)
    return (weight - lr * ratio * g,)


def lars(xp: Any, lrs: Any, weights: Any, grads: Any, wds: Any, eta: float, eps: float, rescale_grad: float) -> Any:
    """LARS' learning rates from sums of squares of weights and gradients."""
    weight, grad = xp.sqrt(weights), xp.sqrt(grads) * rescale_grad
    ratio = eta * weight / (grad + wds * weight + eps)
    return xp.where((weight > 0) & (grad > 0), lrs * ratio, lrs)


def mixed(like: Callable[[Any, Any], Any], weight: Any, step: Step) -> Step:
    """A step in single precision: the weight in its own precision, the states, and the weight in single precision."""
    return like(step[0], weight), *step[1:], step[0]


def each(step: Callable[..., Step], data: Sequence[Any], size: int, lrs: Any, wds: Any) -> list[Any]:
    """A step for each group of `size` tensors: all new weights, then all first states, all second states, ..."""
    groups = [data[place : place + size] for place in range(0, len(data), size)]
    steps = [step(*group, lr, wd) for group, lr, wd in zip(groups, lrs, wds, strict=True)]
    return [array for column in zip(*steps, strict=True) for array in column]


def lamb(
    xp: Any, weight: Any, grad: Any, mean: Any, var: Any, lr: Any, wd: Any, t: int, beta1: float, beta2: float,
    epsilon: float, rescale_grad: float, bounds: tuple[float, float], clip_gradient: float, bias_correction: bool,
    stored: Any = None,
) -> Step:  # fmt: skip
    """A whole step of LAMB. The norm is that of the stored weight, also where the step is in single precision."""
    direction, mean, var = lamb_direction(
        xp, weight, grad, mean, var, beta1, beta2, epsilon, t, bias_correction, wd, rescale_grad, clip_gradient
    )
    r1, r2 = (xp.sqrt(xp.sum(xp.square(array))) for array in (weight if stored is None else stored, direction))
    return *lamb_step(xp, weight, direction, r1, r2, lr, *bounds), mean, var
