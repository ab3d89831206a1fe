"""A text of each kind, as people hand it over: several, where layouts differ."""

from typing import Final

RECORD: Final = (
    '{"messageId":"0:0","publishTime":1,"key":"t/n/0x00000000_0xffffffff","value":{"state":"Owned",'
    '"dstBroker":"b1:8080","force":false,"timestamp":1,"versionId":1}}\n'
)
LOADS: Final = "org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl"
POLICY: Final = """\
{
  "namespaces" : [ "t/n" ],
  "primary" : [ "b1.example.org" ],
  "secondary" : [ ],
  "auto_failover_policy" : { "policy_type" : "min_available", "parameters" : { "min_limit" : "1" } }
}
"""
BINARY: Final = {
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "a jar or zip": b"PK\3\4\x14\0\0\0",
    "an archive": b"\x1f\x8b\x08\0\0\0\0\0",
    "a text that is not UTF-8": "Größe: 7 und mehr\n".encode("latin-1"),
    "binary data": b"\x7fELF\2\1\1\0\0\0",
}
TEXTS: Final = (
    ("an empty text", ""),
    ("an empty text", "\n  \n"),
    ("a text of no known kind", "lorem ipsum dolor\nsit amet, {{\n"),
    ("a trace of loads", "cycle,bundle,bytes,messages\n0,t/n/0,1,1\n"),
    ("JSON of no known kind", '{"a": [1, 2]}'),
    ("JSON of no known kind", "[1, 2]"),
    ("a page of HTML", "<!DOCTYPE html>\n<html><body>503</body></html>"),
    ("a channel dump", RECORD * 3),
    ("a channel dump", '{"messageId":"0:0","publishTime":1,"key":"t/n/0x00000000_0xffffffff","value":null}\n' + RECORD),
    ("a channel dump", "----- got message -----\npublishTime:[7], key:[t/n/0x0_0x1], content:{}\n"),
    ("a ZooKeeper history", '{"zxid":1,"time":1,"session":"0x1","op":"createSession"}\n'),
    ("an isolation policy", POLICY),
    ("an isolation policy", '{"one": ' + POLICY + "}"),
    ("a list of brokers", '"b1.example.org:8080"\n"b2.example.org:8080"\n'),
    ("a list of brokers", "b1:8080\nb2:8080"),
    ("a list of brokers", '["b1:8080", "b2:8080"]'),
    ("boundaries of bundles", '{"boundaries": ["0x00000000", "0xffffffff"], "numBundles": 1}'),
    ("a broker's answer about owners", "pulsar://b1.example.org:6650\n"),
    ("a broker's answer about owners", '{"brokerUrl": "pulsar://b1:6650", "httpUrl": "http://b1:8080"}'),
    ("a broker's answer about owners", '{\n  "brokerId" : "b1:8080",\n  "serviceUrl" : "http://b1:8080"\n}\n'),
    (
        "a broker's answer about owners",
        '{\n  "t/n/0x00000000_0x80000000" : {\n    "broker_assignment" : "shared",\n    "is_active" : true\n  }\n}\n',
    ),
    ("a lookup of partitions", '"persistent://t/n/a-partition-0    pulsar://b1:6650"\n'),
    ("a lookup of partitions", '{"persistent://t/n/a-partition-0": "pulsar://b1:6650"}'),
    ("a lookup of partitions", '"pulsar://b1:6650    [persistent://t/n/a-partition-0]"\n'),
    ("load data of Pulsar", '{"weightedMaxEMA": 0.5, "updatedAt": 1}'),
    ("load data of Pulsar", '{"webServiceUrl": "http://b1:8080", "lastStats": {}}'),
    ("load data of Pulsar", '{"messageId":"0:0","publishTime":1,"key":"b1:8080","value":{"weightedMaxEMA":0.5}}\n'),
    ("load data of Pulsar", '[{"metrics": {}, "dimensions": {"broker": "b1"}}]'),
    ("a configuration of a running broker", '{"loadBalancerEnabled": "true"}'),
    ("a batch of decisions", '{"id": 1, "algorithm": "transfer", "cycles": []}\n'),
    ("a batch of assignments", '{"id": 1, "clients": {}, "stateful": []}\n'),
    ("an ITF trace", '{"#meta": {}, "vars": [], "states": []}'),
    ("an answer of Elasticsearch", '{"index": "a", "unassigned_info": {}, "can_allocate": "no"}'),
    ("an answer of Elasticsearch", '{"cluster_name": "c", "status": "red", "number_of_nodes": 3}'),
    ("an error of Pulsar's administration", "HTTP 503 Service Unavailable\n\nReason: javax.ws.rs.ServiceUnavailable\n"),
    ("an error of Pulsar's administration", '{"reason": "Namespace bundle is not served"}'),
    ("a broker's log", f"2026-01-02T03:04:05,678+0000 [main] INFO  {LOADS} - Started\n"),
    ("a broker's log", f"03:04:05.678 [main:Broker@1] INFO  {LOADS} - Started\n"),
    (
        "a broker's log",
        "2022-06-17 18:50:20.324 [t-1-1] INFO  o.a.p.broker.loadbalance.impl.ThresholdShedder - [b] x\n",
    ),
    ("a broker's log", f"Mar 03 10:11:12 host pulsar[12]: 2026-03-03T10:11:12,345Z [t] WARN  {LOADS} - Gone\n"),
    ("a broker's log", f"broker-0  2026-03-03T10:11:12,345Z [t] ERROR {LOADS} - Gone\n" + "\tat a.B.c(B.java:1)\n" * 9),
    (
        "a broker's log",
        f'{{"instant": {{"epochSecond": 1}}, "level": "INFO", "loggerName": "{LOADS}", "message": "m"}}',
    ),
    ("a client's log", "2026-01-02 03:04:05.678 [t] WARN  org.apache.pulsar.client.impl.ConnectionHandler - Again\n"),
    ("a client's log", "2026-01-02 03:04:05.340 INFO  [1397] ClientConnection:1730 | [a -> b] Refused\n"),
    ("a broker's log", "03:04:05.678 [main:PulsarService@1] INFO  Started\n"),
    ("a broker's log", "2021-12-26 00:38:08,489 - ERROR - [t:NamespaceService@381] - Gone\n"),
    (
        "a client's log",
        "2026-01-02T03:04:05,678 [t] WARN  org.apache.pulsar.client.impl.ClientCnx - Received error from"
        " server: org.apache.pulsar.broker.service.BrokerServiceException: Not ready\n",
    ),
    (
        "a log of another part of Pulsar",
        "2026-01-02T03:04:05,678 [t] WARN  org.apache.pulsar.proxy.server.P - Closed\n",
    ),
    ("a node, as zkCli prints it", "[zk: localhost:2181(CONNECTED) 0] get /loadbalance/leader\n{}\ncZxid = 0x1\n"),
    ("boundaries of bundles", '{"bundles": {"boundaries": ["0x00000000"], "numBundles": 0}, "deleted": false}'),
    ("a log of Redis", ">>> Performing Cluster Check (using node 10.0.0.1:6379)\n[OK] All nodes agree.\n"),
    ("a log of Redis", "22414:M 11 Oct 2022 01:21:30.385 # Setting it to importing state.\n"),
    ("a nodes.conf of Redis", f"{'a' * 40} 10.0.0.1:6379@16379 myself,master - 0 0 1 connected 0-99\n"),
    ("a log of Kafka", "[2024-01-01 10:00:00,123] INFO [KafkaServer id=0] started (kafka.server.KafkaServer)\n"),
    (
        "a log of BookKeeper",
        "2026-01-02T03:04:05,678+0000 [main] INFO  org.apache.bookkeeper.bookie.Bookie - Started\n",
    ),
    ("a log of ZooKeeper", "2026-01-02T03:04:05,678+0000 [m] INFO  org.apache.zookeeper.server.Server - Started\n"),
    ("a log of Elasticsearch", "[2026-01-02T03:04:05,678][INFO ][o.e.c.r.a.AllocationService] [n] Cluster health\n"),
    ("a log of no known product", "2026-01-02 03:04:05 INFO nginx: started\n2026-01-02 03:04:06 INFO nginx: ready\n"),
    (
        "a stack trace",
        "java.lang.IllegalStateException: x\n\tat org.apache.pulsar.broker.B.c(B.java:1)\nCaused by: y\n",
    ),
    ("metrics in Prometheus' format", '# TYPE a gauge\na{broker="b1"} 1.0\n'),
    ("metrics in Prometheus' format", 'brk_lb_cpu_usage{cluster="c",broker="b1"} 26.1\nup 1\n'),
    ("a ConfigMap", 'apiVersion: v1\ndata:\n  loadBalancerEnabled: "true"\nkind: ConfigMap\n'),
    ("an environment of a pod", "spec:\n  env:\n  - name: PULSAR_PREFIX_loadBalancerEnabled\n    value: 'true'\n"),
    ("Helm values", "broker:\n  configData:\n    loadBalancerEnabled: 'true'\n"),
    ("an environment", "HOME=/root\nPULSAR_PREFIX_loadBalancerEnabled=true\n"),
    ("a command line", "docker run -e PULSAR_PREFIX_loadBalancerEnabled=true apachepulsar/pulsar bin/pulsar broker\n"),
    ("a command line", "helm install p apache/pulsar --set broker.configData.loadBalancerEnabled=true"),
    ("a broker.conf", "loadBalancerEnabled : true\n"),
    ("a broker.conf", "# Enable it\nloadBalancerEnabled=true\n"),
    ("a broker.conf", "loadBalancerEnabled: true\nloadBalancerBrokerMaxTopics: 7\n"),
    ("a scenario", "family: transfer\nsteps:\n  - assign(broker=1)\n"),
    ("a snapshot of loads", "brokers:\n  - {id: b1, load: 0.1}\n"),
    ("a manifest of a recording", "brokers:\n- id: b1:8080\nconfig_overrides: {}\n"),
)
