"""Mutants of compiled classes: the operators on a small class, the declared ones, one walked to its kill."""

import shutil
import subprocess
from pathlib import Path

import pytest

from oneowner.checkers.real_classes.jars import BASE, Jars, jars_of
from oneowner.checkers.verdict import Misuse
from tools.mutation.classes.catalogue import BOUNDS, declared
from tools.mutation.classes.judging import By, Family, Judge
from tools.mutation.classes.mutator import Mutant, Mutator
from tools.mutation.classes.run import chosen_of, fit, words

HOME = Path.home() / ".cache" / "oneowner" / "pulsar"
SMALL = """
import java.util.List;
public class Small {
    static String log = "";
    static void note(String word) { log += word; }
    static long more(long number) { return number + 1; }
    static boolean isLess(int one, int other) { note("asked "); return one < other; }
    static String pair(String one, String other) { return one + other; }
    static int sum(List<Integer> all) { int sum = 0; for (int one : all) { sum += one; } return sum; }
    public static void main(String[] words) {
        System.out.println(more(4) + " " + isLess(1, 1) + " " + isLess(1, 2) + " " + pair("a", "b") + " "
            + sum(List.of(1, 2, 4, 8)) + " " + log);
    }
}
"""
PLAIN = "5 false true ab 15 asked asked"


@pytest.fixture
def jars() -> Jars:
    for program in ("java", "javac"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")
    if not (HOME / f"apache-pulsar-{BASE}" / "lib").is_dir():
        pytest.skip(f"no jars of {BASE} in {HOME}: oneowner conform removal fetches them")
    return jars_of(BASE, HOME)


def printed(folder: Path, classes: Path) -> str:
    command = ["java", "-cp", f"{folder}:{classes}", "Small"]
    return " ".join(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_each_operator_changes_one_instruction(jars: Jars, tmp_path: Path) -> None:
    (tmp_path / "Small.java").write_text(SMALL)
    subprocess.run(["javac", "-d", tmp_path, tmp_path / "Small.java"], check=True)
    expected = {
        "Small.more number 2": "3 false true ab 15 asked asked",
        "Small.isLess boundary 1": "5 true true ab 15 asked asked",
        "Small.isLess negate 1": "5 true false ab 15 asked asked",
        "Small.isLess remove 1": "5 false true ab 15",
        "Small.isLess one 1": "5 true true ab 15 asked asked",
        "Small.main swap 3": "5 false true ba 15 asked asked",
        "Small.sum skip 1": "5 false true ab 10 asked asked",
        "Small.sum once 1": "5 false true ab 1 asked asked",
        "Small.sum return 1": "5 false true ab 0 asked asked",
    }
    with Mutator((tmp_path, *jars.path), ["Small"]) as mutator:
        known = {one.name for one in mutator.mutants()}
        assert expected.keys() <= known, sorted(known)
        folders = mutator.written(list(expected))
        found = {name: printed(folder, tmp_path) for name, folder in folders.items()}
        assert printed(tmp_path, tmp_path) == PLAIN
    assert found == expected


def test_mutant_of_the_channel_is_killed_by_a_walk(jars: Jars) -> None:
    name = "ServiceUnitStateTableViewImpl.put nothing 6"
    (one,) = (one for one in declared() if one.name == name)
    channel = "org/apache/pulsar/broker/loadbalance/extensions/channel"
    removal = Family("removal", BASE, 40)
    with (
        Mutator(jars.path, [f"{channel}/ServiceUnitStateTableViewImpl"]) as mutator,
        Judge(jars, mutator.original()) as judge,
    ):
        result = judge.kill(mutator.written([name])[name], [removal])
        assert judge.kill(mutator.original(), [removal]).by == By.NOTHING
    assert (result.by, result.family) == (By.WALK, one.families[0])
    assert "outlasts its publish" in words(result)


def test_declared_mutants_are_forty_different_mistakes() -> None:
    rows = declared()
    assert len(rows) == len({one.name for one in rows}) == len({one.says for one in rows}) == 40
    assert all(set(one.families) <= BOUNDS.keys() for one in rows)


def test_chosen_mutants_begin_with_a_name() -> None:
    every = [Mutant("A.b negate 1", 1, ""), Mutant("A.b negate 2", 2, ""), Mutant("B.c negate 1", 3, "")]
    assert chosen_of(every, ["A."], 2, {}) == every[:1]
    assert chosen_of(every, [], None, {"B.c negate 1": None}) == every[2:]
    with pytest.raises(Misuse, match="no mutant begins so: C"):
        chosen_of(every, ["C"], None, {})
    with pytest.raises(Misuse, match="these classes have no mutant C"):
        chosen_of(every, [], None, {"C.d negate 1": None})


def test_families_that_fit_a_mutant_come_first() -> None:
    assert fit(Mutant("MetadataStoreTableViewImpl.put negate 2", 414, ""), "tombstone-metadata-store") == 1
    assert fit(Mutant("ServiceUnitStateChannelImpl.ownChildBundles skip 1", 1154, ""), "split-lookup") == 1
    assert fit(Mutant("ServiceUnitStateChannelImpl.handleOwnEvent remove 2", 844, ""), "removal") == 0
