"""Findings as reports for an issue tracker, each with a script that needs no autoperf."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autoperf.backends.contents import WITHIN_MAPS, differentiable_inputs, stretched_limits
from autoperf.core import tensors
from autoperf.core.case import FILE, Case
from autoperf.core.errors import UsageError
from autoperf.core.finding import WALL_CLOCK, Finding, clocks_of
from autoperf.core.outcome import PassName
from autoperf.core.releases import release_title
from autoperf.core.texts import count
from autoperf.hunt.findings import code_line, family, finding_inputs, finding_sentence, held, kernels
from autoperf.hunt.report import HuntReport, answer
from autoperf.registry.names import python_functions, takes_numpy_arrays
from autoperf.reports.units import factor, one_line
from autoperf.rules.front_end import FRONT_END


def issue_lines(report: HuntReport) -> Iterator[str]:
    """A report for each finding, the costliest first, in Markdown."""
    if not report.hunt.findings:
        yield f"{next(answer(report))} There is nothing to report.\n"
    for number, (replay, finding) in enumerate(report.ranked):
        yield "\n---\n\n" if number else ""
        yield from (f"{line}\n" for line in _issue(report, replay, finding))


def _issue(report: HuntReport, replay: str, finding: Finding) -> Iterator[str]:
    slow, _ = finding_inputs(finding)
    yield f"# {one_line(f'{finding.operator} ({finding.pass_}) is slow: {slow}')}"
    yield from ("", "## Description", "", f"{finding_sentence(finding)}")
    code = code_line(finding.code) if finding.code else ""
    facts = {"Kernels": kernels(finding), "Code": code, "Other inputs": family(finding), "Checked": held(finding)}
    yield from ("", *(f"- {label}: {one_line(text)}" for label, text in facts.items() if text))
    yield from ("", "## To reproduce", "")
    yield from _script(report, replay, finding)
    header, environment = report.hunt.header, report.hunt.header.environment
    threads = "" if header.threads is None else f", {count(header.threads, 'thread')}"
    versions = (f"{name} {environment.packages[name]}" for name in ("numpy", "mxnet") if name in environment.packages)
    variables = sorted(each for each in environment.settings.items() if not each[0].startswith("AUTOPERF_"))
    origin = (
        f"{release_title(header.mxnet)}{threads}",
        ", ".join(filter(None, (f"Python {environment.python}", *versions, environment.system))),
        f"{environment.processor.model}; {header.started}",
        *([" ".join(f"{name}={value}" for name, value in variables)] if variables else []),
        f"found by autoperf {header.autoperf} (seed {header.seed})",
    )
    yield from ("", "## Environment", "", *(f"- {text}" for text in origin))


def _script(report: HuntReport, replay: str, finding: Finding) -> Iterator[str]:
    mxnet = report.hunt.header.mxnet
    try:
        script = plain_script(finding.case, None if finding.sides else finding.contrast, finding.pass_, mxnet)
    except UsageError as error:
        yield f"`{replay}`, with autoperf: {error}."
        return
    if (clocks := clocks_of(report.hunt.header.sides)) != WALL_CLOCK:
        yield f"The script times whole calls on {release_title(mxnet)}; the times above are by {clocks}."
    elif finding.sides:
        yield f"The script times the input; run it on {' and on '.join(finding.sides)}."
    else:
        ratio = factor(finding.actual_us / finding.contrast_us)
        yield f"The script times both inputs; the slow one took {ratio} times as long."
    yield from ("", "```python", script.rstrip(), "```")


_HEAD = """\
import builtins
import statistics
import timeit

import numpy as np

# MXNet uses names that NumPy 1.24 took away; it needs a NumPy below 2.
for name in ("bool", "int", "float", "object", "complex"):
    if name not in vars(np):
        setattr(np, name, getattr(builtins, name))

import mxnet as mx

rng = np.random.RandomState(0)
"""
_NUMPY_ARRAYS = "mx.npx.set_np()\n"
_BACKWARD = """

def backward(call, *arrays):
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record(train_mode={training}):
        outputs = call()
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return lambda: mx.autograd.backward(outputs, retain_graph=True)
"""
_TIMES = """

def microseconds(call):
    def run():
        call()
        mx.nd.waitall()

    timer = timeit.Timer(run)
    number, _ = timer.autorange()
    return 1e6 * statistics.median(timer.repeat(5, number)) / number


