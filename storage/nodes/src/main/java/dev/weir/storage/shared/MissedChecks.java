package dev.weir.storage.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.engine.MissListener;
import org.jspecify.annotations.Nullable;

/**
 * Checks that found nothing in the index, for the thread that asks Redis about them. Any thread may put one; that
 * neither waits nor allocates. Beyond {@value #ROOM}, they are dropped and counted. One thread takes them.
 */
public final class MissedChecks implements MissListener {
    static final int ROOM = 1 << 12;

    /** For each place: its turn if it is free, its turn + 1 if it is filled. */
    private final AtomicLongArray turns = new AtomicLongArray(ROOM);
    private final Place[] places = new Place[ROOM];
    private final AtomicLong tail = new AtomicLong();
    private final LongAdder dropped = new LongAdder();
    private long head;

    private static final class Place {
        final long[] digest = new long[Digest.WORDS];
        final long[] shingles = new long[Signature.SLOTS];
        boolean hasShingles;
        int threshold;
    }

    /**
     * One check.
     *
     * @param shingles null if it had none
     * @param threshold how many slots a near duplicate must share at least
     */
    record Missed(Digest digest, @Nullable Signature shingles, int threshold) {}

    /** Begins without checks. */
    public MissedChecks() {
        for (int i = 0; i < ROOM; i++) {
            turns.set(i, i);
            places[i] = new Place();
        }
    }

    /** Puts a check, unless there is no room. */
    @Override
    public void put(long[] digest, long[] shingles, boolean hasShingles, int threshold) {
        while (true) {
            long turn = tail.get();
            int at = (int) (turn & (ROOM - 1));
            long there = turns.get(at);
            if (there < turn) {
                dropped.increment();
                return;
            }
            if (there == turn && tail.compareAndSet(turn, turn + 1)) {
                Place place = places[at];
                System.arraycopy(digest, 0, place.digest, 0, digest.length);
                place.hasShingles = hasShingles;
                if (hasShingles) {
                    System.arraycopy(shingles, 0, place.shingles, 0, shingles.length);
                }
                place.threshold = threshold;
                turns.set(at, turn + 1);
                return;
            }
        }
    }

    /** Takes the oldest checks. For one thread. */
    List<Missed> take(int most) {
        List<Missed> taken = new ArrayList<>();
        while (taken.size() < most) {
            int at = (int) (head & (ROOM - 1));
            if (turns.get(at) != head + 1) {
                break;
            }
            Place place = places[at];
            taken.add(new Missed(Digest.ofWords(place.digest, 0),
                    place.hasShingles ? Signature.of(place.shingles, 0) : null, place.threshold));
            turns.set(at, head + ROOM);
            head++;
        }
        return taken;
    }

    /** Returns the number of checks for which there was no room. */
    long dropped() {
        return dropped.sum();
    }
}
