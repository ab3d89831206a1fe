package oneowner.conform;

import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.common.util.OrderedExecutor;

/** An executor of a broker: it executes at once, and schedules by {@link Time}. */
final class ScriptedExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    final boolean isLoadManagers;
    private final String name;

    ScriptedExecutor(String name) {
        this.name = name;
        isLoadManagers = name.equals("load manager");
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return new Due<>(Time.schedule(unit.toMillis(delay), name, isLoadManagers, task, task));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        Runnable call = () -> {
            try {
                task.call();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        };
        return new Due<>(Time.schedule(unit.toMillis(delay), name, isLoadManagers, call, call));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
        return schedule(task, first, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
        return schedule(task, first, unit);
    }

    @Override
    public void shutdown() { }

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long number, TimeUnit unit) {
        return true;
    }

    /** Put scripted executors in place of those that *object* has made, which have threads. */
    static void replaceIn(Object object, String name) {
        for (Class<?> at = object.getClass(); at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (Reflect.get(field, object) instanceof ExecutorService made && !(made instanceof Ordered)) {
                    made.shutdownNow();
                    Reflect.set(object, field.getName(), new ScriptedExecutor(name));
                }
            }
        }
    }

    /** The form that caches of 4.2 and later need; the constructor, which is not called, would begin threads. */
    static final class Ordered extends OrderedExecutor {
        private Ordered() {
            super(null, 0, null, null, false, false, 0, 0, false, false);
        }

        @Override
        public ExecutorService chooseThread(Object key) {
            return new ScriptedExecutor("thread of the store");
        }
    }

    private static final class Due<V> extends CompletableFuture<V> implements ScheduledFuture<V> {
        private final Time.Timer timer;

        Due(Time.Timer timer) {
            this.timer = timer;
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            Time.cancel(timer);
            return super.cancel(mayInterrupt);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(timer.at() - Time.currentTimeMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.MILLISECONDS), other.getDelay(TimeUnit.MILLISECONDS));
        }
    }
}
