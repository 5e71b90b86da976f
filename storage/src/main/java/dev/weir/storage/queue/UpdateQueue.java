package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** A bounded queue of updates from the receivers to the writer, in order of arrival. */
public final class UpdateQueue {
    /**
     * The default capacity. A disk with 4000 updates a second needs two seconds for this many, after which clients have
     * given up. The queue takes about 5 MB.
     */
    public static final int DEFAULT_CAPACITY = 8_192;

    private final BlockingQueue<QueuedUpdate> queue;

    /** Creates a queue for at most {@code capacity} updates. */
    public UpdateQueue(int capacity) {
        this.queue = new ArrayBlockingQueue<>(capacity);
    }

    /** Appends an update unless the queue is full. Never blocks. */
    public boolean offer(QueuedUpdate update) {
        return queue.offer(update);
    }

    /** Returns whether there is enough room for updates without a waiting client. */
    public boolean hasRoomForRefresh() {
        return queue.remainingCapacity() > queue.size();
    }

    /** Returns whether the queue is full. */
    public boolean isFull() {
        return queue.remainingCapacity() == 0;
    }

    /** Returns the number of waiting updates. */
    public int size() {
        return queue.size();
    }

    /** Waits for an update, up to {@code nanos} nanoseconds. */
    @Nullable
    QueuedUpdate poll(long nanos) throws InterruptedException {
        return queue.poll(nanos, TimeUnit.NANOSECONDS);
    }

    /** Moves the waiting updates to a list, up to {@code most}. */
    void drainTo(List<QueuedUpdate> target, int most) {
        queue.drainTo(target, most);
    }
}
