"""Functions have the names that a person says, and belong to the part of the program that they serve."""

from __future__ import annotations

from collections import Counter

import pytest

from autoperf.core.work import Part
from autoperf.counts.functions import CodeFunction, Dump, code_count, short_name

MXNET = "libmxnet.so"
RELU = "void mxnet::op::UnaryOp::Compute<mshadow::cpu, mxnet::op::mshadow_op::relu>(nnvm::NodeAttrs const&, int)"
INVOKE = CodeFunction(MXNET, "mxnet::Imperative::Invoke(mxnet::Context const&)")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (RELU, "UnaryOp::Compute<cpu, relu>"),
        ("mxnet::Tuple<long>::SetDim(int)", "Tuple<long>::SetDim"),
        ("sgemm_kernel_HASWELL", "sgemm_kernel_HASWELL"),
        ("operator new(unsigned long)", "operator new"),
        ("std::vector<int, std::allocator<int> >::~vector()", "vector<int, allocator<int> >::~vector"),
        ("mxnet::op::Loop(int)::{lambda(int)#1}::operator()(int) const", "Loop"),
        ("bool mxnet::op::(anonymous namespace)::Takes<true>(int)", "Takes<true>"),
    ],
)
def test_names_leave_out_what_nobody_says(name: str, expected: str) -> None:
    assert short_name(name) == expected


def parts(
    own: dict[CodeFunction, int], calls: dict[CodeFunction, dict[CodeFunction, int]] | None = None
) -> dict[str, int]:
    callers = {function: Counter(by) for function, by in (calls or {}).items()}
    return code_count(Dump(Counter(own), callers), "valgrind").parts


def test_each_library_is_a_part() -> None:
    own = {
        CodeFunction(MXNET, RELU): 1,
        CodeFunction("libopenblas.so.0", "sgemm_kernel_HASWELL"): 2,
        CodeFunction("libm.so.6", "expf"): 4,
        CodeFunction("libc.so.6", "_int_malloc"): 8,
        CodeFunction("libpython3.11.so.1.0", "_PyEval_Vector"): 16,
        INVOKE: 32,
        CodeFunction(MXNET, "dnnl::impl::gemm(int)"): 64,
        CodeFunction("ld-linux-x86-64.so.2", "__tls_get_addr"): 128,
        CodeFunction("libtorch_cpu.so", "at::native::add(int)"): 256,
        CodeFunction("libtorch_cpu.so", "mkl_blas_avx2_sgemm_kernel_nocopy_NN_b0"): 512,
        CodeFunction("libtorch_cpu.so", "Sleef_expf8_u10avx2"): 1024,
    }
    expected = {
        "operator": 1 + 256, "BLAS": 2 + 512, "libm": 4 + 1024, "allocator": 8, "Python": 16, "dispatch": 32 + 128,
        "oneDNN": 64,
    }  # fmt: skip
    assert parts(own) == expected


def test_what_serves_all_belongs_to_its_caller() -> None:
    """A copy, and code without a name, below an operator, below oneDNN, and below the dispatch of a call."""
    copy, unnamed = CodeFunction("libc.so.6", "__memcpy_avx_unaligned_erms"), CodeFunction(MXNET, "0x00000000014212d0")
    generated = CodeFunction("???", "0x000000001dfb2000")
    relu, onednn = CodeFunction(MXNET, RELU), CodeFunction(MXNET, "mxnet::MKLDNNStream::Submit(bool)")
    assert parts({copy: 5000}, {copy: {relu: 4000, INVOKE: 1000}}) == {"operator": 5000}
    assert parts({copy: 5000}, {copy: {relu: 1000, INVOKE: 4000}}) == {"dispatch": 5000}
    calls = {generated: {unnamed: 7}, unnamed: {onednn: 8}}
    count = code_count(Dump(Counter({generated: 7, unnamed: 1}), {k: Counter(v) for k, v in calls.items()}), "v")
    assert [(item.name, item.part) for item in count.functions] == [
        ("oneDNN generated code", Part.ONEDNN),
        ("below MKLDNNStream::Submit", Part.ONEDNN),
    ]


