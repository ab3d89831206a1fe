import java.lang.reflect.Field;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;

/** Runs the tasks of one broker one after another; a task that blocks (2.9, 2.10) stays under way. */
class StepExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    final Deque<Runnable> queue = new ArrayDeque<>();
    final List<Task<?>> timers = new ArrayList<>();
    final boolean blocks;  // a task may wait for an answer, and so needs a thread
    Thread running;
    boolean stopped;

    StepExecutor(boolean blocks) {
        this.blocks = blocks;
    }

    public void execute(Runnable task) {
        if (stopped) {
            throw new RejectedExecutionException("stopped");
        }
        queue.add(task);
    }

    void settle() throws Exception {
        while (true) {
            if (running != null && !ended(running)) {
                return;
            }
            running = null;
            Runnable next = queue.poll();
            if (next == null) {
                return;
            }
            if (!blocks) {
                next.run();
                continue;
            }
            running = new Thread(next);
            running.setDaemon(true);
            running.start();
        }
    }

    /** Wait until the thread has ended or waits for a future that is not completed; return whether it has ended. */
    static boolean ended(Thread thread) throws Exception {
        while (true) {
            if (thread.getState() == Thread.State.TERMINATED) {
                return true;
            }
            if (thread.getState() == Thread.State.WAITING) {
                Object blocker = LockSupport.getBlocker(thread);
                if (blocker != null && blocker.getClass().getName().endsWith("CompletableFuture$Signaller")
                        && field(blocker.getClass(), "thread").get(blocker) != null) {
                    return false;
                }
            }
            Thread.yield();
        }
    }

    class Task<V> extends FutureTask<V> implements ScheduledFuture<V> {
        Task(Callable<V> run) {
            super(run);
        }

        @Override public boolean cancel(boolean interrupt) {
            timers.remove(this);
            return super.cancel(interrupt);
        }

        public long getDelay(TimeUnit unit) {
            return 0;
        }

        public int compareTo(Delayed other) {
            return 0;
        }
    }

    public <V> ScheduledFuture<V> schedule(Callable<V> run, long delay, TimeUnit unit) {
        if (stopped) {
            throw new RejectedExecutionException("stopped");
        }
        Task<V> task = new Task<>(run);
        timers.add(task);
        return task;
    }

    public ScheduledFuture<?> schedule(Runnable run, long delay, TimeUnit unit) {
        return schedule(Executors.callable(run), delay, unit);
    }

    public ScheduledFuture<?> scheduleAtFixedRate(Runnable r, long i, long d, TimeUnit u) {
        throw new UnsupportedOperationException();
    }

    /** The read of the leader's value every five minutes: the step read_value stands for it. */
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable r, long i, long d, TimeUnit u) {
        return new Task<>(Executors.callable(r));
    }

    public void shutdown() { }

    public List<Runnable> shutdownNow() {
        stopped = true;
        queue.clear();
        timers.clear();
        if (running != null) {
            running.interrupt();
        }
        return List.of();
    }

    public boolean isShutdown() {
        return stopped;
    }

    public boolean isTerminated() {
        return stopped;
    }

    public boolean awaitTermination(long t, TimeUnit u) {
        return true;
    }

    static Field field(Class<?> type, String name) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
