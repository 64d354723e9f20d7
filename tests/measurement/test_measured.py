"""Real operators of the real MXNet: kernels, gradients, memory and samples."""

from __future__ import annotations

import time

import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.call import Call, describe
from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.passes import forward
from autoperf.backends.protocol import BackwardRequest
from autoperf.cases.suite import load
from autoperf.core.errors import EngineError
from autoperf.core.events import CaseStagesTimed, CaseStarted
from autoperf.core.outcome import Memory, PassMemory, Status
from autoperf.core.tensors import ArrayType
from autoperf.measurement.runner import Runner
from autoperf.measurement.supervisor import Executor
from tests.measurement.executor_values import QUICK, jobs
from tests.values import Recording

LSTM = "data=tensor((5, 2, 8)), parameters=tensor((576,)), state=tensor((1, 2, 8)), state_cell=tensor((1, 2, 8)), "
LSTM += "state_size=8, num_layers=1, mode='lstm', state_outputs=True"
NORM = "data=tensor((2, 3, 8, 8)), gamma=tensor((3,)), beta=tensor((3,)), moving_mean=tensor((3,)), "
NORM += "moving_var=tensor((3,), 'float32', constant(1))"
BFLOAT16 = "data=tensor((4, 8), 'bfloat16'), weight=tensor((3, 8), 'bfloat16'), no_bias=True, num_hidden=3"
RETAIN = "data=tensor((8, 4), storage='row_sparse', density=0.5), "
RETAIN += "indices=tensor((2,), 'int64', distinct(8, ordered=True))"
HAWKES = "lda=tensor((2, 3)), alpha=tensor((3,), 'float32', constant(.2)), beta=tensor((3,), 'float32', constant(1)), "
HAWKES += "state=tensor((2, 3)), lags=tensor((2, 5)), marks=tensor((2, 5), 'int32', integers(0, 3)), "
HAWKES += "valid_length=tensor((2,), 'float32', integers(1, 5)), max_time=tensor((2,), 'float32', constant(100))"
CONVOLUTION = (
    "data=tensor((2, 16, 16, 16)), weight=tensor((16, 16, 3, 3)), bias=tensor((16,)), kernel=(3, 3), num_filter=16"
)


def test_exp_is_measured_in_every_respect(run) -> None:
    (outcome,) = run("exp", "data=tensor((1024, 1024))")
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert outcome.outputs == (ArrayType((1024, 1024), "float32"),)
    forward, backward = outcome.forward, outcome.backward
    assert list(forward.kernels) == ["exp"]
    assert list(backward.kernels) == ["elemwise_mul"]
    for one in (forward, backward):
        assert (one.kernel_us.count, one.wall_us.count) == (3, 3)
        assert 0 < one.kernel_us.min <= one.kernel_us.max
        assert one.wall_us.min > 0
    assert outcome.memory == Memory(PassMemory(4194304, 4194304, 0), PassMemory(4194304, 4194304, 0))
    assert outcome.seconds > 0


def test_the_kernel_takes_no_longer_than_the_call(run) -> None:
    (outcome,) = run("exp", "data=tensor((512, 512))")
    # Not twice as long, which a kernel counted in two calls would be; the machine may change its speed between both.
    assert outcome.forward.kernel_us.min < 2 * outcome.forward.wall_us.max


def test_a_gradient_of_the_same_name_is_told_apart(run) -> None:
    (outcome,) = run("negative", "data=tensor((64, 64))")
    assert list(outcome.forward.kernels) == list(outcome.backward.kernels) == ["negative"]
    assert outcome.forward.kernel_us.count == outcome.backward.kernel_us.count == 3


def test_workspace_is_apart_from_output(run) -> None:
    (outcome,) = run("topk", "data=tensor((200, 500)), k=2")
    assert outcome.memory.forward.output == 200 * 2 * 4
    assert outcome.memory.forward.workspace > 200 * 500 * 4
    assert outcome.memory.forward.peak == outcome.memory.forward.output + outcome.memory.forward.workspace


def test_the_warm_up_takes_no_workspace(run) -> None:
    """Temporary space is kept, so that what a warm-up took would be missing from the memory of a case."""
    (layer,) = run("FullyConnected", "data=tensor((2, 2)), weight=tensor((2, 2)), bias=tensor((2,)), num_hidden=2")
    (plain,) = run("exp", "data=tensor((2, 2))")
    for outcome in (layer, plain):
        assert outcome.memory.forward.workspace == outcome.memory.backward.workspace == 0


def test_workspace_shows_for_each_case_though_mxnet_keeps_it(run) -> None:
    first, second = run("topk", "data=tensor((200, 500)), k=2", "data=tensor((200, 500)), k=3")
    assert first.memory.forward.workspace == second.memory.forward.workspace > 0


