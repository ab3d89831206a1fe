package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl;
import org.apache.pulsar.metadata.api.coordination.ResourceLock;
import org.apache.pulsar.metadata.api.extended.SessionEvent;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;
import org.apache.pulsar.policies.data.loadbalancer.ResourceUsage;
import org.apache.pulsar.policies.data.loadbalancer.SystemResourceUsage;
import org.objenesis.ObjenesisStd;

/** When a broker of the modular load manager writes its load; what it measures is told by the line. */
public class ReportsOracle {
    static class Manager extends ModularLoadManagerImpl {
        JsonNode report;
        LocalBrokerData local;

        @Override
        public LocalBrokerData updateLocalBrokerData() {
            Map<String, NamespaceBundleStats> stats = new LinkedHashMap<>();
            for (int number = 0; number < report.get("bundles").asInt(); number++) {
                NamespaceBundleStats told = Rows.stats(report);
                stats.put("t/n/" + number, number == 0 ? told : new NamespaceBundleStats());
            }
            local.update(usage(report), stats);
            return local;
        }
    }

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("report_modular", ReportsOracle::report));
    }

    static void report(JsonNode row, ObjectNode answer) throws Exception {
        Manager manager = new ObjenesisStd().newInstance(Manager.class);
        List<Object> pushed = new ArrayList<>();
        manager.local = new LocalBrokerData();
        set(manager, "localData", manager.local);
        set(manager, "lastData", new LocalBrokerData());
        set(manager, "conf", configuration(row));
        set(manager, "lock", new ReentrantLock());
        set(manager, "brokerDataLock", Proxy.newProxyInstance(ReportsOracle.class.getClassLoader(),
                new Class<?>[] {ResourceLock.class}, (self, method, call) -> {
                    pushed.add(call[0]);
                    return CompletableFuture.completedFuture(null);
                }));
        ArrayNode loads = answer.putArray("loads");
        for (JsonNode step : row.get("steps")) {
            pushed.clear();
            manager.report = step.get("report");
            manager.local.setLastUpdate(manager.local.getLastUpdate() - step.get("after_s").asLong() * 1000);
            set(manager, "lastMetadataSessionEvent",
                    step.get("connected").asBoolean() ? SessionEvent.Reconnected : SessionEvent.ConnectionLost);
            manager.writeBrokerDataOnZooKeeper(step.get("force").asBoolean());
            loads.add(pushed.isEmpty() ? null : "pushed");
        }
    }

    static SystemResourceUsage usage(JsonNode told) {
        SystemResourceUsage usage = new SystemResourceUsage();
        usage.setCpu(usage(told, "cpu"));
        usage.setMemory(usage(told, "memory"));
        usage.setDirectMemory(usage(told, "directMemory"));
        usage.setBandwidthIn(usage(told, "bandwidthIn"));
        usage.setBandwidthOut(usage(told, "bandwidthOut"));
        return usage;
    }

    static ResourceUsage usage(JsonNode told, String name) {
        JsonNode pair = told.get(name);
        return pair == null ? new ResourceUsage() : new ResourceUsage(pair.get(0).asDouble(), pair.get(1).asDouble());
    }
}
