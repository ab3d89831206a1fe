package oneowner.conform;

import java.util.ArrayList;
import java.util.List;

/** The stacks of the calls by which Pulsar's classes act on what the script holds, in the step that is explained. */
final class Trace {
    private static final List<String> lines = new ArrayList<>();
    private static boolean isOn;

    private Trace() { }

    static void begin() {
        lines.clear();
        isOn = true;
    }

    /** End the trace, and return its lines. */
    static List<String> end() {
        isOn = false;
        return lines;
    }

    static void note(String act) {
        if (isOn) {
            note(act, new Throwable());
        }
    }

    static void note(String act, Throwable at) {
        if (isOn) {
            lines.add(act);
            for (StackTraceElement frame : at.getStackTrace()) {
                if (frame.getClassName().startsWith("org.apache.pulsar.")) {
                    lines.add("  at " + frame);
                }
            }
        }
    }
}
