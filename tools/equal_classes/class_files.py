"""The members of classes, with their code as ``javap`` prints it: without logging, lines, and places of constants."""

import re
import subprocess
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from zipfile import ZipFile

INSTRUCTION: Final = re.compile(r"\s+(\d+): ([a-z]\w*)\s*(.*)")
CASE: Final = re.compile(r"\s+(-?\d+|default): (\d+)")
HANDLER: Final = re.compile(r"\s+(\d+)\s+(\d+)\s+(\d+)\s+(Class .*|any)")
JUMPS: Final = re.compile(r"if\w*|goto(_w)?|jsr(_w)?")
POOL: Final = re.compile(r"#\d+(,\s+\d+)?(:(?=\w|\"))?")
LOGGER: Final = re.compile(r"getstatic .*// Field (\S+\.)?(?i:log(ger)?):L\S+/Logger;")
LOGS: Final = re.compile(r"Logger\.(is\w+Enabled:|(trace|debug|info|warn|error):\(.*\)V)|Event\.log\w*:\(.*\)V")
IS_LOGGER: Final = re.compile(r"^  .*/?Logger (?i:log(ger)?);$")
MADE: Final = re.compile(r"// Field (?i:log(ger)?):L\S+/Logger;")
FARTHEST: Final = 200
"""Instructions of one log statement."""
NUMBERED: Final = re.compile(r"\b(lambda\$\w+?|access)\$\d+")
HEADER: Final = re.compile(r"  [^\s#].*;")
DYNAMIC: Final = re.compile(r"// InvokeDynamic #(\d+):")
CALL: Final = re.compile(r"(?:Method|REF_\w+) (?:([\w/]+)(?:\$[\w$]+)?\.)?\"?([\w<>$]+)\"?:")


class Member(NamedTuple):
    """A field, or a method with its code."""

    header: str
    code: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of a method; of a lambda, the method that it stands in."""
        found = re.search(r"([\w$<>]+)\(", self.header)
        name = found[1] if found else self.header.rstrip(";").rpartition(" ")[2]
        return name.split("$")[1] if name.startswith("lambda$") else name

    def calls(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the outer class and the name of each method that is called, or referred to, in the class *name*."""
        for line in self.code:
            for of, method in CALL.findall(line):
                yield of.replace("/", ".") or name, method


def reached(asked: Mapping[str, Collection[str]], there: Mapping[str, Sequence[Member]]) -> dict[str, list[Member]]:
    """
    Return of each class the methods *asked* (all, if none are named), and those that they call in these classes.

    The methods of a class whose first begins with ``=`` are taken alone.
    """
    alone = {name for name, methods in asked.items() if any(one.startswith("=") for one in methods)}
    chosen = {
        name: {one.removeprefix("=") for one in methods} or {one.name for one in there.get(name, ())}
        for name, methods in asked.items()
    }
    open_ = [(name, method) for name, methods in chosen.items() if name not in alone for method in methods]
    while open_:
        name, method = open_.pop()
        for member in there.get(name, ()):
            for of, called in member.calls(name) if member.name == method else ():
                if called not in chosen.get(of, {called}):
                    chosen[of].add(called)
                    open_.append((of, called))
    return {name: [one for one in there.get(name, ()) if one.name in methods] for name, methods in chosen.items()}


def members(text: str) -> Iterator[Member]:
    """Yield the members in what ``javap`` prints of a class."""
    header, lines = "", list[str]()
    for line in text.splitlines():
        if IS_LOGGER.search(line):
            continue
        if HEADER.fullmatch(line) or line.startswith("  static {}"):
            if header:
                yield Member(header, tuple(normalised(lines)))
            header, lines = NUMBERED.sub(r"\1", line.strip()), []
        elif line.strip() and line.startswith("    "):
            lines.append(line)
    if header:
        yield Member(header, tuple(normalised(lines)))


def normalised(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a method's code without its logging, and with places of instructions in place of offsets."""
    kept = list(without_logging(list(lines)))
    offsets = [int(found[1]) for line in kept if (found := INSTRUCTION.fullmatch(line))]

    def place(offset: str) -> str:
        return str(bisect_left(offsets, int(offset)))

    for line in kept:
        if found := INSTRUCTION.fullmatch(line):
            code, rest = found[2].replace("ldc_w", "ldc"), POOL.sub("", found[3])
            if JUMPS.fullmatch(code):
                rest = place(rest)
            yield NUMBERED.sub(r"\1", f"{code} {' '.join(rest.split())}")
        elif found := CASE.fullmatch(line):
            yield f"{found[1]}: {place(found[2])}"
        elif found := HANDLER.fullmatch(line):
            yield " ".join((*map(place, found.groups()[:3]), found[4]))


def without_logging(lines: list[str]) -> Iterator[str]:
    """Yield the lines that belong to no log statement, to no test of a level, and to the making of no logger."""
    at = 0
    while at < len(lines):
        if LOGGER.search(lines[at]):
            end = next((n for n in range(at, min(at + FARTHEST, len(lines))) if LOGS.search(lines[n])), None)
            if end is not None:
                is_test = "Enabled:" in lines[end]
                at = end + (2 if is_test else 1)
                continue
        if any("putstatic" in line and MADE.search(line) for line in lines[at : at + 3]):
            at += 1
            continue
        yield lines[at]
        at += 1


def printed(jars: str, names: Iterable[str]) -> dict[str, str]:
    """Return what ``javap`` prints of each class that there is, with its inner ones after it."""
    outer = set(names)
    asked = [name for jar in jars.split(":") for name in listed(jar) if name.split("$")[0] in outer]
    if not asked:
        return {}
    command = ["javap", "-c", "-p", "-v", "-constants", "-cp", jars, *asked]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = dict[str, str]()
    for part in re.split(r"(?m)^Classfile .*\n", text)[1:]:
        head = re.search(r"(?m)^(?:[\w ]* )?(?:class|interface|enum|record) ([\w.$]+)", part)
        if head:
            name = head[1].split("$")[0]
            found[name] = found.get(name, "") + linked(part)
    return found


def linked(text: str) -> str:
    """
    Return the members of a class that ``javap -v`` prints; a dynamic call names the method that it links.

    Else a reference to one method, such as ``this::validate``, would equal one to another.
    """
    _, _, body = text.partition("\n{\n")
    body, _, rest = body.partition("\n}\n")
    _, _, table = rest.partition("BootstrapMethods:\n")
    rows = (one.partition("Method arguments:")[2] for one in re.split(r"(?m)^  \d+: ", table)[1:])
    links = [" ".join(re.findall(r"(?m)^ {6}#\d+ (.*)", row)) for row in rows]
    return DYNAMIC.sub(lambda found: f"// InvokeDynamic {links[int(found[1])]} ", body) + "\n"


def listed(jar: str) -> list[str]:
    """Return the names of the classes in a jar."""
    with ZipFile(jar) as archive:
        return [one[:-6].replace("/", ".") for one in archive.namelist() if one.endswith(".class")]
