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
    /** Twice as long as the last one in the queue waits where a comparison takes a tenth of a second. */
    static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int PLACES = 48;
    private static final int PLACES_NEAR = 64;

    private final Semaphore turn = new Semaphore(1, true);
    private final Map<Guess, CompletableFuture<AccessDecision>> waiting = new HashMap<>();
    private final Map<ClientNetwork, Integer> perNetwork = new HashMap<>();
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
    record Guess(ClientNetwork network, AccessLevel asked, ByteBuffer print) {}

    /**
     * Waits for the turn of a guess and compares.
     *
     * @param most guesses of this network that may wait
     * @return what {@code comparison} says; {@link AccessDecision#THROTTLED} if the network has too many waiting,
     *         {@link AccessDecision#BUSY} if all together have or its turn did not come
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

    /** Guesses that wait or are compared. */
    synchronized int size() {
        return waiting.size();
    }
}
