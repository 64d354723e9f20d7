"""Which part of the program a function belongs to, and the name under which a person reads it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from autoperf.core.counts import KERNELS, CodeCount, FunctionCount, Part, counted
from autoperf.counts.dumps import CodeFunction, Dump

# Functions with less than this share of a call's instructions aren't listed: of kernels, and of what calls them.
MIN_SHARE, MIN_DISPATCH_SHARE = 0.001, 0.02
# What serves all parts belongs to its caller from this number of instructions on, and from this share of the kernels'.
MIN_SERVED, SERVED_SHARE = 1000, 0.01
MAX_NAME = 60
UNKNOWN_OBJECT = "???"
_GENERATED = "generated code"
_RECURSION = re.compile(r"'\d+$")
_ADDRESS = re.compile(r"0x[0-9a-f]{4,}")

_PARTS_OF_OBJECTS = (
    (re.compile(r"libm[.-]|libmvec|libquadmath"), Part.MATH),
    (re.compile(r"openblas|mkl_|libmkl|blas|lapack"), Part.BLAS),
    (re.compile(r"libdnnl|libmkldnn"), Part.ONEDNN),
    (re.compile(r"libpython|^python|libffi|_ctypes"), Part.PYTHON),
    (re.compile(r"^ld-linux|libpthread|libdl|libstdc\+\+|libgomp|libomp"), Part.DISPATCH),
)
# They call the body of a parallel loop, which has no name of its own.
_OPENMP, _PARALLEL = re.compile(r"libg?omp|libiomp"), re.compile(r"GOMP_|__kmp")
# PyTorch has MKL and Sleef within.
_LINKED = {"mkl_blas_": Part.BLAS, "mkl_lapack_": Part.BLAS, "mkl_vml_": Part.MATH, "Sleef_": Part.MATH}
_ALLOCATOR = re.compile(
    r"_*(?:libc_)?(?:malloc|calloc|realloc|free|cfree|posix_memalign|memalign|aligned_alloc)$|_int_(?:malloc|free|realloc"
    r"|memalign)|_mid_memalign|sysmalloc|systrim|unlink_chunk|malloc_consolidate|alloc_perturb|tcache_|ptmalloc|arena_get"
    r"|munmap_chunk|free_check|heap_trim|(?:__)?s?brk$|__glibc_morecore|(?:__)?(?:mmap|munmap|madvise|mremap|mprotect)"
    r"|checked_request2size"
)
# Its instructions depend on the variables of the environment.
_BY_ENVIRONMENT = "getenv"
_ONEDNN = re.compile(r"dnnl|mkldnn", re.IGNORECASE)
_OPERATOR = re.compile(
    r"mxnet::(?:op|ndarray|io|kvstore)::|mshadow::|CpuCTC|mersenne_twister|^linalg_|"
    r"^std::_Function_handler<void \(nnvm::NodeAttrs const&, mxnet::OpContext"
)
# What operators, oneDNN's glue and dispatch use alike.
_SERVING = re.compile(r"^(?:std::|dmlc::|mxnet::(?:Tuple|TShape|TBlob|engine::OpenMP|common)\b)")
# Functions of operators that infer types, parse parameters and build the graph of gradients: they compute nothing.
_INFERENCE = re.compile(
    r"(?:Shape|(?<!Mixed)Type|AttrHelper|GradNode|GradUseNone|ParamParser|NodeEntries|MakeNode|Attrs?)$|::ElemwiseGrad\w*$"
)


def code_count(dump: Dump, by: str) -> CodeCount:
    """The functions of a dump by their names for a reader, and the sums of all parts."""
    found: Counter[tuple[str, Part]] = Counter()
    small = max(MIN_SERVED, SERVED_SHARE * sum(number for each, number in dump.own.items() if _is_kernel(each)))
    for function, instructions in dump.own.items():
        if instructions:
            found[_placed(function, dump, is_small=instructions < small)] += instructions
    parts: Counter[str] = Counter()
    for (_, part), instructions in found.items():
        parts[part.value] += instructions
    # Kernels by their own sum, which is exact: what is listed decides the digest.
    kernels = MIN_SHARE * sum(parts[part.value] for part in KERNELS)
    others = MIN_DISPATCH_SHARE * counted(parts)
    listed = [
        FunctionCount(name, part, number)
        for (name, part), number in found.items()
        if part is not Part.ALLOCATOR and number >= (kernels if part in KERNELS else others)
    ]
    listed.sort(key=lambda function: (-function.instructions, function.name))
    return CodeCount(by, tuple(listed), dict(sorted(parts.items())), _digest(listed, parts))


def _is_kernel(function: CodeFunction) -> bool:
    """Whether a function computes results, whoever calls it."""
    return _part_of_object(function.object) in KERNELS or _OPERATOR.search(_qualified(function.name)) is not None


def _digest(listed: list[FunctionCount], parts: Counter[str]) -> str:
    """Equal for equal counts of the listed functions of kernels, and of all others together."""
    lines = sorted(f"{each.name} {each.instructions}" for each in listed if each.part in KERNELS)
    lines.append(str(sum(parts[part.value] for part in KERNELS)))
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def _placed(function: CodeFunction, dump: Dump, *, is_small: bool) -> tuple[str, Part]:
    """The name of a function for a reader, and its part.

    Small functions that serve all parts are dispatch: what they do can depend on addresses.
    """
    object_, name = function.object, _RECURSION.sub("", function.name)
    if _is_of_libc(object_) and _ALLOCATOR.match(name):
        return name, Part.ALLOCATOR
    part = Part.DISPATCH if name == _BY_ENVIRONMENT else _part_of_object(object_) or _part_of_name(name)
    caller = function if part else _named_caller(function, dump)
    if is_small and part is None and (_is_of_libc(object_) or _SERVING.match(_qualified(name))):
        part = Part.DISPATCH
    part = part or _part_of_object(caller.object) or _part_of_code(function, caller)
    if object_ == UNKNOWN_OBJECT and part is not Part.PYTHON:
        # Nothing else in these processes generates code.
        part = Part.ONEDNN
    if object_ == UNKNOWN_OBJECT:
        return f"{part.value} {_GENERATED}", part
    if _is_named(function):
        return short_name(name), part
    return (object_ if caller is function else f"below {short_name(caller.name)}"), part


def _part_of_object(object_: str) -> Part | None:
    """The part to which all functions of a library belong, if they belong to one."""
    return next((part for pattern, part in _PARTS_OF_OBJECTS if pattern.search(object_)), None)


def _part_of_name(name: str) -> Part | None:
    """The part of a library that is linked into a framework's own, by the prefix of its functions."""
    return next((part for prefix, part in _LINKED.items() if name.startswith(prefix)), None)


