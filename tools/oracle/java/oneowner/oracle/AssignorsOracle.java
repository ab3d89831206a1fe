package oneowner.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.processor.TaskId;

/**
 * Asks the assignors of Kafka Streams, of any release: by reflection, since clients are named by UUID or by ProcessId,
 * settings and the constructor of ClientState have more and more parameters, and racks came later.
 */
public class AssignorsOracle {
    private static final String HOME = "org.apache.kafka.streams.processor.internals.assignment.";
    private static final Map<String, List<String>> ASSIGNORS = Map.of(
            "high_availability", List.of("HighAvailabilityTaskAssignor"),
            "sticky", List.of("LegacyStickyTaskAssignor", "StickyTaskAssignor"),
            "fallback", List.of("FallbackPriorTaskAssignor"));

    public static void main(String[] args) throws Exception {
        Lines.answer(Map.of("assignors", AssignorsOracle::single, "series", AssignorsOracle::series));
    }

    /** Makes the RackAwareTaskAssignor of releases that have one. */
    interface RackAware {
        Object assignor(Class<?> type, JsonNode row, Set<TaskId> all, Map<Object, String> racks, Object config)
                throws Exception;
    }

    static RackAware racks = AssignorsOracle::noRacks;

    static void single(JsonNode row, ObjectNode answer) throws Exception {
        for (JsonNode name : row.get("assignors")) {
            Map<Integer, Member> members = new LinkedHashMap<>();
            row.get("clients").forEach(told -> members.put(told.get("id").asInt(), new Member(told)));
            answer.set(name.asText(), assignment(name.asText(), row, members));
        }
    }

    /** Follows members through rebalances, as TaskAssignorConvergenceTest does. */
    private static void series(JsonNode row, ObjectNode answer) throws Exception {
        ArrayNode rounds = answer.putArray("rounds");
        String name = row.get("assignors").get(0).asText();
        Map<Integer, Member> members = new TreeMap<>();
        Map<Integer, Member> left = new HashMap<>();
        row.get("clients").forEach(told -> members.put(told.get("id").asInt(), new Member(told)));
        List<JsonNode> events = new ArrayList<>();
        events.add(Lines.JSON.createObjectNode());
        row.get("rounds").forEach(events::add);
        for (JsonNode event : events) {
            event.path("leave").forEach(id -> left.put(id.asInt(), members.remove(id.asInt())));
            for (JsonNode told : event.path("join")) {
                int id = told.isObject() ? told.get("id").asInt() : told.asInt();
                members.put(id, left.containsKey(id) ? left.get(id) : new Member(told, row));
            }
            boolean probing = true;
            for (int count = 0; probing && count < row.get("budget").asInt(); count++) {
                ObjectNode found = assignment(name, row, members);
                rounds.add(found);
                probing = found.get("probing").asBoolean();
                for (Map.Entry<Integer, Member> entry : members.entrySet()) {
                    entry.getValue().catchUp(found.get("clients").get(entry.getKey().toString()), row);
                }
            }
        }
    }

    /** What is told of a client. */
    private static class Member {
        final Map<TaskId, Long> lags = new TreeMap<>();
        final Set<TaskId> active = new TreeSet<>();
        final Set<TaskId> standby = new TreeSet<>();
        final Map<String, String> tags = new LinkedHashMap<>();
        final int capacity;
        String rack;

        Member(JsonNode told) {
            told.get("lags").fields().forEachRemaining(lag -> lags.put(task(lag.getKey()), lag.getValue().asLong()));
            told.path("previous_active").forEach(task -> active.add(task(task.asText())));
            told.path("previous_standby").forEach(task -> standby.add(task(task.asText())));
            told.path("tags").fields().forEachRemaining(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
            capacity = told.get("capacity").asInt();
            rack = told.path("rack").asText(null);
        }

        /** A member that was never there. */
        Member(JsonNode told, JsonNode row) {
            row.get("stateful").forEach(task -> lags.put(task(task.asText()), row.get("end").asLong()));
            capacity = told.path("capacity").asInt(1);
        }

        void catchUp(JsonNode given, JsonNode row) {
            active.clear();
            standby.clear();
            given.get("active").forEach(task -> active.add(task(task.asText())));
            given.get("standby").forEach(task -> standby.add(task(task.asText())));
            lags.replaceAll((task, lag) -> active.contains(task) || standby.contains(task) ? 0 : row.get("end").asLong());
        }
    }

