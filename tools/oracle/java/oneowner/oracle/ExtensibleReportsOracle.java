package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitState;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.data.TopBundlesLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.models.TopKBundles;
import org.apache.pulsar.broker.loadbalance.extensions.reporter.BrokerLoadDataReporter;
import org.apache.pulsar.broker.loadbalance.extensions.reporter.TopBundleLoadDataReporter;
import org.apache.pulsar.broker.loadbalance.extensions.store.LoadDataStore;
import org.objenesis.ObjenesisStd;

/** The two reporters of the extensible load manager, in steps; what they measure is told by the line. */
public class ExtensibleReportsOracle {
    static JsonNode step;
    static ServiceConfiguration conf;
    static String done;

    static class Loads extends BrokerLoadDataReporter {
        Loads() {
            super(null, null, null);
        }

        @Override
        public BrokerLoadData generateLoadData() {
            JsonNode told = step.get("report");
            getLocalData().update(ReportsOracle.usage(told), told.get("msgThroughputIn").asDouble(),
                    told.get("msgThroughputOut").asDouble(), told.get("msgRateIn").asDouble(),
                    told.get("msgRateOut").asDouble(), told.get("bundles").asInt(), 0, conf);
            return getLocalData();
        }
    }

    static class Tops extends TopBundleLoadDataReporter {
        Tops() {
            super(null, null, null);
        }

        @Override
        public TopBundlesLoadData generateLoadData() {
            return step.get("newer").asBoolean() ? new TopBundlesLoadData() : null;
        }
    }

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("report_extensible", ExtensibleReportsOracle::report));
    }

    static Object store() {
        return Proxy.newProxyInstance(ExtensibleReportsOracle.class.getClassLoader(), new Class<?>[] {LoadDataStore.class},
                (self, method, call) -> {
                    done = method.getName().equals("pushAsync") ? "pushed" : "removed";
                    return step.get("fails").asBoolean()
                            ? CompletableFuture.failedFuture(new IllegalStateException("the store fails"))
                            : CompletableFuture.completedFuture(null);
                });
    }

    static void report(JsonNode row, ObjectNode answer) throws Exception {
        conf = configuration(row);
        PoliciesOracle.asked = row;
        Loads loads = new ObjenesisStd().newInstance(Loads.class);
        set(loads, "conf", conf);
        set(loads, "brokerId", "b1");
        set(loads, "brokerLoadDataStore", store());
        set(loads, "localData", new BrokerLoadData());
        set(loads, "lastData", new BrokerLoadData());
        set(loads, "tombstoneDelayInMillis", 10_000L);
        Tops tops = new ObjenesisStd().newInstance(Tops.class);
        set(tops, "pulsar", PoliciesOracle.PULSAR);
        set(tops, "brokerId", "b1");
        set(tops, "bundleLoadDataStore", store());
        set(tops, "topKBundles", Rows.mocked(TopKBundles.class));
        set(tops, "tombstoneDelayInMillis", 10_000L);
        ArrayNode ofLoads = answer.putArray("loads");
        ArrayNode ofTops = answer.putArray("tops");
        for (JsonNode one : row.get("steps")) {
            step = one;
            long after = one.get("after_s").asLong() * 1000;
            BrokerLoadData local = loads.getLocalData();
            if (local.getReportedAt() > 0) {
                local.setReportedAt(local.getReportedAt() - after);
            }
            for (Object reporter : new Object[] {loads, tops}) {
                Class<?> type = reporter.getClass().getSuperclass();
                var field = type.getDeclaredField("lastTombstonedAt");
                field.setAccessible(true);
                field.setLong(reporter, Math.max(0, field.getLong(reporter) - after));
            }
            done = null;
            if (one.has("report")) {
                loads.reportAsync(one.get("force").asBoolean());
                ofLoads.add(done);
                done = null;
                tops.reportAsync(one.get("force").asBoolean());
            } else {
                loads.handleEvent("t/n/0", record(one.get("event")), thrown(one.get("event")));
                ofLoads.add(done);
                done = null;
                tops.handleEvent("t/n/0", record(one.get("event")), thrown(one.get("event")));
            }
            ofTops.add(done);
        }
    }

    static ServiceUnitStateData record(JsonNode event) {
        ServiceUnitState state = ServiceUnitState.valueOf(event.get("state").asText());
        return state == ServiceUnitState.Init ? null : new ServiceUnitStateData(state,
                event.get("destination").asText(), event.get("source").asText(), 1);
    }

    static Throwable thrown(JsonNode event) {
        return event.get("error").asBoolean() ? new IllegalStateException("told") : null;
    }
}
