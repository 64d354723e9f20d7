"""Operations of canonical cases, counted by hand, and what every formula and the roofline's cases promise."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.case import Case, Input
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, Shape, TensorSpec, Uniform
from autoperf.core.work import Work, no_arithmetic, work_of
from autoperf.measurement.machine_state import copy_case, overhead_case, product_cases
from autoperf.registry.calls import call_of
from autoperf.rules.catalog import catalog
from autoperf.rules.operators.array import converted, diagonal_writes
from autoperf.rules.operators.gemm import einsum_flops, last_axis_flops
from autoperf.rules.operators.image import colour_flops
from autoperf.rules.operators.indexing import elements_after
from autoperf.rules.operators.normalization import local_response_flops
from autoperf.rules.operators.random import shuffled
from autoperf.rules.operators.reshaping import order_moved, order_of_axes, order_rolled, order_swapped, permuted
from autoperf.rules.operators.statistics import cumulated
from tests.rules.canonical_cases import canonical
from tests.values import case as case_of
from tests.values import inputs, tensor


def counted(release: Release, operator: str, profile: str) -> Work:
    case, rule = canonical(release, operator, profile)
    return work_of(case, rule.counted)


@pytest.mark.parametrize(
    ("operator", "profile", "flops"),
    [
        ("dot", "skewed", 2 * 10_000 * 10 * 10),
        ("dot", "transpose_a", 2 * 256**3),
        ("dot", "csr", 2 * 0.05 * 1024 * 1024 * 64),
        ("dot", "csr_transpose_a", 2 * 0.05 * 1024 * 1024 * 64),
        ("batch_dot", "attention", 12 * 2 * 128 * 64 * 128),
        ("_np_dot", "inner", 2 * 65_536),
        ("_np_dot", "stacked", 16 * 2 * 64**3),
        ("_npi_matmul", "vector", 2 * 1024 * 1024),
        ("_npi_matmul", "broadcast", 16 * 2 * 64**3),
        ("_npi_tensordot", "large", 2 * 128 * (32 * 64) * 128),
        ("_npi_tensordot_int_axes", "skewed", 2 * 10_000 * 16 * 10),
        ("_npi_einsum", "attention", 2 * (2 * 4 * 32 * 32 * 64)),
        ("_npi_einsum", "transpose", 512 * 512),
        ("_npi_einsum", "outer", 512 * 512),
        ("_npi_einsum", "trace", 512),
        ("_npi_einsum", "chain", 3 * 64**4),
        ("khatri_rao", "triple", 2 * 16**3 * 64),
        ("FullyConnected", "common", 2 * 64 * 512 * 256 + 64 * 256),
        ("FullyConnected", "skewed", 2 * 10_000 * 100),
        ("FullyConnected", "unflattened", 2 * 16 * 64 * 128 * 256 + 16 * 64 * 256),
        # A ResNet's: 56 * 56 places, 64 filters, 64 channels, 3 * 3 taps.
        ("Convolution", "common", 2 * 56 * 56 * 64 * 64 * 9),
        ("Convolution", "large", 2 * (112 * 112 * 64) * 2 * 3 * 49 + 2 * 112 * 112 * 64),
        ("Convolution", "depthwise", 2 * 56 * 56 * 64 * 9 + 56 * 56 * 64),
        ("Convolution", "line", 4 * (2 * 508 * 32 * 32 * 5 + 508 * 32)),
        ("Deconvolution", "common", 2 * 64 * 28 * 28 * 32 * 16),
        ("Deconvolution", "depthwise", 2 * 32 * 32 * 32 * 16),
        ("_contrib_DeformableConvolution", "small", 14 * 14 * (2 * 8 * 4 * 9 + 8 + 7 * 4 * 9)),
        ("Pooling", "common", 64 * 16 * 16 * 4),
        ("Pooling", "global", 512 * 14 * 14),
        ("_contrib_AdaptiveAvgPooling2D", "small", 3 * 16 * 16),
        ("UpSampling", "bilinear", 2 * 16 * 32 * 32 * 16),
        ("UpSampling", "common", 16 * 64 * 64),
        ("LRN", "common", 64 * 32 * 32 * (2 * 5 + 5)),
        ("Correlation", "small", 2 * 5 * 5 * 16 * 16 * 3),
        ("RNN", "common", 2 * 32 * 16 * 4 * 64 * (64 + 64)),
        ("RNN", "gru", 2 * 32 * 16 * 3 * 64 * (64 + 64)),
        ("RNN", "bidirectional", 2 * (2 * 32 * 16 * 4 * 64 * (64 + 64))),
        ("RNN", "stacked", 3 * (2 * 32 * 16 * 4 * 64 * (64 + 64))),
        ("_contrib_interleaved_matmul_selfatt_qk", "common", 4 * 4 * 2 * 32 * 32 * 32),
        ("_contrib_interleaved_matmul_selfatt_valatt", "common", 4 * 4 * 2 * 32 * 32 * 32),
        ("_contrib_interleaved_matmul_encdec_qk", "large", 4 * 8 * 2 * 128 * 64 * 128),
        ("_linalg_gemm", "common", 2 * 128**3),
        ("_linalg_gemm2", "row_axis", 16 * 2 * 64**3),
        ("_linalg_syrk", "wide", 16 * 17 * 10_000),
        ("_linalg_syrk", "tall", 16 * 17 * 10_000),
        ("_linalg_trmm", "skewed", 16 * 16 * 10_000),
        ("_linalg_potrf", "batched", 16 * 32**3 / 3),
        ("_linalg_gelqf", "wide", 4 * 256 * 16**2 - 4 * 16**3 / 3),
        ("_npi_solve", "many", 2 * 16**3 / 3 + 2 * 16**2 * 10_000),
        ("_npi_svd", "common", 14 * 64 * 32**2 + 8 * 32**3),
        ("_npi_eig", "small", 25 * 16**3),
        ("_npi_tensorinv", "common", 2 * 64**3),
        ("_npi_polyval", "small", 2 * 4 * 1024),
        # 500 steps of 2 * 20 + 1 states: two recursions of 3 operations each, and 2 in the gradient.
        ("CTCLoss", "skewed", 500 * 10 + 500 * 41 * 8),
        ("CTCLoss", "common", 32 * 8 * 64 + 32 * 8 * 21 * 8),
        ("Dropout", "common", 256 * 256 * 11),
        ("Dropout", "shared", 64**3 + 10 * 64**2),
        ("Dropout", "inference", 256 * 256),
        ("Cast", "common", 256 * 256),
        ("amp_cast", "common", 256 * 256),
        ("_sample_multinomial", "skewed", 10_000 * (10 + 10)),
        ("_shuffle", "common", 256 * 256 + 10 * 256),
        ("_npi_delete", "common", 256 * 128),
        ("_npi_insert_scalar", "small", 33 * 32),
        ("_npi_insert_slice", "small", 48 * 32),
        ("_npi_insert_tensor", "small", 48 * 32),
        ("_contrib_boolean_mask", "common", 128 * 256),
        ("_sparse_retain", "common", 64 * 0.5 * 256),
        ("_contrib_edge_id", "small", 256 * (1 + 0.5 * 32)),
        ("_foreach", "common", 32),
        ("transpose", "nchw_to_nhwc", 4 * 64 * 56 * 56),
        ("SwapAxis", "common", 256 * 256),
        ("_np_moveaxis", "common", 256 * 256),
        ("_np_cumsum", "flat", 1024 * 1024 - 1),
        ("_image_random_hue", "small", 20 * 16 * 3),
        ("LRN", "small", 4 * 16 * 16 * (2 * 3 + 5)),
        ("sort", "common", 256 * 256 * 8),
        ("topk", "one", 256 * 512),
        ("_npi_percentile", "common", 128 * 256 * 8),
        ("_npi_percentile", "several", 256 * 512 * 9),
        ("_npi_percentile", "whole", 256 * 512 * 17),
        ("_contrib_calibrate_entropy", "small", (200 + 1 - 15) * 401),
        ("_contrib_quantized_conv", "small", 2 * 16 * 16 * 16 * 4),
        ("_contrib_quantized_fully_connected", "common", 2 * 256 * 256 * 64),
        ("_sg_mkldnn_conv", "small", 2 * 16 * 16 * 8 * 4 * 9),
        ("exp", "common", 256 * 256),
    ],
)
def test_operations_by_hand(release: Release, operator: str, profile: str, flops: float) -> None:
    assert counted(release, operator, profile).flops == pytest.approx(flops, rel=1e-12)


@pytest.mark.parametrize(
    ("operator", "profile", "flops"),
    [
        ("_contrib_sldwin_atten_score", "causal", 2 * 128 * 4 * 9 * 2 * 32),
        ("_contrib_sldwin_atten_context", "common", 2 * 128 * 4 * 17 * 2 * 32),
        ("_contrib_intgemm_fully_connected", "int8", 2 * 64 * 256 * 256 + 64 * 256),
        ("_sg_onednn_batch_dot", "transposed", 16 * 2 * 64**3),
        ("_sample_multinomial", "common", 128 * 4 * 63 * 10),
        ("_sample_categorical", "common", 256 * 16 * (10 + 256)),
        ("_npi_rollaxis", "common", 256 * 256),
        ("_contrib_quantized_transpose", "common", 256 * 256),
        ("_npi_advanced_indexing", "common", 1024 * 64),
        ("_npi_advanced_indexing", "mask", 1000 * 64 / 2),
    ],
)
def test_operations_by_hand_of_what_the_pre_release_added(
    next_release: Release, operator: str, profile: str, flops: float
) -> None:
    assert counted(next_release, operator, profile).flops == flops


def test_an_ellipsis_stands_for_axes_that_broadcast() -> None:
    shapes = {"data[0]": (5, 1, 2, 3), "data[1]": (4, 3, 7)}
    case = Case(
        operator="_npi_einsum",
        category="gemm",
        profile="own",
        inputs=tuple(Input(name, TensorSpec(shape, "float32", Uniform())) for name, shape in shapes.items()),
        params={"num_args": 2, "subscripts": "...ij,...jk->...ik", "optimize": 0},
        outputs=(ArrayType((5, 4, 2, 7), "float32"),),
    )
    assert einsum_flops(case) == 2 * 5 * 4 * 2 * 3 * 7


@pytest.mark.parametrize(("a", "b"), [((64, 32), ()), ((), (64, 32))])
def test_a_product_with_a_number_is_one_operation_for_each_element(a: Shape, b: Shape) -> None:
    operands = inputs(a=tensor(*a), b=tensor(*b))
    scaled = case_of("_np_dot", inputs=operands, outputs=(ArrayType((64, 32), "float32"),))
    assert last_axis_flops(scaled) == 64 * 32


def test_every_formula_gives_a_positive_number(either: Release) -> None:
    counting = [target for target in targets(either.registry, either.catalog, Selection()) if target.rule]
    counting = [target for target in counting if target.rule and target.rule.flops not in (None, no_arithmetic)]
    assert len(counting) >= 60
    for target in counting:
        assert target.rule
        for case in build(target.operator, target.rule, Recipe(seed=6, draws=4), either.client).cases:
            flops = work_of(case, target.rule.flops).flops
            assert math.isfinite(flops), case.id
            assert flops > 0 or len(case.inputs) == 1, case.id  # nothing is added to a single array


@pytest.mark.parametrize(("name", "arithmetic"), [("transpose", False), ("Embedding", False), ("take", False),
                                                  ("Cast", False), ("_slice_assign", False), ("_npi_delete", False),
                                                  ("Crop", False), ("_image_crop", False),
                                                  ("_contrib_quantized_embedding", False),
                                                  ("_contrib_quantized_flatten", False), ("_sparse_retain", False),
                                                  ("_contrib_quantized_concat", False), ("_contrib_getnnz", False),
                                                  ("add_n", True), ("_npi_hanning", True), ("exp", True)])  # fmt: skip
def test_an_operator_that_only_moves_data_computes_nothing(release: Release, name: str, *, arithmetic: bool) -> None:
    (target,) = targets(release.registry, release.catalog, Selection(operators=(name,)))
    assert target.rule
    recipe = Recipe(draws=0, profiles=frozenset({"common"}))
    for case in build(target.operator, target.rule, recipe, release.client).cases:
        assert (work_of(case, target.rule.forward_flops).flops > 0) == arithmetic


@pytest.mark.parametrize("name", ["_image_random_crop", "_contrib_quantized_reshape", "_contrib_quantized_transpose"])
def test_an_operator_of_the_pre_release_that_only_moves_data_computes_nothing(next_release: Release, name: str) -> None:
    case, rule = canonical(next_release, name, "common")
    assert work_of(case, rule.forward_flops).flops == 0


@pytest.mark.parametrize(
    ("operator", "states"),
    [
        ("adam_update", ("mean", "var")),
        ("mp_sgd_update", ("weight32",)),
        ("multi_mp_sgd_update", tuple(f"data[{index}]" for index in range(2, 24, 3))),
        ("multi_sgd_mom_update", tuple(f"data[{index}]" for index in range(2, 24, 3))),
        ("_multi_mp_lamb_update", tuple(f"data[{index}]" for index in range(40) if index % 5 > 1)),
        ("BatchNorm", ()),
    ],
)
def test_an_optimizer_writes_its_states_too(release: Release, operator: str, states: tuple[str, ...]) -> None:
    case, rule = canonical(release, operator, "common")
    assert rule.updated(case) == states
    written = sum(item.tensor.nbytes for item in case.inputs if item.name in (*case.in_place, *states))
    assert rule.forward_work(case).bytes_out == (written or case.output_bytes)


def test_the_states_of_optimizers_are_those_that_mxnet_names(either: Release) -> None:
    """Where a symbol can be composed, MXNet says which inputs its operator writes."""
    named: dict[str, tuple[str, ...]] = {}
    for target in targets(either.registry, either.catalog, Selection(categories=("optimizer",))):
        assert target.rule
        case, rule = canonical(either, target.operator.name, "small")
        (completion,) = either.client.complete([call_of(case)])
        if completion.valid:
            named[case.operator] = completion.auxiliary
            assert sorted(rule.updated(case)) == sorted(completion.auxiliary), case.operator
    assert len(named) > 20


@pytest.mark.parametrize(
    ("operator", "profile", "read", "written"),
    [
        # A block of 128 rows without their first element, of 256 * 256; 4096 points of as many, by an index each.
        ("_slice_assign_scalar", "common", 128 * 255, 128 * 255),
        ("_slice_assign", "common", 2 * 128 * 255, 128 * 255),
        ("_scatter_set_nd", "common", 4096 + 4096 + 4096, 4096),
        # A tenth of the rows has a gradient, each with its number (int64), and one number of history for each row.
        ("_contrib_group_adagrad_update", "common", 2 * 6553.6 + 2 * 25.6 + 256, 6553.6 + 256),
        ("adam_update", "row_sparse", 4 * 26214.4 + 2 * 409.6, 3 * 26214.4),
        ("adam_update", "common", 4 * 256 * 256, 3 * 256 * 256),
    ],
)
def test_what_is_updated_in_part_is_moved_in_part(
    release: Release, operator: str, profile: str, read: float, written: float
) -> None:
    case, rule = canonical(release, operator, profile)
    work = rule.forward_work(case)
    assert (work.bytes_in / 4, work.bytes_out / 4) == pytest.approx((read, written))


@pytest.mark.parametrize(
    ("operator", "read"),
    [
        ("zeros_like", ()), ("_random_uniform_like", ()), ("_contrib_arange_like", ()), ("_onehot_encode", ("lhs",)),
        ("broadcast_like", ("lhs",)), ("reshape_like", ("lhs",)), ("slice_like", ("data",)),
    ],
)  # fmt: skip
def test_an_input_of_which_the_shape_alone_is_used_is_not_read(
    release: Release, operator: str, read: tuple[str, ...]
) -> None:
    case, rule = canonical(release, operator, "common")
    work = rule.forward_work(case)
    assert work.bytes_in == sum(item.tensor.nbytes for item in case.inputs if item.name in read)
    assert work.bytes_out > 0


def test_a_copy_reads_and_writes_four_bytes_an_element() -> None:
    work = work_of(copy_case(1000))
    assert (work.bytes_in, work.bytes_out) == (4000, 4000)


@pytest.mark.parametrize(("dtype", "operators"), [("float32", ["dot", "FullyConnected"]), ("float64", ["dot"])])
def test_a_product_of_matrices_is_two_operations_for_each_of_its_steps(dtype: str, operators: list[str]) -> None:
    rules = catalog().named
    cases = product_cases(dtype, 100)
    assert [case.operator for case in cases] == operators
    assert all(work_of(case, rules[case.operator].flops).flops == 2 * 100**3 for case in cases)
    assert {item.tensor.dtype for case in cases for item in case.inputs} == {dtype}


def test_an_idle_call_has_one_number() -> None:
    assert work_of(overhead_case()).elements == 1


def test_a_step_to_a_call_that_computes_nothing_is_no_equal_work() -> None:
    """One row to shuffle, a grey picture, one channel, one addend, the only column deleted, a cast to its own dtype."""
    assert shuffled(call("_shuffle", 1, 8192)) == 0
    assert colour_flops(call("_image_random_hue", 384, 160, 1)) == 0
    assert local_response_flops(call("LRN", 1, 1, 8, 8, nsize=7)) == 64 * (2 * 1 + 5)
    assert cumulated(call("_np_cumsum", 1, 64, axis=0)) == 0
    assert elements_after(call("_npi_delete", 1024, 1, axis=1, start=0, stop=None, step=2)) == 0
    assert converted(call("Cast", 4, 4, dtype="float32")) == 0
    assert converted(call("amp_cast", 4, 4, dtype="float16")) == 16
    assert diagonal_writes(call("_npi_fill_diagonal", 8, 1000, wrap=True)) == 8
    assert diagonal_writes(call("_npi_fill_diagonal", 10_000, 10, wrap=True)) == 9091


def call(operator: str, *shape: int, **params: Value) -> Case:
    """A call of one tensor."""
    name = "a" if operator == "_np_cumsum" else "data"
    return case_of(operator, inputs=inputs(**{name: tensor(*shape)}), params=params)


@pytest.mark.parametrize(
    ("count", "shape", "params", "moves"),
    [
        (order_of_axes, (4, 6), {}, True),
        (order_of_axes, (1, 6), {}, False),
        (order_of_axes, (4, 6, 2), {"axes": (0, 2, 1)}, True),
        (order_of_axes, (4, 6, 1), {"axes": (0, 2, 1)}, False),
        (order_of_axes, (4, 6, 1), {"axes": (0, -1, -2)}, False),
        (order_of_axes, (4, 6), {"axes": (0, 1)}, False),
        (order_swapped, (4, 6, 2), {"dim1": 0, "dim2": -1}, True),
        (order_swapped, (4, 1, 1), {"dim1": 0, "dim2": 2}, False),
        (order_swapped, (4, 6, 2), {"dim1": 1, "dim2": -2}, False),
        (order_moved, (4, 6), {"source": (0,), "destination": (-1,)}, True),
        (order_moved, (4, 6), {"source": (0, 1), "destination": (0, 1)}, False),
        (order_moved, (24,), {"source": (0,), "destination": (-1,)}, False),
        (order_rolled, (4, 6), {"axis": 1, "start": 0}, True),
        (order_rolled, (4, 6), {"axis": 1, "start": 2}, False),
        (order_rolled, (4, 6), {"axis": 0, "start": -1}, False),
    ],
)
def test_an_order_that_leaves_the_elements_in_place_moves_none(
    count: Callable[[Case, int], Sequence[int]], shape: tuple[int, ...], params: dict[str, Value], moves: bool
) -> None:
    call = case_of("transpose", *shape, params=params)
    assert permuted(count)(call) == (math.prod(shape) if moves else 0)


@pytest.mark.parametrize("seed", range(40))
def test_orders_of_axes_are_numpys(seed: int) -> None:
    draw = random.Random(seed)
    rank = draw.randint(1, 5)
    data = np.empty(tuple(range(2, 2 + rank)))
    axis, other = draw.randrange(-rank, rank), draw.randrange(-rank, rank)
    start = draw.randint(-rank, rank)
    source = tuple(draw.sample(range(rank), draw.randint(1, rank)))
    destination = tuple(draw.sample(range(rank), len(source)))
    moved = {
        order_swapped: ({"dim1": axis, "dim2": other}, np.swapaxes(data, axis, other)),
        order_moved: ({"source": source, "destination": destination}, np.moveaxis(data, source, destination)),
        order_rolled: ({"axis": axis, "start": start}, np.rollaxis(data, axis, start)),
        order_of_axes: ({}, data.T),
    }
    for order, (params, expected) in moved.items():
        call = case_of("transpose", *data.shape, params=params)
        assert tuple(data.shape[axis] for axis in order(call, rank)) == expected.shape
