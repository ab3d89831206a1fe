package oneowner;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What an operator, the shedder or a client asks of a broker, as its load manager takes it behind all other checks. */
final class Commands {
    private static final String BALANCE = "org.apache.pulsar.broker.loadbalance.";

    private Commands() { }

    /** Ask for something; return the number of the passage that ends with it. */
    static long ask(String what, String unit, String destination) throws Exception {
        Object manager = manager();
        Object bundle = statically(BALANCE + "impl.LoadManagerShared", "getNamespaceBundle", Gates.pulsar, unit);
        Optional<String> to = destination.isEmpty() ? Optional.empty() : Optional.of(destination);
        Gates.Passage passage = Gates.arrives("command", what + " " + unit);
        Object asked = switch (what) {
            case "split" -> {
                Object service = Gates.call(Gates.pulsar, "getNamespaceService");
                Object halves = Gates.call(service, "getNamespaceBundleSplitAlgorithmByName", "range_equally_divide");
                yield Gates.call(manager, "splitNamespaceBundleAsync", bundle, halves, null);
            }
            case "look_up", "open_lookup" -> {
                Object options = statically("org.apache.pulsar.broker.namespace.LookupOptions", "builder");
                yield Gates.call(manager, "assign", Optional.empty(), bundle, Gates.call(options, "build"));
            }
            default -> Gates.call(
                    manager, "unloadNamespaceBundleAsync", bundle, to, false, 3_600_000L, TimeUnit.MILLISECONDS);
        };
        ((CompletableFuture<?>) asked).whenComplete(
                (done, error) -> Gates.ends(passage, error == null ? "" : String.valueOf(error)));
        return passage.id;
    }

    /** Return the broker's load manager. */
    static Object manager() throws Exception {
        return statically(BALANCE + "extensions.ExtensibleLoadManagerImpl", "get", Gates.pulsar);
    }

    private static Object statically(String type, String name, Object... arguments) throws Exception {
        for (Method one : Class.forName(type).getMethods()) {
            if (one.getName().equals(name) && one.getParameterCount() == arguments.length
                    && (arguments.length == 0 || one.getParameterTypes()[0].isInstance(arguments[0]))) {
                return one.invoke(null, arguments);
            }
        }
        throw new NoSuchMethodException(name);
    }
}
