"""The walls of the house: arrows between rooms, order inside them, one engine per file, READMEs that list all files."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx
import pytest

from oneowner.checkers.cli.check import check_systems
from oneowner.checkers.engines.compile.traceable import check_source, marked_in
from oneowner.model.channel import ranges

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "oneowner"
ROOMS = ("model", "spec", "checkers")
"""In the order of the arrows: a room imports only rooms before it."""

ENGINES = {
    "click": {
        "oneowner/checkers/cli/assign.py",
        "oneowner/checkers/cli/bugs.py",
        "oneowner/checkers/cli/check_patch.py",
        "oneowner/checkers/cli/cluster_verbs.py",
        "oneowner/checkers/cli/decide.py",
        "oneowner/checkers/cli/decide_recording.py",
        "oneowner/checkers/cli/conform.py",
        "oneowner/checkers/cli/coverage.py",
        "oneowner/checkers/cli/drive.py",
        "oneowner/checkers/cli/handing_over.py",
        "oneowner/checkers/cli/lab.py",
        "oneowner/checkers/cli/lint.py",
        "oneowner/checkers/cli/main.py",
        "oneowner/checkers/cli/model_verbs.py",
        "oneowner/checkers/cli/name_types.py",
        "oneowner/checkers/cli/options.py",
        "oneowner/checkers/cli/pinned_verbs.py",
        "oneowner/checkers/cli/record.py",
        "oneowner/checkers/cli/script.py",
        "oneowner/checkers/cli/simulate.py",
        "oneowner/checkers/cli/step.py",
        "oneowner/checkers/cli/sweep.py",
        "oneowner/checkers/cli/upgrade.py",
        "oneowner/checkers/cli/verbs.py",
        "oneowner/checkers/cli/watch.py",
        "oneowner/checkers/cli/where.py",
        "oneowner/checkers/cli/why.py",
    },
    "isal": {"oneowner/checkers/recordings/read/compression.py"},
    "jinja2": {"oneowner/checkers/report/html.py"},
    "lz4": {"oneowner/checkers/recordings/read/compression.py"},
    "markdown_it": {"oneowner/checkers/report/cited_documents.py"},
    "markupsafe": {"oneowner/checkers/report/cited_documents.py", "oneowner/checkers/report/html.py"},
    "msgspec": {
        "oneowner/checkers/recordings/read/dump.py",
        "oneowner/checkers/recordings/read/many_lines.py",
        "oneowner/checkers/recordings/read/zookeeper.py",
        "oneowner/checkers/recordings/read/companion_files.py",
    },
    "networkx": set[str](),
    "pandas": {"oneowner/checkers/watch/spark_stream.py"},
    "pyarrow": {
        "oneowner/checkers/engines/spark/cluster.py",
        "oneowner/checkers/engines/spark/level_files.py",
        "oneowner/checkers/simulation/parquet.py",
        "oneowner/checkers/sweep/parquet.py",
        "oneowner/checkers/sweep/spread.py",
        "oneowner/checkers/remote_files.py",
        "oneowner/checkers/recordings/fold/spark.py",
        "oneowner/checkers/recordings/fold/spark_partition.py",
        "oneowner/checkers/recordings/judge/arrow_tables.py",
        "oneowner/checkers/report/tables.py",
    },
    "pyspark": {
        "oneowner/checkers/engines/spark/cluster.py",
        "oneowner/checkers/sweep/spread.py",
        "oneowner/checkers/spark_session.py",
        "oneowner/checkers/recordings/fold/spark.py",
        "oneowner/checkers/recordings/fold/spark_partition.py",
        "oneowner/checkers/watch/spark_source.py",
        "oneowner/checkers/watch/spark_stream.py",
    },
    "scipy": {"oneowner/checkers/engines/liveness/components.py"},
    "prometheus_client": {"oneowner/checkers/watch/metrics.py"},
    "pulsar": {
        "oneowner/checkers/collect/channel_reader.py",
        "oneowner/checkers/collect/credentials.py",
        "oneowner/checkers/lab/cluster/recorder.py",
        "oneowner/checkers/recordings/scripts/dump_channel.py",
        "oneowner/checkers/watch/channel_topic.py",
    },
    "zstandard": {"oneowner/checkers/recordings/read/compression.py"},
    "yaml": {"oneowner/checkers/documents.py", "oneowner/checkers/yaml_text.py"},
    "z3": {
        "oneowner/checkers/engines/compile/z3.py",
        "oneowner/checkers/engines/explore/symmetry.py",
        "oneowner/checkers/engines/prove/bounded.py",
        "oneowner/checkers/engines/prove/formulas.py",
        "oneowner/checkers/engines/prove/proof.py",
    },
}
"""The places in which each third-party engine may be imported; rich, which only prints, may be anywhere in checkers."""


def sources() -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((PACKAGE / room).rglob("*.py"))


def beside() -> Iterator[Path]:
    """Yield files that a wheel does not carry: tests and tools."""
    for folder in ("tests", "tools"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in sources()}


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Every module that a file imports, also inside functions; of our own, the file that it means."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno}: a relative import"
            module = node.module or ""
            names = {f"{module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else module for name in names}
    return frozenset(found)


def own_imports(path: Path) -> set[str]:
    return {name for name in imports_of(path) if name in MODULES} - {module_of(path)}


def test_every_room_imports_only_rooms_before_it() -> None:
    for path in sources():
        room = path.relative_to(PACKAGE).parts[0]
        allowed = ROOMS[: ROOMS.index(room) + 1]
        for name in imports_of(path):
            top = name.removeprefix("oneowner.").split(".")[0]
            assert top not in (*ROOMS, "tests", "tools", "traces") or top in allowed, f"{name_of(path)} imports {name}"
            assert name.split(".")[0] not in ROOMS, f"{name_of(path)} imports {name}, which only a checkout has"


FOUNDATIONS = {
    "oneowner.checkers.verdict",
    "oneowner.checkers.places",
    "oneowner.checkers.extras",
    "oneowner.checkers.native_code",
    "oneowner.checkers.spark_session",
}
"""Imports of engines beside the kernel: verdicts and misuse, places of files, missing programs, a Spark session."""


BELOW_ENGINES = ("model.kernel", "checkers.trace", "checkers.engines")


def test_engines_know_the_kernel_and_no_system() -> None:
    engines = [path for path in sources() if path.is_relative_to(PACKAGE / "checkers" / "engines")]
    assert len(engines) > 50
    for path in engines:
        for name in imports_of(path):
            is_below = name.startswith(tuple(f"oneowner.{room}" for room in BELOW_ENGINES))
            assert is_below or not name.startswith("oneowner") or name in FOUNDATIONS, f"{name_of(path)} imports {name}"


ABOUT = {"settings": ("balancer",), "closed_loop": ("balancer",)}
"""Rooms about others: laws of settings, and a loop that is closed over decisions. No system asks these in turn."""


def test_systems_never_import_each_other() -> None:
    shared = ("kernel", "handoff", "java", "pulsar")
    for path in sources():
        room, *rest = path.relative_to(PACKAGE).parts
        if room in ("model", "spec") and len(rest) > 1 and rest[0] not in shared:
            for name in imports_of(path):
                parts = name.split(".")
                if parts[0] == "oneowner" and parts[1] in ("model", "spec") and len(parts) > 3:
                    assert parts[2] in (*shared, rest[0], *ABOUT.get(rest[0], ())), f"{name_of(path)} imports {name}"


def test_model_and_spec_use_the_standard_library_alone() -> None:
    for path in sources():
        if path.relative_to(PACKAGE).parts[0] in ("model", "spec"):
            for name in imports_of(path):
                top = name.removeprefix("oneowner.").split(".")[0]
                assert top in sys.stdlib_module_names or top in ("model", "spec"), f"{name_of(path)} imports {name}"


def test_model_has_no_clock_no_randomness_and_no_input_or_output() -> None:
    forbidden = {
        "time", "datetime", "random", "secrets", "os", "io", "sys", "pathlib", "socket", "threading", "logging",
    }  # fmt: skip
    for path in sources():
        if path.relative_to(PACKAGE).parts[0] in ("model", "spec"):
            assert not forbidden & {name.split(".")[0] for name in imports_of(path)}, name_of(path)


LABEL = re.compile(r"\b(?:(?:channel|models|bugs)\.[A-Z]?[0-9]+|run\.G[0-9]+)\b")


def test_imports_have_no_cycles() -> None:
    graph = networkx.DiGraph()
    for path in sources():
        graph.add_edges_from((module_of(path), name) for name in own_imports(path))
    assert networkx.is_directed_acyclic_graph(graph), networkx.find_cycle(graph)
    assert graph.number_of_edges() > len(ROOMS)


CHECKERS = {
    "trace": set[str](),
    "engines": {"trace"},
    "decisions": set[str](),
    "inputs": set[str](),
    "settings": {"inputs"},
    "topics": set[str](),
    "simulation": set[str](),
    "catalogue": set[str](),
    "recordings": {"catalogue", "inputs", "topics", "trace"},
    "bugs": {"catalogue", "inputs", "recordings"},
    "upgrade": {"bugs", "catalogue", "settings"},
    "load_json": {"inputs", "recordings", "settings"},
    "collect": {"recordings"},
    "watch": {"collect", "recordings"},
    "lab": {"catalogue", "collect", "recordings", "scenarios"},
    "scenarios": {"catalogue", "engines", "inputs"},
    "compaction_logs": {"catalogue", "engines"},
    "report": {"catalogue", "engines", "recordings", "scenarios"},
    "ledger": {"catalogue", "compaction_logs", "engines", "real_classes", "recordings", "report", "scenarios", "trace"},
    "coverage": {"catalogue", "lab", "ledger"},
    "real_classes": {"catalogue", "engines", "lab", "scenarios"},
    "comparison": {"catalogue", "engines", "ledger", "scenarios"},
    "sweep": {"catalogue", "engines", "ledger", "recordings", "report", "scenarios", "simulation"},
    "cli": {
        "bugs",
        "catalogue",
        "collect",
        "comparison",
        "coverage",
        "decisions",
        "engines",
        "inputs",
        "lab",
        "ledger",
        "load_json",
        "real_classes",
        "recordings",
        "report",
        "scenarios",
        "settings",
        "simulation",
        "sweep",
        "topics",
        "upgrade",
        "watch",
    },
}
"""The permitted imports of each room of checkers from the others, so that they form no circle."""


@pytest.mark.parametrize("room", CHECKERS)
def test_rooms_of_checkers_form_no_circle(room: str) -> None:
    home = "oneowner.checkers."
    files = list((PACKAGE / "checkers" / room).rglob("*.py"))
    names = {name.removeprefix(home) for path in files for name in own_imports(path) if name.startswith(home)}
    rooms = {name.split(".")[0] for name in names if "." in name}
    assert rooms - {room} <= CHECKERS[room]
    assert networkx.is_directed_acyclic_graph(networkx.DiGraph(CHECKERS))


def test_every_room_of_checkers_has_its_place() -> None:
    assert {path.parent.name for path in (PACKAGE / "checkers").glob("*/__init__.py")} == set(CHECKERS)


RECORDINGS = {
    "scripts": set[str](),
    "read": set[str](),
    "decisions": {"read"},
    "fold": {"read"},
    "explain": {"read", "fold", "scene", "laws"},
    "scene": {"read", "fold"},
    "laws": {"read", "decisions", "fold", "scene"},
    "owners": {"read", "fold", "scene", "laws"},
    "judge": {"read", "fold", "scene", "explain", "laws", "owners"},
    "live": {"read", "fold", "scene", "explain", "laws", "judge"},
}
"""The permitted imports of each folder of recordings from the others, so that they form no circle."""


@pytest.mark.parametrize("folder", RECORDINGS)
def test_folders_of_recordings_form_no_circle(folder: str) -> None:
    home = "oneowner.checkers.recordings."
    files = list((PACKAGE / "checkers" / "recordings" / folder).rglob("*.py"))
    imported = {name for path in files for name in own_imports(path)}
    rooms = {name.removeprefix(home).split(".")[0] for name in imported if name.startswith(home)}
    assert rooms - {folder} <= RECORDINGS[folder]


def test_every_folder_of_recordings_has_its_place() -> None:
    there = {path.parent.name for path in (PACKAGE / "checkers" / "recordings").glob("*/__init__.py")}
    assert there == set(RECORDINGS)


NEVER = {
    ("recordings", "engines"): "reading, folding and judging evidence need no search and no compiler of models",
    ("recordings/read", "model/balancer"): "a reader takes no decisions: these are judged elsewhere",
    ("report", "recordings/read"): "a report knows results, not files",
    ("report", "recordings/fold"): "a report knows results, not how they were found",
    ("watch", "recordings/read"): "a watch connects sources to sinks; `recordings/live` judges",
    ("recordings/laws/recovery", "recordings/laws/serving"): "what laws share stands beside both families",
    ("recordings/laws", "catalogue"): "a law reports facts; the catalogue names the bug",
    ("recordings/read", "decisions"): "a reader takes no decisions: these are judged elsewhere",
}
"""Rooms that never import each other, with the reason; folders of checkers unless they begin with `model`."""


def folder_of(room: str) -> Path:
    return PACKAGE / room if room.startswith(ROOMS) else PACKAGE / "checkers" / room


@pytest.mark.parametrize(("room", "other"), NEVER)
def test_room_never_imports_the_other(room: str, other: str) -> None:
    here, there = folder_of(room), folder_of(other)
    assert any(here.rglob("*.py"))
    assert any(there.rglob("*.py"))
    breaking = {
        name_of(path)
        for path in sources()
        if path.is_relative_to(here) and any(MODULES[name].is_relative_to(there) for name in own_imports(path))
    }
    assert breaking == set(), NEVER[room, other]


@pytest.mark.parametrize("engine", ENGINES)
def test_engine_is_imported_only_in_its_own_file(engine: str) -> None:
    importers = {name_of(path) for path in sources() if engine in {n.split(".")[0] for n in imports_of(path)}}
    assert importers <= ENGINES[engine]


def test_pyspark_is_imported_late() -> None:
    """A verb that needs no Spark must not pay for it: only a function may import the Spark engine."""
    for path in (path for path in sources() if not imports_of(path).isdisjoint(SPARK)):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                is_late = node.module in SPARK
                assert not is_late or name_of(path) in ENGINES["pyspark"], name_of(path)


SPARK = (
    "oneowner.checkers.recordings.fold.spark",
    "oneowner.checkers.recordings.fold.spark_partition",
    "oneowner.checkers.watch.spark_source",
    "oneowner.checkers.watch.spark_stream",
    "oneowner.checkers.spark_session",
    "oneowner.checkers.engines.spark.cluster",
    "oneowner.checkers.sweep.spread",
)


def folders() -> list[Path]:
    return sorted({path.parent for path in (*sources(), *beside())})


def listed_in(folder: Path) -> list[str]:
    """The files and sub-rooms that a room's README lists, in order."""
    readme = (folder / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| \[?`([\w*./-]+)`(?:\]\([^)]+\))? \|", readme, re.MULTILINE)


