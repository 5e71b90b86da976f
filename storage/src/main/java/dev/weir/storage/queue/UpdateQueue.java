package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** Updates on their way from the receivers to the writer, in order of arrival and bounded. */
public final class UpdateQueue {
    /**
     * Updates that may wait. A disk that manages 4000 updates a second clears this many in two seconds, after which
     * clients have given up waiting anyway; they take about 5 MB.
     */
    public static final int DEFAULT_CAPACITY = 8_192;

    private final BlockingQueue<QueuedUpdate> queue;

    /** A queue for at most {@code capacity} updates. */
    public UpdateQueue(int capacity) {
        this.queue = new ArrayBlockingQueue<>(capacity);
    }

    /** Appends an update unless the queue is full; never waits. */
    public boolean offer(QueuedUpdate update) {
        return queue.offer(update);
    }

    /** Returns whether there is so much room that updates without a waiting client take none away from others. */
    public boolean hasRoomForRefresh() {
        return queue.remainingCapacity() > queue.size();
    }

    /** Returns whether there is no room for another one. */
    public boolean isFull() {
        return queue.remainingCapacity() == 0;
    }

    /** How many updates wait. */
    public int size() {
        return queue.size();
    }

    /** Waits for an update, up to {@code nanos} nanoseconds. */
    @Nullable
    QueuedUpdate poll(long nanos) throws InterruptedException {
        return queue.poll(nanos, TimeUnit.NANOSECONDS);
    }

    /** Moves what waits now, up to {@code most} updates. */
    void drainTo(List<QueuedUpdate> target, int most) {
        queue.drainTo(target, most);
    }
}
