"""Random sampling, compared by moments, and densities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autoperf.implementations.implementation import TableLine, line

_RESULT = {"random": "generator()", "target": "outputs[0].shape", "kind": "dtype_of(outputs[0].dtype)"}
_NORMAL = "normals(random, target, kind)"
_UNIFORM = "uniforms(random, target, kind)"
_EXPONENTIAL = "exponentials(random, target, kind)"
_BINOMIAL = "poissons(random, gammas(random, k, target, float_of(kind)) * ((1 - p) / p), target, kind)"
_GENERALIZED = "poissons(random, gammas(random, 1 / alpha, target, float_of(kind)) * (mu * alpha), target, kind)"
_LEGACY = {
    "normal": f"{_NORMAL} * scale + loc",
    "uniform": f"{_UNIFORM} * (high - low) + low",
    "exponential": f"{_EXPONENTIAL} / lam",
    "gamma": "gammas(random, alpha, target, kind) * beta",
    "poisson": "poissons(random, lam, target, kind)",
    "negative_binomial": _BINOMIAL,
    "generalized_negative_binomial": _GENERALIZED,
}
_SAMPLED = {
    "normal": ("mu", "sigma"),
    "uniform": ("low", "high"),
    "exponential": ("lam",),
    "gamma": ("alpha", "beta"),
    "poisson": ("lam",),
    "negative_binomial": ("k", "p"),
    "generalized_negative_binomial": ("mu", "alpha"),
}
_ONE = "kinded({0} if {0} is not None else input1, kind)"
_TWO = "kinded({1} if {1} is not None else (input2 if {0} is None else input1), kind)"
_NUMPY = {
    "normal _npi_normal_n": (f"{_NORMAL} * second + first", "loc", "scale"),
    "uniform _npi_uniform_n": (f"{_UNIFORM} * (second - first) + first", "low", "high"),
    "gamma": ("gammas(random, first, target, kind) * second", "shape", "scale"),
    "gumbel": (f"first - second * xp.log({_EXPONENTIAL})", "loc", "scale"),
    "logistic": (f"first + second * xp.log(logit({_UNIFORM}))", "loc", "scale"),
    "exponential": (f"{_EXPONENTIAL} * first", "scale", ""),
    "pareto": (f"xp.expm1({_EXPONENTIAL} / first)", "a", ""),
    "powerd": (f"{_UNIFORM} ** (1 / first)", "a", ""),
    "rayleigh": (f"first * xp.sqrt(2 * {_EXPONENTIAL})", "scale", ""),
    "weibull": (f"{_EXPONENTIAL} ** (1 / first)", "a", ""),
}
_GIVEN = "the distribution's parameters are cast and reshaped before"


def _numpy_like() -> Iterator[TableLine]:
    """The one or two parameters of a distribution are numbers or arrays."""
    for names, (text, first, second) in _NUMPY.items():
        operands = {"first": _ONE.format(first), **({"second": _TWO.format(first, second)} if second else {})}
        yield line(f"_npi_{names}", text, prepare={**_RESULT, **operands}, random=True, note=_GIVEN)


def _legacy() -> Iterator[TableLine]:
    for name, text in _LEGACY.items():
        yield line(f"_random_{name} _random_{name}_like", text, prepare=_RESULT, random=True)
        sample = f"{_NORMAL} * sigma + mu" if name == "normal" else text
        prepare = {**_RESULT, **{each: f"widened_parameter({each}, target, kind)" for each in _SAMPLED[name]}}
        yield line(f"_sample_{name}", sample, prepare=prepare, random=True, note=_GIVEN)


_DENSITIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "normal": ("-0.5 * ((sample - mu) / sigma) ** 2 - xp.log(sigma * 2.5066282746310002)", ("mu", "sigma")),
    "uniform": ("-xp.log(high - low) + 0 * sample", ("low", "high")),
    "exponential": ("xp.log(lam) - lam * sample", ("lam",)),
}
_GAMMA_DENSITIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "gamma": ("alpha * xp.log(beta) + (alpha - 1) * xp.log(sample) - beta * sample - lgamma(alpha)", ("alpha", "beta")),
    "poisson": ("sample * xp.log(lam) - lam - lgamma(sample + 1)", ("lam",)),
    "negative_binomial": (
        "lgamma(sample + k) - lgamma(sample + 1) - lgamma(k) + k * xp.log(p) + sample * xp.log(1 - p)",
        ("k", "p"),
    ),
    "generalized_negative_binomial": (
        "lgamma(sample + 1 / alpha) - lgamma(sample + 1) - lgamma(1 / alpha) - xp.log(1 + mu * alpha) / alpha "
        "+ sample * (xp.log(mu * alpha) - xp.log(1 + mu * alpha))",
        ("mu", "alpha"),
    ),
}


def _densities(texts: Mapping[str, tuple[str, tuple[str, ...]]], *, numpy: bool) -> Iterator[TableLine]:
    """Logarithms of densities, and densities; the parameters get an axis for each of the sample's beyond theirs."""
    for name, (text, parameters) in texts.items():
        for is_log in (True, False):
            formula = text if is_log else f"xp.exp({text})"
            yield line(
                f"_random_pdf_{name}",
                torch=formula,
                jax=formula,
                numpy=formula if numpy else "",
                when=f"bool(is_log) == {is_log}",
                prepare={parameter: f"trailing({parameter}, sample)" for parameter in parameters},
                precision="float32",
                note=_GIVEN,
            )


