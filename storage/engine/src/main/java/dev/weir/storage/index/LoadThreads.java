package dev.weir.storage.index;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

import dev.weir.os.UninterruptibleJoin;
import org.jspecify.annotations.Nullable;

/**
 * The threads that load an index, which each do a part of the same work. The calling thread is the first of them; there
 * are others only while work is under way.
 */
public final class LoadThreads {
    private final int count;

    /** Creates a number of threads; with 1, the calling thread does all work. */
    public LoadThreads(int count) {
        if (count < 1) {
            throw new IllegalArgumentException(count + " threads");
        }
        this.count = count;
    }

    /** Returns the number of threads. */
    public int count() {
        return count;
    }

    /**
     * Runs some work in every thread, and returns when all have finished.
     *
     * @param work receives the number of its thread, from 0
     * @throws RuntimeException the first failure of a thread; the others have finished
     */
    public void run(IntConsumer work) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> others = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            int number = i;
            others.add(Thread.ofPlatform().name("weir-load-" + i).daemon()
                    .uncaughtExceptionHandler((_, e) -> failure.compareAndSet(null, e))
                    .start(() -> work.accept(number)));
        }
        try {
            work.accept(0);
        } finally {
            others.forEach(UninterruptibleJoin::of);
        }
        switch (failure.get()) {
            case null -> {
                // Every thread has done its part.
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }
}
