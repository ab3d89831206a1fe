package org.apache.pulsar.broker.loadbalance.impl;

import static oneowner.oracle.PoliciesOracle.PULSAR;
import static oneowner.oracle.PoliciesOracle.neighbour;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import oneowner.oracle.ModularLoads;
import oneowner.oracle.PoliciesOracle;
import oneowner.oracle.Rows;
import org.apache.pulsar.broker.loadbalance.LoadData;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.policies.data.loadbalancer.BundleData;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;
import org.objenesis.ObjenesisStd;

/** ModularLoadManagerImpl.selectBroker with LeastLongTermMessageRate; the manager is made without its constructor. */
public class SelectionOracle {
    static class Manager extends ModularLoadManagerImpl {
        @Override
        public Set<String> getAvailableBrokers() {
            return texts(PoliciesOracle.asked.get("available"));
        }
    }

    public static void main(String[] args) throws Exception {
        PoliciesOracle.prepare();
        Rows.answer(Map.of("select_modular", SelectionOracle::select));
    }

    static void select(JsonNode row, ObjectNode answer) throws Exception {
        PoliciesOracle.asked = row;
        String name = row.get("bundle").asText();
        NamespaceBundle bundle = neighbour(NamespaceBundle.class);
        when(bundle.toString()).thenReturn(name);
        when(bundle.getNamespaceObject()).thenReturn(
                NamespaceName.get(LoadManagerShared.getNamespaceNameFromBundleName(name)));
        when(bundle.hasNonPersistentTopic()).thenReturn(row.get("has_non_persistent").asBoolean());
        LoadData loads = ModularLoads.of(row);
        loads.getBundleData().put(name, new BundleData());
        for (JsonNode told : row.get("brokers")) {
            LocalBrokerData local = loads.getBrokerData().get(told.get("id").asText()).getLocalData();
            set(local, "numTopics", told.get("topics").asInt());
            set(local, "brokerVersionString", told.path("version").isTextual() ? told.get("version").asText() : null);
            set(local, "loadManagerClassName",
                    told.path("load_manager").isTextual() ? told.get("load_manager").asText() : null);
        }
        Map<String, String> domains = new HashMap<>();
        row.get("domains").fields().forEachRemaining(entry -> domains.put(entry.getKey(), entry.getValue().asText()));
        LeastLongTermMessageRate strategy = new LeastLongTermMessageRate();
        ModularLoadManagerImpl manager = new ObjenesisStd().newInstance(Manager.class);
        set(manager, "brokerCandidateCache", new HashSet<>());
        set(manager, "brokerToNamespaceToBundleRange", PoliciesOracle.bundleRanges(row.get("owned")));
        set(manager, "conf", configuration(row));
        set(manager, "filterPipeline", List.of(new BrokerLoadManagerClassFilter(), new BrokerVersionFilter()));
        set(manager, "loadData", loads);
        set(manager, "placementStrategy", strategy);
        set(manager, "policies", new SimpleResourceAllocationPolicies(PULSAR));
        set(manager, "pulsar", PULSAR);
        set(manager, "brokerToFailureDomainMap", domains);
        set(manager, "brokerTopicLoadingPredicate", new LoadManagerShared.BrokerTopicLoadingPredicate() {
            public boolean isEnablePersistentTopics(String broker) {
                return texts(row.get("persistent")).contains(broker);
            }

            public boolean isEnableNonPersistentTopics(String broker) {
                return texts(row.get("non_persistent")).contains(broker);
            }
        });
        ArrayNode admissible = answer.putArray("admissible");
        if (manager.selectBroker(bundle).isPresent()) {
            new TreeSet<>((Collection<String>) get(strategy, "bestBrokers")).forEach(admissible::add);
        }
    }
}
