"""The vocabulary of implementations in NumPy, held against identities and NumPy's own functions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from autoperf.implementations.vocabulary import arrays, numpy_names, parameters, updates

RANDOM = np.random.default_rng(5)
WEIGHT, GRAD, STATE, ZERO = (*RANDOM.normal(size=(3, 4, 6)), np.zeros((4, 6)))
LR, NO_CLIP = 0.1, -1.0


def close(actual: Any, expected: Any) -> bool:
    """Whether two arrays, or tuples of arrays of one shape, are of one shape and equal but for rounding."""
    return np.shape(actual) == np.shape(expected) and np.allclose(actual, expected, rtol=1e-6, atol=1e-9)


def test_without_momentum_steps_are_those_of_plain_descent() -> None:
    (plain,) = updates.sgd(np, WEIGHT, GRAD, LR, 0.01, 2.0, 1.0)
    assert close(plain, WEIGHT - LR * (np.clip(2 * GRAD, -1, 1) + 0.01 * WEIGHT))
    assert close(updates.sgd_mom(np, WEIGHT, GRAD, STATE, LR, 0.0, 0.01, 2.0, 1.0)[0], plain)
    assert close(updates.nag(np, WEIGHT, GRAD, STATE, LR, 0.0, 0.01, 2.0, 1.0)[0], plain)


def test_momentum_goes_on_without_a_gradient() -> None:
    weight, mom = updates.sgd_mom(np, WEIGHT, ZERO, STATE, LR, 0.9, 0.0, 1.0, NO_CLIP)
    assert close((weight, mom), (WEIGHT + 0.9 * STATE, 0.9 * STATE))


def test_moments_that_forget_at_once_leave_the_sign() -> None:
    by_sign = WEIGHT - LR * np.sign(GRAD)
    assert close(updates.signsgd(np, WEIGHT, GRAD, LR, 0.0, 1.0, NO_CLIP)[0], by_sign)
    assert close(updates.signum(np, WEIGHT, GRAD, ZERO, LR, 0.0, 0.0, 1.0, NO_CLIP, 0.0)[0], by_sign)
    assert close(updates.adam(np, WEIGHT, GRAD, STATE, STATE, LR, 0.0, 0.0, 0.0, 0.0, 1.0, NO_CLIP)[0], by_sign)
    assert close(updates.adamw(np, WEIGHT, GRAD, STATE, STATE, 1.0, LR, 1.0, 0.0, 0.0, 0.0, 0.0, NO_CLIP)[0], by_sign)
    assert close(updates.rmsprop(np, WEIGHT, GRAD, STATE, LR, 0.0, 0.0, 0.0, 1.0, NO_CLIP, NO_CLIP)[0], by_sign)
    bounded = updates.rmsprop(np, WEIGHT, GRAD, STATE, LR, 0.0, 0.0, 0.0, 1.0, NO_CLIP, 0.2)[0]
    assert close(bounded, np.clip(by_sign, -0.2, 0.2))
    centred = updates.rmsprop_alex(np, WEIGHT, GRAD, ZERO, ZERO, ZERO, LR, 0.0, 0.0, 4.0, 0.0, 1.0, NO_CLIP, NO_CLIP)
    assert close(centred[0], WEIGHT - LR * GRAD / 2)
    moving = updates.ftml(np, WEIGHT, GRAD, ZERO, ZERO, ZERO, LR, 0.0, 0.0, 0.0, 1, 0.0, 1.0, NO_CLIP)
    assert close(moving[0], by_sign)


def test_each_moment_forgets_at_its_own_rate() -> None:
    _, mean, var = updates.adam(np, WEIGHT, GRAD, STATE, STATE**2, LR, 0.5, 0.25, 1.0, 0.0, 1.0, NO_CLIP)
    assert close(mean, 0.5 * STATE + 0.5 * GRAD)
    assert close(var, 0.25 * STATE**2 + 0.75 * GRAD**2)


def test_a_regularized_leader_stays_at_zero_within_its_bound() -> None:
    weight, z, n = updates.ftrl(np, ZERO, GRAD, ZERO, ZERO, LR, 100.0, 1.0, 0.0, 1.0, NO_CLIP)
    assert close((weight, z, n), (ZERO, GRAD, GRAD * GRAD))


def test_the_trust_ratio_scales_a_step_to_the_weight() -> None:
    bounds = (NO_CLIP, NO_CLIP)
    weight, *_ = updates.lamb(
        np, WEIGHT, GRAD, ZERO, ZERO, LR, 0.0, 1, 0.9, 0.99, 0.0, 1.0, bounds, NO_CLIP, bias_correction=True
    )
    assert close(np.linalg.norm(weight - WEIGHT), LR * np.linalg.norm(WEIGHT))
    (bounded,) = updates.lamb_step(np, WEIGHT, GRAD, np.array(9.0), np.array(1.0), LR, 0.0, 2.0)
    assert close(bounded, WEIGHT - LR * 2 * GRAD)
    rates = updates.lars(np, np.array([1.0, 1.0]), np.array([4.0, 0.0]), np.array([1.0, 1.0]), 0.0, 0.5, 0.0, 2.0)
    assert close(rates, [0.5, 1.0])


def test_steps_of_several_tensors_come_column_by_column() -> None:
    def step(weight: float, grad: float, lr: float, wd: float) -> tuple[float, float]:
        return weight - lr * grad, wd

    assert updates.each(step, [1.0, 2.0, 3.0, 4.0], 2, [0.5, 0.25], [7.0, 8.0]) == [0.0, 2.0, 7.0, 8.0]
    assert updates.mixed(lambda new, _old: round(new), 1, (2.4, 5.0)) == (2, 5.0, 2.4)


def test_normalized_data_has_no_mean_and_a_variance_of_one() -> None:
    data = RANDOM.normal(3.0, 2.0, (8, 6, 5))
    ones, zeros = np.ones(6), np.zeros(6)
    batch = arrays.batch_norm(np, data, ones, zeros, 1, 0.0, fix_gamma=False)
    assert close((batch.mean((0, 2)), batch.var((0, 2))), (zeros, ones))
    layer = arrays.layer_norm(np, data, 1.0, 0.0, 0.0)
    assert close((layer.mean(-1), layer.var(-1)), (np.zeros((8, 6)), np.ones((8, 6))))
    group = arrays.group_norm(np, data, 2, ones, zeros, 0.0).reshape(8, 2, -1)
    assert close((group.mean(-1), group.var(-1)), (np.zeros((8, 2)), np.ones((8, 2))))
    mean, var = data.mean((0, 2)), data.var((0, 2))
    for fixed, factor in ((True, 1.0), (False, 2.0)):
        assert close(arrays.global_norm(np, data, 2 * ones, zeros, mean, var, 1, 0.0, fixed), factor * batch)


def test_responses_are_divided_by_those_of_their_neighbours() -> None:
    data = RANDOM.normal(size=(1, 4, 2, 2))
    result = arrays.local_response_norm(np, data, 3, 0.3, 0.5, 2.0)
    sums = (data[:, 0:3] ** 2).sum(1)
    assert close(result[:, 1], data[:, 1] / np.sqrt(2.0 + 0.1 * sums))


def test_products_of_columns_and_heads() -> None:
    first, second = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(4, 3))
    assert close(arrays.khatri_rao([first, second])[:, 1], np.kron(first[:, 1], second[:, 1]))
    projections = RANDOM.normal(size=(5, 2, 3 * 4))
    scores = arrays.self_scores(projections, 1)
    queries, keys, values = (projections[:, 1, 4 * part : 4 * part + 4] for part in range(3))
    assert close(scores[1], queries @ keys.T / 2)
    assert close(arrays.self_values(projections, scores, 1)[:, 1], scores[1] @ values)
    pairs = RANDOM.normal(size=(7, 2, 2 * 4))
    cross = arrays.cross_scores(projections[..., :4], pairs, 1)
    assert close(cross[1], queries @ pairs[:, 1, :4].T / 2)
    assert close(arrays.cross_values(pairs, cross, 1)[:, 1], cross[1] @ pairs[:, 1, 4:])


def test_boxes() -> None:
    box, beside = np.array([[0.0, 0.0, 2.0, 1.0]]), np.array([[2.0, 0.0, 4.0, 1.0], [1.0, 0.0, 3.0, 1.0]])
    assert close(arrays.box_iou(np, box, np.concatenate((box, beside))), [[1.0, 0.0, 1 / 3]])
    assert close(arrays.corners(np, np.array([1.0, 0.5, 2.0, 1.0])), box[0])
    for corner, anchor in ((True, box), (False, np.array([[1.0, 0.5, 2.0, 1.0]]))):
        assert close(arrays.box_decode(np, np.zeros((1, 4)), anchor, (0.1,) * 4, 1.0, corner), box)


def test_densities_and_correlations() -> None:
    even = arrays.dirichlet_log_density(np, np.vectorize(math.lgamma), np.array([0.2, 0.3, 0.5]), np.ones(3))
    assert close(even, math.log(2))
    image = RANDOM.normal(size=(1, 3, 4, 4))
    shifts = arrays.correlation(np, numpy_names.padded, image, image, 1, 1, 1)
    assert close(shifts[:, 4], (image * image).mean(1))
    assert shifts.shape == (1, 9, 4, 4)


@pytest.mark.parametrize("groups", [1, 2])
def test_a_convolution_is_a_sum_of_products(groups: int) -> None:
    data, weight, bias = RANDOM.normal(size=(1, 4, 5, 6)), RANDOM.normal(size=(2, 4 // groups, 2, 3)), np.ones(2)
    result = numpy_names.convolution(data, weight, bias, (2, 1), (1, 0), (1, 2), groups)
    wide = np.pad(data, ((0, 0), (0, 0), (1, 1), (0, 0)))
    assert result.shape == (1, 2, 3, 2)
    for out, row, column in itertools.product(range(2), range(3), range(2)):
        part = wide[0, out * (groups - 1) * 2 :][: 4 // groups, 2 * row : 2 * row + 2, column : column + 5 : 2]
        assert close(result[0, out, row, column], (part * weight[out]).sum() + 1)
    assert numpy_names.columns(data, (2, 3), (1, 1), (0, 0), (1, 1)).shape == (1, 24, 16)


def test_windows_are_pooled() -> None:
    data = np.arange(16.0).reshape(1, 1, 4, 4)
    assert close(numpy_names.pool(data, (2, 2), (2, 2), (0, 0), "max"), [[[[5, 7], [13, 15]]]])
    assert close(numpy_names.pool(data, (2, 2), (2, 2), (0, 0), "sum"), [[[[10, 18], [42, 50]]]])
    assert numpy_names.pool(-data.astype("int32"), (2, 2), (2, 2), (1, 1), "max")[0, 0, 0, 0] == 0


@pytest.mark.parametrize(
    ("full", "counted", "edges", "sizes"),
    [
        (False, True, (1, 1), [3, 3]),
        (True, True, (1, 2), [3, 3, 2]),
        (True, False, (1, 2), [2, 3, 1]),
    ],
)
def test_windows_have_edges_and_sizes(full: bool, counted: bool, edges: tuple[int, int], sizes: list[int]) -> None:
    """Of four elements between two pads, by threes in steps of two; the last, incomplete one isn't counted beyond."""
    assert parameters.window_edges((4,), (3,), (2,), (1,), full) == (edges,)
    found = parameters.window_sizes((4,), (3,), (2,), (1,), (edges,), counted)
    assert np.broadcast_to(found, len(sizes)).tolist() == sizes


