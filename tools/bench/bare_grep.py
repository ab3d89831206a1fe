"""
The peer of logs: a script of the first night. One regular expression, and each broker's last word on each unit.

``python tools/bench/bare_grep.py FILE...``. Frozen: do not make it faster or slower.
"""

import re
import sys

REQUEST = re.compile(
    r"received a handle request for serviceUnit:(\S+), data:"
    r"ServiceUnitStateData\[state=\w+, dstBroker=([^,]*), .* versionId=(-?\d+)\]"
)


def main(paths: list[str]) -> None:
    """Read logs, keep the version and owner that every broker has of every unit, count what goes back."""
    held: dict[tuple[str, str], tuple[int, str]] = {}
    lines = back = 0
    for path in paths:
        with open(path, encoding="utf-8") as log:
            for line in log:
                lines += 1
                found = REQUEST.search(line)
                if found is None:
                    continue
                unit, owner, version = found.groups()
                if int(version) <= held.get((path, unit), (0, ""))[0]:
                    back += 1
                held[path, unit] = int(version), owner
    sys.stdout.write(f"{lines} lines, {len(held)} units at brokers, {back} versions that went back\n")


if __name__ == "__main__":
    main(sys.argv[1:])
