"""``python -m tools.site [--only N] [FOLDER]``: write the site, into build/site unless a folder is named."""

import sys
import time
from argparse import ArgumentParser
from pathlib import Path

from tools.site.addresses import ROOT
from tools.site.site import build


def main() -> None:
    parser = ArgumentParser(prog="python -m tools.site", description="Write the static site.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--only", type=int, metavar="N", help="only N counterexamples: a trial")
    given, started = parser.parse_args(), time.monotonic()
    tell = (lambda words: print(words, file=sys.stderr)) if sys.stderr.isatty() else (lambda words: None)
    site = build(given.folder, given.only, tell)
    print(f"{len(site.entries)} pages in {time.monotonic() - started:.0f} s: {given.folder / 'index.html'}")


if __name__ == "__main__":
    main()
