package oneowner.conform;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.common.naming.NamespaceBundleSplitAlgorithm;
import org.apache.pulsar.common.naming.NamespaceBundles;

/**
 * The seams: methods of Pulsar's classes around the channel which the script answers, by class and name.
 *
 * <p>A method is named with its parameters where another one of the same name shall run. A method that a release lacks
 * is not called there.
 */
public final class Seams {
    private static final Map<String, List<String>> REPLACED = Map.of(
            "broker/loadbalance/extensions/ExtensibleLoadManagerImpl", List.of("selectAsync"),
            "broker/loadbalance/extensions/reporter/BrokerLoadDataReporter", List.of("reportAsync"),
            "broker/loadbalance/extensions/reporter/TopBundleLoadDataReporter", List.of("reportAsync"),
            "broker/namespace/NamespaceService", List.of("updateNamespaceBundles", "updateNamespaceBundlesForPolicies",
                    "onNamespaceBundleOwned", "onNamespaceBundleUnload", "onNamespaceBundleSplit",
                    "getHeartbeatOrSLAMonitorBrokerId", "getNamespaceBundleSplitAlgorithmByName"),
            "broker/service/BrokerService", List.of("unloadServiceUnit(L", "cleanUnloadedTopicFromCache",
                    "refreshTopicToStatsMaps", "getTopicFuturesInBundle", "getTopicReference"),
            "metadata/impl/LocalMemoryMetadataStore", List.of("storeGet", "storePut", "storeDelete", "existsFromStore",
                    "getChildrenFromStore"),
            "common/naming/NamespaceBundleFactory", List.of("invalidateBundleCache", "getFullBundleAsync",
                    "getBundle(Ljava/lang/String;Ljava/lang/String;)"));

    private static final Map<Object, Broker> brokers = new IdentityHashMap<>();

    private Seams() { }

    /** Return whether the script answers in place of a method; of PulsarService, which refers to everything, of all. */
    static boolean replaces(String type, String method, String form) {
        if (type.endsWith("/PulsarService")) {
            return !method.startsWith("<");
        }
        return REPLACED.getOrDefault(type.replace("org/apache/pulsar/", ""), List.of()).stream()
                .anyMatch(one -> one.contains("(") ? (method + form).startsWith(one) : method.equals(one));
    }

    static void reset() {
        brokers.clear();
    }

    /** Let the script answer for *object* as a part of *broker*. */
    static <T> T bind(T object, Broker broker) {
        brokers.put(object, broker);
        return object;
    }

    /** Answer a call of a replaced method. */
    public static Object answer(Object self, String method, Object[] given) {
        Broker broker = brokers.get(self);
        if (broker == null) {
            throw Reflect.unknown(self.getClass().getSimpleName(), method);
        }
        return switch (method) {
            case "getConfig", "getConfiguration" -> Cluster.configuration;
            case "getBrokerId", "getLookupServiceAddress" -> broker.id;
            case "getSafeWebServiceAddress", "getWebServiceAddress" -> "http://" + broker.id;
            case "getNamespaceService" -> broker.namespaces;
            case "getBrokerService" -> broker.service;
            case "getLoadManager" -> broker.loadManager;
            case "getExecutor" -> broker.executor;
            case "getLoadManagerExecutor" -> broker.loadManagerExecutor;
            case "getAdminClient" -> broker.admin;
            case "getClient" -> broker.client;
            case "getLocalMetadataStore" -> broker.store.real;
            case "getCoordinationService" -> broker.coordination;
            case "getWebServiceAddressTls", "getBrokerServiceUrl", "getBrokerServiceUrlTls",
                    "getBrokerVersion" -> null; // of a registration, which nobody reads
            case "getAdvertisedListeners", "getProtocolDataToAdvertise" -> Map.of();
            case "storeGet", "storePut", "storeDelete", "existsFromStore", "getChildrenFromStore" -> stored(
                    broker, method, (String) given[0], given);
            case "selectAsync" -> broker.lookups.select(Cluster.unit(given[0].toString()));
            case "updateNamespaceBundles" -> broker.boundaries.move((NamespaceBundles) given[1]);
            case "updateNamespaceBundlesForPolicies" -> broker.boundaries.moveForPolicies((NamespaceBundles) given[1]);
            case "getNamespaceBundleSplitAlgorithmByName" -> {
                broker.boundaries.begin(); // a split asks for it once
                yield NamespaceBundleSplitAlgorithm.of((String) given[0]);
            }
            case "getHeartbeatOrSLAMonitorBrokerId" -> CompletableFuture.completedFuture(null);
            case "unloadServiceUnit" -> broker.topics.close(Cluster.unit(given[0].toString()), disconnects(given));
            case "refreshTopicToStatsMaps" -> {
                broker.listener.hears(method, given[0]);
                yield broker.topics.book(Cluster.unit(given[0].toString()));
            }
            case "getTopicFuturesInBundle" -> Map.of();
            case "getFullBundleAsync" ->
                    CompletableFuture.completedFuture(Bundles.bundle(self, given[0].toString(), Bundles.WHOLE));
            case "getBundle" -> Bundles.bundle(self, (String) given[0], (String) given[1]);
            case "reportAsync" -> CompletableFuture.completedFuture(null);
            case "getTopicReference" -> Optional.empty();
            case "onNamespaceBundleOwned", "onNamespaceBundleUnload", "onNamespaceBundleSplit",
                    "cleanUnloadedTopicFromCache" -> {
                broker.listener.hears(method, given[0]);
                yield null;
            }
            case "invalidateBundleCache" -> null;
            default -> throw Reflect.unknown(self.getClass().getSimpleName(), method);
        };
    }

    private static Object stored(Broker broker, String method, String path, Object[] given) {
        boolean isEphemeral = Ephemerals.keep(path);
        return switch (method) {
            case "storeGet" -> isEphemeral ? broker.ephemerals.get(path) : broker.store.get(path);
            case "storePut" -> isEphemeral
                    ? broker.ephemerals.put(path, (byte[]) given[1], version(given[2]), (Set<?>) given[3])
                    : broker.store.put(path, (byte[]) given[1], version(given[2]));
            case "storeDelete" -> isEphemeral
                    ? broker.ephemerals.delete(path, version(given[1])) : broker.store.delete(path);
            case "existsFromStore" -> isEphemeral ? broker.ephemerals.exists(path) : broker.store.exists(path);
            default -> isEphemeral ? broker.ephemerals.children(path) : broker.store.children(path);
        };
    }

    @SuppressWarnings("unchecked")
    private static Optional<Long> version(Object expected) {
        return (Optional<Long>) expected;
    }

    /** Return the flag of unloadServiceUnit whether clients are disconnected; one without it always does so. */
    private static boolean disconnects(Object[] given) {
        List<Object> flags = Arrays.stream(given).filter(Boolean.class::isInstance).toList();
        return flags.size() < 2 || (Boolean) flags.get(0);
    }
}
