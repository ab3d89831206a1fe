package oneowner.conform;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The methods of the load balancer that have been entered, if the agent is given the argument {@code entries}. */
public final class Entries {
    static final String ARGUMENT = "entries", PLACE = "org/apache/pulsar/broker/loadbalance/";
    /** By number of a method; the code that the agent adds sets one. */
    public static final boolean[] ENTERED = new boolean[1 << 16];
    private static final List<String> methods = new ArrayList<>();
    static boolean areTraced;

    private Entries() { }

    /** Return the number of a method, such as {@code org/apache/.../Type.name(form)}. */
    static synchronized int number(String method) {
        methods.add(method);
        return methods.size() - 1;
    }

    static synchronized Stream<String> entered() {
        return IntStream.range(0, methods.size()).filter(number -> ENTERED[number]).mapToObj(methods::get);
    }
}