@pytest.mark.parametrize(
    ("operator", "arguments", "forward", "backward"),
    [
        ("Convolution", CONVOLUTION, "Convolution", "_backward_Convolution"),
        ("BatchNorm", NORM, "BatchNorm", "_backward_BatchNorm"),
        ("Dropout", "data=tensor((20, 30)), p=0.5", "Dropout", "_backward_Dropout"),
        ("RNN", LSTM, "RNN", "_backward_RNN"),
        ("Reshape", "data=tensor((4, 6)), shape=(6, 4)", "Reshape", "_backward_reshape"),
        ("elemwise_add", "lhs=tensor((4, 6)), rhs=tensor((4, 6))", "elemwise_add", "_copy"),
        ("Concat", "data=[tensor((4, 6)), tensor((4, 6))], num_args=2, dim=1", "Concat", "_backward_Concat"),
        ("dot", "lhs=tensor((40, 80), storage='csr', density=0.1), rhs=tensor((80, 6))", "dot", "_backward_dot"),
        ("_np_sum", "a=tensor((4, 6))", "_np_sum", "_backward_np_sum"),
        ("softmax", "data=tensor((4, 6), 'float16')", "softmax", "_backward_softmax"),
        ("FullyConnected", BFLOAT16, "FullyConnected", "_backward_FullyConnected"),
        ("Embedding", "data=tensor((9,), 'float32', integers(0, 5)), weight=tensor((5, 4)), input_dim=5, output_dim=4",
         "Embedding", "_backward_Embedding"),
    ],
)  # fmt: skip
def test_operators_are_measured_forward_and_backward(run, operator, arguments, forward, backward) -> None:
    (outcome,) = run(operator, arguments)
    if arguments is BFLOAT16 and "primitive descriptor" in outcome.reason:
        pytest.skip("oneDNN has no bfloat16 for this processor")
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert list(outcome.forward.kernels) == [forward]
    assert list(outcome.backward.kernels) == [backward]
    assert outcome.memory.forward.peak > 0
    assert outcome.memory.backward.output > 0


@pytest.mark.parametrize(
    ("operator", "arguments"),
    [
        ("argmax", "data=tensor((4, 6)), axis=1"),
        ("_random_uniform", "shape=(4, 5)"),
        ("one_hot", "indices=tensor((4,), 'int32', integers(0, 3)), depth=3"),
        ("topk", "data=tensor((4, 6)), k=2"),
        ("_slice_assign", "lhs=tensor((4, 4)), rhs=tensor((2, 4)), begin=(0, 0), end=(2, 4)"),
    ],
)
def test_operators_through_which_no_gradient_flows_have_no_backward(run, operator, arguments) -> None:
    (outcome,) = run(operator, arguments)
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert outcome.forward.kernel_us is not None
    assert outcome.backward is None
    assert outcome.memory.backward is None


def test_a_backward_pass_that_fails_costs_only_itself(run) -> None:
    (outcome,) = run("_npi_copysign_scalar", "data=tensor((4, 4)), scalar=1.0")
    assert outcome.status is Status.MEASURED
    assert outcome.forward.kernel_us.count == 3
    assert outcome.backward is None
    assert outcome.reason.startswith("no backward pass: Check failed: pNode->num_inputs()")


@pytest.mark.parametrize(
    ("operator", "arguments", "kernel", "note"),
    [
        ("_square_sum", "data=tensor((8, 4), storage='row_sparse', density=0.5), axis=(1,)", "_backward_square_sum",
         "gradients are row-sparse, since MXNet refuses the plain ones: Operator not implemented"),
        ("_sparse_retain",
         RETAIN,
         "_backward_sparse_retain", "gradients are row-sparse"),
        ("_contrib_hawkesll", HAWKES, "_contrib_backward_hawkesll",
         "only lda, alpha, beta, state get gradients, since MXNet refuses the plain ones: Check failed"),
    ],
)  # fmt: skip
def test_a_gradient_that_is_refused_is_asked_for_in_another_way(run, operator, arguments, kernel, note) -> None:
    (outcome,) = run(operator, arguments)
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert list(outcome.backward.kernels) == [kernel]
    assert outcome.backward.notes[0].startswith(note)


def test_gradients_that_are_granted_alone_are_taken_together(run) -> None:
    (outcome,) = run("_contrib_hawkesll", HAWKES)
    lda, alpha, beta, state = 2 * 3, 3, 3, 2 * 3
    assert outcome.memory.backward.output == 4 * (lda + alpha + beta + state)


def test_a_backward_pass_that_crashes_costs_only_itself(run) -> None:
    """Recording an operator without outputs brings 1.9.1 down."""
    (outcome,) = run("reset_arrays", "data=[tensor((4, 4)), tensor((3,))], num_arrays=2")
    assert outcome.status is Status.MEASURED
    assert outcome.outputs == ()
    assert outcome.forward.kernel_us.count == 3
    assert outcome.reason.startswith("no backward pass: the process died: ")


def test_gradients_that_a_kernel_writes_at_once_are_there(run) -> None:
    """oneDNN's deconvolution writes to the gradients' memory without asking whether there is any."""
    (outcome,) = run(
        "Deconvolution", "data=tensor((1, 16, 8, 8)), weight=tensor((16, 8, 4, 4)), kernel=(4, 4), num_filter=8"
    )
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert list(outcome.backward.kernels) == ["_backward_Deconvolution"]
    assert outcome.memory.backward.output == (16 * 8 * 8 + 16 * 8 * 4 * 4) * 4