_DIRICHLET = "dirichlet_log_density({0}, lgamma, sample, alpha)"

LINES = (
    *_numpy_like(),
    *_legacy(),
    *_densities(_DENSITIES, numpy=True),
    *_densities(_GAMMA_DENSITIES, numpy=False),
    *(
        line(
            "_random_pdf_dirichlet",
            torch=text.format("torch"),
            jax=text.format("jnp"),
            when=condition,
            prepare={"alpha": "before_last(alpha, sample)"},
            precision="float32",
            note=_GIVEN,
        )
        for text, condition in ((_DIRICHLET, "is_log"), (f"{{0}}.exp({_DIRICHLET})", "not is_log"))
    ),
    line(
        "_random_randint",
        torch="torch.randint(low, high, target, dtype=kind)",
        numpy="random.integers(low, high, target, kind)",
        jax="jax.random.randint(random, target, low, high, kind)",
        prepare=_RESULT,
        random=True,
    ),
    line(
        "_npi_bernoulli",
        torch=f"({_UNIFORM.replace('kind', 'torch.float32')} < share).to(kind)",
        both="(uniforms(random, target, 'float32') < share).astype(kind)",
        prepare={
            **_RESULT,
            "share": "probability(prob, logit, is_logit, None if prob is not None or logit is not None else input1)",
        },
        random=True,
        note=_GIVEN,
    ),
    line(
        "_shuffle",
        torch="data[torch.randperm(data.shape[0])]",
        numpy="random.permutation(data, 0)",
        jax="jax.random.permutation(random, data)",
        prepare=_RESULT,
        random=True,
    ),
    *(
        line(
            "_npi_choice",
            torch=f"torch.randint(0, {count}, target)",
            numpy=f"random.choice({count}, target)",
            jax=f"jax.random.choice(random, {count}, target)",
            when=f"{condition} and replace and not weighted",
            prepare=_RESULT,
            random=True,
            cast=True,
        )
        for count, condition in (("a", "isinstance(a, int)"), ("len(input1)", "a is None"))
    ),
    line(
        "_sample_multinomial",
        torch="torch.multinomial(data, count, True).reshape(target)",
        jax="jax.random.categorical(random, jnp.log(data), -1, (count, *data.shape[:-1])).T.reshape(target)",
        when="not get_prob",
        prepare={**_RESULT, "count": "size_of(shape)"},
        random=True,
        cast=True,
    ),
    line(
        "_npi_multinomial",
        numpy="random.multinomial(n, shares, size)",
        prepare={**_RESULT, "shares": "probabilities(a if pvals is None else pvals)"},
        random=True,
        cast=True,
        note=_GIVEN,
    ),
)
