"""``decide``: a snapshot is answered in words, a batch line by line; invalid input is refused by file and line."""

import json
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from tests.command_line import oneowner, refused

SNAPSHOT = """\
brokers:
  - {id: b1, load: 0.05, throughput_in: 1000}
  - {id: b2, load: 0.9, throughput_in: 9000000, throughput_ema: 9000000}
  - {id: b3, load: 0.01, available: false}
top_bundles:
  b2: [[t/n/0x00000000_0x40000000, 4000000, 0], [t/n/0x40000000_0x80000000, 5000000, 0]]
"""


def snapshot(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "snapshot.yaml"
    path.write_text(text)
    return path


def test_snapshot_says_why_nothing_moves(tmp_path: Path) -> None:
    outcome = oneowner("decide", str(snapshot(tmp_path, SNAPSHOT)))
    assert outcome.code == 0
    assert "0x00000000_0x40000000 stays at b2: b3 may not have it, by policies, filters or the registry" in outcome.out
    assert "nothing moves: NoLoadData" in outcome.out


def test_placements_of_a_recorded_run_are_as_computed() -> None:
    outcome = oneowner("decide", "traces/real/kill-owner")
    assert outcome.code == 0
    assert outcome.out.count(" placements, ") == 3
    assert sum(int(line.split(": ")[1].split()[0]) for line in outcome.out.splitlines()) == 28


def test_folder_without_placements_is_unknown(tmp_path: Path) -> None:
    outcome = oneowner("decide", str(tmp_path))
    assert outcome.code == 3
    assert "no placement is logged" in outcome.out


def test_snapshot_says_what_moves_once_the_broker_that_has_gone_has_no_report(tmp_path: Path) -> None:
    there = "".join(line for line in SNAPSHOT.splitlines(keepends=True) if "b3" not in line)
    outcome = oneowner("decide", str(snapshot(tmp_path, there)))
    assert "move t/n/0x00000000_0x40000000 from b2 to b1: Overloaded" in outcome.out


def test_batch_answers_each_line_under_its_id(tmp_path: Path) -> None:
    rows = [
        {"id": "one", "algorithm": "least_usage_extensible", "loads": {"a": 0.1, "b": 0.9}, "candidates": ["b", "a"]},
        {"id": 2, "algorithm": "broker_load", "reports": [{"cpu": [30, 100]}]},
    ]
    path = tmp_path / "batch.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    outcome = oneowner("decide", "--batch", str(path))
    answers = [json.loads(line) for line in outcome.out.splitlines()]
    assert answers[0] == {"id": "one", "admissible": ["a"]}
    assert answers[1]["id"] == 2
    assert answers[1]["features"][0]["maxResourceUsage"] == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "no JSON object"),
        ('{"id": 1}', "required: id and algorithm"),
        ('{"id": 1, "algorithm": "tranfer"}', "no such algorithm: tranfer"),
        ('{"id": 1, "algorithm": "transfer"}', "'cycles' is missing"),
        (
            '{"id": 1, "algorithm": "transfer", "cycles": [{"brokers": [{"id": "a", "load": "x"}]}]}',
            "no input of transfer",
        ),
        ('{"id": 1, "algorithm": "broker_load", "reports": 7}', "no input of broker_load"),
    ],
)
def test_line_that_is_no_input_is_refused_by_file_and_line(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "batch.jsonl"
    path.write_text("\n" + line + "\n")
    outcome = oneowner("decide", "--batch", str(path))
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {path}:2: ")
    assert why in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    "arguments", [[], ["there", "--batch", "too"], ["--batch", "-", "--release", "9"], ["nowhere"]]
)
def test_misuse_is_one_line(arguments: list[str]) -> None:
    outcome = oneowner("decide", *arguments)
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1


def test_snapshot_that_is_none_is_refused(tmp_path: Path) -> None:
    refused(
        oneowner("decide", str(snapshot(tmp_path, "brokers: [{id: a, load: much}]\n"))),
        "snapshot.yaml:1: load refused: much; it is a number",
    )


