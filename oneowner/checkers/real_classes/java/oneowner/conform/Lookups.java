package oneowner.conform;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The selections of a broker: those of lookups, which wait for the script, and those of overrides. */
final class Lookups {
    private final CompletableFuture<Optional<String>>[] selections = selections();
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
