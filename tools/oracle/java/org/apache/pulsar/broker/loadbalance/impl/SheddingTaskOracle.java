package org.apache.pulsar.broker.loadbalance.impl;

import static oneowner.oracle.PoliciesOracle.neighbour;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Multimap;
import com.google.common.collect.MultimapBuilder;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import oneowner.oracle.Calls;
import oneowner.oracle.PoliciesOracle;
import oneowner.oracle.Rows;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerFactoryImpl;
import org.apache.pulsar.broker.loadbalance.LoadData;
import org.apache.pulsar.broker.loadbalance.LoadManager;
import org.apache.pulsar.broker.loadbalance.LoadSheddingStrategy;
import org.apache.pulsar.broker.loadbalance.LoadSheddingTask;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.client.admin.Namespaces;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.naming.ServiceUnitId;
import org.objenesis.ObjenesisStd;

/** LoadSheddingTask.run and ModularLoadManagerImpl.doLoadShedding; the shedder and selectBroker answer as is told. */
public class SheddingTaskOracle {
    static class Manager extends ModularLoadManagerImpl {
        @Override
        public Set<String> getAvailableBrokers() {
            return texts(PoliciesOracle.asked.get("available"));
        }

        // no @Override: it came with 3.0.7
        Optional<String> selectBroker(ServiceUnitId bundle) {
            JsonNode chosen = PoliciesOracle.asked.get("selected").get(bundle.toString());
            return chosen.isNull() ? Optional.empty() : Optional.of(chosen.asText());
        }
    }

    static class Pulsar extends PoliciesOracle.Pulsar {
        NamespaceService namespaces;
        PulsarAdmin admin;

        @Override
        public NamespaceService getNamespaceService() {
            return namespaces;
        }

        @Override
        public PulsarAdmin getAdminClient() {
            return admin;
        }
    }

    @SuppressWarnings("unchecked")
    static <T> T proxy(Class<T> type, InvocationHandler answers) {
        return (T) Proxy.newProxyInstance(SheddingTaskOracle.class.getClassLoader(), new Class<?>[] {type}, answers);
    }

    static Pulsar pulsar;
    static ManagedLedgerFactoryImpl ledgers;
    static Set<String> told;
    static Map<String, String> unloaded;
    static int scheduled;

    public static void main(String[] args) throws Exception {
        PoliciesOracle.prepare();
        pulsar = new ObjenesisStd().newInstance(Pulsar.class);
        pulsar.namespaces = neighbour(NamespaceService.class);
        ledgers = neighbour(ManagedLedgerFactoryImpl.class);
        if (LoadSheddingTask.class.getConstructors()[0].getParameterCount() == 4) {
            when(Calls.call(ledgers, "isMetadataServiceAvailable")).thenAnswer(
                    call -> PoliciesOracle.asked.get("metadata_available").asBoolean());
        }
        NamespaceBundleFactory factory = neighbour(NamespaceBundleFactory.class);
        when(pulsar.namespaces.getNamespaceBundleFactory()).thenReturn(factory);
        when(factory.getBundle(any(String.class), any(String.class))).thenAnswer(
                call -> bundle(call.getArgument(0), call.getArgument(1)));
        Namespaces namespaces = proxy(Namespaces.class, (self, method, call) -> {
            String name = call[0] + "/" + call[1];
            if (texts(PoliciesOracle.asked.get("refused")).contains(name)) {
                throw new PulsarAdminException("refused");
            }
            unloaded.put(name, call.length > 2 ? (String) call[2] : null);
            return null;
        });
        pulsar.admin = proxy(PulsarAdmin.class, (self, method, call) -> namespaces);
        Rows.answer(Map.of("load_shedding_task", SheddingTaskOracle::run));
    }

    static NamespaceBundle bundle(String namespace, String range) {
        NamespaceBundle bundle = neighbour(NamespaceBundle.class);
        when(bundle.toString()).thenReturn(namespace + "/" + range);
        when(bundle.getNamespaceObject()).thenReturn(NamespaceName.get(namespace));
        when(bundle.hasNonPersistentTopic()).thenReturn(PoliciesOracle.asked.get("has_non_persistent").asBoolean());
        return bundle;
    }

