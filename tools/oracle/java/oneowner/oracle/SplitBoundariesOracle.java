package oneowner.oracle;

import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.mocked;
import static oneowner.oracle.Rows.set;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.common.naming.BundleSplitOption;
import org.apache.pulsar.common.naming.FlowOrQpsEquallyDivideBundleSplitOption;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.common.naming.NamespaceBundleSplitAlgorithm;
import org.apache.pulsar.common.naming.NamespaceBundles;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.policies.data.BundlesData;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;

/** Where a bundle is split; its topics and their loads are told by the line. */
public class SplitBoundariesOracle {
    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("split_boundaries", SplitBoundariesOracle::splitBoundaries));
    }

    static void splitBoundaries(JsonNode row, ObjectNode answer) throws Exception {
        ServiceConfiguration conf = configuration(row);
        NamespaceBundleFactory factory = TopicBundleOracle.factory();
        AsyncCache<NamespaceName, NamespaceBundles> cache = Caffeine.newBuilder().buildAsync(name -> null);
        set(factory, "bundlesCache", cache);
        List<String> ends = new ArrayList<>();
        row.get("boundaries").forEach(one -> ends.add(String.format("0x%08x", one.asLong())));
        NamespaceBundles bundles = factory.getBundles(TopicBundleOracle.NAMESPACE,
                BundlesData.builder().boundaries(ends).numBundles(ends.size() - 1).build());
        cache.put(TopicBundleOracle.NAMESPACE, CompletableFuture.completedFuture(bundles));
        NamespaceBundle bundle = factory.getBundle(TopicBundleOracle.NAMESPACE.toString(), row.get("bundle").asText());
        List<String> topics = new ArrayList<>();
        Map<String, TopicStatsImpl> loads = new HashMap<>();
        row.get("topics").forEach(one -> {
            TopicStatsImpl stats = new TopicStatsImpl();
            stats.msgRateIn = one.get(1).asDouble();
            stats.msgThroughputOut = one.get(2).asDouble();
            topics.add(one.get(0).asText());
            loads.put(one.get(0).asText(), stats);
        });
        List<Long> positions = new ArrayList<>();
        row.get("positions").forEach(one -> positions.add(one.asLong()));
        NamespaceService namespaces = mocked(NamespaceService.class);
        when(namespaces.getOwnedTopicListForNamespaceBundle(any())).thenReturn(
                CompletableFuture.completedFuture(topics));
        BundleSplitOption option = row.get("split_algorithm").asText().startsWith("flow")
                ? new FlowOrQpsEquallyDivideBundleSplitOption(namespaces, bundle, positions, loads,
                        conf.getLoadBalancerNamespaceBundleMaxMsgRate(),
                        conf.getLoadBalancerNamespaceBundleMaxBandwidthMbytes(),
                        conf.getFlowOrQpsDifferenceThresholdPercentage())
                : new BundleSplitOption(namespaces, bundle, positions);
        List<Long> proposed;
        try {
            proposed = NamespaceBundleSplitAlgorithm.of(row.get("split_algorithm").asText())
                    .getSplitBoundary(option).get();
        } catch (IllegalArgumentException refused) {
            answer.putObject("proposed").put("error", refused.getClass().getName());
            return;
        }
        if (proposed == null || proposed.isEmpty()) { // nobody tells these apart
            answer.putNull("proposed");
            return;
        }
        proposed.forEach(answer.putArray("proposed")::add);
        try {
            var split = factory.splitBundles(bundle, proposed.size() + 1, new ArrayList<>(proposed)).get();
            if (split == null) {
                answer.putNull("boundaries");
                return;
            }
            ArrayNode boundaries = answer.putArray("boundaries");
            for (long boundary : (long[]) get(split.getLeft(), "partitions")) {
                boundaries.add(boundary);
            }
        } catch (IllegalArgumentException | ExecutionException refused) {
            Throwable cause = refused instanceof ExecutionException ? refused.getCause() : refused;
            answer.putObject("boundaries").put("error", cause.getClass().getName());
        }
    }
}
