package oneowner.conform;

import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.bookkeeper.common.util.OrderedExecutor;
import org.apache.pulsar.client.api.Schema;

/**
 * Time, timers and waits of Pulsar's classes; {@link Rewriter} sends their calls here. One thread runs everything.
 *
 * <p>The clock stands still unless a step moves it. A job that waits or sleeps has private time: what it has scheduled
 * itself runs; a wait that nothing of it can end fails at once with a time-out; the step then sets the clock back.
 */
public final class Time {
    /**
     * Of a timer, *label* is the text that its task has captured, such as the broker of a clean-up; *work* is the task
     * without the end of the future that waits for it. One *in line* is of the load manager's one thread.
     */
    record Timer(long at, long number, String owner, String label, boolean isInLine, Runnable task, Runnable work) { }

    private static final long BEGINNING = 1_700_000_000_000L, FOR_EVER = 1L << 40, MOST_SLEEPS = 10_000;
    private static final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private static final Map<Class<?>, Schema<?>> schemas = new HashMap<>();
    private static long now = BEGINNING, nextNumber, jobFrom, sleeps, past;
    /** The waits that have begun, for something that was not done. */
    private static long waits;
    private static String owner = "";

    private Time() { }

    static void reset() {
        timers.clear();
        now = BEGINNING;
        nextNumber = 0;
    }

    /** Run a task of the broker *of*, so many milliseconds from now; the clock is set back at its end. */
    static void run(String of, long later, Runnable task) {
        String ownerBefore = owner;
        long before = now, jobBefore = jobFrom, pastBefore = past;
        owner = of;
        now += later;
        jobFrom = nextNumber;
        try {
            task.run();
        } finally {
            owner = ownerBefore;
            now = before + past - pastBefore;
            jobFrom = jobBefore;
        }
    }

    /** Let a millisecond pass, for good. */
    static void pass() {
        past++;
        now++;
    }

    /** Begin a step: count the sleeps of its jobs anew. */
    static void beginStep() {
        sleeps = 0;
    }

    /** Complain if a job of the step tried something again without end. */
    static void endStep() {
        if (Thread.interrupted()) {
            Cluster.complain("a job tries something again without end");
        }
    }

    static long waits() {
        return waits;
    }

    static List<Timer> timersOf(String broker) {
        return timers.stream().filter(timer -> timer.owner.equals(broker)).sorted(timers.comparator()).toList();
    }

    /** Return what is scheduled, in words. */
    static List<String> shown() {
        return timers.stream().map(timer -> timer.owner + " " + timer.label).sorted().toList();
    }

    static void fire(Timer timer) {
        if (timers.remove(timer)) {
            run(timer.owner, 0, timer.task);
        }
    }

    /** Let a job do its work, and go on: its timer stays, and nothing that waits for the job's end hears of it. */
    static void begin(Timer timer) {
        run(timer.owner, 0, timer.work);
    }

    static void forget(String broker) {
        timers.removeIf(timer -> timer.owner.equals(broker));
    }

    static Timer schedule(long delay, String label, Runnable task) {
        return schedule(delay, label, false, task, task);
    }

    static Timer schedule(long delay, String label, boolean isInLine, Runnable task, Runnable work) {
        Timer timer = new Timer(now + Math.max(0, delay), nextNumber++, owner, label, isInLine, task, work);
        timers.add(timer);
        return timer;
    }

    static void cancel(Timer timer) {
        timers.remove(timer);
    }

    /**
     * Let the job's own timers run until *done*, for at most *millis*; return whether it is done.
     *
     * <p>Those in line do not run: their thread is the one that waits.
     */
    static boolean pump(BooleanSupplier done, long millis) {
        long end = now + millis, from = jobFrom;
        while (!done.getAsBoolean()) {
            Timer next = timers.stream()
                    .filter(timer -> timer.number >= from && timer.at <= end && !timer.isInLine).min(timers.comparator()).orElse(null);
            if (next == null) {
                now = end;
                return false;
            }
            timers.remove(next);
            now = Math.max(now, next.at);
            next.task.run();
        }
        return true;
    }

    // In place of the calls of the same names.

    public static long currentTimeMillis() {
        return now;
    }

    public static long nanoTime() {
        return now * 1_000_000L;
    }

    public static Instant now() {
        return Instant.ofEpochMilli(now);
    }

    public static void sleep(long millis) throws InterruptedException {
        if (++sleeps > MOST_SLEEPS) {
            throw new InterruptedException(); // a loop of retries, such as that of playLeader, ends
        }
        now += millis;
    }

    public static void sleep(TimeUnit unit, long number) {
        now += unit.toMillis(number);
    }