def test_an_operator_that_cannot_be_recorded_is_measured_all_the_same(run) -> None:
    (outcome,) = run("sort", "data=tensor((4, 8))")
    assert outcome.status is Status.MEASURED
    assert list(outcome.forward.kernels) == ["sort"]
    assert outcome.reason.startswith("no backward pass: Invalid Parameter format for axis")


def test_an_operator_that_updates_its_inputs_runs_in_place(run) -> None:
    arguments = "weight=tensor((40, 40)), grad=tensor((40, 40)), mom=tensor((40, 40)), lr=0.1"
    (outcome,) = run("sgd_mom_update", arguments, decoration="in_place=('weight',)")
    assert list(outcome.forward.kernels) == ["sgd_mom_update"]
    assert outcome.backward is None
    assert outcome.outputs == (ArrayType((40, 40), "float32"),)
    assert outcome.memory.forward == PassMemory(0, 0, 0)


def test_an_operator_of_many_outputs_updates_them_in_order(run) -> None:
    arguments = (
        "data=[tensor((4, 4)), tensor((4, 4)), tensor((5,)), tensor((5,))], lrs=(.1, .1), wds=(0., 0.), num_weights=2"
    )
    (outcome,) = run("multi_sgd_update", arguments, decoration="in_place=('data[0]', 'data[2]')")
    assert outcome.status is Status.MEASURED
    assert [output.shape for output in outcome.outputs] == [(4, 4), (5,)]


@pytest.mark.parametrize("training", [True, False])
def test_a_case_runs_in_its_mode(write, training: bool) -> None:
    """Dropout keeps everything unless it is trained; here the call is made in this very process."""
    library = open_library(find_library())
    path = write("Dropout", "data=tensor((50, 50), 'float32', constant(1)), p=0.5", decoration=f"training={training}")
    call = Call(library, load(path).cases[0].case, ("cpu", 0))
    outputs = forward(call)
    values = NDArray(library, outputs[0]).to_numpy()
    call.free()
    assert (values == 1).all() == (not training)


def test_recording_and_training_end_with_a_block_even_if_a_call_fails(write) -> None:
    library = open_library(find_library())
    path = write("Dropout", "data=tensor((3, 3)), p=0.5", decoration="training=True")
    call = Call(library, load(path).cases[0].case, ("cpu", 0))
    call.request_gradients(BackwardRequest(("data",)))
    runner = Runner(call)
    with pytest.raises(EngineError, match="before its head gradients"):
        runner.block(time.perf_counter_ns, 2)
    assert (autograd.set_recording(library, False), autograd.set_training(library, False)) == (False, False)
    outputs = forward(call)
    call.make_heads([describe(library, handle) for handle in outputs])
    runner.release(outputs)
    assert len(runner.block(time.perf_counter_ns, 2)) == 2
    assert (autograd.set_recording(library, False), autograd.set_training(library, False)) == (False, False)
    call.free()


def test_numpy_shapes_hold_for_numpy_operators_alone(run) -> None:
    (scalar,) = run("_np_sum", "a=tensor((4, 6))")
    assert scalar.outputs[0].shape == ()
    (empty,) = run("_np_copy", "a=tensor((0, 6))")
    assert empty.outputs[0].shape == (0, 6)
    (old,) = run("sum", "data=tensor((4, 6))")
    assert old.outputs[0].shape == (1,)


def test_an_alias_is_measured_with_a_note(run) -> None:
    (outcome,) = run("identity", "data=tensor((4, 6))")
    assert list(outcome.forward.kernels) == ["_copy"]
    assert "no kernel is named identity; counted are _copy" in outcome.forward.notes


def test_pythons_clock_alone(write, tmp_path) -> None:
    settings = QUICK.__class__(profiler="python", warmup=0, runs=2, processes=1)
    with Executor(find_library(), settings, tmp_path) as executor:
        (outcome,) = executor.run(jobs(write("exp", "data=tensor((4, 4))")))
    assert outcome.status is Status.MEASURED
    assert outcome.forward.kernel_us is None
    assert outcome.backward.wall_us.count == 2
    assert outcome.memory.forward.output == 64


def test_the_sink_is_told_of_each_case(write, tmp_path) -> None:
    sink = Recording()
    with Executor(find_library(), QUICK, tmp_path, sink) as executor:
        (job,) = jobs(write("exp", "data=tensor((4, 4))"))
        (outcome,) = executor.run([job])
    started, timed = sink.events
    assert started == CaseStarted(job.case)
    assert isinstance(timed, CaseStagesTimed)
    assert timed.case == job.case
    assert timed.seconds["trial"] + timed.seconds["timing"] == pytest.approx(outcome.seconds)


def test_the_build_is_told(executor: Executor) -> None:
    assert executor.build.version.startswith("1.")
    assert executor.build.features["MKLDNN"] in (True, False)
    assert executor.build.library.endswith("libmxnet.so")
