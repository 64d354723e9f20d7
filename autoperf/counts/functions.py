"""Functions in callgrind's dumps: own instructions, names and part of the program; and how two calls differ."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.core.errors import CounterError
from autoperf.core.work import KERNELS, CodeCount, FunctionCount, Functions, Part, counted

_NAME = re.compile(r"(c?(?:fn|ob))=\((\d+)\)(?: (.*))?")
_CALLS = re.compile(r"calls=(\d+)")


class CodeFunction(NamedTuple):
    """A function, and the file of the object that has it."""

    object: str
    name: str


class Dump(NamedTuple):
    """The own instructions of each function, and the weight of its calls, by their caller.

    The weight is the instructions of a function that calls no other, else the number of its calls: what others take may
    depend on addresses, as in the allocator, and a count must not change hands by it.
    """

    own: Counter[CodeFunction]
    calls: dict[CodeFunction, Counter[CodeFunction]]


def read_dump(path: Path) -> Dump:
    """Reads a dump. Raises CounterError for a file that can't be read, or isn't one."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            if next(lines, "") != "# callgrind format\n":
                raise CounterError(f"invalid dump of counts {path}: expected callgrind's format")
            return _read(lines)
    except OSError as error:
        raise CounterError(f"no counts can be read: {error}") from error


def _read(lines: Iterable[str]) -> Dump:
    # The format: https://valgrind.org/docs/manual/cl-format.html
    dump = Dump(Counter(), {})
    numbers: dict[CodeFunction, Counter[CodeFunction]] = {}
    current, callee = CodeFunction("", ""), CodeFunction("", "")
    number: int | None = None
    for kind, value in _tokens(lines):
        if kind == "fn":
            current = CodeFunction(current.object, value)
        elif kind == "ob":
            current = CodeFunction(value.rpartition("/")[2], current.name)
        elif kind == "cob":
            callee = CodeFunction(value.rpartition("/")[2], callee.name)
        elif kind == "cfn":
            # Without a line of its own, a called function is of the caller's object.
            callee = CodeFunction(callee.object or current.object, value)
        elif kind == "calls":
            number = int(value)
        elif number is not None:
            dump.calls.setdefault(callee, Counter())[current] += int(value)
            numbers.setdefault(callee, Counter())[current] += number
            number, callee = None, CodeFunction("", "")
        else:
            dump.own[current] += int(value)
    calling = {caller for callers in numbers.values() for caller in callers}
    return dump._replace(calls={**dump.calls, **{each: numbers[each] for each in calling & numbers.keys()}})


