package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.mocked;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.loadbalance.LoadManager;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerWrapper;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContext;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitState;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannel;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.broker.loadbalance.extensions.models.SplitCounter;
import org.apache.pulsar.broker.loadbalance.extensions.models.SplitDecision;
import org.apache.pulsar.broker.loadbalance.extensions.strategy.DefaultNamespaceBundleSplitStrategyImpl;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.common.naming.NamespaceBundleSplitAlgorithm;
import org.apache.pulsar.metadata.api.extended.MetadataStoreExtended;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;
import org.mockito.ArgumentMatchers;

/** Which bundles a broker with the extensible load manager splits, in cycles; what it asks of others is told. */
public class ExtensibleSplitOracle {
    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("split_trigger_extensible", ExtensibleSplitOracle::split));
    }

    /** The present cycle. */
    static JsonNode cycle;

    static ServiceUnitStateChannel channel() {
        return (ServiceUnitStateChannel) Proxy.newProxyInstance(ExtensibleSplitOracle.class.getClassLoader(),
                new Class<?>[] {ServiceUnitStateChannel.class}, (self, method, args) -> {
                    switch (method.getName()) {
                        case "isOwner":
                            return !texts(cycle.get("not_owned")).contains((String) args[0]);
                        case "getOwnershipEntrySet":
                            Map<String, ServiceUnitStateData> entries = new LinkedHashMap<>();
                            texts(cycle.get("splitting")).forEach(name -> entries.put(name,
                                    new ServiceUnitStateData(ServiceUnitState.Splitting, "b", "b", 1)));
                            return entries.entrySet();
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
    }

    static void split(JsonNode row, ObjectNode answer) throws Exception {
        PulsarService pulsar = mocked(PulsarService.class);
        NamespaceService namespaces = mocked(NamespaceService.class);
        BrokerService service = mocked(BrokerService.class);
        MetadataStoreExtended store = mocked(MetadataStoreExtended.class);
        ExtensibleLoadManagerWrapper wrapper = mocked(ExtensibleLoadManagerWrapper.class);
        ExtensibleLoadManagerImpl manager = mocked(ExtensibleLoadManagerImpl.class);
        LoadManagerContext context = mocked(LoadManagerContext.class);
        BrokerRegistry registry = mocked(BrokerRegistry.class);
        ServiceUnitStateChannel channel = channel();
        var conf = configuration(row);
        when(pulsar.getConfiguration()).thenReturn(conf);
        when(pulsar.getConfig()).thenReturn(conf);
        when(pulsar.getLocalMetadataStore()).thenReturn(store);
        when(pulsar.getNamespaceService()).thenReturn(namespaces);
        when(pulsar.getBrokerService()).thenReturn(service);
        when(pulsar.getLoadManager()).thenReturn(new AtomicReference<LoadManager>(wrapper));
        when(wrapper.get()).thenReturn(manager);
        when(manager.getServiceUnitStateChannel()).thenReturn(channel);
        when(context.brokerRegistry()).thenReturn(registry);
        when(registry.getBrokerId()).thenReturn("b1");
        NamespaceBundleFactory factory = new NamespaceBundleFactory(pulsar, Hashing.crc32());
        when(namespaces.getNamespaceBundleFactory()).thenReturn(factory);
        when(namespaces.getBundleCount(any())).thenAnswer(
                call -> ModularSplitOracle.count(cycle, call.getArgument(0)));
        when(namespaces.getSplitBoundary(any(), any(), ArgumentMatchers.<NamespaceBundleSplitAlgorithm>any())).thenAnswer(call -> {
            JsonNode told = cycle.path("boundaries").get(call.getArgument(0).toString());
            if (told == null || told.isNull()) {
                return CompletableFuture.completedFuture(null);
            }
            List<Long> boundaries = new ArrayList<>();
            told.forEach(one -> boundaries.add(one.asLong()));
            return CompletableFuture.completedFuture(boundaries);
        });
        SplitCounter counter = new SplitCounter();
        var strategy = new DefaultNamespaceBundleSplitStrategyImpl(counter);
        ArrayNode cycles = answer.putArray("cycles");
        for (JsonNode told : row.get("cycles")) {
            cycle = told;
            Map<String, NamespaceBundleStats> stats = new LinkedHashMap<>();
            told.get("bundles").forEach(one -> stats.put(one.get("name").asText(), Rows.stats(one)));
            when(service.getBundleStats()).thenReturn(stats);
            long before = failures(counter);
            ObjectNode found = cycles.addObject();
            try {
                told(strategy.findBundlesToSplit(context, pulsar), found);
            } catch (Exception thrown) {
                found.put("error", thrown.toString());
            }
            ObjectNode counted = found.putObject("counted");
            if (failures(counter) > before) {
                counted.put("Failure/Unknown", failures(counter) - before);
            }
            ObjectNode hits = found.putObject("hits");
            new TreeMap<>((Map<String, Integer>) get(strategy, "splitConditionHitCounts")).forEach(hits::put);
        }
    }

    static void told(Set<SplitDecision> decisions, ObjectNode found) {
        Map<String, SplitDecision> sorted = new TreeMap<>();
        decisions.forEach(one -> sorted.put(one.getSplit().serviceUnit(), one));
        ArrayNode split = found.putArray("split");
        sorted.forEach((bundle, one) -> {
            ObjectNode told = split.addObject().put("bundle", bundle).put("reason", one.getReason().toString());
            ArrayNode children = told.putArray("children");
            one.getSplit().splitServiceUnitToDestBroker().keySet().stream().sorted().forEach(children::add);
        });
    }

    static long failures(SplitCounter counter) throws Exception {
        var counters = (Map<SplitDecision.Label, Map<SplitDecision.Reason, AtomicLong>>) get(counter, "breakdownCounters");
        return counters.get(SplitDecision.Label.Failure).get(SplitDecision.Reason.Unknown).get();
    }
}
