package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.mocked;
import static oneowner.oracle.Rows.set;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.LoadData;
import org.apache.pulsar.broker.loadbalance.impl.BundleSplitterTask;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;
import org.objenesis.ObjenesisStd;

/** Which bundles the leader of the modular load manager splits; the number of bundles is told by the line. */
public class ModularSplitOracle {
    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("split_trigger_modular", ModularSplitOracle::split));
    }

    /** No mock: Mockito would look at every method, and some name classes of third parties that are not there. */
    static class Pulsar extends PulsarService {
        ServiceConfiguration conf;
        NamespaceService namespaces;

        Pulsar() {
            super(null);
        }

        @Override
        public ServiceConfiguration getConfiguration() {
            return conf;
        }

        @Override
        public NamespaceService getNamespaceService() {
            return namespaces;
        }
    }

    /** A class that moved in 3.0; the old name first, for the new one may be found in another release's jars. */
    static Class<?> data(String name) throws Exception {
        try {
            return Class.forName("org.apache.pulsar.broker." + name);
        } catch (ClassNotFoundException moved) {
            return Class.forName("org.apache.pulsar.policies.data.loadbalancer." + name);
        }
    }

    static void split(JsonNode row, ObjectNode answer) throws Exception {
        Pulsar pulsar = new ObjenesisStd().newInstance(Pulsar.class);
        NamespaceService namespaces = mocked(NamespaceService.class);
        pulsar.conf = configuration(row);
        pulsar.namespaces = namespaces;
        when(namespaces.getBundleCount(any())).thenAnswer(
                call -> count(row, (NamespaceName) call.getArgument(0)));
        LoadData known = new LoadData();
        Map<String, Object> brokers = new LinkedHashMap<>();
        for (JsonNode broker : row.get("brokers")) {
            Map<String, NamespaceBundleStats> stats = new LinkedHashMap<>();
            broker.get("stats").forEach(one -> stats.put(one.get("name").asText(), Rows.stats(one)));
            LocalBrokerData local = new LocalBrokerData();
            local.setLastStats(stats);
            brokers.put(broker.get("id").asText(),
                    data("BrokerData").getConstructor(LocalBrokerData.class).newInstance(local));
        }
        Map<String, Object> bundles = new LinkedHashMap<>();
        for (JsonNode bundle : row.path("bundles")) {
            Object average = data("TimeAverageMessageData").getConstructor().newInstance();
            for (String field : new String[] {"msgRateIn", "msgRateOut", "msgThroughputIn", "msgThroughputOut"}) {
                set(average, field, bundle.path("longTerm").path(field).asDouble(0));
            }
            Object told = data("BundleData").getConstructor().newInstance();
            set(told, "longTermData", average);
            bundles.put(bundle.get("name").asText(), told);
        }
        set(known, "brokerData", brokers);
        set(known, "bundleData", bundles);
        Object found = BundleSplitterTask.class.getMethod("findBundlesToSplit", LoadData.class, PulsarService.class)
                .invoke(new BundleSplitterTask(), known, pulsar);
        Map<String, String> split = new TreeMap<>();
        if (found instanceof Map<?, ?> byBundle) {
            byBundle.forEach((bundle, broker) -> split.put((String) bundle, (String) broker));
        } else {
            ((Set<?>) found).forEach(bundle -> split.put((String) bundle, null));
        }
        ObjectNode names = answer.putObject("split");
        split.forEach(names::put);
    }

    /** How many bundles the line says that a namespace has. */
    static int count(JsonNode told, NamespaceName namespace) {
        JsonNode count = told.path("bundle_counts").get(namespace.toString());
        if (count == null) {
            throw new IllegalStateException("the count cannot be had");
        }
        return count.asInt();
    }
}