"""
_BOTH = """\
slow_us, fast_us = microseconds(slow()), microseconds(fast())
print(f"MXNet {mx.__version__}: slow {slow_us:.3g} us, fast {fast_us:.3g} us, {slow_us / fast_us:.3g} times")
"""
_ONE = 'print(f"MXNet {mx.__version__}: {microseconds(slow()):.3g} us")\n'
_ROWS = "np.sort(np.floor(rng.random_sample({rows}) * {free}), axis=-1) + np.arange({count})"
_FORMS = {
    "positive_definite": "{symmetric} + 2 * np.eye({n})",
    "symmetric": "{symmetric}",
    "dominant": "rng.uniform(-1, 1, {shape}) / {n} + 2 * np.eye({n})",
    "lower": "np.tril(rng.uniform(-1, 1, {shape}) / {n}, -1) + np.eye({n})",
    "upper": "np.triu(rng.uniform(-1, 1, {shape}) / {n}, 1) + np.eye({n})",
}
_SYMMETRIC = "(lambda m: (m + m.swapaxes(-1, -2)) / {double})(rng.uniform(-1, 1, {shape}))"
_PUBLISHED = re.compile(r"[^_]|_(contrib|linalg|sparse|image)_|_random_\w+_like$")
"""Operators whose generated functions are public; the others' take the operator's parameters in an internal module."""
_SORTED = "np.sort({values}, axis=None)"
_PATTERNS: dict[tensors.Pattern, str] = {
    "sorted": f"{_SORTED}.reshape({{shape}})",
    "reversed": f"{_SORTED}[::-1].reshape({{shape}})",
    "constant": "np.full({shape}, np.median({values}))",
    "few": "rng.choice(np.percentile({values}, (12.5, 37.5, 62.5, 87.5)), {shape})",
    "zeros": "np.where(rng.random_sample({shape}) < {kept}, {values}, 0)",
    "zero_rows": "np.where(rng.random_sample({rows}) < {kept}, {values}, 0)",
    "nan": "np.where(rng.random_sample({shape}) < {kept}, {values}, np.nan)",
    "maps": "(lambda v: {between} * v[{first}] + {within} * v)({values})",
    "subnormal": 'np.copysign(np.finfo("{dtype}").tiny * (1 + rng.random_sample({shape})) / 4, {values})',
}
"""The source of values in a pattern; only floating-point ones are subnormal or NaN."""


def plain_script(slow: Case, fast: Case | None, pass_: PassName, mxnet: str) -> str:
    """The script that times both cases, or the slow one alone. Raises UsageError for a call that it can't write."""
    cases = [("slow", slow), *([("fast", fast)] if fast else [])]
    functions = [_function(case, mxnet) for _, case in cases]
    parts = [_HEAD, _NUMPY_ARRAYS if any(map(takes_numpy_arrays, functions)) else ""]
    if pass_ == "backward":  # noqa: S105 - a pass, no password
        parts.append(_BACKWARD.format(training=slow.training))
    for (name, case), function in zip(cases, functions, strict=True):
        parts += ["\n\n", *(f"{line}\n" for line in _definition(name, case, function, pass_))]
    return "".join((*parts, _TIMES, _BOTH if fast else _ONE))


def _function(case: Case, mxnet: str) -> str:
    """The path of the function that takes the operator's own parameters. Raises UsageError."""
    if case.way != "call" or case.graphs or any(item.name == FILE for item in case.inputs):
        raise UsageError(f"{case.operator} isn't called as one function of MXNet's Python package")
    if "bfloat16" in (case.params.get("dtype"), *(item.tensor.dtype for item in case.inputs)):
        raise UsageError("NumPy has no bfloat16")
    paths = python_functions(case.operator, FRONT_END, mxnet)
    return paths[0] if _PUBLISHED.match(case.operator) else paths[-1]


def _definition(name: str, case: Case, function: str, pass_: PassName) -> Iterator[str]:
    yield f"def {name}():"
    for item in case.inputs:
        tensor, namespace = item.tensor, "np" if takes_numpy_arrays(function) else "nd"
        values = _values(tensor.content, tensor.shape, tensor.dtype)
        if tensor.storage != "default":
            kept = tensor.shape if tensor.storage == "csr" else (tensor.shape[0], *(1 for _ in tensor.shape[1:]))
            values = f"np.where(rng.random_sample({kept}) < {tensor.density}, {values}, 0)"
        stored = "" if tensor.storage == "default" else f'.tostype("{tensor.storage}")'
        yield f'    {_identifier(item.name)} = mx.{namespace}.array({values}, dtype="{tensor.dtype}"){stored}'
    written = ", ".join(map(_identifier, case.in_place))
    params = {name: value for name, value in case.params.items() if name != "dtype" or value is not None}
    arguments = [
        *(_identifier(item.name) for item in case.arguments),
        *(f"{name}={value!r}" for name, value in params.items()),
        *([f"out=[{written}]" if len(case.in_place) > 1 else f"out={written}"] if written else []),
    ]
    call = f"lambda: mx.{function}({', '.join(arguments)})"
    if pass_ == "backward":  # noqa: S105 - a pass, no password
        call = f"backward({', '.join((call, *map(_identifier, differentiable_inputs(case))))})"
    yield f"    return {call}"


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")


