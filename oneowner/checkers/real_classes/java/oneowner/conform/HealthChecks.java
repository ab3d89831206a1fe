package oneowner.conform;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The health checks that a broker has asked for, of brokers that answer; some wait for the script to end them. */
final class HealthChecks {
    private record Check(String of, CompletableFuture<Void> end) { }

    private final List<Check> waiting = new ArrayList<>();
    private boolean wait;

    /** Run a call whose health checks wait, where their ends are steps of their own. */
    void holding(Runnable call) {
        wait = Cluster.holdsHealthChecks;
        try {
            call.run();
        } finally {
            wait = false;
        }
    }

    CompletableFuture<Void> answer(String of) {
        if (!wait) {
            return CompletableFuture.completedFuture(null);
        }
        Check check = new Check(of, new CompletableFuture<>());
        waiting.add(check);
        return check.end;
    }

    /** End all checks of a broker. */
    void end(String of) {
        List<Check> ended = waiting.stream().filter(check -> check.of.equals(of)).toList();
        waiting.removeAll(ended);
        ended.forEach(check -> check.end.complete(null));
    }

    /** Return the brokers whose check waits. */
    @Override
    public String toString() {
        return waiting.stream().map(check -> check.of.substring(1)).distinct().sorted().collect(Collectors.joining(" "));
    }
}