    static void run(JsonNode row, ObjectNode answer) throws Exception {
        PoliciesOracle.asked = row;
        told = null;
        unloaded = new TreeMap<>();
        scheduled = 0;
        LoadData loads = new LoadData();
        row.get("recent").fields().forEachRemaining(entry -> loads.getRecentlyUnloadedBundles().put(entry.getKey(),
                System.currentTimeMillis() - (long) (entry.getValue().asDouble() * 60_000)));
        ModularLoadManagerImpl manager = manager(row, loads);
        LoadManager wrapper = proxy(LoadManager.class, (self, method, call) -> {
            manager.doLoadShedding();
            return null;
        });
        Object[] given = {new AtomicReference<>(wrapper), proxy(ScheduledExecutorService.class, (self, method, call) -> {
            scheduled++;
            return null;
        }), configuration(row), ledgers};
        var constructor = LoadSheddingTask.class.getConstructors()[0];
        int count = constructor.getParameterCount();
        var task = (LoadSheddingTask) constructor.newInstance(java.util.Arrays.copyOf(given, count));
        if (count > 1 && row.get("cancelled").asBoolean()) {
            Calls.call(task, "cancel");
        }
        task.run();
        ArrayNode names = told == null ? null : answer.putArray("told");
        if (told == null) {
            answer.putNull("told");
        } else {
            told.forEach(names::add);
        }
        ArrayNode recent = answer.putArray("recent");
        new TreeSet<>(loads.getRecentlyUnloadedBundles().keySet()).forEach(recent::add);
        ArrayNode moves = answer.putArray("unloaded");
        unloaded.forEach((bundle, to) -> {
            ArrayNode move = moves.addArray().add(bundle);
            row.get("unload").fields().forEachRemaining(entry -> {
                if (texts(entry.getValue()).contains(bundle)) {
                    move.add(entry.getKey());
                }
            });
            move.add(to);
        });
        if (count > 1) {
            answer.put("runs_again", scheduled > 0);
        }
    }

    static ModularLoadManagerImpl manager(JsonNode row, LoadData loads) throws Exception {
        LoadSheddingStrategy shedder = proxy(LoadSheddingStrategy.class, (self, method, call) -> {
            if (method.isDefault() || !method.getName().equals("findBundlesForUnloading")) {
                return method.getName().equals("toString") ? "shedder" : null;
            }
            told = new TreeSet<>(loads.getRecentlyUnloadedBundles().keySet());
            if (row.get("unload").isNull()) {
                throw new IllegalStateException("the shedder throws");
            }
            Multimap<String, String> found = MultimapBuilder.linkedHashKeys().arrayListValues().build();
            row.get("unload").fields().forEachRemaining(
                    entry -> entry.getValue().forEach(one -> found.put(entry.getKey(), one.asText())));
            return found;
        });
        ModularLoadManagerImpl manager = new ObjenesisStd().newInstance(Manager.class);
        try {
            set(manager, "loadSheddingStrategy", shedder);
        } catch (NoSuchFieldException older) {
            set(manager, "loadSheddingPipeline", List.of(shedder));
        }
        set(manager, "brokerCandidateCache", new HashSet<>());
        set(manager, "brokerToNamespaceToBundleRange", PoliciesOracle.bundleRanges(row.get("owned")));
        set(manager, "bundleUnloadMetrics", new AtomicReference<>());
        set(manager, "conf", configuration(row));
        set(manager, "loadData", loads);
        set(manager, "policies", new SimpleResourceAllocationPolicies(pulsar));
        set(manager, "pulsar", pulsar);
        set(manager, "brokerTopicLoadingPredicate", new LoadManagerShared.BrokerTopicLoadingPredicate() {
            public boolean isEnablePersistentTopics(String broker) {
                return texts(row.get("persistent")).contains(broker.replace("http://", ""));
            }

            public boolean isEnableNonPersistentTopics(String broker) {
                return texts(row.get("non_persistent")).contains(broker.replace("http://", ""));
            }
        });
        return manager;
    }
}
