package oneowner.oracle;

import static oneowner.oracle.Calls.BALANCE;
import static oneowner.oracle.Calls.call;
import static oneowner.oracle.Calls.type;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.texts;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.AbstractMap.SimpleEntry;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.impl.LoadManagerShared;
import org.apache.pulsar.broker.loadbalance.impl.SimpleResourceAllocationPolicies;
import org.apache.pulsar.broker.resources.LocalPoliciesResources;
import org.apache.pulsar.broker.resources.NamespaceResources;
import org.apache.pulsar.broker.resources.PulsarResources;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.policies.data.LocalPolicies;
import org.apache.pulsar.common.policies.data.NamespaceIsolationDataImpl;
import org.apache.pulsar.common.policies.impl.NamespaceIsolationPolicies;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.apache.pulsar.metadata.api.MetadataStoreException;
import org.mockito.MockMakers;
import org.objenesis.ObjenesisStd;

/** Anti-affinity groups and isolation policies; where policies lie is told by the line. */
public class PoliciesOracle {
    static final LocalPoliciesResources LOCAL = neighbour(LocalPoliciesResources.class);
    static final NamespaceResources.IsolationPolicyResources ISOLATION =
            neighbour(NamespaceResources.IsolationPolicyResources.class);
    static final PulsarResources RESOURCES = neighbour(PulsarResources.class);
    public static final PulsarService PULSAR = new ObjenesisStd().newInstance(Pulsar.class);
    public static JsonNode asked;

    /** No mock: Mockito would look at every method, and some name classes of third parties that are not there. */
    public static class Pulsar extends PulsarService {
        protected Pulsar() {
            super(null);
        }

        @Override
        public ServiceConfiguration getConfiguration() {
            try {
                return configuration(asked);
            } catch (Exception wrong) {
                throw new IllegalStateException(wrong);
            }
        }

        @Override
        public PulsarResources getPulsarResources() {
            return RESOURCES;
        }
    }

    public static <T> T neighbour(Class<T> type) {
        return mock(type, withSettings().mockMaker(MockMakers.SUBCLASS).stubOnly());
    }

    public static void main(String[] args) throws Exception {
        prepare();
        Rows.answer(Map.of("anti_affinity", PoliciesOracle::antiAffinity, "isolation", PoliciesOracle::isolation));
    }

    /** Let the neighbours answer as the line says that was asked last. */
    public static void prepare() throws Exception {
        NamespaceResources namespaces = neighbour(NamespaceResources.class);
        when(RESOURCES.getLocalPolicies()).thenReturn(LOCAL);
        when(RESOURCES.getNamespaceResources()).thenReturn(namespaces);
        when(namespaces.getIsolationPolicies()).thenReturn(ISOLATION);
        when(LOCAL.getLocalPoliciesAsync(any())).thenAnswer(
                call -> CompletableFuture.completedFuture(local(call.getArgument(0))));
        when(LOCAL.getLocalPolicies(any())).thenAnswer(call -> local(call.getArgument(0)));
        when(ISOLATION.getIsolationDataPolicies(any())).thenAnswer(call -> Optional.of(policies()));
        if (type(BALANCE + "extensions.ExtensibleLoadManagerImpl") != null) {
            when(call(ISOLATION, "getIsolationDataPoliciesAsync", (Object) null)).thenAnswer(call -> {
                try {
                    return CompletableFuture.completedFuture(Optional.of(policies()));
                } catch (MetadataStoreException thrown) {
                    return CompletableFuture.failedFuture(thrown);
                }
            });
        }
    }

    static Optional<LocalPolicies> local(NamespaceName namespace) {
        JsonNode group = asked.get("groups").get(namespace.toString());
        return Optional.ofNullable(group).map(one -> new LocalPolicies(null, null, one.asText()));
    }

    static NamespaceIsolationPolicies policies() throws MetadataStoreException {
        if (asked.get("policies").isNull()) {
            throw new MetadataStoreException("policies cannot be read");
        }
        Map<String, NamespaceIsolationDataImpl> found = new LinkedHashMap<>();
        asked.get("policies").fields().forEachRemaining(entry -> found.put(entry.getKey(),
                ObjectMapperFactory.create().convertValue(entry.getValue(), NamespaceIsolationDataImpl.class)));
        return new NamespaceIsolationPolicies(found);
    }

    /** What the modular manager knows of bundles at brokers: one class from 4.0 on, maps of maps before. */
    public static Object bundleRanges(JsonNode owned) throws Exception {
        Class<?> cache = type(BALANCE + "impl.BundleRangeCache");
        Class<?> map = type("org.apache.pulsar.common.util.collections.ConcurrentOpenHashMap");
        Class<?> set = type("org.apache.pulsar.common.util.collections.ConcurrentOpenHashSet");
        Object found = (cache == null ? map : cache).getDeclaredConstructor().newInstance();
        for (JsonNode one : owned) {
            String bundle = one.get("bundle").asText();
            String broker = one.get("broker").asText();
            String namespace = LoadManagerShared.getNamespaceNameFromBundleName(bundle);
            String range = LoadManagerShared.getBundleRangeFromBundleName(bundle);
            if (cache != null) {
                call(found, "add", broker, namespace, range);
                continue;
            }
            call(found, "putIfAbsent", broker, map.getDeclaredConstructor().newInstance());
            Object namespaces = call(found, "get", broker);
            call(namespaces, "putIfAbsent", namespace, set.getDeclaredConstructor().newInstance());
            call(call(namespaces, "get", namespace), "add", range);
        }
        return found;
    }

