"""Settings are read where people keep them: in a broker.conf, a ConfigMap, Helm values, or an environment."""

import json
from pathlib import Path

import pytest

from oneowner.checkers.settings.forms import read_settings
from oneowner.checkers.settings.lint import lint
from oneowner.checkers.verdict import Misuse, Verdict

CLASSES = "org.apache.pulsar.broker.loadbalance."
MANAGER = f"{CLASSES}extensions.ExtensibleLoadManagerImpl"
THRESHOLD = f"{CLASSES}impl.ThresholdShedder"
TRANSFER = f"{CLASSES}extensions.scheduler.TransferShedder"

CONFIG_MAP = """\
apiVersion: v1
data:
  PULSAR_MEM: |
    -Xms2g -Xmx2g
  loadManagerClassName: "{manager}"
  loadBalancerLoadSheddingStrategy: '{shedder}'
  loadBalancerSheddingIntervalMinutes: "1"
  loadBalancerEnabled: "true"
kind: ConfigMap
"""
VALUES = """\
zookeeper:
  configData: {{PULSAR_MEM: "-Xms64m"}}
broker:
  configData:
    loadBalancerEnabled: "true"
    PULSAR_PREFIX_loadManagerClassName: "{manager}"
    PULSAR_PREFIX_loadBalancerLoadSheddingStrategy: {shedder}
proxy:
  configData: {{httpNumThreads: "8"}}
"""
ENVIRONMENT = """\
HOSTNAME=broker-0
PULSAR_PREFIX_loadManagerClassName={manager}
export loadBalancerLoadSheddingStrategy="{shedder}"
"""
POD = """\
kind: Pod
spec:
  containers:
  - name: broker
    env:
    - {{name: PULSAR_PREFIX_loadManagerClassName, value: {manager}}}
    - name: PULSAR_PREFIX_loadBalancerLoadSheddingStrategy
      value: {shedder}
    - name: POD_IP
      valueFrom: {{fieldRef: {{fieldPath: status.podIP}}}}
"""
SERVICE = """\
services:
  broker:
    environment:
      - PULSAR_PREFIX_loadManagerClassName={manager}
      - PULSAR_PREFIX_loadBalancerLoadSheddingStrategy={shedder}
"""
WHOLE = """\
kind: ConfigMap
data:
  broker.conf: |
    # ours
    loadManagerClassName={manager}
    loadBalancerLoadSheddingStrategy={shedder}
"""
DESCRIBED = """\
Containers:
  broker:
    State:          Running
      Started:      Mon, 01 Jan 2024 00:00:00 +0000
    Environment:
      PULSAR_PREFIX_loadManagerClassName:              {manager}
      PULSAR_PREFIX_loadBalancerLoadSheddingStrategy:  {shedder}
"""
FRAGMENT = '  loadManagerClassName: "{manager}"\n  loadBalancerLoadSheddingStrategy: "{shedder}"\n'
RUNNING = '{{"loadManagerClassName": "{manager}",\n"loadBalancerLoadSheddingStrategy": "{shedder}"}}'
COMMAND = """\
docker run -e PULSAR_PREFIX_loadManagerClassName={manager} \\
  --env 'PULSAR_PREFIX_loadBalancerLoadSheddingStrategy={shedder}' apachepulsar/pulsar bin/pulsar broker
"""
FORMS = [
    ("command.txt", COMMAND, "the variables of a command line", 2),
    ("cm.yaml", CONFIG_MAP, "a ConfigMap", 6),
    ("cm.txt", CONFIG_MAP, "a ConfigMap", 6),
    ("values.yaml", VALUES, "Helm values", 7),
    ("env.txt", ENVIRONMENT, "an environment", 3),
    ("pod.yaml", POD, "the environment of a pod", 7),
    ("pods.yaml", "---\n" + POD + "---\n" + POD, "the environment of a pod", 8),
    ("compose.yml", SERVICE, "the environment of a service", 5),
    ("whole.yaml", WHOLE, "broker.conf in a ConfigMap", 6),
    ("described.txt", DESCRIBED, "the environment of a pod", 7),
    ("fragment.txt", FRAGMENT, "a mapping of settings", 2),
    ("running.json", RUNNING, "a mapping of settings", 2),
]


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "text", "form", "line"), FORMS, ids=[name for name, *_ in FORMS])
def test_settings_are_judged_in_every_form(tmp_path: Path, name: str, text: str, form: str, line: int) -> None:
    (fits,) = lint(written(tmp_path, name, text.format(manager=MANAGER, shedder=TRANSFER)), "4.0.6")
    assert fits.findings == ()
    assert (fits.part.verdict, fits.read.partition(";")[0]) == (Verdict.VALID, form)
    (one,) = lint(written(tmp_path, name, text.format(manager=MANAGER, shedder=THRESHOLD)), "4.0.6")
    (finding,) = one.findings
    assert (finding["law"], finding["at"]["line"]) == ("shedder-fits", line)


