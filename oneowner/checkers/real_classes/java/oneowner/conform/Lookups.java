package oneowner.conform;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The selections of a broker: those of lookups, which wait for the script, and those of overrides. */
final class Lookups {
    private final CompletableFuture<Optional<String>>[] selections = selections();
    private final CompletableFuture<?>[] lookups = new CompletableFuture<?>[Cluster.units + 1];
    /** The last answer by unit, in the words of projection.py; it outlives the process. */
    private String[] answers = new String[Cluster.units + 1];
    /** The answer to a selection of the job that runs; null: selections wait. */
    private Optional<String> choice;
    private boolean fails;

    @SuppressWarnings("unchecked")
    private static CompletableFuture<Optional<String>>[] selections() {
        return new CompletableFuture[Cluster.units + 1];
    }

    CompletableFuture<Optional<String>> select(int unit) {
        if (fails) {
            return CompletableFuture.failedFuture(new IllegalStateException("the registry cannot be read"));
        }
        if (choice != null) {
            return CompletableFuture.completedFuture(choice);
        }
        if (isSelecting(unit)) {
            Cluster.complain("a second selection for unit " + unit);
        }
        Trace.note("a selection begins for unit " + unit);
        return selections[unit] = new CompletableFuture<>();
    }

    /** Follow a lookup to its answer. */
    void follow(int unit, CompletableFuture<?> lookup) {
        if (lookups[unit] != lookup) { // else it has joined an older one
            lookups[unit] = lookup;
            String[] own = answers;
            lookup.whenComplete((answer, error) -> own[unit] = error != null ? "failed" : answer(answer));
        }
    }

    /** Return an answer as projection.py has it: a broker by what its registration holds, or nobody. */
    private static String answer(Object found) {
        return ((Optional<?>) found).map(data -> Reflect.call(data, "getWebServiceUrl").toString())
                .map(url -> "broker " + url.substring(url.lastIndexOf('b') + 1)).orElse("nobody");
    }

    /** Keep the answers of a process before this one. */
    void keep(Lookups older) {
        answers = older.answers;
    }

    /** Return the progress of the lookup of *unit*. */
    String progress(int unit) {
        boolean isOpen = lookups[unit] != null && !lookups[unit].isDone();
        return isSelecting(unit) ? "selects" : isOpen && Cluster.followsLookups && Cluster.isHeldToRules ? "waits" : "";
    }

    /** Return the last answer for *unit*, or an empty string. */
    String answer(int unit) {
        return answers[unit] == null ? "" : answers[unit];
    }

    boolean isSelecting(int unit) {
        return selections[unit] != null && !selections[unit].isDone();
    }

    void end(int unit, String selected) {
        selections[unit].complete(Optional.of(selected));
    }

    /** Run a job whose selections fail, as those of a broker do that has no session. */
    void failing(Runnable job) {
        fails = true;
        try {
            job.run();
        } finally {
            fails = false;
        }
    }

    /** Run a job whose selections have this result. */
    void choosing(Optional<String> selected, Runnable job) {
        choice = selected;
        try {
            job.run();
        } finally {
            choice = null;
        }
    }
}
