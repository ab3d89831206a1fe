"""The address of a file of the repository on the site: ``docs/why.md`` is ``docs/why.html``."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PAGED: Final = {".md", ".yaml"}
PICTURES: Final = {".png", ".svg"}
_AWAY: Final = re.compile(r"[a-z]+:|#|$")


def address_of(path: str) -> str:
    """
    Return the address of a file or folder of the repository.

    >>> address_of("docs/why.md"), address_of("docs"), address_of("tools/site/ring.py"), address_of("a/zombie.png")
    ('docs/why.html', 'docs/README.html', 'tools/site/ring.py.html', 'a/zombie.png')
    """
    if (ROOT / path).is_dir():
        return os.path.normpath(f"{path}/README.html")
    suffix = Path(path).suffix
    if suffix in PICTURES:
        return path
    return f"{path.removesuffix(suffix)}.html" if suffix in PAGED else f"{path}.html"


def relative(target: str, page: str) -> str:
    """
    Return the link from one address to another.

    >>> relative("docs/why.html", "traces/real/README.html")
    '../../docs/why.html'
    """
    return os.path.relpath(target, Path(page).parent).replace(os.sep, "/")


def link_on(page: str, document: str, needs: Callable[[str], None]) -> Callable[[str], str]:
    """
    Return the function that makes a link of a document one of its page; *needs* hears of each path that it leads to.

    Links to other places, and to parts of the same document, stay.
    """

    def link(href: str) -> str:
        if _AWAY.match(href):
            return href
        place, sign, part = href.partition("#")
        path = os.path.normpath(Path(document).parent / place)
        needs(path)
        return relative(address_of(path), page) + sign + part

    return link