def test_the_code_of_an_extension_is_an_operator() -> None:
    own = CodeFunction("operators-1a2b.so", "forward(int)")
    copy = CodeFunction("libc.so.6", "__memcpy_avx_unaligned_erms")
    assert parts({own: 3000, copy: 4000}, {copy: {own: 4000}, own: {INVOKE: 7000}}) == {"operator": 7000}


def test_what_serves_all_is_dispatch_where_it_is_small() -> None:
    """A few instructions of a copy depend on where its arrays lie."""
    copy, relu = CodeFunction("libc.so.6", "__memcpy_avx_unaligned_erms"), CodeFunction(MXNET, RELU)
    assert parts({copy: 999, relu: 50_000}, {copy: {relu: 999}}) == {"dispatch": 999, "operator": 50_000}
    assert parts({copy: 1_999, relu: 200_000}, {copy: {relu: 1_999}}) == {"dispatch": 1_999, "operator": 200_000}
    assert parts({copy: 2_000, relu: 200_000}, {copy: {relu: 2_000}}) == {"operator": 202_000}


def test_functions_that_call_each_other_belong_to_dispatch() -> None:
    one, other = CodeFunction(MXNET, "0x00000000014212d0"), CodeFunction(MXNET, "0x00000000014212e0")
    assert parts({one: 1, other: 2}, {one: {other: 1}, other: {one: 1}}) == {"dispatch": 3}


def test_inference_of_operators_is_dispatch() -> None:
    assert parts({CodeFunction(MXNET, "mxnet::op::TransposeShape(nnvm::NodeAttrs const&)"): 3}) == {"dispatch": 3}


def test_the_digest_is_of_kernels_alone() -> None:
    def digest(relu: int, dispatch: int, allocator: int) -> str:
        own = {CodeFunction(MXNET, RELU): relu, INVOKE: dispatch, CodeFunction("libc.so.6", "malloc"): allocator}
        return code_count(Dump(Counter(own), {}), "valgrind").digest

    assert digest(100, 10, 10) == digest(100, 11, 99)
    assert digest(100, 10, 10) != digest(101, 10, 10)


def test_counts_leave_out_the_allocator_and_small_functions() -> None:
    own = {
        CodeFunction(MXNET, RELU): 100_000,
        CodeFunction("libm.so.6", "expf"): 50,
        CodeFunction("libc.so.6", "malloc"): 9_000,
    }
    count = code_count(Dump(Counter(own), {}), "valgrind 3.19")
    assert count.instructions == count.kernels == 100_050
    assert [(item.name, item.instructions) for item in count.functions] == [("UnaryOp::Compute<cpu, relu>", 100_000)]
    assert count.by == "valgrind 3.19"


def test_the_body_of_a_parallel_loop_belongs_to_the_function_that_starts_it() -> None:
    """It has no name, and the OpenMP runtime that calls it has one where the build brings its own."""
    body, runtime = CodeFunction(MXNET, "0x0000000000a1b2c0"), CodeFunction("libgomp.so.1", "GOMP_parallel")
    relu = CodeFunction(MXNET, RELU)
    assert parts({body: 5000}, {body: {runtime: 5000}, runtime: {relu: 5000}}) == {"operator": 5000}
    assert parts({body: 5000}, {body: {runtime: 5000}, runtime: {INVOKE: 5000}}) == {"dispatch": 5000}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("void mxnet::op::UnaryOp::ComputeMixedType<mshadow::cpu, mxnet::op::mshadow_op::cos>(int)", "operator"),
        ("void linalg_batch_gemm<mshadow::cpu, float>(mshadow::Tensor<mshadow::cpu, 3, float> const&)", "operator"),
        ("bool mxnet::op::ElemwiseType<1, 1>(nnvm::NodeAttrs const&)", "dispatch"),
        ("std::vector<nnvm::NodeEntry> mxnet::op::MakeNode(char const*)", "dispatch"),
    ],
)
def test_what_computes_is_told_from_what_infers(name: str, part: str) -> None:
    """Also for code without names below it, as that of a BLAS which is linked in."""
    body = CodeFunction(MXNET, "0x0000000000a1b2c0")
    function = CodeFunction(MXNET, name)
    assert parts({body: 5000, function: 1}, {body: {function: 5000}, function: {INVOKE: 5001}}) == {part: 5001}
