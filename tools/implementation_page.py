"""Writes the sums of implementations by framework into docs/reference/implementations.md.

python tools/implementation_page.py
"""

from __future__ import annotations

from autoperf.implementations.frameworks import FRAMEWORKS
from autoperf.pipeline.framework_coverage import framework_coverage
from autoperf.pipeline.release import Release, open_release
from autoperf.pipeline.selection import Selection, targets
from autoperf.reports.framework_coverage import totals
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
