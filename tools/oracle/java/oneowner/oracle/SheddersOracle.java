package oneowner.oracle;

import static oneowner.oracle.Rows.JSON;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.LoadData;
import org.apache.pulsar.broker.loadbalance.LoadSheddingStrategy;

/** The shedders of the modular load manager, in cycles. The orders of all maps are told with the answers. */
public class SheddersOracle {
    static final Map<String, String> CLASSES = Map.of("overload", "OverloadShedder", "threshold", "ThresholdShedder",
            "uniform", "UniformLoadShedder", "avg", "AvgShedder");

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("overload", SheddersOracle::shed, "threshold", SheddersOracle::shed,
                "uniform", SheddersOracle::shed, "avg", SheddersOracle::shed));
    }

    static void shed(JsonNode row, ObjectNode answer) throws Exception {
        ServiceConfiguration conf = configuration(row);
        LoadSheddingStrategy shedder = (LoadSheddingStrategy) Class.forName("org.apache.pulsar.broker.loadbalance.impl."
                + CLASSES.get(row.get("algorithm").asText())).getConstructor().newInstance();
        ArrayNode cycles = answer.putArray("cycles");
        for (JsonNode told : row.get("cycles")) {
            LoadData loads = ModularLoads.of(told);
            if (told.has("active")) {
                activate(shedder, texts(told.get("active")));
            }
            ObjectNode found = cycles.addObject();
            String thrown = null;
            try {
                ObjectNode unload = JSON.createObjectNode();
                shedder.findBundlesForUnloading(loads, conf).asMap().forEach(
                        (broker, bundles) -> bundles.forEach(unload.withArray(broker)::add));
                found.set("unload", unload);
            } catch (IllegalArgumentException exception) {
                found.put("error", exception.toString());
            }
            list(found, "broker_order", loads.getBrokerData().keySet());
            list(found, "bundle_order", forShedding(loads).keySet());
            remembered(shedder, loads, found);
        }
    }

    static void activate(LoadSheddingStrategy shedder, Set<String> brokers) throws Exception {
        try {
            shedder.getClass().getMethod("onActiveBrokersChange", Set.class).invoke(shedder, brokers);
        } catch (NoSuchMethodException none) {
            // old releases tell nobody
        }
    }

    static Map<String, ?> forShedding(LoadData loads) throws Exception {
        try {
            return (Map<String, ?>) LoadData.class.getMethod("getBundleDataForLoadShedding").invoke(loads);
        } catch (NoSuchMethodException none) {
            return loads.getBundleData();
        }
    }

    static void list(ObjectNode found, String name, Collection<String> names) {
        ArrayNode listed = found.putArray(name);
        names.forEach(listed::add);
    }

    /** What the shedder remembers: the maps that it has. */
    static void remembered(LoadSheddingStrategy shedder, LoadData loads, ObjectNode found) throws Exception {
        for (String name : new String[] {"brokerAvgResourceUsage", "brokerHitCountForHigh", "brokerHitCountForLow"}) {
            try {
                ((Map<?, ?>) get(shedder, name)).forEach((broker, value) ->
                        ((ObjectNode) found.withObject("/" + name)).put(broker.toString(), ((Number) value).doubleValue()));
                found.withObject("/" + name);
            } catch (NoSuchFieldException none) {
                // another shedder
            }
        }
        try {
            list(found, "score_order", ((Map<String, ?>) get(shedder, "brokerScoreMap")).keySet());
            Map<?, ?> plan = (Map<?, ?>) get(shedder, "bundleBrokerMap");
            ObjectNode planned = found.putObject("plan");
            loads.getBundleData().forEach((name, data) -> {
                if (plan.containsKey(data)) {
                    planned.put(name, plan.get(data).toString());
                }
            });
        } catch (NoSuchFieldException none) {
            // another shedder
        }
    }
}
