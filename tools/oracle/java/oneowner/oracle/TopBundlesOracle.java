package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.mocked;
import static oneowner.oracle.Rows.set;
import static oneowner.oracle.Rows.texts;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.models.TopKBundles;
import org.apache.pulsar.broker.loadbalance.impl.SimpleResourceAllocationPolicies;
import org.apache.pulsar.broker.resources.LocalPoliciesResources;
import org.apache.pulsar.broker.resources.PulsarResources;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.policies.data.BundlesData;
import org.apache.pulsar.common.policies.data.LocalPolicies;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;

/** The bundles that a broker reports as its heaviest; policies are told by the line. */
public class TopBundlesOracle {
    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("top_k", TopBundlesOracle::topK));
    }

    static JsonNode line;

    static PulsarService pulsar() throws Exception {
        PulsarService pulsar = mocked(PulsarService.class);
        PulsarResources resources = mocked(PulsarResources.class);
        LocalPoliciesResources local = mocked(LocalPoliciesResources.class);
        when(pulsar.getPulsarResources()).thenReturn(resources);
        when(resources.getLocalPolicies()).thenReturn(local);
        when(local.getLocalPolicies(any())).thenAnswer(call -> {
            JsonNode group = line.path("groups").get(call.getArgument(0).toString());
            return group == null ? Optional.empty()
                    : Optional.of(new LocalPolicies(BundlesData.builder().build(), null, group.asText()));
        });
        return pulsar;
    }

    static void topK(JsonNode row, ObjectNode answer) throws Exception {
        line = row;
        ServiceConfiguration conf = configuration(row);
        PulsarService pulsar = pulsar();
        when(pulsar.getConfiguration()).thenReturn(conf);
        Set<String> isolated = texts(row.get("policies"));
        SimpleResourceAllocationPolicies policies = mocked(SimpleResourceAllocationPolicies.class);
        when(policies.areIsolationPoliciesPresent(any())).thenAnswer(
                call -> isolated.contains(((NamespaceName) call.getArgument(0)).toString()));
        TopKBundles top = new TopKBundles(pulsar);
        set(top, "allocationPolicies", policies);
        Map<String, NamespaceBundleStats> bundles = new LinkedHashMap<>();
        for (JsonNode one : row.get("bundles")) {
            bundles.put(one.get("name").asText(), Rows.stats(one));
        }
        top.update(bundles, row.get("k").asInt());
        ArrayNode names = answer.putArray("top");
        top.getLoadData().getTopBundlesLoadData().forEach(one -> names.add(one.bundleName()));
    }
}
