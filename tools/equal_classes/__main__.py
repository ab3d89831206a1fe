"""
``python -m tools.equal_classes FOLDER`` writes which releases have equal classes, by each system and decision.

FOLDER has the jars of Maven Central that ``products.py`` lists. The tables are ``variants.py`` of ``model/pulsar`` and
``model/kafka``, by which a release is answered as its equal. ``--diff OLD NEW`` lists the methods that differ.

Equal is the code of a method as ``javap`` prints it, without lines, offsets, annotations, places in the pool of
constants and log statements. So equal classes decide equally, and different ones may.
"""

import re
import textwrap
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from string import ascii_letters
from typing import Final

from oneowner.model.kernel.releases import version
from oneowner.model.kernel.variants import Variants
from tools.equal_classes.class_files import Member, members, printed, reached
from tools.equal_classes.products import KAFKA, PULSAR, Product

TABLE: Final = '''"""
Releases of {product} that decide by equal classes: ``python -m tools.equal_classes FOLDER`` writes it.

A row has a letter for each release. Equal letters: equal code but for logging; -: no such class; ?: not measured.
"""

from typing import Final

from oneowner.model.kernel.variants import Variants

VARIANTS: Final = Variants(
    tuple(
        """
{releases}
        """.split()
    ),
    {{
{rows}
    }},
)
'''
PRODUCTS: Final = PULSAR, KAFKA
LACKING: Final = "?"
"""The digest of classes in a jar that the repository does not have."""


def digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def digests_of(product: Product, rows: Mapping[str, Sequence[str]], missing: frozenset[str]) -> dict[str, str]:
    """Return the digest of each row; empty if the release has none of its classes, ``?`` if a jar is *missing*."""
    found = dict[str, str]()
    for row, methods in rows.items():
        of = product.classes.get(row) or (product.fields[row][0],)
        names = (one.partition("#")[0] for one in of)
        lacking = [name for name in names if lies(product, name) in missing]
        found[row] = LACKING if lacking else digest(methods) if methods else ""
    return found


def methods_of(product: Product, jars: str) -> dict[str, list[str]]:
    """Return the members of each row, sorted, each as its class, its header and its code; of fields, their values."""
    rows = {
        row: {
            product.prefix + name: one.split(",") if one else () for name, _, one in (n.partition("#") for n in names)
        }
        for row, names in product.classes.items()
    }
    whole = {name for of in rows.values() for name in of}
    text = printed(jars, whole | {product.prefix + name for name, _ in product.fields.values()})
    there = {name: list(members(one)) for name, one in text.items()}
    found = {
        row: sorted(
            "\n".join((f"{name.removeprefix(product.prefix)} {one.header}", *one.code))
            for name, chosen in reached(of, there).items()
            for one in chosen
        )
        for row, of in rows.items()
    }
    for row, (name, wanted) in product.fields.items():
        found[row] = list(initial(there.get(product.prefix + name, ()), re.compile(wanted)))
    return found


def lies(product: Product, name: str) -> str:
    """Return the artifact of a class."""
    return next((artifact for prefix, artifact in product.elsewhere.items() if name.startswith(prefix)), "")


def initial(of: Iterable[Member], wanted: re.Pattern[str]) -> Iterator[str]:
    """Yield the initial values of fields, sorted: the instructions of a constructor before each is put."""
    found, before = list[str](), list[str]()
    for member in of:
        for line in member.code if "ServiceConfiguration(" in member.header else ():
            if line.startswith("putfield") and (name := re.search(r"Field (\w+):", line)):
                if wanted.fullmatch(name[1]):
                    found.append(f"{name[1]} {' '.join(before)}")
                before = []
            else:
                before.append(line)
    yield from sorted(found)


def jars_in(product: Product, folder: Path, release: str) -> dict[str, Path]:
    """Return the jars of a release that are there, by artifact."""
    jars = {artifact: folder / f"{artifact}-{release}.jar" for artifact in product.artifacts}
    return {artifact: jar for artifact, jar in jars.items() if jar.exists()}


