"""The picture in docs/quickstart.md: `python -m bench.screenshot` holds the default night and photographs its page.

Needs a Chromium: $CHROMIUM, else one on the PATH. Writes docs/images/morning.png and a temporary folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from bench.start import ROOT

PICTURE = ROOT / "docs" / "images" / "morning.png"
WIDTH, HEIGHT = 1200, 900
NAMES = ("chromium", "chromium-browser", "google-chrome")


def photograph(page: Path, picture: Path) -> None:
    """The top of a page as a PNG. Starts a browser, writes a file."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        sys.exit(f"no browser: none of {', '.join(NAMES)} is on the PATH, and CHROMIUM names none")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        view.goto(page.as_uri())
        picture.parent.mkdir(parents=True, exist_ok=True)
        view.screenshot(path=picture)
        browser.close()


def main() -> None:
    """Hold the night, write its page, photograph it."""
    with TemporaryDirectory(prefix="rebuttal-") as folder:
        page = Path(folder) / "morning.html"
        for words in (("run",), ("report", "last", "--to", str(page))):
            subprocess.run([sys.executable, "run_pipeline.py", *words, "--out", folder], cwd=ROOT, check=True)
        photograph(page, PICTURE)


if __name__ == "__main__":
    main()
