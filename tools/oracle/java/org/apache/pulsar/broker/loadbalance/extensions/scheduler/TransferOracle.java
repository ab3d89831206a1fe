package org.apache.pulsar.broker.loadbalance.extensions.scheduler;

import static oneowner.oracle.Rows.JSON;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import oneowner.oracle.ExtensibleContext;
import oneowner.oracle.Rows;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContext;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannel;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLookupData;
import org.apache.pulsar.broker.loadbalance.extensions.data.TopBundlesLoadData;
import org.apache.pulsar.broker.loadbalance.extensions.filter.BrokerFilter;
import org.apache.pulsar.broker.loadbalance.extensions.models.UnloadCounter;
import org.apache.pulsar.broker.loadbalance.extensions.models.UnloadDecision;
import org.apache.pulsar.broker.loadbalance.extensions.policies.AntiAffinityGroupPolicyHelper;
import org.apache.pulsar.broker.loadbalance.extensions.policies.IsolationPoliciesHelper;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.naming.ServiceUnitId;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;
import org.mockito.MockMakers;
import org.mockito.Mockito;

/** TransferShedder in cycles; what it asks of others is told by the line. */
public class TransferOracle {
    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("transfer", TransferOracle::transfer));
    }

    static BrokerLoadData load(JsonNode told, long now) throws Exception {
        BrokerLoadData data = new BrokerLoadData();
        set(data, "weightedMaxEMA", told.get("load").asDouble());
        set(data, "msgThroughputEMA", told.path("throughput_ema").asDouble(0));
        set(data, "msgThroughputIn", told.path("throughput_in").asDouble(0));
        set(data, "msgThroughputOut", told.path("throughput_out").asDouble(0));
        set(data, "updatedAt", now - told.path("age_s").asLong(0) * 1000);
        return data;
    }

    static final Map<String, NamespaceBundle> BUNDLES = new HashMap<>();

    static NamespaceBundle bundle(String namespace, String range) {
        return BUNDLES.computeIfAbsent(namespace + "/" + range, name -> {
            NamespaceBundle found = mock(NamespaceBundle.class, withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly());
            when(found.getNamespaceObject()).thenReturn(NamespaceName.get(namespace));
            when(found.toString()).thenReturn(name);
            return found;
        });
    }

    static PulsarService pulsar() {
        PulsarService pulsar = mock(PulsarService.class, withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly());
        NamespaceService namespaces = mock(NamespaceService.class, withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly());
        NamespaceBundleFactory factory = mock(NamespaceBundleFactory.class, withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly());
        when(pulsar.getNamespaceService()).thenReturn(namespaces);
        when(namespaces.getNamespaceBundleFactory()).thenReturn(factory);
        when(factory.getBundle(anyString(), anyString())).thenAnswer(
                call -> bundle(call.getArgument(0), call.getArgument(1)));
        return pulsar;
    }

    static final PulsarService PULSAR = pulsar();

    /** What the mocked neighbours of the shedder answer in the present cycle. */
    static JsonNode cycle;

    static final IsolationPoliciesHelper ISOLATION =
            mock(IsolationPoliciesHelper.class, withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly().defaultAnswer(call ->
                    call.getMethod().getName().equals("hasIsolationPolicy")
                            ? (Object) texts(cycle.get("isolated")).contains(call.getArgument(0).toString())
                            : Mockito.RETURNS_DEFAULTS.answer(call)));
    static final AntiAffinityGroupPolicyHelper ANTI_AFFINITY =
            mock(AntiAffinityGroupPolicyHelper.class, withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly().defaultAnswer(call -> {
                if (!call.getMethod().getName().equals("hasAntiAffinityGroupPolicy")) {
                    return Mockito.RETURNS_DEFAULTS.answer(call);
                }
                String name = call.getArgument(0);
                return texts(cycle.get("anti_affine")).contains(name.substring(0, name.lastIndexOf('/')));
            }));

    static class Filter implements BrokerFilter {
        public String name() {
            return "the cycle's";
        }

        public CompletableFuture<Map<String, BrokerLookupData>> filterAsync(
                Map<String, BrokerLookupData> brokers, ServiceUnitId unit, LoadManagerContext context) {
            if (cycle.path("filter_fails").asBoolean(false)) {
                return CompletableFuture.failedFuture(new IllegalStateException("the filter fails"));
            }
            texts(cycle.path("barred").get(unit.toString())).forEach(brokers::remove);
            return CompletableFuture.completedFuture(brokers);
        }
    }

    static void transfer(JsonNode row, ObjectNode answer) throws Exception {
        ServiceConfiguration conf = configuration(row);
        UnloadCounter counter = new UnloadCounter();
        TransferShedder shedder = new TransferShedder(counter);
        set(shedder, "pulsar", PULSAR);
        set(shedder, "isolationPoliciesHelper", ISOLATION);
        set(shedder, "antiAffinityGroupPolicyHelper", ANTI_AFFINITY);
        set(shedder, "brokerFilterPipeline", List.of(new Filter()));
        set(shedder, "channel", Proxy.newProxyInstance(TransferOracle.class.getClassLoader(),
                new Class<?>[] {ServiceUnitStateChannel.class}, (self, method, args) -> {
                    if (method.getName().equals("isOwner")) {
                        return !texts(cycle.get("not_owned")).contains((String) args[0]);
                    }
                    throw new UnsupportedOperationException(method.getName());
                }));
        ArrayNode cycles = answer.putArray("cycles");
        for (JsonNode told : row.get("cycles")) {
            cycle = told;
            long now = System.currentTimeMillis();
            Map<String, BrokerLoadData> loads = new LinkedHashMap<>();
            Map<String, BrokerLookupData> there = new HashMap<>();
            for (JsonNode broker : told.get("brokers")) {
                if (broker.has("load") && !broker.get("load").isNull()) {
                    loads.put(broker.get("id").asText(), load(broker, now));
                }
                if (broker.path("available").asBoolean(true)) {
                    there.put(broker.get("id").asText(), null);
                }
            }
            Map<String, TopBundlesLoadData> bundles = new HashMap<>();
            told.path("top_bundles").fields().forEachRemaining(entry -> {
                TopBundlesLoadData top = new TopBundlesLoadData();
                for (JsonNode one : entry.getValue()) {
                    NamespaceBundleStats stats = new NamespaceBundleStats();
                    stats.msgThroughputIn = one.get(1).asDouble();
                    stats.msgThroughputOut = one.get(2).asDouble();
                    top.getTopBundlesLoadData().add(new TopBundlesLoadData.BundleLoadData(one.get(0).asText(), stats));
                }
                bundles.put(entry.getKey(), top);
            });
            Map<String, Long> recentBundles = new HashMap<>();
            texts(told.get("recent_bundles")).forEach(name -> recentBundles.put(name, now));
            Map<String, Long> recentBrokers = new HashMap<>();
            told.path("recent_brokers").fields().forEachRemaining(
                    entry -> recentBrokers.put(entry.getKey(), now - entry.getValue().asLong() * 1000));
            var before = counts(counter);
            Set<UnloadDecision> decisions = shedder.findBundlesForUnloading(
                    ExtensibleContext.of(conf, loads, bundles, there), recentBundles, recentBrokers);
            cycles.add(told(decisions, counter, before, shedder, recentBrokers));
        }
    }

    static Map<String, Long> counts(UnloadCounter counter) {
        Map<String, Long> found = new HashMap<>();
        counter.getBreakdownCounters().forEach((label, reasons) -> reasons.forEach(
                (reason, count) -> found.put(label + "/" + reason, count.get())));
        return found;
    }

    static ObjectNode told(Set<UnloadDecision> decisions, UnloadCounter counter, Map<String, Long> before,
                           TransferShedder shedder, Map<String, Long> recentBrokers) throws Exception {
        ObjectNode found = JSON.createObjectNode();
        List<String[]> moves = new ArrayList<>();
        for (UnloadDecision one : new HashSet<>(decisions)) {
            moves.add(new String[] {one.getUnload().serviceUnit(), one.getUnload().sourceBroker(),
                    one.getUnload().destBroker().orElse(null), one.getReason().toString()});
        }
        moves.sort(Comparator.comparing((String[] one) -> one[0]).thenComparing(one -> one[1])
                .thenComparing(one -> String.valueOf(one[2])));
        ArrayNode told = found.putArray("decisions");
        for (String[] one : moves) {
            told.addObject().put("bundle", one[0]).put("source", one[1]).put("destination", one[2])
                    .put("reason", one[3]);
        }
        ObjectNode counted = found.putObject("counted");
        counts(counter).forEach((name, count) -> {
            if (count > before.get(name)) {
                counted.put(name, count - before.get(name));
            }
        });
        found.put("hits", (int) get(shedder, "unloadConditionHitCount"));
        found.put("avg", (double) get(counter, "loadAvg"));
        found.put("std", (double) get(counter, "loadStd"));
        found.put("std_after", (double) get(get(shedder, "stats"), "std"));
        ArrayNode left = found.putArray("recent_brokers_left");
        new TreeSet<>(recentBrokers.keySet()).forEach(left::add);
        return found;
    }

}