MODULAR = """\
brokers:
  - {id: b1, cpu: [90, 100], msgThroughputIn: 90000000, msgRateIn: 9000, bundles: [t/n/a, t/n/b, t/n/c, t/n/x]}
  - {id: b2, cpu: [20, 100], msgThroughputIn: 20000000, msgRateIn: 100, bundles: [t/n/d]}
bundles:
  - {name: t/n/a, shortTerm: {msgThroughputIn: 60000000, msgRateIn: 8000}}
  - {name: t/n/b, shortTerm: {msgThroughputIn: 28000000, msgRateIn: 900}}
  - {name: t/n/c, shortTerm: {msgThroughputIn: 2000000, msgRateIn: 100}}
recent: [t/n/c]
"""


@pytest.mark.parametrize(
    ("shedder", "lines"),
    [
        (
            "overload",
            [
                "b2 stays as it is: 20.0 % of a resource used, "
                "below loadBalancerBrokerOverloadedThresholdPercentage 85 %",
                "unload t/n/a from b1",
            ],
        ),
        (
            "threshold",
            [
                "b2 stays as it is: 20.0 % used; average 55.0 % + loadBalancerBrokerThresholdShedderPercentage 10 %",
                "unload t/n/a from b1",
            ],
        ),
        ("uniform", ["t/n/a stays at b1: 8000 messages/s exceed 2780 messages/s", "unload t/n/b from b1"]),
        (
            "avg",
            [
                "t/n/b is unloaded from b1: its 900 messages/s are within 1780 messages/s, for b2",
                "unload t/n/b from b1",
            ],
        ),
    ],
)
def test_snapshot_is_judged_by_the_shedder_that_is_named(tmp_path: Path, shedder: str, lines: list[str]) -> None:
    outcome = oneowner("decide", str(snapshot(tmp_path, MODULAR)), "--shedder", shedder)
    output = [line.strip() for line in outcome.out.splitlines()]
    assert set(lines) <= set(output)
    assert "t/n/c stays at b1: it was unloaded lately" in output
    assert "t/n/x stays at b1: it is bound to it, or its traffic is not known" in output


def test_snapshot_says_that_a_modular_shedder_unloads_nothing(tmp_path: Path) -> None:
    idle = MODULAR.replace("[90, 100]", "[20, 100]")
    outcome = oneowner("decide", str(snapshot(tmp_path, idle)), "--shedder", "threshold")
    assert outcome.out.splitlines()[-1] == "nothing is unloaded"
    assert "b1 stays as it is: 20.0 % used; average 20.0 % + " in outcome.out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--shedder", "treshold"], "no such shedder: treshold; did you mean threshold?"),
        (["--shedder", "uniform", "--release", "2.9.1"], "uniform is not modelled for 2.9.1"),
        (["--shedder", "overload"], "snapshot.yaml:1: brokers refused: 3; it is a list"),
    ],
)
def test_shedder_that_cannot_be_asked_is_refused(tmp_path: Path, arguments: list[str], why: str) -> None:
    refused(oneowner("decide", str(snapshot(tmp_path, "brokers: 3\n")), *arguments), why)


SNAPSHOTS = TOP / "traces/snapshots"


def test_snapshot_of_17456_says_that_the_lower_boundary_would_use_the_idle_broker() -> None:
    """Ten brokers at 80 % and one at 0: the average is too high for anything to be 10 points above it."""
    outcome = oneowner("decide", str(SNAPSHOTS / "17456-one-idle-broker.yaml"), "--shedder", "threshold", "--what-if")
    assert outcome.code == 0
    assert "b1 stays as it is: 80.0 % used; average 72.7 % + " in outcome.out
    assert "nothing is unloaded" in outcome.out
    assert "lowerBoundarySheddingEnabled false -> true: unload t/n/1-0 from b1" in outcome.out