def test_places_and_masks() -> None:
    data = RANDOM.normal(size=(3, 4))
    strides = arrays.index_strides(np, (3, 4), np.zeros((2, 1)))
    assert close((strides * np.array([[2], [1]])).sum(0), np.ravel_multi_index(([2], [1]), (3, 4)))
    mask = arrays.length_mask(np, data, np.array([1, 3, 4]), 1)
    assert mask.sum(1).tolist() == [1, 3, 4]
    assert (numpy_names.masked(data, mask, 9.0) == 9.0).sum() == 4
    assert arrays.sequence_mask(np, data, np.array([1, 2, 3, 0]), 0).sum(0).tolist() == [1, 2, 3, 0]
    assert arrays.sequence_mask(np, data, np.array([1, 2, 3]), 1).sum(1).tolist() == [1, 2, 3]
    assert arrays.reversed_places(np, data, np.array([2, 3, 1, 3]))[:, :2].T.tolist() == [[1, 0, 2], [2, 1, 0]]
    assert arrays.row_condition(np.array([1, 0, 2]), data).tolist() == [[True], [False], [True]]
    top = numpy_names.top_places(data, 2, 1, ascending=False)
    assert close(numpy_names.elements_at(data, top, 1), -np.sort(-data, 1)[:, :2])
    assert close(numpy_names.elements_at(data, np.array([5]), None), [data[1, 1]])


def test_matrices_from_vectors_and_into_factors() -> None:
    vector = np.array([1.0, 2.0, 3.0])
    for offset in (-1, 0, 2):
        assert close(numpy_names.diag_embed(vector, offset), np.diag(vector, offset))
    assert close(numpy_names.from_triangle(vector, 0, lower=True), [[1, 0], [2, 3]])
    matrix = RANDOM.normal(size=(3, 5))
    rows, lower = arrays.lq(np, matrix)
    assert close(lower @ rows, matrix)
    assert close(lower, np.tril(lower))


def test_shares() -> None:
    assert close(numpy_names.log_softmax(WEIGHT, 0), np.log(numpy_names.softmax(WEIGHT, 0)))
    assert close(numpy_names.probabilities([1, 3]), [0.25, 0.75])
    assert numpy_names.probability(0.3, 0.0, is_logit=True, given=None) == 0.5
    assert numpy_names.probability(0.3, 0.0, is_logit=False, given=None) == 0.3
    shape = arrays.widened_parameter(np.ones(3), (3, 1, 1), np.dtype("float32")).shape
    assert shape == (3, 1, 1)
