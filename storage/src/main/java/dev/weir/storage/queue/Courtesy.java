package dev.weir.storage.queue;

/**
 * Lets those who answer checks go first while few updates come, and does not once many clients wait for theirs. For the
 * writer's thread.
 *
 * <p>A thread that slept interrupts who is at work; the writer sleeps and wakes with each batch, thousands of times a
 * second, and where processors are scarce checks would wait that often. So with small batches it waits its turn, and
 * finds larger ones. When the batches are large anyway, there is nothing to be gained, and who learns would wait for
 * nothing.
 */
final class Courtesy {
    /** A batch of so many is a large one. */
    static final int LARGE = 16;
    /**
     * After so many large batches in a row more of them will come; what piled up while all stood still is one or two.
     */
    static final int LARGE_IN_A_ROW = 32;
    /** After so many small batches in a row the large ones are over. */
    static final int SMALL_IN_A_ROW = 16;

    private final Runnable batchPolicy;
    private final Runnable defaultPolicy;
    private boolean waits;

    /** How many batches in a row were not what the thread is scheduled for. */
    private int others;

    /** With a thread that is an ordinary one; both schedule the thread that calls them. */
    Courtesy(Runnable batchPolicy, Runnable defaultPolicy) {
        this.batchPolicy = batchPolicy;
        this.defaultPolicy = defaultPolicy;
    }

    /** To be told of every batch. */
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
