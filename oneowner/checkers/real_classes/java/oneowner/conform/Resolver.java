package oneowner.conform;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.common.topics.TopicCompactionStrategy;

/** The release's own resolver of the channel, by the name that it has there. */
final class Resolver {
    private static final String PACKAGE = "org.apache.pulsar.broker.loadbalance.extensions.channel.";
    private static final Constructor<?> CONSTRUCTOR = constructor();
    private static final boolean HEARS_OF_SKIPPED = Arrays.stream(TopicCompactionStrategy.class.getMethods())
            .anyMatch(method -> method.getName().equals("handleSkippedMessage"));

    private Resolver() { }

    private static Constructor<?> constructor() {
        for (String name : new String[] {"ServiceUnitStateDataConflictResolver", "ServiceUnitStateCompactionStrategy"}) {
            try {
                return Class.forName(PACKAGE + name).getConstructor();
            } catch (ReflectiveOperationException missing) {
                continue;
            }
        }
        throw new IllegalStateException("these jars have no resolver of the channel");
    }

    @SuppressWarnings("unchecked")
    static TopicCompactionStrategy<ServiceUnitStateData> make() {
        try {
            return (TopicCompactionStrategy<ServiceUnitStateData>) CONSTRUCTOR.newInstance();
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Report a skipped record to the resolver, as the client does since 3.0.1. */
    static void skip(TopicCompactionStrategy<ServiceUnitStateData> resolver, String key, ServiceUnitStateData value) {
        if (HEARS_OF_SKIPPED) {
            resolver.handleSkippedMessage(key, value);
        }
    }
}