@pytest.mark.parametrize("folder", [name_of(folder) for folder in folders()])
def test_readme_of_every_room_lists_every_file(folder: str) -> None:
    here = ROOT / folder
    there = {
        path.name for path in here.glob("*.py") if not path.name.startswith("test_")
    }  # its name says what it tests
    there |= {f"{path.parent.relative_to(here).parts[0]}/" for path in here.rglob("*/*.py")}
    if here == ROOT / "tests":
        there.add("vectors/")  # facts, no code
    listed = set(listed_in(here))
    if not (here / "__init__.py").read_text(encoding="utf-8").count("\n") > 1:  # one line of docstring
        there.discard("__init__.py")
    assert there - listed == set()
    gone = {name for name in listed if name.endswith((".py", "/")) and not (here / name).exists()}
    assert gone <= {"__init__.py"}


@pytest.mark.parametrize("folder", [name_of(folder) for folder in folders() if name_of(folder).startswith("oneowner/")])
def test_files_of_a_room_import_only_what_its_readme_lists_before_them(folder: str) -> None:
    order = listed_in(ROOT / folder)
    for path in sorted((ROOT / folder).glob("*.py")):
        if path.name not in order:
            continue
        before = order[: order.index(path.name)]
        for name in own_imports(path):
            target = MODULES[name]
            if target.is_relative_to(ROOT / folder) and name != folder.replace("/", "."):
                parts = target.relative_to(ROOT / folder).parts
                assert len(parts) > 1 or parts[0] in before, (
                    f"{name_of(path)} imports {name}, which its README lists later"
                )


