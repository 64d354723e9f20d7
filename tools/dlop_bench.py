"""Writes the implementations of DLOP-Bench's basic operators into tests/data/dlop-bench.csv.

python tools/dlop_bench.py

The samples are those of DLOP-Bench at 103339b (31 August 2022), without backward passes and with in-place variants
once. `operator` and `params` are MXNet's equivalent, or `why` there is none; the other columns are the program's.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release, open_release
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.implementations.implementation import FRAMEWORKS, Implementation
from autoperf.implementations.lookup import implementation
from autoperf.rules.rule import Rule

TABLE = Path(__file__).resolve().parents[1] / "tests" / "data" / "dlop-bench.csv"
Row = Mapping[str, str]


def main() -> None:
    """Fills the columns of the frameworks."""
    with open_release() as release:
        TABLE.write_text(filled(TABLE.read_text(encoding="utf-8"), release), encoding="utf-8")


def read(text: str) -> list[Row]:
    """The rows of the table."""
    return list(csv.DictReader(io.StringIO(text)))


def filled(text: str, release: Release) -> str:
    """The table with the standing of each sample in each framework: `found`, `hand`, or `none` and why."""
    rows = read(text)
    made = io.StringIO()
    writer = csv.DictWriter(made, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        operator = release.registry.find(row["operator"])
        cases = cases_of(operator, row["params"], release) if operator else []
        standings = {name: standing(operator, cases, name) for name in FRAMEWORKS} if operator else {}
        writer.writerow({**row, **standings})
    return made.getvalue()


def standing(operator: Operator, cases: Sequence[Case], framework: str) -> str:
    """The origin of the implementation that the first case has which has one, else `none: ` and why."""
    found = [implementation(framework, operator, case) for case in cases]
    return next((each.origin for each in found if isinstance(each, Implementation)), f"none: {found[0]}")


def cases_of(operator: Operator, params: str, release: Release) -> list[Case]:
    """The canonical cases of an operator with these parameters, which the first one gets where none has them."""
    rule = release.catalog.find(operator)
    if not isinstance(rule, Rule):
        raise LookupError(f"no rule makes inputs of {operator.name}")
    cases = build(operator, rule, Recipe(draws=0), release.client).cases
    wanted = dict(word.split("=") for word in params.split())
    having = [case for case in cases if wanted.items() <= {name: str(it) for name, it in case.params.items()}.items()]
    return having or [msgspec.structs.replace(cases[0], params={**cases[0].params, **wanted})]


if __name__ == "__main__":
    main()