def _part_of_code(function: CodeFunction, caller: CodeFunction) -> Part:
    """The part of a function that is the framework's own, or serves all parts as those of C and C++ do.

    All code of another library is an operator: those of the user's extensions.
    """
    object_ = caller.object if _is_of_libc(function.object) or not _is_named(function) else function.object
    if not _is_of_libc(object_) and object_ not in ("", UNKNOWN_OBJECT) and "mxnet" not in object_:
        return Part.OPERATOR
    own = [function.name] if _is_named(function) and not _is_of_libc(function.object) else []
    for name in (*own, caller.name):
        qualified = _qualified(name)
        if _ONEDNN.search(qualified):
            return Part.ONEDNN
        if _OPERATOR.search(qualified):
            return Part.DISPATCH if _INFERENCE.search(qualified) else Part.OPERATOR
        if not _SERVING.match(qualified):
            break
    return Part.DISPATCH


def _is_of_libc(object_: str) -> bool:
    return object_.startswith(("libc.", "libc-", "libjemalloc", "libtcmalloc"))


def _serves_all(function: CodeFunction) -> bool:
    """Whether a function works for whoever calls it: of the C library, of OpenMP, or one of _SERVING."""
    is_of_runtime = _is_of_libc(function.object) or _OPENMP.search(function.object) or _PARALLEL.match(function.name)
    return bool(is_of_runtime or _SERVING.match(_qualified(function.name)))


def _is_named(function: CodeFunction) -> bool:
    return not _ADDRESS.match(function.name) and function.object != UNKNOWN_OBJECT


def _named_caller(function: CodeFunction, dump: Dump) -> CodeFunction:
    """The nearest caller that has a name and doesn't serve all parts, by the calls that took most."""
    seen = {function}
    while callers := dump.calls.get(function):
        rest = Counter({caller: number for caller, number in callers.items() if caller not in seen})
        if not rest:
            break
        function = min(rest, key=lambda caller: (-rest[caller], caller))
        seen.add(function)
        if _is_named(function) and not _serves_all(function):
            break
    return CodeFunction(function.object, _RECURSION.sub("", function.name))


def _qualified(name: str) -> str:
    """The name of a function without its result, its parameters and the arguments of templates.

    The arguments stay where the function itself is of the standard library: what it serves is among them.
    """
    plain = _without_parameters(name)
    return plain if plain.startswith("std::") else plain.partition("<")[0]


def short_name(name: str) -> str:
    """The name of a C++ function as a person says it: `UnaryOp::Compute<cpu, relu>`.

    Parameters and the type of the result are left out, and so are namespaces in lower case.
    """
    return re.sub(r"\b(?:\(anonymous namespace\)|[a-z_]\w*)::(?=[\w~({])", "", _without_parameters(name))


def shortened(name: str, most: int = MAX_NAME) -> str:
    """The name, cut where it is too long for a line."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _without_parameters(name: str) -> str:
    """`Type name<arguments>(parameters) const` as `name<arguments>`."""
    name = name.replace("(anonymous namespace)::", "").replace("operator()", "operator\0")
    begin, depth = 0, 0
    for place, sign in enumerate(name):
        if sign == "<" and not name.startswith("operator<", place - 8):
            depth += 1
        elif sign == ">" and depth and name[place - 1] != "-":
            depth -= 1
        elif depth:
            continue
        elif sign == " " and not name[begin:place].endswith("operator"):
            begin = place + 1
        elif sign == "(":
            name = name[:place]
            break
    return name[begin:].replace("\0", "()") or name
