"""
``python -m tools.hand_over`` walks models against R0 and writes the tables of the hand-over page.

Walks are pinned in ``spec/handoff/walks.yaml`` and take about a minute; the tables stand between
two comments in ``docs/reference/hand-over.md``. With ``--tables`` nothing is walked.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.comparison.comparison import compare, walked_families
from oneowner.checkers.comparison.markdown import markdown
from oneowner.checkers.comparison.walks import PINS, Walk, walked
from oneowner.checkers.parallel import in_parallel

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "hand-over.md"
HERE = re.compile(r"(?<=<!-- generated: python -m tools.hand_over -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = """\
# What walking every step of small models against each sentence of R0 found (spec/handoff/hand_over.py), written by
# `python -m tools.hand_over`. `occasions` are the steps that could have broken it, up to the one that did; `run` is the
# shortest run whose last step does. A family whose states are others by now is unknown until it is walked again.

"""


def walked_by_name(name: str) -> tuple[Walk, ...]:
    """Return the findings of walking one family."""
    return tuple(walked(families()[name]))


def pins(walks: Iterable[Walk]) -> str:
    """Return the text of the file of pins."""
    return HEAD + "".join(map(_row, walks))


def _row(one: Walk) -> str:
    counts = f"states: {one.states}, occasions: {one.occasions}"
    steps = ", ".join(f'"{step}"' for step in one.run)
    run = f", run: [{steps}]" if steps else ""
    return f"- {{family: {one.family}, sentence: {one.sentence}, {counts}{run}}}\n"


def written() -> str:
    """Return the page with its tables as they should be; raise ValueError if it has no place for them."""
    text = PAGE.read_text(encoding="utf-8")
    if len(HERE.findall(text)) != 1:
        raise ValueError(f"{PAGE} refused: one place for the tables is needed, between two comments")
    tables = "\n".join(markdown(compare()))
    return HERE.sub(lambda place: f"\n{tables}\n", text)


if __name__ == "__main__":
    if "--tables" not in sys.argv:
        names = walked_families()
        found = in_parallel(walked_by_name, names)
        PINS.write_text(pins(walk for name in names for walk in found[name]), encoding="utf-8")
    PAGE.write_text(written(), encoding="utf-8")
