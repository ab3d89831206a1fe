package oneowner.conform;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The program: it takes runs on standard input, and prints the state after each step.
 *
 * <p>A batch is a line with a number, then so many lines with a run each: its steps, separated by semicolons. A step is the
 * action with its numbers; one with a question mark is tried: the run goes on without it, and a refusal is no difference. A
 * run that begins with an exclamation mark is explained: the stacks of its last step follow, and an empty line. Between
 * batches, a line {@code bounds NAME=VALUE ...} sets the bounds of later runs, {@code classes FOLDER} gives classes the
 * bodies of the class files in a folder, and {@code entries} asks for the methods that were entered, which an empty line
 * ends.
 */
public final class Main {
    private static final String BOUNDS = "bounds ", CLASSES = "classes ", FAILED = "failed: ", TRY = "?";

    private Main() { }

    public static void main(String[] bounds) {
        try {
            serve(bounds);
        } catch (Throwable error) {
            fail(error);
        }
        Runtime.getRuntime().halt(0); // threads that Pulsar has started would go on
    }

    /** End the program; the last line of standard error names the first cause of *error*, and its place. */
    static void fail(Throwable error) {
        error.printStackTrace();
        Throwable first = error;
        StackTraceElement place = null;
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            first = cause;
            place = Arrays.stream(cause.getStackTrace()).filter(Main::isJudgedOrOurs).findFirst().orElse(place);
        }
        System.err.println(FAILED + (first + " at " + place).replaceAll("\\s+", " "));
        Runtime.getRuntime().halt(1);
    }

    private static boolean isJudgedOrOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith("org.apache.pulsar.") || frame.getClassName().startsWith("oneowner.");
    }

    private static void serve(String[] bounds) throws IOException {
        PrintWriter out = new PrintWriter(new BufferedWriter(
                new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 16));
        System.setOut(System.err); // whatever Pulsar prints is none of our lines
        bound(bounds);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String count; (count = in.readLine()) != null;) {
            if (count.startsWith(BOUNDS)) {
                bound(count.substring(BOUNDS.length()).split(" "));
                continue;
            }
            if (count.startsWith(CLASSES)) {
                Rewriter.redefine(Path.of(count.substring(CLASSES.length())));
                continue;
            }
            if (count.equals(Entries.ARGUMENT)) {
                Entries.entered().forEach(out::println);
                out.println();
                out.flush();
                continue;
            }
            String[] runs = new String[Integer.parseInt(count)];
            for (int number = 0; number < runs.length; number++) {
                runs[number] = in.readLine();
            }
            for (String run : runs) {
                walk(run, out);
            }
            out.flush();
        }
    }

    private static void bound(String[] bounds) {
        Map<String, String> given = new HashMap<>();
        for (String bound : bounds) {
            given.put(bound.substring(0, bound.indexOf('=')), bound.substring(bound.indexOf('=') + 1));
        }
        Cluster.bound(given);
    }

    private static void walk(String run, PrintWriter out) {
        boolean isExplained = run.startsWith("!");
        String[] steps = run.substring(isExplained ? 1 : 0).split(";");
        Cluster.reset();
        for (int number = 0; number < steps.length; number++) {
            if (isExplained && number == steps.length - 1) {
                Trace.begin();
            }
            if (steps[number].startsWith(TRY)) {
                out.println(tried(steps, number));
            } else {
                take(steps[number]);
                out.println(state());
            }
        }
        if (isExplained) {
            Trace.end().forEach(out::println);
            out.println();
        }
    }

    /** Try a step, and return the state after it; what it has changed is made anew by the steps before it. */
    private static String tried(String[] steps, int number) {
        String before = state();
        List<String> timers = Time.shown();
        boolean hasEnded = take(steps[number].substring(TRY.length()));
        Cluster.forgive();
        String after = state();
        if (!hasEnded || !after.equals(before) || !Time.shown().equals(timers)) {
            Cluster.reset();
            for (int at = 0; at < number; at++) {
                if (!steps[at].startsWith(TRY)) {
                    take(steps[at]);
                }
            }
        }
        return after;
    }

    private static String state() {
        try {
            return Projection.state();
        } catch (Exception error) { // a view that cannot be read is a difference too
            return "no state: " + error.toString().replace('\n', ' ').replace('|', ' ');
        }
    }

    /** Take a step, and return whether it has not thrown anything. */
    private static boolean take(String step) {
        try {
            Steps.take(step.split(" "));
            return true;
        } catch (Throwable error) {
            Cluster.refuse("threw " + error);
            Trace.note("threw " + error, error);
            return false;
        }
    }
}
