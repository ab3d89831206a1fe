package oneowner.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.coordinator.group.streams.CurrentAssignmentBuilder;
import org.apache.kafka.coordinator.group.streams.MemberState;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.TasksTuple;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentMemberSpec;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;
import org.apache.kafka.coordinator.group.streams.assignor.TopologyDescriber;

/** Asks the broker's side of KIP-1071: its assignor, and how it leads a member to what the assignor answered. */
public class StreamsGroupOracle {
    public static void main(String[] args) throws Exception {
        Lines.answer(Map.of("reconcile", StreamsGroupOracle::reconcile, "sticky", StreamsGroupOracle::sticky));
    }

    private static void reconcile(JsonNode row, ObjectNode answer) {
        JsonNode told = row.get("member");
        StreamsGroupMember member = new StreamsGroupMember.Builder("m")
                .setMemberEpoch(told.get("epoch").asInt()).setPreviousMemberEpoch(0)
                .setState(MemberState.valueOf(told.get("state").asText()))
                .setProcessId(told.get("process").asText())
                .setAssignedTasks(tuple(told.get("assigned"))).setTasksPendingRevocation(tuple(told.get("pending")))
                .setInstanceId(null).setRackId(null).setClientId("c").setClientHost("h").setRebalanceTimeoutMs(1)
                .setTopologyEpoch(0).setUserEndpoint(null).setClientTags(Map.of()).build();
        JsonNode holders = row.get("holders");
        StreamsGroupMember next = new CurrentAssignmentBuilder(member)
                .withTargetAssignment(row.get("target").get("epoch").asInt(), tuple(row.get("target")))
                .withCurrentActiveTaskProcessId((name, number) ->
                        holders.path("active").path(name + "_" + number).asText(null))
                .withCurrentStandbyTaskProcessIds((name, number) -> processes(holders.path("standby"), name, number))
                .withCurrentWarmupTaskProcessIds((name, number) -> processes(holders.path("warmup"), name, number))
                .withOwnedAssignment(row.get("owned").isNull() ? null : tuple(row.get("owned")))
                .build();
        answer.put("state", next.state().name());
        answer.put("epoch", next.memberEpoch());
        list(answer.putObject("assigned"), next.assignedTasks());
        list(answer.putObject("pending"), next.tasksPendingRevocation());
    }

    private static void sticky(JsonNode row, ObjectNode answer) {
        Map<String, AssignmentMemberSpec> members = new LinkedHashMap<>();
        for (JsonNode one : row.get("members")) {
            members.put(one.get("id").asText(), new AssignmentMemberSpec(Optional.empty(), Optional.empty(),
                    tasks(one.path("active")), tasks(one.path("standby")), Map.of(), one.get("process").asText(),
                    Map.of(), Map.of(), Map.of()));
        }
        JsonNode subtopologies = row.get("subtopologies");
        TopologyDescriber topology = new TopologyDescriber() {
            @Override
            public List<String> subtopologies() {
                List<String> found = new ArrayList<>();
                subtopologies.fieldNames().forEachRemaining(found::add);
                return found;
            }

            @Override
            public int maxNumInputPartitions(String name) {
                return subtopologies.get(name).get("partitions").asInt();
            }

            @Override
            public boolean isStateful(String name) {
                return subtopologies.get(name).get("stateful").asBoolean();
            }
        };
        Map<String, String> config = Map.of("num.standby.replicas", row.get("num.standby.replicas").asText());
        Map<String, MemberAssignment> given = new StickyTaskAssignor()
                .assign(new GroupSpecImpl(members, config), topology).members();
        ObjectNode all = answer.putObject("members");
        for (String id : members.keySet()) {
            ObjectNode one = all.putObject(id);
            list(one.putObject("active"), given.get(id).activeTasks());
            list(one.putObject("standby"), given.get(id).standbyTasks());
        }
    }

    private static Set<String> processes(JsonNode holders, String name, int number) {
        Set<String> found = new HashSet<>();
        holders.path(name + "_" + number).forEach(one -> found.add(one.asText()));
        return found;
    }

    private static TasksTuple tuple(JsonNode told) {
        return new TasksTuple(tasks(told.path("active")), tasks(told.path("standby")), tasks(told.path("warmup")));
    }

    private static Map<String, Set<Integer>> tasks(JsonNode told) {
        Map<String, Set<Integer>> found = new HashMap<>();
        told.fields().forEachRemaining(entry -> {
            Set<Integer> numbers = found.computeIfAbsent(entry.getKey(), name -> new HashSet<>());
            entry.getValue().forEach(number -> numbers.add(number.asInt()));
        });
        return found;
    }

    private static void list(ObjectNode answer, TasksTuple tasks) {
        list(answer.putObject("active"), tasks.activeTasks());
        list(answer.putObject("standby"), tasks.standbyTasks());
        list(answer.putObject("warmup"), tasks.warmupTasks());
    }

    private static void list(ObjectNode answer, Map<String, Set<Integer>> tasks) {
        new TreeMap<>(tasks).forEach((name, numbers) -> {
            ArrayNode told = answer.putArray(name);
            new TreeSet<>(numbers).forEach(told::add);
        });
    }
}
