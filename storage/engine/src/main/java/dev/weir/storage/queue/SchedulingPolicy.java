package dev.weir.storage.queue;

/**
 * The choice of the writer's scheduling policy: receivers take precedence while few updates arrive, but not when many
 * clients wait for theirs. For the writer's thread.
 *
 * <p>A thread that wakes up interrupts a running one. The writer sleeps and wakes with each batch, thousands of times a
 * second, and with few processors it would delay checks as often. So with small batches it waits its turn, and then
 * finds larger ones. With large batches this would gain nothing, and clients would wait longer.
 */
final class SchedulingPolicy {
    /** The minimum size of a large batch. */
    static final int LARGE = 16;
    /**
     * The number of consecutive large batches after which more are expected. After a standstill there are only one or
     * two.
     */
    static final int LARGE_IN_A_ROW = 32;
    /** The number of consecutive small batches after which the large ones are over. */
    static final int SMALL_IN_A_ROW = 16;

    private final Runnable batchPolicy;
    private final Runnable defaultPolicy;
    private boolean waits;

    /** The number of consecutive batches that do not suit the current policy. */
    private int others;

    /**
     * Creates the choice for a thread with the default policy. Both actions change the policy of the calling thread.
     */
    SchedulingPolicy(Runnable batchPolicy, Runnable defaultPolicy) {
        this.batchPolicy = batchPolicy;
        this.defaultPolicy = defaultPolicy;
    }

    /** Records a batch. */
    void batch(int size) {
        boolean large = size >= LARGE;
        others = large == waits ? others + 1 : 0;
        if (others < (waits ? LARGE_IN_A_ROW : SMALL_IN_A_ROW)) {
            return;
        }
        others = 0;
        waits = !waits;
        (waits ? batchPolicy : defaultPolicy).run();
    }
}
