package oneowner.oracle;

import static oneowner.oracle.Rows.set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.common.naming.NamespaceBundles;
import org.apache.pulsar.common.naming.NamespaceName;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.policies.data.BundlesData;
import org.apache.pulsar.common.policies.data.PoliciesUtil;
import org.objenesis.ObjenesisStd;

/** In which bundle of a namespace a topic lies. */
public class TopicBundleOracle {
    static final NamespaceName NAMESPACE = NamespaceName.get("public/default");

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("topic_bundle", TopicBundleOracle::topicBundle));
    }

    /** Without its constructor, which begins to collect metrics by third parties of the release. */
    static NamespaceBundleFactory factory() throws Exception {
        NamespaceBundleFactory factory = new ObjenesisStd().newInstance(NamespaceBundleFactory.class);
        set(factory, "hashFunc", Hashing.crc32());
        try {
            set(factory, "topicBundleAssignmentStrategy",
                    Class.forName("org.apache.pulsar.common.naming.ConsistentHashingTopicBundleAssigner")
                            .getConstructor().newInstance());
        } catch (ReflectiveOperationException old) {
            // a release without strategies
        }
        return factory;
    }

    static void topicBundle(JsonNode row, ObjectNode answer) throws Exception {
        BundlesData data;
        if (row.has("boundaries")) {
            List<String> boundaries = new ArrayList<>();
            row.get("boundaries").forEach(one -> boundaries.add(one.asText()));
            data = BundlesData.builder().boundaries(boundaries).numBundles(boundaries.size() - 1).build();
        } else {
            data = PoliciesUtil.getBundles(row.get("bundles").asInt());
        }
        NamespaceBundles bundles = factory().getBundles(NAMESPACE, data);
        ArrayNode boundaries = answer.putArray("boundaries");
        data.getBoundaries().forEach(boundaries::add);
        ObjectNode found = answer.putObject("found");
        for (JsonNode topic : row.get("topics")) {
            try {
                found.put(topic.asText(), bundles.findBundle(TopicName.get(topic.asText())).getBundleRange());
            } catch (IndexOutOfBoundsException none) {
                found.putNull(topic.asText());
            }
        }
    }
}