LONG = ("oneowner/model/kernel/language.py", "oneowner/model/channel/state.py")
"""A language, and a table."""


def test_files_are_short_enough_to_read() -> None:
    for path in sources():
        limit = 400 if name_of(path) in LONG else 300
        assert path.read_text(encoding="utf-8").count("\n") <= limit, name_of(path)


def test_no_file_is_a_drawer() -> None:
    for path in (*sources(), *beside()):
        assert not re.search(r"util|helper|manager|misc|common", path.name), name_of(path)


def test_every_label_of_a_source_is_explained() -> None:
    explained = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    findings = (ROOT / "traces" / "real" / "README.md").read_text(encoding="utf-8")
    rooms = [
        path for room in ROOMS for ending in ("py", "yaml", "md") for path in (PACKAGE / room).rglob(f"*.{ending}")
    ]
    labels = {label for path in rooms for label in LABEL.findall(path.read_text(encoding="utf-8"))}
    assert len(labels) > 40
    for label in labels:
        where = findings if label.startswith("run.") else explained
        assert (label.removeprefix("run.") if where is findings else f"`{label}`") in where, label


def test_model_and_spec_can_be_traced() -> None:
    assert [str(complaint) for complaint in check_systems()] == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def act(state, broker):\n    if state.leader is broker: return 1", "is"),
        ("def act(state):\n    return isinstance(state.leader, int)", "isinstance"),
        ("def act(state):\n    return int(state.leader)", "int"),
        ("def act(state):\n    return {1: 2}[state.leader]", "dict"),
        ("def act(state):\n    return state.leader in {1, 2}", "set"),
        ("def act(state):\n    while state.leader:\n        pass", "while"),
        ("def act(state):\n    return len(state.log)", "len"),
        ("def act(state):\n    return [x for x in sorted(state.log)]", "sorted"),
        ("def act(state):\n    try:\n        pass\n    except KeyError:\n        pass", "try"),
    ],
)
def test_traceable_refuses_what_a_symbolic_value_cannot_do(source: str, words: str) -> None:
    complaints = [str(complaint) for complaint in check_source(source, "oneowner/model/channel/x.py")]
    assert any(words in complaint for complaint in complaints)
    assert all(
        complaint.startswith(("oneowner/model/channel/x.py:2:", "oneowner/model/channel/x.py:3:"))
        for complaint in complaints
    )


@pytest.mark.parametrize(
    "source",
    [
        "def act(state, brokers):\n    for b in range(1, brokers):\n        require(state.leader == b)",
        "def act(held, proposed):\n    return refusal(held, proposed) is None",
    ],
)
def test_traceable_accepts_plain_model_code(source: str) -> None:
    assert check_source(source, "oneowner/model/channel/x.py") == []


def test_traceable_accepts_a_quantifier_over_what_is_marked_as_concrete_alone() -> None:
    source = "def is_idle(state):\n    return all(state.idle[b] for b in numbers(state))"
    assert check_source(source, "oneowner/model/channel/x.py", marked=["numbers"]) == []
    (complaint,) = check_source(source, "oneowner/model/channel/x.py")
    assert str(complaint).startswith("oneowner/model/channel/x.py:2: comprehension: ")


def test_functions_over_which_laws_quantify_are_marked_where_they_are_declared() -> None:
    assert marked_in(ranges) == {"brokers", "units", "pairs"}