def test_json_of_kubectl_is_read_like_its_yaml(tmp_path: Path) -> None:
    env = [{"name": "PULSAR_PREFIX_loadBalancerBrokerMaxTopics", "value": "many"}]
    pod = {"kind": "Pod", "spec": {"containers": [{"name": "broker", "env": env}]}}
    path = written(tmp_path, "pod.json", json.dumps({"kind": "List", "items": [pod, pod]}, indent=2))
    (one,) = lint(path, "4.0.6")
    assert [finding["law"] for finding in one.findings] == ["values-parse"]


def test_settings_in_two_places_are_judged_apart(tmp_path: Path) -> None:
    text = "a:\n  configData: {loadBalancerEnabled: 'maybe'}\nb:\n  configData: {loadBalancerEnabled: 'true'}\n"
    first, second = lint(written(tmp_path, "values.yaml", text), "4.0.6")
    assert [finding["at"]["line"] for finding in first.findings] == [2]
    assert (second.part.name, second.findings) == (f"{tmp_path}/values.yaml (2)", ())


def test_variable_with_the_prefix_is_copied_last(tmp_path: Path) -> None:
    text = "PULSAR_PREFIX_loadBalancerBrokerMaxTopics=7\nloadBalancerBrokerMaxTopics=8\n"
    (settings,) = read_settings(written(tmp_path, "env.txt", text))
    assert [(one.value, one.line) for one in settings.properties] == [("8", 2), ("7", 1)]


def test_settings_that_are_elsewhere_have_no_defaults(tmp_path: Path) -> None:
    lines = POD.format(manager=MANAGER, shedder=THRESHOLD).splitlines(keepends=True)
    del lines[5]
    path = written(tmp_path, "pod.yaml", "".join(lines) + "    envFrom:\n    - configMapRef: {name: pulsar-broker}\n")
    (one,) = lint(path, "4.0.6")
    assert one.findings == ()
    assert one.part.verdict == Verdict.UNKNOWN
    assert "more settings are in configMap pulsar-broker" in one.part.reasons[0]


def test_quotes_of_a_broker_conf_are_part_of_the_value(tmp_path: Path) -> None:
    (one,) = lint(written(tmp_path, "broker.conf", 'loadBalancerSheddingIntervalMinutes="1"\n'), "4.0.6")
    assert [finding["law"] for finding in one.findings] == ["values-parse"]
    (quoted,) = lint(written(tmp_path, "broker.conf", f'loadManagerClassName="{MANAGER}"\n'), "4.0.6")
    assert quoted.part.reasons[0].endswith("decides is not known; its quotes are part of it")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("service.yaml", "kind: Service\nspec: {ports: [{port: 80}]}\n", "service.yaml:1: YAML refused: it has no"),
        ("chart.yaml", "data:\n  a: {{ .Values.a }}\n{{- if .b }}\n", "lint what `helm template` prints"),
        ("secret.yaml", "kind: Secret\ndata: {loadBalancerEnabled: dHJ1ZQ==}\n", "YAML refused: it has no settings"),
        ("list.yaml", "- 1\n- 2\n", "YAML refused"),
        ("policy.json", '{"namespaces": [], "auto_failover_policy": {}}', "an isolation policy refused"),
        ("redis.log", "1:M 11 Oct 2022 01:21:30.385 # Ready\n", "redis.log:1: a log of Redis, which has no settings"),
        ("kafka.log", "[2024-01-01 10:00:00,123] INFO started (kafka.server.KafkaServer)\n", "a log of Kafka"),
        ("picture.conf", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it contains a zero byte"),
    ],
)
def test_text_without_settings_is_refused_by_its_kind(tmp_path: Path, name: str, text: str, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(Misuse) as refused:
        read_settings(path)
    assert words in str(refused.value)


PASTED = """\
# Usage threshold to determine a broker as over-loaded
loadBalancerBrokerOverloadedThresholdPercentage=85

# enable/disable namespace bundle auto split
loadBalancerAutoBundleSplitEnabled=false
loadBalancerNamespaceBundleMaxTopics=1000
"""


@pytest.mark.parametrize("release", ["2.9.1", "2.10.5", "4.0.6"])
@pytest.mark.parametrize("name", ["broker.conf", "paste.txt", "paste", "settings.properties"])
def test_pasted_piece_of_a_broker_conf_raises_no_false_alarm(tmp_path: Path, name: str, release: str) -> None:
    (one,) = lint(written(tmp_path, name, PASTED), release)
    assert (one.findings, one.part.verdict) == ((), Verdict.VALID)
    assert one.read == "a broker.conf; 3 of 3 settings are of the load balancer"