def releases_in(product: Product, folder: Path) -> list[str]:
    """Return the releases of which the first artifact is there, in the order of age."""
    first = product.artifacts[0]
    names = [one.name[len(first) + 1 : -4] for one in folder.glob(f"{first}-[0-9]*.jar")]
    return sorted((name for name in names if version(name)), key=lambda name: version(name) or ())


def methods_in(product: Product, folder: Path, release: str) -> dict[str, list[str]]:
    """Return the members of each row in the jars of a release."""
    return methods_of(product, ":".join(map(str, jars_in(product, folder, release).values())))


def table_of(product: Product, folder: Path) -> Variants:
    """Return the table of a product: of each row a letter for each release; equal letters, equal code."""
    releases = releases_in(product, folder)
    digests = list[dict[str, str]]()
    for release in releases:
        missing = frozenset(product.artifacts).difference(jars_in(product, folder, release))
        digests.append(digests_of(product, methods_in(product, folder, release), missing))
    rows = {row: lettered([of[row] for of in digests]) for row in (*product.classes, *product.fields)}
    return Variants(tuple(releases), rows)


def changes(product: Product, folder: Path, old: str, new: str) -> Iterator[str]:
    """Yield each member that one of two releases lacks, or that differs between them, by row."""
    before, after = methods_in(product, folder, old), methods_in(product, folder, new)
    for row in before:
        by_header = [Counter(one.partition("\n")[0] for one in of[row]) for of in (before, after)]
        differing = Counter(before[row]) - Counter(after[row]), Counter(after[row]) - Counter(before[row])
        for header in sorted({one.partition("\n")[0] for of in differing for one in of}):
            was, now = (of[header] for of in by_header)
            yield f"{row}: {'new' if not was else 'gone' if not now else 'changed'}: {header}"


def lettered(digests: Sequence[str]) -> str:
    """
    Return a letter for each digest; one that is lacking is taken as its neighbours if these are equal.

    >>> lettered(["", "x", "?", "x", "?", "y"])
    '-aaa?b'
    """
    seen, found = {"": "-", LACKING: LACKING}, ""
    for value in digests:
        seen.setdefault(value, ascii_letters[len(seen) - 2])
        found += seen[value]
    gap = re.compile(r"(?<=([a-zA-Z-]))\?+(?=([a-zA-Z-]))")
    return gap.sub(lambda one: one[1] * len(one[0]) if one[1] == one[2] else one[0], found)


def text_of(product: Product, table: Variants) -> str:
    """Return the module that has a table."""
    releases = textwrap.fill(" ".join(table.releases), 108, break_on_hyphens=False)
    lines = [f'        "{row}": "{letters}",' for row, letters in table.rows.items()]
    return TABLE.format(product=product.name, releases=textwrap.indent(releases, " " * 8), rows="\n".join(lines))


def main() -> None:
    """Write the tables by the jars of a folder, or print what is new in the classes of a release."""
    parser = ArgumentParser(prog="python -m tools.equal_classes", description=main.__doc__)
    parser.add_argument(
        "folder", type=Path, help="a folder of jars from Maven Central, such as pulsar-broker-4.0.6.jar"
    )
    parser.add_argument(
        "--diff", nargs=2, metavar=("OLD", "NEW"), help="print each method in which two releases differ"
    )
    given = parser.parse_args()
    found = [(product, there) for product in PRODUCTS if (there := releases_in(product, given.folder))]
    if not found:
        parser.error(f"{given.folder}: no {' or '.join(one.artifacts[0] for one in PRODUCTS)}-RELEASE.jar there")
    compared = [product for product, there in found if given.diff and {*given.diff} <= {*there}]
    if given.diff and not compared:
        parser.error(f"{given.folder}: the jars of {' and '.join(given.diff)} are not both there")
    for product in compared:
        print(*changes(product, given.folder, *given.diff), sep="\n")
    for product, _ in () if given.diff else found:
        product.table.write_text(text_of(product, table_of(product, given.folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