    /** One schema serves all: to make one takes 300 microseconds. */
    @SuppressWarnings("unchecked")
    public static <T> Schema<T> JSON(Class<T> type) {
        return (Schema<T>) schemas.computeIfAbsent(type, key -> Schema.JSON(type));
    }

    /** Keep the order of *map*: that of Map.copyOf is another one in each JVM. */
    public static <K, V> Map<K, V> copyOf(Map<? extends K, ? extends V> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    /** Count; a split counts its tries so, and the script decides how many there have been. */
    public static int incrementAndGet(AtomicInteger counter) {
        return Boundaries.counted(counter);
    }

    public static Object get(CompletableFuture<?> future, long number, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!future.isDone() && !(future instanceof Topic.Refresh)) {
            waits++;
        }
        if (!pump(future::isDone, unit.toMillis(number))) {
            throw new TimeoutException();
        }
        return future.get();
    }

    public static Object get(CompletableFuture<?> future) throws InterruptedException, ExecutionException {
        waitFor(future);
        return future.get();
    }

    public static Object join(CompletableFuture<?> future) throws CompletionException {
        waitFor(future);
        return future.join();
    }

    private static void waitFor(CompletableFuture<?> future) {
        if (!pump(future::isDone, FOR_EVER)) {
            throw new IllegalStateException("the thread waits for ever: nothing of the same job ends its wait");
        }
    }

    public static <T> CompletableFuture<T> orTimeout(CompletableFuture<T> future, long number, TimeUnit unit) {
        return due(future, number, unit, "orTimeout", () -> future.completeExceptionally(new TimeoutException()));
    }

    public static <T> CompletableFuture<T> completeOnTimeout(
            CompletableFuture<T> future, T value, long number, TimeUnit unit) {
        return due(future, number, unit, "completeOnTimeout", () -> future.complete(value));
    }

    private static <T> CompletableFuture<T> due(
            CompletableFuture<T> future, long number, TimeUnit unit, String label, Runnable task) {
        Timer timer = schedule(unit.toMillis(number), label, task);
        future.whenComplete((value, error) -> cancel(timer));
        return future;
    }

    private record Later(long millis, boolean isInLine) implements Executor {
        @Override
        public void execute(Runnable task) {
            schedule(millis, captured(task), isInLine, task, task);
        }
    }

    public static Executor delayedExecutor(long number, TimeUnit unit, Executor executor) {
        return new Later(unit.toMillis(number), executor instanceof ScriptedExecutor one && one.isLoadManagers);
    }

    public static Executor delayedExecutor(long number, TimeUnit unit) {
        return new Later(unit.toMillis(number), false);
    }

    public static CompletableFuture<Void> runAsync(Runnable task, Executor executor) {
        if (!(executor instanceof Later later)) {
            return CompletableFuture.runAsync(task, executor);
        }
        var future = new CompletableFuture<Void>();
        schedule(later.millis, captured(task), later.isInLine, () -> {
            if (!future.isDone()) { // cancelled
                try {
                    task.run();
                    future.complete(null);
                } catch (Throwable error) {
                    future.completeExceptionally(error);
                }
            }
        }, task);
        return future;
    }

    /** Return the strings that a lambda has captured. */
    private static String captured(Object lambda) {
        StringBuilder text = new StringBuilder();
        for (var field : lambda.getClass().getDeclaredFields()) {
            if (field.getType() == String.class) {
                text.append(Reflect.get(field, lambda));
            }
        }
        return text.toString();
    }

    /** Make no thread: the executor of the caches of 4.2 and later would begin one for each process. */
    public static OrderedExecutor build(OrderedExecutor.AbstractBuilder<?> builder) {
        return Reflect.blank(ScriptedExecutor.Ordered.class);
    }

    // The common pool is the thread itself.

    public static CompletableFuture<Void> runAsync(Runnable task) {
        task.run();
        return CompletableFuture.completedFuture(null);
    }

    public static <T> CompletableFuture<T> supplyAsync(Supplier<T> task) {
        return CompletableFuture.completedFuture(task.get());
    }

    public static <T, R> CompletableFuture<R> thenComposeAsync(
            CompletableFuture<T> future, Function<T, CompletableFuture<R>> next) {
        return future.thenCompose(next);
    }

    public static <T, R> CompletableFuture<R> thenApplyAsync(CompletableFuture<T> future, Function<T, R> next) {
        return future.thenApply(next);
    }

    public static <T> CompletableFuture<Void> thenAcceptAsync(CompletableFuture<T> future, Consumer<T> next) {
        return future.thenAccept(next);
    }

    public static <T> CompletableFuture<T> whenCompleteAsync(
            CompletableFuture<T> future, BiConsumer<T, Throwable> next) {
        return future.whenComplete(next);
    }
}
