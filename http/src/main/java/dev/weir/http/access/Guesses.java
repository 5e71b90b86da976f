package dev.weir.http.access;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Slow comparisons of passwords, one at a time: guessing costs others no more than one processor. Few may wait for their
 * turn, of each source no more than may fail before it is refused, and not for long; a share of the places is kept for this
 * machine. The same guess of the same source is compared once for all who wait for it. Thread-safe.
 */
final class Guesses {
    /** Twice as long as the last one in the queue waits where a comparison takes a tenth of a second. */
    static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int PLACES = 48;
    private static final int PLACES_NEAR = 64;

    private final Semaphore turn = new Semaphore(1, true);
    private final Map<Guess, CompletableFuture<Verdict>> waiting = new HashMap<>();
    private final Map<Source, Integer> perSource = new HashMap<>();
    private final Duration patience;

    /**
     * A queue.
     *
     * @param patience how long a guess may wait for its turn
     */
    Guesses(Duration patience) {
        this.patience = patience;
    }

    /**
     * One guess.
     *
     * @param print stands for the password
     */
    record Guess(Source source, Access asked, ByteBuffer print) {}

    /**
     * Waits for the turn of a guess and compares.
     *
     * @param most guesses of this source that may wait
     * @return what {@code comparison} says; {@link Verdict#THROTTLED} if the source has too many waiting,
     *         {@link Verdict#BUSY} if all together have or its turn did not come
     */
    Verdict compare(Guess guess, int most, Supplier<Verdict> comparison) throws InterruptedException {
        CompletableFuture<Verdict> mine = new CompletableFuture<>();
        CompletableFuture<Verdict> same;
        synchronized (this) {
            same = waiting.get(guess);
            if (same == null) {
                if (perSource.getOrDefault(guess.source(), 0) >= most) {
                    return Verdict.THROTTLED;
                }
                if (waiting.size() >= (guess.source().near() ? PLACES_NEAR : PLACES)) {
                    return Verdict.BUSY;
                }
                waiting.put(guess, mine);
                perSource.merge(guess.source(), 1, Integer::sum);
            }
        }
        return same == null ? first(guess, mine, comparison) : same.join();
    }

    private Verdict first(Guess guess, CompletableFuture<Verdict> result, Supplier<Verdict> comparison)
            throws InterruptedException {
        Verdict verdict = Verdict.BUSY;
        try {
            if (turn.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    verdict = comparison.get();
                } finally {
                    turn.release();
                }
            }
            return verdict;
        } finally {
            synchronized (this) {
                waiting.remove(guess);
                perSource.computeIfPresent(guess.source(), (_, count) -> count > 1 ? Integer.valueOf(count - 1) : null);
            }
            result.complete(verdict);
        }
    }

    /** Guesses that wait or are compared. */
    synchronized int size() {
        return waiting.size();
    }
}