_DRAWN: dict[type[tensors.Content], str] = {
    tensors.Uniform: "rng.uniform({0.low}, {0.high}, {shape})",
    tensors.Normal: "rng.normal({0.mean}, {0.std}, {shape})",
    tensors.Integers: "rng.randint({0.low}, {0.high}, {shape})",
    tensors.Constant: "np.full({shape}, {0.value})",
    tensors.Ascending: "np.sort(rng.uniform({0.low}, {0.high}, {rows}), axis=-1).reshape({shape})",
    tensors.Probabilities: (
        "(lambda p: p / p.sum(axis=-1, keepdims=True))(rng.uniform(0.01, 1, {rows})).reshape({shape})"
    ),
    tensors.Mask: "(rng.random_sample({shape}) < {0.density})",
}
"""The source of the contents that are one expression."""
_ROUNDED: dict[type[tensors.Content], str] = {tensors.Uniform: "np.floor({})", tensors.Normal: "np.rint({})"}
"""The source of those that are rounded in dtypes of whole numbers."""


def _values(content: tensors.Content, shape: tensors.Shape, dtype: str) -> str:
    kind, rows = type(content), shape or (1,)
    match content:
        case tensors.Literal_():
            return f"np.resize({list(content.values)}, {shape})"
        case tensors.Distinct():
            # Sorted draws with repetition plus 0, 1, 2, ... are distinct; in random order unless they are to ascend.
            drawn = _ROWS.format(rows=rows, free=content.high - rows[-1] + 1, count=rows[-1])
            ordered = drawn if content.ordered else f"np.apply_along_axis(rng.permutation, -1, {drawn})"
            return f"({ordered}).reshape({shape})"
        case tensors.Matrices():
            symmetric = _SYMMETRIC.format(double=2 * shape[-1], shape=shape)
            return _FORMS[content.form].format(symmetric=symmetric, shape=shape, n=shape[-1])
        case tensors.Boxes():
            return _boxes(content, shape, dtype)
        case tensors.Patterned():
            return _patterned(content, shape, dtype)
    if kind not in _DRAWN:
        raise UsageError(f"no script has the content {content!r}")
    drawn = _DRAWN[kind].format(content, shape=shape, rows=rows)
    return drawn if "float" in dtype else _ROUNDED.get(kind, "{}").format(drawn)


def _boxes(content: tensors.Boxes, shape: tensors.Shape, dtype: str) -> str:
    """Corners in the lower and the upper half, between the other columns."""
    one = (*shape[:-1], 1)
    lead, tail = (
        [f"rng.{'uniform' if ends == (0, 1) else 'randint'}({ends[0]}, {ends[1]}, {one})" for ends in ranges]
        for ranges in (content.lead, content.tail)
    )
    starts = ((start, extent) for start in (0, 0.5) for extent in (content.width, content.height))
    corners = [f"rng.uniform({extent * start}, {extent * (start + 0.5)}, {one})" for start, extent in starts]
    joined = f"np.concatenate([{', '.join((*lead, *corners, *tail))}], axis=-1)"
    return joined if "float" in dtype else f"np.rint({joined})"


def _patterned(content: tensors.Patterned, shape: tensors.Shape, dtype: str) -> str:
    drawn_as = content.drawn_as or dtype
    values = _values(content.content, shape, drawn_as)
    if drawn_as != dtype:
        values = f'{values}.astype("{drawn_as}")'
        is_default = content.content == tensors.default_content(drawn_as) == tensors.Uniform()
        if is_default and "float" not in dtype and dtype != "bool":
            low, beyond = stretched_limits(drawn_as, dtype)
            half = (beyond - low) // 2
            values = f'np.floor({values}.astype("float64") * {half}) + {half + low}'
    is_plain = content.pattern in ("nan", "subnormal", "maps") and "float" not in dtype
    template = "{values}" if is_plain else _PATTERNS.get(content.pattern, "{values}")
    rows = (*shape[:1], *(1 for _ in shape[1:]))
    first = ", ".join([":", ":", *([":1"] * len(shape))][: len(shape)])
    values, within = f"np.asarray({values})", WITHIN_MAPS
    return template.format(
        values=values, shape=shape, rows=rows, first=first or "...", kept=content.kept, dtype=dtype,
        within=within, between=1 - within,
    )  # fmt: skip
