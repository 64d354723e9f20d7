"""Writes the sums of implementations by framework into docs/reference/implementations.md.

python tools/implementation_page.py
"""

from __future__ import annotations

from autoperf.cases.release import Release, open_release
from autoperf.cases.selection import Selection, targets
from autoperf.coverage.frameworks import framework_coverage, totals
from autoperf.implementations.implementation import FRAMEWORKS
from tools.page_blocks import DOCS, fill

PAGE = DOCS / "reference" / "implementations.md"


def main() -> None:
    """Fills the block of the page."""
    with open_release() as release:
        fill(PAGE, {"implementations": page_block(release)})


def page_block(release: Release) -> str:
    """The sums of `discover --frameworks`, as a list."""
    chosen = targets(release.registry, release.catalog, Selection())
    return "".join(f"- {line}\n" for line in totals(framework_coverage(release, chosen, list(FRAMEWORKS))))


if __name__ == "__main__":
    main()
