package oneowner.oracle;

import static oneowner.oracle.Rows.JSON;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLookupData;
import org.apache.pulsar.broker.loadbalance.extensions.data.TopBundlesLoadData;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;
import org.apache.pulsar.policies.data.loadbalancer.TimeAverageBrokerData;

/** Load data as Pulsar writes it: to its topics, to its metadata store, and as answers to administrators. */
public class LoadJson {
    static final long NOW = 1795218467400L;

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("transfer", LoadJson::extensible, "threshold", LoadJson::modular));
    }

    /** As brokers answer administrators and write nodes. */
    static JsonNode mapped(Object value) throws Exception {
        return JSON.readTree(ObjectMapperFactory.getMapper().writer().writeValueAsString(value));
    }

    /** As a producer with this schema writes it. */
    static <T> JsonNode published(Class<T> type, T value) throws Exception {
        return JSON.readTree(new String(Schema.JSON(type).encode(value), StandardCharsets.UTF_8));
    }

    /** What a broker registers; its record has more components in later releases. */
    static BrokerLookupData lookup(String id) throws Exception {
        var constructor = BrokerLookupData.class.getConstructors()[0];
        Object[] values = new Object[constructor.getParameterCount()];
        var components = BrokerLookupData.class.getRecordComponents();
        for (int at = 0; at < values.length; at++) {
            Class<?> type = components[at].getType();
            String name = components[at].getName();
            values[at] = type == boolean.class ? (Object) true : type == long.class ? (Object) NOW
                    : type == Map.class ? Map.of() : name.equals("webServiceUrl") ? "http://" + id : null;
        }
        return (BrokerLookupData) constructor.newInstance(values);
    }

    static void extensible(JsonNode row, ObjectNode answer) throws Exception {
        JsonNode told = row.get("cycles").get(0);
        Map<String, Object> order = new ConcurrentHashMap<>();
        for (JsonNode broker : told.get("brokers")) {
            String id = broker.get("id").asText();
            order.put(id, id);
            BrokerLoadData data = new BrokerLoadData();
            set(data, "weightedMaxEMA", broker.get("load").asDouble());
            set(data, "msgThroughputEMA", broker.path("throughput_ema").asDouble(0));
            set(data, "msgThroughputIn", broker.path("throughput_in").asDouble(0));
            set(data, "msgThroughputOut", broker.path("throughput_out").asDouble(0));
            set(data, "updatedAt", NOW - broker.path("age_s").asLong(0) * 1000);
            data.setReportedAt(NOW);
            answer.withObject("/loadbalancer-broker-load-data").set(id, published(BrokerLoadData.class, data));
            answer.withObject("/metrics").set(id, mapped(data.toMetrics(id)));
            if (broker.path("available").asBoolean(true)) {
                answer.withObject("/brokers").set(id, mapped(lookup(id)));
            }
        }
        told.path("top_bundles").fields().forEachRemaining(entry -> {
            TopBundlesLoadData top = new TopBundlesLoadData();
            for (JsonNode one : entry.getValue()) {
                NamespaceBundleStats stats = new NamespaceBundleStats();
                stats.msgThroughputIn = one.get(1).asDouble();
                stats.msgThroughputOut = one.get(2).asDouble();
                top.getTopBundlesLoadData().add(new TopBundlesLoadData.BundleLoadData(one.get(0).asText(), stats));
            }
            try {
                answer.withObject("/loadbalancer-top-bundles-load-data").set(entry.getKey(),
                        published(TopBundlesLoadData.class, top));
            } catch (Exception thrown) {
                throw new IllegalStateException(thrown);
            }
        });
        order.keySet().forEach(answer.putArray("order")::add);
    }

    @SuppressWarnings("unchecked")
    static void modular(JsonNode row, ObjectNode answer) throws Exception {
        JsonNode told = row.get("cycles").get(0);
        Map<String, Object> brokers = new ConcurrentHashMap<>();
        Map<String, Object> bundles = new ConcurrentHashMap<>();
        for (JsonNode bundle : told.path("bundles")) {
            bundles.put(bundle.get("name").asText(), ModularLoads.bundle(bundle));
        }
        for (JsonNode broker : told.get("brokers")) {
            String id = broker.get("id").asText();
            LocalBrokerData local = (LocalBrokerData) Rows.get(ModularLoads.broker(broker), "localData");
            set(local, "webServiceUrl", "http://" + id);
            set(local, "pulsarServiceUrl", "pulsar://" + id);
            set(local, "loadManagerClassName", "org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl");
            Map<String, NamespaceBundleStats> stats = new TreeMap<>();
            for (JsonNode bundle : told.path("bundles")) {
                if (texts(broker.get("bundles")).contains(bundle.get("name").asText())) {
                    stats.put(bundle.get("name").asText(), Rows.stats(bundle.path("shortTerm")));
                }
            }
            local.setLastStats(stats);
            local.setLastUpdate(NOW);
            set(local, "startTimestamp", NOW);
            brokers.put(id, mapped(local));
            TimeAverageBrokerData average = new TimeAverageBrokerData();
            average.setLongTermMsgRateIn(broker.path("msgRateIn").asDouble(0));
            answer.withObject("/broker-time-average").set(id, mapped(average));
        }
        brokers.forEach((id, data) -> answer.withObject("/brokers").set(id, (JsonNode) data));
        for (var bundle : bundles.entrySet()) {
            answer.withObject("/bundle-data").set(bundle.getKey(), mapped(bundle.getValue()));
        }
    }
}
