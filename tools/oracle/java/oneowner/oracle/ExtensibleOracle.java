package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.strategy.LeastResourceUsageWithWeight;
import org.apache.pulsar.policies.data.loadbalancer.ResourceUsage;
import org.apache.pulsar.policies.data.loadbalancer.SystemResourceUsage;

/** Load data and placement of the extensible load manager. */
public class ExtensibleOracle {
    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("least_usage_extensible", ExtensibleOracle::leastUsage,
                "broker_load", ExtensibleOracle::brokerLoad));
    }

    static void leastUsage(JsonNode row, ObjectNode answer) throws Exception {
        Map<String, BrokerLoadData> loads = new LinkedHashMap<>();
        var fields = row.get("loads").fields();
        while (fields.hasNext()) {
            var entry = fields.next();
            BrokerLoadData data = new BrokerLoadData();
            set(data, "weightedMaxEMA", entry.getValue().asDouble());
            loads.put(entry.getKey(), data);
        }
        LeastResourceUsageWithWeight strategy = new LeastResourceUsageWithWeight();
        strategy.select(texts(row.get("candidates")), null,
                ExtensibleContext.of(configuration(row), loads, new HashMap<>(), new HashMap<>()));
        ArrayNode admissible = answer.putArray("admissible");
        ((List<?>) ((ThreadLocal<?>) get(strategy, "bestBrokers")).get()).forEach(
                one -> admissible.add(one.toString()));
    }

    static void brokerLoad(JsonNode row, ObjectNode answer) throws Exception {
        ServiceConfiguration conf = configuration(row);
        BrokerLoadData data = new BrokerLoadData();
        ArrayNode features = answer.putArray("features");
        for (JsonNode told : row.get("reports")) {
            SystemResourceUsage usage = new SystemResourceUsage();
            usage.setCpu(usage(told, "cpu"));
            usage.setMemory(usage(told, "memory"));
            usage.setDirectMemory(usage(told, "directMemory"));
            usage.setBandwidthIn(usage(told, "bandwidthIn"));
            usage.setBandwidthOut(usage(told, "bandwidthOut"));
            data.update(usage, told.path("msgThroughputIn").asDouble(), told.path("msgThroughputOut").asDouble(),
                    0, 0, 0, 0, conf);
            features.addObject().put("maxResourceUsage", data.getMaxResourceUsage())
                    .put("weightedMaxEMA", data.getWeightedMaxEMA())
                    .put("msgThroughputEMA", data.getMsgThroughputEMA());
        }
    }

    static ResourceUsage usage(JsonNode told, String name) {
        JsonNode pair = told.get(name);
        return pair == null ? new ResourceUsage() : new ResourceUsage(pair.get(0).asDouble(), pair.get(1).asDouble());
    }
}
