package dev.weir.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import org.jspecify.annotations.Nullable;

/**
 * A thread that adds hashes to an index while the database reads the next ones; each takes about half of a start. Used
 * by one thread. When {@link #close} returns, the index contains all hashes.
 */
final class IndexFiller implements Consumer<StoredHash>, AutoCloseable {
    private static final int TOGETHER = 512;
    private static final int WAITING = 16;

    /** The interval at which a waiting thread checks whether the other one is alive. */
    private static final long LOOK_MILLIS = 100;

    private final BlockingQueue<List<StoredHash>> waiting = new ArrayBlockingQueue<>(WAITING);
    private final HashIndex index;
    private final Thread thread;
    private List<StoredHash> next = new ArrayList<>(TOGETHER);
    private volatile @Nullable Throwable failure;
    private long leftOut;

    IndexFiller(HashIndex index) {
        this.index = index;
        this.thread = Thread.ofPlatform().name("weir-load").daemon().uncaughtExceptionHandler((_, e) -> failure = e)
                .start(this::fill);
    }

    private void fill() {
        try {
            for (List<StoredHash> some = waiting.take(); !some.isEmpty(); some = waiting.take()) {
                for (StoredHash hash : some) {
                    leftOut += hash.flags().size() - hash.bounded().flags().size();
                    index.load(hash);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("this thread is never interrupted", e);
        }
    }

    /**
     * Adds a hash.
     *
     * @throws IndexFullException if there was no room for an earlier one
     * @throws IllegalStateException if an earlier one could not be added for another reason
     */
    @Override
    public void accept(StoredHash hash) {
        next.add(hash);
        if (next.size() == TOGETHER) {
            put(next);
            next = new ArrayList<>(TOGETHER);
        }
    }

    private void put(List<StoredHash> some) {
        boolean done = false;
        while (!done) {
            if (!thread.isAlive()) {
                throw failed();
            }
            try {
                done = waiting.offer(some, LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted while hashes are loaded", e);
            }
        }
    }

    /**
     * Waits until the index contains everything.
     *
     * @throws IndexFullException if there was no room
     * @throws IllegalStateException if a hash could not be added for another reason
     */
    @Override
    public void close() {
        if (!next.isEmpty()) {
            put(next);
        }
        put(List.of());
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while hashes are loaded", e);
        }
        if (failure != null) {
            throw failed();
        }
    }

    private RuntimeException failed() {
        return failure instanceof IndexFullException full
                ? new IndexFullException(full)
                : new IllegalStateException("hashes cannot be put into the index", failure);
    }

    /** Returns the number of flags that exceeded the maximum of their hash. Call it after {@link #close}. */
    long leftOut() {
        return leftOut;
    }
}
