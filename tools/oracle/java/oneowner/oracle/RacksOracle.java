package oneowner.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.InternalTopicManager;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;

/**
 * Asks the assignors of releases that know racks. What a group's leader knows of them is as an input tells it: the i-th
 * partition of task 3_2 is partition 2 of the topic source-3-i; a changelog's is of changelog-3-i, which is described
 * when it is asked for.
 */
public class RacksOracle {
    private final Map<TaskId, Set<TopicPartition>> sources = new HashMap<>();
    private final Map<TaskId, Set<TopicPartition>> changelogs = new HashMap<>();
    private final Map<Subtopology, Set<TaskId>> subtopologies = new HashMap<>();
    private final Map<Object, Map<String, Optional<String>>> clients = new HashMap<>();
    private final List<PartitionInfo> partitions = new ArrayList<>();
    private final Map<String, List<TopicPartitionInfo>> described = new TreeMap<>();

    public static void main(String[] args) throws Exception {
        AssignorsOracle.racks =
                (type, row, all, racks, config) -> new RacksOracle(row, all, racks).assignor(type, config);
        Lines.answer(Map.of("racks", AssignorsOracle::single));
    }

    /** Describes the topics that it is told of, and connects to no cluster. */
    private static class Topics extends InternalTopicManager {
        private static final StreamsConfig CONFIG =
                new StreamsConfig(Map.of("application.id", "racks", "bootstrap.servers", "localhost:9092"));
        private final Map<String, List<TopicPartitionInfo>> known;

        Topics(Map<String, List<TopicPartitionInfo>> known) {
            super(Time.SYSTEM, null, CONFIG);
            this.known = known;
        }

        @Override
        public Map<String, List<TopicPartitionInfo>> getTopicPartitionInfo(Set<String> topics) {
            Map<String, List<TopicPartitionInfo>> found = new HashMap<>(known);
            found.keySet().retainAll(topics);
            return found;
        }
    }

    private RacksOracle(JsonNode row, Set<TaskId> all, Map<Object, String> racks) {
        racks.forEach((id, rack) -> clients.put(id, Map.of("consumer", Optional.ofNullable(rack))));
        for (TaskId task : all) {
            subtopologies.computeIfAbsent(new Subtopology(task.subtopology(), null), key -> new HashSet<>()).add(task);
        }
        row.path("racks").fields().forEachRemaining(told -> add("source", told, sources));
        row.path("changelog_racks").fields().forEachRemaining(told -> add("changelog", told, changelogs));
    }

    private void add(String kind, Map.Entry<String, JsonNode> told, Map<TaskId, Set<TopicPartition>> of) {
        TaskId task = AssignorsOracle.task(told.getKey());
        Set<TopicPartition> found = of.computeIfAbsent(task, key -> new HashSet<>());
        for (int place = 0; place < told.getValue().size(); place++) {
            String topic = kind + "-" + task.subtopology() + "-" + place;
            List<Node> replicas = new ArrayList<>();
            for (JsonNode rack : told.getValue().get(place)) {
                replicas.add(new Node(replicas.size(), "host", 1, rack.isNull() ? null : rack.asText()));
            }
            found.add(new TopicPartition(topic, task.partition()));
            described.computeIfAbsent(topic, key -> new ArrayList<>())
                    .add(new TopicPartitionInfo(task.partition(), null, replicas, List.of()));
            if (kind.equals("source")) {
                partitions.add(new PartitionInfo(topic, task.partition(), null, replicas.toArray(Node[]::new), null));
            }
        }
    }

    private Object assignor(Class<?> type, Object config) throws Exception {
        Cluster cluster = new Cluster("cluster", List.of(), partitions, Set.of(), Set.of());
        return type.getConstructors()[0].newInstance(cluster, sources, changelogs, subtopologies,
                new LinkedHashMap<>(clients), new Topics(described), config, Time.SYSTEM);
    }
}
