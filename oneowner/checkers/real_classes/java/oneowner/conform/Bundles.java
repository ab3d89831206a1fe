package oneowner.conform;

import com.google.common.collect.BoundType;
import com.google.common.collect.Range;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.common.naming.NamespaceBundleFactory;
import org.apache.pulsar.common.naming.NamespaceName;

/** The units of the model as bundles: one namespace each, or a parent with its children in one. */
final class Bundles {
    static final String WHOLE = "0x00000000_0xffffffff";
    /** Unit n is cut into 2n and 2n + 1. */
    static final String[] RANGES = {null, WHOLE, "0x00000000_0x7fffffff", "0x7fffffff_0xffffffff",
        "0x00000000_0x3fffffff", "0x3fffffff_0x7fffffff"};
    private static final Map<String, NamespaceBundle> made = new HashMap<>();

    private Bundles() { }

    static String name(int unit, boolean haveSplits) {
        return haveSplits ? "t/n/" + RANGES[unit] : "t/n" + unit + "/" + WHOLE;
    }

    static NamespaceBundle bundle(Object factory, String namespace, String range) {
        return made.computeIfAbsent(namespace + "/" + range, key -> {
            String[] ends = range.split("_");
            BoundType last = ends[1].equals("0xffffffff") ? BoundType.CLOSED : BoundType.OPEN;
            Range<Long> hashes = Range.range(Long.decode(ends[0]), BoundType.CLOSED, Long.decode(ends[1]), last);
            return new NamespaceBundle(NamespaceName.get(namespace), hashes, (NamespaceBundleFactory) factory);
        });
    }
}
