package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;

/** A bounded queue of updates from the receivers to the writer, in order of arrival. */
public final class UpdateQueue {
    /**
     * The default capacity. A disk with 4000 updates a second needs two seconds for this many, after which clients have
     * given up. The queue takes about 5 MB.
     */
    public static final int DEFAULT_CAPACITY = 8_192;

    /** An element that only ends a wait. */
    private static final QueuedUpdate WAKE = new QueuedUpdate(
            new Update.DeleteAll(Digest.ofWords(new long[Digest.WORDS], 0)), UpdateOrigin.STORAGE,
            QueuedUpdate.Outcome.NONE);

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

    /** Ends a wait of the writer, which looks for other work then. Any thread may call it. */
    public void wake() {
        if (queue.isEmpty()) {
            // If the queue is full meanwhile, the writer is awake.
            var _ = queue.offer(WAKE);
        }
    }

    /** Waits for an update, up to {@code nanos} nanoseconds. Returns null if there is none, or after {@link #wake}. */
    @SuppressWarnings("ReferenceEquality")
    @Nullable
    QueuedUpdate poll(long nanos) throws InterruptedException {
        QueuedUpdate next = queue.poll(nanos, TimeUnit.NANOSECONDS);
        return next == WAKE ? null : next;
    }

    /** Moves the waiting updates to a list, up to {@code most}. */
    @SuppressWarnings("ReferenceEquality")
    void drainTo(List<QueuedUpdate> target, int most) {
        queue.drainTo(target, most);
        target.removeIf(update -> update == WAKE);
    }
}