    private static ObjectNode assignment(String name, JsonNode row, Map<Integer, Member> members) throws Exception {
        ObjectNode answer = Lines.JSON.createObjectNode();
        try {
            Object assignor = assignor(name);
            Method assign = Arrays.stream(assignor.getClass().getMethods())
                    .filter(method -> method.getName().equals("assign") && !method.isBridge()).findFirst().get();
            Map<Object, Object> clients = new LinkedHashMap<>();
            Map<Object, String> racksOf = new LinkedHashMap<>();
            for (Map.Entry<Integer, Member> entry : members.entrySet()) {
                Object id = id(new UUID(0, entry.getKey()), assign);
                clients.put(id, client(id, entry.getValue()));
                racksOf.put(id, entry.getValue().rack);
            }
            Set<TaskId> stateful = tasks(row.get("stateful"));
            Set<TaskId> all = new LinkedHashSet<>(stateful);
            all.addAll(tasks(row.get("stateless")));
            Class<?>[] types = assign.getParameterTypes();
            Object config = config(types[types.length - 1], row.get("config"));
            boolean probing = (boolean) (types.length == 4 ? assign.invoke(assignor, clients, all, stateful, config)
                    : assign.invoke(assignor, clients, all, stateful,
                            racks.assignor(types[3], row, all, racksOf, config), config));
            answer.put("probing", probing);
            ObjectNode given = answer.putObject("clients");
            for (Object client : clients.values()) {
                Object id = new ArrayList<>(members.keySet()).get(given.size());
                ObjectNode one = given.putObject(id.toString());
                list(one.putArray("active"), client, "activeTasks");
                list(one.putArray("standby"), client, "standbyTasks");
            }
        } catch (InvocationTargetException thrown) {
            answer.removeAll();
            answer.put("error", thrown.getCause().toString());
        }
        return answer;
    }

    private static void list(ArrayNode told, Object client, String method) throws Exception {
        Method tasks = client.getClass().getMethod(method);
        tasks.setAccessible(true);
        new TreeSet<>((Collection<TaskId>) tasks.invoke(client)).forEach(task -> told.add(task.toString()));
    }

    private static Object assignor(String name) throws Exception {
        for (String type : ASSIGNORS.get(name)) {
            try {
                return Class.forName(HOME + type).getConstructor().newInstance();
            } catch (ClassNotFoundException goOn) {
                // it had another name
            }
        }
        throw new ClassNotFoundException(name);
    }

    /** Clients are named by UUID, from 3.8 on by ProcessId. */
    private static Object id(UUID uuid, Method assign) throws Exception {
        if (!assign.getGenericParameterTypes()[0].getTypeName().contains("ProcessId")) {
            return uuid;
        }
        Class<?> type = Class.forName("org.apache.kafka.streams.processor.assignment.ProcessId");
        return type.getConstructor(UUID.class).newInstance(uuid);
    }

    /** The widest constructor with what was before and the lags. */
    private static Object client(Object id, Member member) throws Exception {
        Constructor<?> widest = Arrays.stream(Class.forName(HOME + "ClientState").getConstructors())
                .filter(one -> one.getParameterCount() >= 4 && one.getParameterTypes()[0] == Set.class)
                .filter(one -> one.getParameterTypes()[2] == Map.class && one.getParameterCount() <= 6)
                .max(Comparator.comparing(Constructor::getParameterCount)).get();
        List<Object> given = new ArrayList<>(List.of(member.active, member.standby, member.lags));
        if (widest.getParameterCount() > 4) {
            given.add(member.tags);
        }
        given.add(member.capacity);
        if (widest.getParameterCount() > 5) {
            given.add(id);
        }
        return widest.newInstance(given.toArray());
    }

    /** The widest constructor but that from StreamsConfig; of two, the one that may leave costs open. */
    private static Object config(Class<?> type, JsonNode told) throws Exception {
        Constructor<?> widest = Arrays.stream(type.getDeclaredConstructors())
                .filter(one -> one.getParameterCount() >= 4)
                .filter(one -> one.getParameterCount() < 6 || one.getParameterTypes()[5] != int.class)
                .max(Comparator.comparing(Constructor::getParameterCount)).get();
        widest.setAccessible(true);
        List<String> tags = new ArrayList<>();
        told.path("rack.aware.assignment.tags").forEach(tag -> tags.add(tag.asText()));
        List<Object> given = new ArrayList<>(Arrays.asList(
                told.path("acceptable.recovery.lag").asLong(10_000), told.path("max.warmup.replicas").asInt(2),
                told.path("num.standby.replicas").asInt(0), 600_000L, tags));
        List<Object> all = given.subList(0, Math.min(5, widest.getParameterCount()));
        List<String> costs = new ArrayList<>(
                List.of("rack.aware.assignment.traffic_cost", "rack.aware.assignment.non_overlap_cost"));
        for (Parameter more : Arrays.asList(widest.getParameters()).subList(all.size(), widest.getParameterCount())) {
            if (more.getType() == String.class) {
                all.add(told.path("rack.aware.assignment.strategy").asText("none"));
            } else {
                JsonNode cost = told.path(costs.remove(0));
                all.add(more.getType() != OptionalInt.class ? (cost.isInt() ? (Object) cost.asInt() : null)
                        : cost.isInt() ? OptionalInt.of(cost.asInt()) : OptionalInt.empty());
            }
        }
        return widest.newInstance(all.toArray());
    }

    /** If nothing is told of racks, the strategy is none: it is asked whether it is enabled, and says no. */
    private static Object noRacks(
            Class<?> type, JsonNode row, Set<TaskId> all, Map<Object, String> racks, Object config) throws Exception {
        return type.getConstructors()[0].newInstance(
                null, Map.of(), Map.of(), Map.of(), Map.of(), null, config, Time.SYSTEM);
    }

    private static Set<TaskId> tasks(JsonNode told) {
        Set<TaskId> found = new LinkedHashSet<>();
        told.forEach(one -> found.add(task(one.asText())));
        return found;
    }

    static TaskId task(String text) {
        String[] parts = text.split("_");
        return new TaskId(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }
}