def test_snapshot_of_21299_says_which_minimum_holds_everything_back() -> None:
    outcome = oneowner("decide", str(SNAPSHOTS / "21299-below-the-minimum.yaml"), "--shedder", "uniform", "--what-if")
    assert "nothing is unloaded: 179 messages/s or 390.6 kB/s are too few" in outcome.out
    assert "minUnloadMessage 1000 -> 179: unload t/n/a from b1" in outcome.out


def test_releases_are_compared_by_what_they_decide_and_by_the_change_between_them(tmp_path: Path) -> None:
    idle = "brokers: [{id: a, load: 0.1}, {id: b, load: 0.9, throughput_ema: 9000000}]\n"
    idle += "top_bundles: {b: [[t/n/0, 0, 0], [t/n/1, 9000000, 0]]}\n"
    outcome = oneowner("decide", str(snapshot(tmp_path, idle)), "--diff", "3.0.7", "4.0.6")
    assert "3.0.7 alone: move t/n/0 from b to a: Overloaded" in outcome.out
    assert "caused by: A bundle without throughput is passed over (#23626)." in outcome.out
    same = oneowner("decide", str(snapshot(tmp_path, SNAPSHOT)), "--diff", "4.0.6", "4.0.8")
    assert same.out == "4.0.6 and 4.0.8 decide the same\n"


def test_question_about_a_batch_or_a_release_that_lacks_the_shedder_is_refused(tmp_path: Path) -> None:
    path = snapshot(tmp_path, SNAPSHOT)
    assert "not a batch" in oneowner("decide", "--batch", str(path), "--what-if").err
    refused(
        oneowner("decide", str(path), "--shedder", "avg", "--diff", "2.10.5", "4.0.6"), "avg is not modelled for 2.10.5"
    )


COMES_BACK = SNAPSHOTS / "21722-comes-back.yaml"
BUNDLE = "t/n/0x00000000_0x40000000"


def test_snapshot_of_21722_says_why_an_unloaded_bundle_comes_back(tmp_path: Path) -> None:
    unloaded = oneowner("decide", str(COMES_BACK), "--shedder", "threshold")
    assert f"unload {BUNDLE} from b1:8080" in unloaded.out
    placed = oneowner("decide", str(COMES_BACK), "--place", BUNDLE)
    assert "(loadBalancerDistributeBundlesEvenlyEnabled): leaves b1:8080\n" in placed.out
    assert placed.out.endswith(f"{BUNDLE} goes to b1:8080\n")
    text = COMES_BACK.read_text().replace("conf: {", "conf: {loadBalancerDistributeBundlesEvenlyEnabled: false, ")
    elsewhere = oneowner("decide", str(snapshot(tmp_path, text)), "--place", BUNDLE)
    assert elsewhere.out.endswith(f"{BUNDLE} goes to b1:8080 or b2:8080 or b3:8080\n")


def test_placement_says_when_filters_count_no_longer_and_when_nobody_is_left(tmp_path: Path) -> None:
    text = COMES_BACK.read_text().replace("bandwidthIn: [80, 100]", "bandwidthIn: [90, 100]")
    outcome = oneowner("decide", str(snapshot(tmp_path, text)), "--place", BUNDLE)
    assert "b1:8080: overloaded, so the filters are ignored" in outcome.out
    other = 'brokers:\n  - {id: "b1:8080", load_manager: another}\n'
    nobody = oneowner("decide", str(snapshot(tmp_path, other)), "--place", BUNDLE)
    assert "load manager: leaves nobody" in nobody.out
    assert "leaves no broker, so the filters are ignored" in nobody.out