def _tokens(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The kind and the value of each line that names a function or an object, announces a call, or has a cost.

    Names are compressed: a number, and at its first mention the name.
    """
    names: dict[tuple[str, str], str] = {}
    costs = _costs("line")
    for line in lines:
        if cost := costs.match(line):
            yield "cost", cost[1]
        elif named := _NAME.match(line):
            key = named[1].removeprefix("c"), named[2]
            if named[3] is not None:
                names[key] = named[3]
            yield named[1], names[key]
        elif called := _CALLS.match(line):
            yield "calls", called[1]
        elif line.startswith("positions:"):
            costs = _costs(*line.split()[1:])


def _costs(*positions: str) -> re.Pattern[str]:
    """A line with the first cost, the instructions, after these positions (`--dump-instr=yes` adds the address)."""
    return re.compile(r"[-+*\d]\S* " + r"\S+ " * (len(positions) - 1) + r"(\d+)")


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
    # What computes results, whoever calls it.
    computing = (
        number
        for each, number in dump.own.items()
        if _part_of_object(each.object) in KERNELS or _OPERATOR.search(_qualified(each.name))
    )
    small = max(MIN_SERVED, SERVED_SHARE * sum(computing))
    for function, instructions in dump.own.items():
        if instructions:
            found[_placed(function, dump, is_small=instructions < small)] += instructions
    parts: Counter[str] = Counter()
    for (_, part), instructions in found.items():
        parts[part.value] += instructions
    # Kernels by their own sum, which is exact: what is listed decides the digest.
    total = sum(parts[part.value] for part in KERNELS)
    kernels, others = MIN_SHARE * total, MIN_DISPATCH_SHARE * counted(parts)
    listed = [
        FunctionCount(name, part, number)
        for (name, part), number in found.items()
        if part is not Part.ALLOCATOR and number >= (kernels if part in KERNELS else others)
    ]
    listed.sort(key=lambda function: (-function.instructions, function.name))
    # Equal for equal counts of the listed functions of kernels, and of all others together.
    lines = [*sorted(f"{each.name} {each.instructions}" for each in listed if each.part in KERNELS), str(total)]
    digest = hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
    return CodeCount(by, tuple(listed), dict(sorted(parts.items())), digest)


def _placed(function: CodeFunction, dump: Dump, *, is_small: bool) -> tuple[str, Part]:
    """The name of a function for a reader, and its part."""
    object_, name = function.object, _RECURSION.sub("", function.name)
    if _is_of_libc(object_) and _ALLOCATOR.match(name):
        return name, Part.ALLOCATOR
    # A library that is linked into a framework's own is known by the prefix of its functions.
    linked = next((part for prefix, part in _LINKED.items() if name.startswith(prefix)), None)
    part = Part.DISPATCH if name == _BY_ENVIRONMENT else _part_of_object(object_) or linked
    caller = function if part else _named_caller(function, dump)
    # Small functions that serve all parts are dispatch: what they do can depend on addresses.
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


def _is_named(function: CodeFunction) -> bool:
    return not _ADDRESS.match(function.name) and function.object != UNKNOWN_OBJECT


def _named_caller(function: CodeFunction, dump: Dump) -> CodeFunction:
    """The nearest caller that has a name and doesn't work for whoever calls it, by the calls that took most."""
    seen = {function}
    while callers := dump.calls.get(function):
        rest = Counter({caller: number for caller, number in callers.items() if caller not in seen})
        if not rest:
            break
        function = min(rest, key=lambda caller: (-rest[caller], caller))
        seen.add(function)
        object_, name = function
        is_of_runtime = _is_of_libc(object_) or _OPENMP.search(object_) or _PARALLEL.match(name)
        if _is_named(function) and not is_of_runtime and not _SERVING.match(_qualified(name)):
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


_NAMES = tuple(part.value for part in Part if part is not Part.ALLOCATOR)


class FunctionChange(msgspec.Struct, frozen=True):
    """The instructions of a function in both calls; 0 where a call doesn't execute it."""

    name: str
    part: str
    base: int
    new: int

    @property
    def change(self) -> int:
        """The instructions that NEW spends more."""
        return self.new - self.base


class CodeDifference(msgspec.Struct, frozen=True):
    """What two calls execute.

    `identical`: the kernels spend as many instructions in the same functions. `functions` has those that differ, by the
    size of their difference. `base` and `new` are the instructions of kernels, `parts` those of each part.
    """

    identical: bool
    base: int
    new: int
    functions: tuple[FunctionChange, ...]
    parts: dict[str, tuple[int, int]]


def difference(base: CodeCount, new: CodeCount) -> CodeDifference:
    """The difference of two calls: the functions of kernels that differ, the largest difference first."""
    executed = {*base.parts, *new.parts}
    parts = {name: (base.parts.get(name, 0), new.parts.get(name, 0)) for name in _NAMES if name in executed}
    if base.digest == new.digest:
        return CodeDifference(identical=True, base=base.kernels, new=new.kernels, functions=(), parts=parts)
    before, after = _by_name(base.functions), _by_name(new.functions)
    # A function that one side doesn't list has less than this share there: it counts if it differs by more.
    unlisted = MIN_SHARE * max(base.kernels, new.kernels)
    changes = [FunctionChange(*key, before[key], after[key]) for key in dict.fromkeys([*before, *after])]
    differing = [each for each in changes if abs(each.change) > (0 if each.base and each.new else unlisted)]
    differing.sort(key=lambda each: (-abs(each.change), each.name))
    return CodeDifference(False, base.kernels, new.kernels, tuple(differing), parts)


def _by_name(functions: Functions) -> Counter[tuple[str, str]]:
    """The instructions by name and part; a function of MXNet 1 keeps its name in 2, where MKLDNN is called DNNL."""
    found: Counter[tuple[str, str]] = Counter()
    for item in functions:
        if item.part in KERNELS:
            found[item.name.replace("MKLDNN", "DNNL"), item.part.value] += item.instructions
    return found
