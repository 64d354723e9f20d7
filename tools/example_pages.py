"""Makes the pages of examples/ from its stored files, and pictures of their first screens for docs.

make examples
python -m tools.example_pages network        # of these alone

Chromium takes the pictures. `python -m tools.example_files` measures the files.
"""

from __future__ import annotations

import base64
import itertools
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
from selenium.webdriver import Chrome

from tests.browser import chromium, prefer, resize, visit
from tools.example_files import EXAMPLES
from tools.page_blocks import DOCS

IMAGES = DOCS / "images"
REPORTS = {
    "run": "report run.ndjson",
    "comparison": "compare comparison-base.ndjson comparison-new.ndjson",
    "network": "report network.ndjson",
    "hunt": "report hunt.ndjson",
    "history": "report --history history.duckdb --operator softmax",
}
"""The command that shows each example, in its folder."""
SITE = "site"
"""The name of the pictures of the history's site, whose pages aren't stored."""
SCHEMES = ("light", "dark")
SIZE, SITE_SIZE = (1000, 700), (1000, 960)
MAX_BYTES = 64_000
PIXELS = """
const [source, done] = arguments;
const image = new Image();
image.onload = () => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const reader = new FileReader();
  reader.onload = () => done(reader.result);
  reader.readAsDataURL(new Blob([data]));
};
image.src = source;
"""
"""The red, green, blue and alpha of each pixel."""


def write_page(name: str, folder: Path) -> Path:
    """Writes examples/NAME.html, or a site in the folder. Ends the script where that fails; a finding is no failure."""
    page = folder / "index.html" if name == SITE else EXAMPLES / f"{name}.html"
    page.unlink(missing_ok=True)
    words = ["history", "site", str(folder)] if name == SITE else [*REPORTS[name].split(), "--report", page.name]
    command = [sys.executable, "-m", "autoperf", *words]
    done = subprocess.run(command, cwd=EXAMPLES, check=False, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        raise SystemExit(f"no page of {name}")
    return page


def take_picture(browser: Chrome, page: Path, scheme: str, size: tuple[int, int]) -> bytes:
    """The first screen of a page as PNG."""
    resize(browser, *size)
    prefer(browser, scheme)
    visit(browser, page)
    taken = browser.get_screenshot_as_base64()
    # The page's policy would allow no script.
    browser.get("about:blank")
    data: str = browser.execute_async_script(PIXELS, f"data:image/png;base64,{taken}")
    pixels = np.frombuffer(base64.b64decode(data.partition(",")[2]), dtype=np.uint8)
    return png(pixels.reshape(size[1], size[0], 4)[:, :, :3])


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A picture of the 256 most frequent colours, a third as large as Chromium's; pixels: (height, width, 3)."""
    height, width, _ = pixels.shape
    colours, number, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    kept = colours[np.argsort(-counts)[:256]]
    nearest = [int(np.abs(kept.astype(int) - colour).sum(axis=1).argmin()) for colour in colours]
    rows = np.array(nearest, dtype=np.uint8)[number.ravel()].reshape(height, width)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", kept.tobytes()),
        (b"IDAT", zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(itertools.starmap(_chunk, parts))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main(names: list[str]) -> None:
    """Makes the pages and pictures of the named examples, or of all."""
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for name in names or [*REPORTS, SITE]:
            page = write_page(name, Path(folder))
            for scheme in SCHEMES:
                picture = take_picture(browser, page, scheme, SITE_SIZE if name == SITE else SIZE)
                if len(picture) > MAX_BYTES:
                    raise SystemExit(f"{name}-{scheme}.png has {len(picture):,} bytes: expected at most {MAX_BYTES:,}")
                (IMAGES / f"{name}-{scheme}.png").write_bytes(picture)


if __name__ == "__main__":
    main(sys.argv[1:])