@pytest.mark.parametrize(
    ("text", "arguments", "why"),
    [
        ("brokers: []", (), ":1: no broker: no decision"),
        ("brokers:\n  - {id: a}", (), ":1: no broker has a load"),
        ("brokers:\n  - {id: a, laod: 1}", (), ":2: no such key: laod; did you mean load?"),
        ("brokers:\n  - {id: a, load: 1}\ntop: {}", (), ":3: no such key: top"),
        ("brokers:\n  - {id: a, load: 1}", ("--shedder", "avg"), ":2: no such key: load"),
        (
            "brokers:\n  - {id: b1}",
            ("--place", "t/n/0"),
            ":2: broker refused: b1; the form is host:port",
        ),
        ("brokers: [{id: a, load: 1}]", ("--what-if", "--diff", "3.0.7", "4.0.6"), "exclude each other"),
    ],
)
def test_snapshot_that_tells_nothing_is_refused(
    tmp_path: Path, text: str, arguments: tuple[str, ...], why: str
) -> None:
    refused = oneowner("decide", str(snapshot(tmp_path, text)), *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert why in refused.err


def test_batch_without_a_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("\n")
    refused = oneowner("decide", "--batch", str(path))
    assert (refused.code, refused.out) == (2, "")
    assert "the file has no line" in refused.err


def test_setting_that_the_shedder_does_not_read_is_named(tmp_path: Path) -> None:
    text = COMES_BACK.read_text().replace("conf: {", "conf: {loadBalancerBrokerTresholdShedderPercentage: 5, ")
    outcome = oneowner("decide", str(snapshot(tmp_path, text)), "--shedder", "threshold")
    assert "loadBalancerBrokerTresholdShedderPercentage is ignored by this shedder" in outcome.out


MODULAR_SNAPSHOT = """\
brokers:
  - {id: b1, cpu: [90, 100], msgThroughputIn: 90000000, bundles: [t/n/a, t/n/b]}
  - {id: b2, cpu: [20, 100], msgThroughputIn: 20000000, bundles: [t/n/c]}
bundles:
  - {name: t/n/a, shortTerm: {msgThroughputIn: 60000000}}
  - {name: t/n/b, shortTerm: {msgThroughputIn: 30000000}}
"""


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("conf: {loadBalancerSheddingEnabled: false}", "loadBalancerSheddingEnabled is false"),
        ("leader: false", "no leader's task runs at this broker"),
        ("metadata_available: false", "the metadata store is away, and this leader unloads nothing any more"),
        ("active: [b1]", "only one broker is available"),
    ],
)
def test_snapshot_says_which_gate_keeps_the_shedder_from_being_asked(tmp_path: Path, told: str, why: str) -> None:
    path = snapshot(tmp_path, MODULAR_SNAPSHOT + told + "\n")
    answer = oneowner("decide", str(path), "--shedder", "threshold")
    assert f"nothing is unloaded: {why}" in answer.out.replace("loadBalancerEnabled or ", "")
    open_gates = oneowner("decide", str(snapshot(tmp_path, MODULAR_SNAPSHOT)), "--shedder", "threshold")
    assert "unload t/n/a from b1" in open_gates.out


def test_snapshot_says_that_policies_keep_a_bundle_that_the_shedder_names(tmp_path: Path) -> None:
    policy = "policies: [{namespaces: [t/n], primary: [b1], secondary: [], min_limit: 1}]\n"
    outcome = oneowner("decide", str(snapshot(tmp_path, MODULAR_SNAPSHOT + policy)), "--shedder", "threshold")
    assert "t/n/a stays nevertheless: policies allow no other broker" in outcome.out
    assert "nothing is unloaded" in outcome.out


def test_what_if_tells_that_shedding_could_be_enabled(tmp_path: Path) -> None:
    path = snapshot(tmp_path, MODULAR_SNAPSHOT + "conf: {loadBalancerSheddingEnabled: false}\n")
    outcome = oneowner("decide", str(path), "--shedder", "threshold", "--what-if")
    assert "loadBalancerSheddingEnabled false -> true: unload t/n/a from b1" in outcome.out


def test_snapshot_of_the_extensible_manager_says_that_this_broker_does_not_lead(tmp_path: Path) -> None:
    outcome = oneowner("decide", str(snapshot(tmp_path, SNAPSHOT + "leader: false\n")))
    assert "nothing moves: this broker does not own the channel" in outcome.out
