"""The free memory is read from Linux, and from the container."""

from pathlib import Path

import pytest

from oneowner.checkers import memory
from oneowner.checkers.memory import free_memory


@pytest.mark.parametrize(
    ("machine", "container", "free"),
    [
        ("MemTotal: 9 kB\nMemAvailable: 4 kB\n", None, 4096),
        ("MemAvailable: 4 kB\n", "max\n", 4096),
        ("MemAvailable: 4 kB\n", "1000\n", 1000),
        ("MemAvailable: 4 kB\n", "10000\n", 4096),
        ("MemTotal: 9 kB\n", "1000\n", None),
        (None, "1000\n", None),
    ],
)
def test_less_is_free_than_machine_and_container_have(
    machine: str | None, container: str | None, free: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("MACHINE", machine), ("CONTAINER", container)):
        monkeypatch.setattr(memory, name, tmp_path / name)
        if text is not None:
            (tmp_path / name).write_text(text)
    assert free_memory() == free
