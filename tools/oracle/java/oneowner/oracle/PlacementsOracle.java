package oneowner.oracle;

import static oneowner.oracle.Calls.BALANCE;
import static oneowner.oracle.Calls.call;
import static oneowner.oracle.Calls.type;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pulsar.broker.ServiceConfiguration;

/** The placement strategies of the modular load manager, in cycles. Who may be drawn is read from their own lists. */
public class PlacementsOracle {
    static final Map<String, String> CLASSES = Map.of("least_long_term", "LeastLongTermMessageRate",
            "least_usage", "LeastResourceUsageWithWeight", "round_robin", "RoundRobinBrokerSelector");

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("least_long_term", PlacementsOracle::place, "least_usage", PlacementsOracle::place,
                "round_robin", PlacementsOracle::place, "avg_placement", PlacementsOracle::planned));
    }

    /** AvgShedder draws by a generator of its own: it is asked so often that it has drawn everyone whom it may draw. */
    static void planned(JsonNode row, ObjectNode answer) throws Exception {
        Object strategy = type(BALANCE + "impl.AvgShedder").getConstructor().newInstance();
        Map<String, Object> bundles = new HashMap<>();
        Map<Object, String> plan = new LinkedHashMap<>();
        for (JsonNode one : row.get("plan")) {
            bundles.put(one.get("name").asText(), ModularLoads.bundle(one));
            plan.put(bundles.get(one.get("name").asText()), one.get("broker").asText());
        }
        JsonNode asked = row.get("bundle");
        Object bundle = bundles.getOrDefault(asked.get("name").asText(), ModularLoads.bundle(asked));
        Map<Object, String> remembered = (Map<Object, String>) get(strategy, "bundleBrokerMap");
        Set<String> drawn = new TreeSet<>();
        try {
            for (int times = 0; times < 100; times++) {
                remembered.clear();
                remembered.putAll(plan);
                var chosen = (Optional<?>) call(strategy, "selectBroker", texts(row.get("candidates")), bundle, null,
                        null);
                if (!chosen.get().equals(remembered.get(bundle))) {
                    throw new IllegalStateException("it is not planned");
                }
                drawn.add((String) chosen.get());
            }
            drawn.forEach(answer.putArray("admissible")::add);
        } catch (ArithmeticException thrown) {
            answer.put("error", "ArithmeticException");
        }
    }

    static void place(JsonNode row, ObjectNode answer) throws Exception {
        ServiceConfiguration conf = configuration(row);
        var constructor = type(BALANCE + "impl." + CLASSES.get(row.get("algorithm").asText())).getConstructors()[0];
        Object strategy = constructor.getParameterCount() == 0
                ? constructor.newInstance() : constructor.newInstance(conf);
        ArrayNode cycles = answer.putArray("cycles");
        for (JsonNode told : row.get("cycles")) {
            if (told.has("active") && row.get("algorithm").asText().equals("least_usage")) {
                call(strategy, "onActiveBrokersChange", texts(told.get("active")));
            }
            ObjectNode found = cycles.addObject();
            try {
                Optional<?> chosen = (Optional<?>) call(strategy, "selectBroker", texts(told.get("candidates")), null,
                        ModularLoads.of(told), conf);
                if (row.get("algorithm").asText().equals("round_robin")) {
                    found.put("chosen", (String) chosen.orElse(null));
                } else {
                    ArrayNode admissible = found.putArray("admissible");
                    if (chosen.isPresent()) {
                        ((Collection<?>) get(strategy, "bestBrokers")).forEach(one -> admissible.add((String) one));
                    }
                }
            } catch (NullPointerException thrown) {
                found.put("error", "NullPointerException");
            }
            if (row.get("algorithm").asText().equals("least_usage")) {
                ObjectNode history = found.putObject("brokerAvgResourceUsageWithWeight");
                ((Map<?, ?>) get(strategy, "brokerAvgResourceUsageWithWeight")).forEach(
                        (name, usage) -> history.put((String) name, (double) usage));
            }
        }
    }
}
