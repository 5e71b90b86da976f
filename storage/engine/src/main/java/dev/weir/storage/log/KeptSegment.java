package dev.weir.storage.log;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/** A segment with further facts about it. Another object stands for the segment when it is begun again or cut off. */
final class KeptSegment {
    private static final int TAKEN = -1;

    final Segment segment;
    final long bytes;
    /** The running checksum before the segment; empty if what is there now does not follow from it. */
    final OptionalLong checksum;
    volatile long sealedMillis;

    /** On a monotonic clock, the last time at which it may have got an update that a client may repeat. */
    volatile long askedNanos;

    /** Whether there may be such an update. */
    volatile boolean asked;

    /** Whether it was left because it was full, so that every record is from before the next segment. */
    volatile boolean full;

    /** Readers of this process that have it open, or {@link #TAKEN}. */
    private final AtomicInteger readers = new AtomicInteger();

    KeptSegment(Segment segment, long bytes, OptionalLong checksum, long sealedMillis) {
        this.segment = segment;
        this.bytes = bytes;
        this.checksum = checksum;
        this.sealedMillis = sealedMillis;
    }

    /** Returns the segment with a checksum that is no longer of use. */
    KeptSegment withoutChecksum() {
        return new KeptSegment(segment, bytes, OptionalLong.empty(), sealedMillis);
    }

    /** Begins to read the segment, and returns whether its content stays until {@link #leave}. */
    boolean enter() {
        return readers.updateAndGet(count -> count == TAKEN ? TAKEN : count + 1) != TAKEN;
    }

    /** Ends to read the segment. */
    void leave() {
        readers.decrementAndGet();
    }

    /** Takes the segment, to write over it, unless there are readers. Returns whether it did. */
    boolean take() {
        return readers.compareAndSet(0, TAKEN);
    }

    /** Gives the segment back unchanged. */
    void giveBack() {
        readers.set(0);
    }
}
