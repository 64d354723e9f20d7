"""Optimizer steps as small operators: the new weights and states of given gradients."""

from __future__ import annotations

from autoperf.core.tensors import Uniform
from autoperf.rules.composites.composite import GraphBuilder, GraphValue, Sizes, composite

WEIGHTS: Sizes = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024), "skewed": (100_000, 1)}
RATE = 0.001
EPSILON = 1e-8


def weights(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, GraphValue]:
    """A weight and its gradient."""
    return g.tensor("weight", rows, columns), g.tensor("gradient", rows, columns)


def squares(g: GraphBuilder, rows: int, columns: int, name: str = "squares") -> GraphValue:
    """A state of means of squares."""
    return g.tensor(name, rows, columns, content=Uniform(0, 1))


def averaged(state: GraphValue, value: GraphValue, decay: float) -> GraphValue:
    """The state moved towards a value."""
    return state * decay + value * (1.0 - decay)


def adam_direction(
    g: GraphBuilder, gradient: GraphValue, rows: int, columns: int
) -> tuple[GraphValue, GraphValue, GraphValue]:
    """Adam's step, corrected for the tenth iteration, and both new states."""
    mean = averaged(g.tensor("mean", rows, columns), gradient, 0.9)
    square = averaged(squares(g, rows, columns), gradient.square(), 0.999)
    step = (mean / (1 - 0.9**10)) / ((square / (1 - 0.999**10)).sqrt() + EPSILON)
    return step, mean, square


def norm(x: GraphValue) -> GraphValue:
    """The Euclidean norm of all elements, (1, 1)."""
    return x.square().sum().sqrt().reshape(1, 1)


@composite(WEIGHTS, differentiable=False)
def momentum_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Nesterov's momentum with weight decay."""
    weight, gradient = weights(g, rows, columns)
    gradient = gradient + weight * 1e-4
    momentum = g.tensor("momentum", rows, columns) * 0.9 + gradient
    return weight - (gradient + momentum * 0.9) * RATE, momentum


@composite(WEIGHTS, differentiable=False)
def adam_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Adam (Kingma and Ba, 2015)."""
    weight, gradient = weights(g, rows, columns)
    step, mean, square = adam_direction(g, gradient, rows, columns)
    return weight - step * RATE, mean, square


@composite(WEIGHTS, differentiable=False)
def adamw_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Adam with weight decay beside the gradient (Loshchilov and Hutter, 2019)."""
    weight, gradient = weights(g, rows, columns)
    step, mean, square = adam_direction(g, gradient, rows, columns)
    return weight - (step + weight * 0.01) * RATE, mean, square


@composite(WEIGHTS, differentiable=False)
def amsgrad_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Adam with the largest mean square so far (Reddi et al., 2018)."""
    weight, gradient = weights(g, rows, columns)
    mean = averaged(g.tensor("mean", rows, columns), gradient, 0.9)
    square = averaged(squares(g, rows, columns), gradient.square(), 0.999)
    largest = squares(g, rows, columns, "largest").maximum(square)
    return weight - mean / (largest.sqrt() + EPSILON) * RATE, mean, square, largest


@composite(WEIGHTS, differentiable=False)
def lamb_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Adam whose step is scaled to the weight's norm (You et al., 2020)."""
    weight, gradient = weights(g, rows, columns)
    step, mean, square = adam_direction(g, gradient, rows, columns)
    step = step + weight * 0.01
    trust = norm(weight) / (norm(step) + EPSILON)
    return weight - step * trust * RATE, mean, square


@composite(WEIGHTS, differentiable=False)
def lars_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Momentum with a rate by the norms of weight and gradient (You et al., 2017)."""
    weight, gradient = weights(g, rows, columns)
    rate = norm(weight) * 0.001 / (norm(gradient) + norm(weight) * 1e-4 + EPSILON)
    momentum = g.tensor("momentum", rows, columns) * 0.9 + (gradient + weight * 1e-4) * rate
    return weight - momentum, momentum


@composite(WEIGHTS, differentiable=False)
def lion_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """The sign of a mixture of momentum and gradient (Chen et al., 2023)."""
    weight, gradient = weights(g, rows, columns)
    momentum = g.tensor("momentum", rows, columns)
    step = averaged(momentum, gradient, 0.9).call("sign")
    return weight - (step + weight * 0.01) * RATE, averaged(momentum, gradient, 0.99)


@composite(WEIGHTS, differentiable=False)
def rmsprop_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Centred RMSProp (Graves, 2013)."""
    weight, gradient = weights(g, rows, columns)
    square = averaged(squares(g, rows, columns) + 1.0, gradient.square(), 0.9)
    mean = averaged(g.tensor("mean", rows, columns), gradient, 0.9)
    return weight - gradient / (square - mean.square() + EPSILON).sqrt() * RATE, square, mean


@composite(WEIGHTS, differentiable=False)
def adadelta_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """AdaDelta (Zeiler, 2012)."""
    weight, gradient = weights(g, rows, columns)
    steps = squares(g, rows, columns, "steps")
    square = averaged(squares(g, rows, columns), gradient.square(), 0.95)
    step = ((steps + 1e-6) / (square + 1e-6)).sqrt() * gradient
    return weight - step, square, averaged(steps, step.square(), 0.95)


@composite(WEIGHTS, differentiable=False)
def adafactor_step(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Only the mean squares of rows and columns are kept; the step is clipped (Shazeer and Stern, 2018)."""
    weight, gradient = weights(g, rows, columns)
    square = gradient.square() + 1e-6
    by_row = averaged(squares(g, rows, 1, "row_squares"), square.mean(1, keepdims=True), 0.99)
    by_column = averaged(squares(g, 1, columns, "column_squares"), square.mean(0, keepdims=True), 0.99)
    step = gradient / (by_row * by_column / by_row.mean().reshape(1, 1)).sqrt()
    step = step / step.square().mean().sqrt().maximum(1.0).reshape(1, 1)
    return weight - step * RATE, by_row, by_column


@composite(WEIGHTS, differentiable=False)
def gradient_clipping(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """Four gradients, scaled so that their common norm is at most 1."""
    gradients = [g.tensor(f"gradient_{number}", rows, columns) for number in range(4)]
    total = sum(gradient.square().sum() for gradient in gradients[1:]) + gradients[0].square().sum()
    scale = (1.0 / (total.sqrt() + 1e-6)).minimum(1.0).reshape(1, 1)
    return tuple(gradient * scale for gradient in gradients)


@composite(WEIGHTS, differentiable=False)
def averaged_weights(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, ...]:
    """The exponential mean of four weights, as a teacher's or for evaluation."""
    pairs = [(g.tensor(f"mean_{n}", rows, columns), g.tensor(f"weight_{n}", rows, columns)) for n in range(4)]
    return tuple(averaged(mean, weight, 0.999) for mean, weight in pairs)
