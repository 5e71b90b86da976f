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
 * The queue of slow password comparisons, which run one at a time, so that guessing costs other clients at most one
 * processor. The queue is short and waits are bounded. Each network has at most as many places as it may have failures
 * before it is refused, and some places are reserved for this machine. If several requests of one network carry the
 * same guess, it is compared once. Thread-safe.
 */
final class Guesses {
    /** Twice the wait of the last place in the queue, if a comparison takes a tenth of a second. */
    static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int PLACES = 48;
    private static final int PLACES_NEAR = 64;

    private final Semaphore turn = new Semaphore(1, true);
    private final Map<Guess, CompletableFuture<AccessDecision>> waiting = new HashMap<>();
    private final Map<ClientNetwork, Integer> perNetwork = new HashMap<>();
    private final Duration patience;

    /**
     * Creates a queue.
     *
     * @param patience the maximum wait of a guess
     */
    Guesses(Duration patience) {
        this.patience = patience;
    }

    /**
     * One guess.
     *
     * @param print the keyed hash of the password
     */
    record Guess(ClientNetwork network, AccessLevel asked, ByteBuffer print) {}

    /**
     * Waits for the turn of a guess and compares.
     *
     * @param most the maximum number of waiting guesses of this network
     * @return the result of the comparison; {@link AccessDecision#THROTTLED} if too many guesses of the network wait;
     *         {@link AccessDecision#BUSY} if too many guesses wait in total, or the wait took too long
     */
    AccessDecision compare(Guess guess, int most, Supplier<AccessDecision> comparison) throws InterruptedException {
        CompletableFuture<AccessDecision> mine = new CompletableFuture<>();
        CompletableFuture<AccessDecision> same;
        synchronized (this) {
            same = waiting.get(guess);
            if (same == null) {
                if (perNetwork.getOrDefault(guess.network(), 0) >= most) {
                    return AccessDecision.THROTTLED;
                }
                if (waiting.size() >= (guess.network().near() ? PLACES_NEAR : PLACES)) {
                    return AccessDecision.BUSY;
                }
                waiting.put(guess, mine);
                perNetwork.merge(guess.network(), 1, Integer::sum);
            }
        }
        return same == null ? first(guess, mine, comparison) : same.join();
    }

    private AccessDecision first(Guess guess, CompletableFuture<AccessDecision> result,
            Supplier<AccessDecision> comparison)
            throws InterruptedException {
        AccessDecision decision = AccessDecision.BUSY;
        try {
            if (turn.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    decision = comparison.get();
                } finally {
                    turn.release();
                }
            }
            return decision;
        } finally {
            synchronized (this) {
                waiting.remove(guess);
                perNetwork.computeIfPresent(guess.network(),
                        (_, count) -> count > 1 ? Integer.valueOf(count - 1) : null);
            }
            result.complete(decision);
        }
    }

    /** Returns the number of guesses that wait or are being compared. */
    synchronized int size() {
        return waiting.size();
    }
}
