"""Methods by their instructions: what javac renumbers is no change, and a lambda is a piece of its method."""

import shutil
import subprocess
from pathlib import Path

import pytest

from oneowner.checkers.real_classes.bytecode import Method, changed_pieces, methods_of

SOURCE = """
import java.util.function.Supplier;
class A {
    static String first(int x) {
        Supplier<String> one = () -> "a" + x;
        Supplier<String> two = () -> { try { return one.get(); } catch (RuntimeException error) { return "b"; } };
        return two.get();
    }
    static long second(int x) {
        long sum = 0x123456789abcL;
        for (int i = 0; i < 300; i++) { sum += switch (x) { case 1 -> 5; case 2 -> 7; case 900 -> 8; default -> i; }; }
        return sum;
    }
    %s
}
"""


def compiled(folder: Path, source: str, *options: str) -> dict[str, Method]:
    """Return the methods of a class A."""
    if shutil.which("javac") is None:
        pytest.skip("no javac")
    folder.mkdir()
    (folder / "A.java").write_text(source)
    subprocess.run(["javac", *options, "-d", str(folder), str(folder / "A.java")], check=True)
    return methods_of((folder / "A.class").read_bytes())


def test_changed_lambda_is_the_changed_piece_of_its_method(tmp_path: Path) -> None:
    before = compiled(tmp_path / "a", SOURCE % "")
    many = ", ".join(f'"{number}"' for number in range(300))  # so that numbers of constants take two bytes
    more = f"static {{ Runnable first = () -> {{}}; }} static String[] many = {{{many}}};"
    moved = compiled(tmp_path / "b", ("\n\n" + SOURCE.replace('"b"', '"c"')) % more, "-g")
    assert before.keys() | {"<clinit>()V"} == moved.keys()
    changed = {name: changed_pieces(before.get(name), method) for name, method in moved.items()}
    assert [name for name, pieces in changed.items() if pieces] == ["first(I)Ljava/lang/String;", "<clinit>()V"]
    assert [piece.name.partition("(")[0] for piece in changed["first(I)Ljava/lang/String;"]] == ["lambda$first$1"]


def test_constant_and_case_are_instructions(tmp_path: Path) -> None:
    before = compiled(tmp_path / "a", SOURCE % "")
    for number, (old, new) in enumerate(
        [("0x123456789abcL", "7L << 33"), ("case 900", "case 901"), ("< 300", "<= 300")]
    ):
        after = compiled(tmp_path / str(number), SOURCE.replace(old, new) % "")
        assert [name for name in after if changed_pieces(before[name], after[name])] == ["second(I)J"], old


def test_method_that_loses_a_lambda_is_changed(tmp_path: Path) -> None:
    before = compiled(tmp_path / "a", SOURCE % "")["first(I)Ljava/lang/String;"]
    assert changed_pieces(before, before._replace(lambdas=before.lambdas[:1])) == (before.body,)
    assert changed_pieces(before, before._replace(lambdas=before.lambdas[::-1])) == ()
    assert changed_pieces(None, before) == (before.body, *before.lambdas)


@pytest.mark.parametrize("data", [b"", b"\xca\xfe\xba\xbe", b"PK\x03\x04" * 9, b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x05\x63"])
def test_other_bytes_are_no_class_file(data: bytes) -> None:
    with pytest.raises(ValueError, match="no class file"):
        methods_of(data)