    /** The bundle state channel: its entries, of records that every release with a channel has. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static Set<Object> channel(JsonNode owned) throws Exception {
        Class<?> data = type(BALANCE + "extensions.channel.ServiceUnitStateData");
        Class<Enum> state = (Class<Enum>) type(BALANCE + "extensions.channel.ServiceUnitState");
        Set<Object> found = new LinkedHashSet<>();
        for (JsonNode one : owned) {
            found.add(new SimpleEntry<>(one.get("bundle").asText(), data.getConstructor(state, String.class, long.class)
                    .newInstance(Enum.valueOf(state, one.get("state").asText()), one.get("broker").asText(), 1L)));
        }
        return found;
    }

    static void antiAffinity(JsonNode row, ObjectNode answer) throws Exception {
        asked = row;
        String bundle = row.get("bundle").asText();
        String namespace = LoadManagerShared.getNamespaceNameFromBundleName(bundle);
        String current = row.get("current").asText();
        Map<String, String> domains = new HashMap<>();
        row.get("domains").fields().forEachRemaining(entry -> domains.put(entry.getKey(), entry.getValue().asText()));
        Object ranges = bundleRanges(row.get("owned"));
        Set<String> kept = texts(row.get("candidates"));
        call(LoadManagerShared.class, "filterAntiAffinityGroupOwnedBrokers", PULSAR, bundle, kept, ranges, domains);
        told(answer, "modular", kept);
        Set<String> candidates = texts(row.get("candidates"));
        answer.put("modular_may_unload", (boolean) (type(BALANCE + "impl.BundleRangeCache") != null
                ? call(LoadManagerShared.class, "shouldAntiAffinityNamespaceUnload", namespace, current, PULSAR, ranges,
                        candidates)
                : call(LoadManagerShared.class, "shouldAntiAffinityNamespaceUnload", namespace, bundle, current, PULSAR,
                        ranges, candidates)));
        Set<String> even = texts(row.get("candidates"));
        call(LoadManagerShared.class, "removeMostServicingBrokersForNamespace", bundle, even, ranges);
        told(answer, "even", even);
        if (type(BALANCE + "extensions.ExtensibleLoadManagerImpl") != null) {
            Set<Object> channel = channel(row.get("owned"));
            Set<String> found = texts(row.get("candidates"));
            ((CompletableFuture<?>) call(LoadManagerShared.class, "filterAntiAffinityGroupOwnedBrokersAsync", PULSAR,
                    bundle, found, channel, domains)).get();
            told(answer, "extensible", found);
            answer.put("extensible_may_unload", (boolean) call(LoadManagerShared.class,
                    "shouldAntiAffinityNamespaceUnload", namespace, bundle, current, PULSAR, channel, candidates));
        }
    }

    static void isolation(JsonNode row, ObjectNode answer) throws Exception {
        asked = row;
        String name = row.get("bundle").asText();
        NamespaceBundle bundle = neighbour(NamespaceBundle.class);
        when(bundle.getNamespaceObject()).thenReturn(
                NamespaceName.get(LoadManagerShared.getNamespaceNameFromBundleName(name)));
        when(bundle.hasNonPersistentTopic()).thenReturn(row.get("has_non_persistent").asBoolean());
        var policies = new SimpleResourceAllocationPolicies(PULSAR);
        var takes = new LoadManagerShared.BrokerTopicLoadingPredicate() {
            public boolean isEnablePersistentTopics(String broker) {
                return texts(row.get("persistent")).contains(broker.replace("http://", ""));
            }

            public boolean isEnableNonPersistentTopics(String broker) {
                return texts(row.get("non_persistent")).contains(broker.replace("http://", ""));
            }
        };
        Set<String> available = texts(row.get("available"));
        Set<String> kept = new HashSet<>();
        LoadManagerShared.applyNamespacePolicies(bundle, policies, kept, available, takes);
        told(answer, "kept", new TreeSet<>(kept));
        if (type(BALANCE + "extensions.ExtensibleLoadManagerImpl") != null) {
            var found = (CompletableFuture<?>) call(LoadManagerShared.class, "applyNamespacePoliciesAsync", bundle,
                    policies, available, takes);
            try {
                told(answer, "kept_async", new TreeSet<>((Collection<?>) found.get()));
            } catch (ExecutionException thrown) {
                answer.putObject("kept_async").put("error", thrown.getCause().getClass().getSimpleName());
            }
        }
    }

    static void told(ObjectNode answer, String name, Collection<?> brokers) {
        var list = answer.putArray(name);
        brokers.forEach(one -> list.add((String) one));
    }
}
