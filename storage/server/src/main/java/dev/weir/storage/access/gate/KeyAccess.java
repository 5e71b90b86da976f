package dev.weir.storage.access.gate;

import java.time.Instant;

import dev.weir.storage.access.Access;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.stats.ClientStatistics;
import dev.weir.wire.key.PublicKey;

/** The rules of one key, prepared for fast evaluation. Immutable, except for the state that it refers to. */
public final class KeyAccess {
    private final ServerKey key;
    private final KeyState state;
    private final FlagSet forbidden;
    private final boolean updatesAllowed;
    private final long expiresMillis;
    private final boolean mayRead;
    private final boolean mayWrite;
    private final boolean mayDelete;

    KeyAccess(ServerKey key, Access access, boolean updatesAllowed, KeyState state) {
        KeyRules rules = key.rules();
        FlagSet own = rules.forbidden();
        Instant end = rules.expires();
        this.key = key;
        this.state = state;
        this.updatesAllowed = updatesAllowed;
        this.forbidden = own == null ? access.answers().forbidden() : own;
        this.expiresMillis = end == null ? Long.MAX_VALUE : millis(end);
        this.mayRead = rules.allowed().contains(Operation.READ);
        this.mayWrite = rules.allowed().contains(Operation.WRITE);
        this.mayDelete = rules.allowed().contains(Operation.DELETE);
    }

    private static long millis(Instant instant) {
        try {
            return instant.toEpochMilli();
        } catch (ArithmeticException farAway) {
            return instant.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** Returns the public key. */
    public PublicKey publicKey() {
        return key.pair().publicKey();
    }

    /** Returns the configured rules. */
    public KeyRules rules() {
        return key.rules();
    }

    /** Returns whether the key belongs to one customer, whose name it has. */
    public boolean isNamed() {
        return !key.rules().name().isEmpty();
    }

    /** Returns the statistics of the key's clients. */
    public ClientStatistics statistics() {
        return state.statistics();
    }

    FlagSet forbidden() {
        return forbidden;
    }

    boolean isExpired(long now) {
        return now >= expiresMillis;
    }

    boolean mayRead() {
        return mayRead;
    }

    boolean mayWrite() {
        return mayWrite;
    }

    boolean mayDelete() {
        return mayDelete;
    }

    boolean updatesAllowed() {
        return updatesAllowed;
    }

    Bucket bucket() {
        return state.bucket();
    }

    /** Counts a check and returns whether it is within the limit of the key, if any. */
    boolean admits(long now) {
        RateLimit limit = key.rules().limit();
        return limit == null || state.bucket().add(limit, now);
    }
}
