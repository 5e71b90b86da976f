package dev.weir.scan;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.rule.FuzzyCheckSettings;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one configuration with everything that belongs to them. Other rules may replace it while mails are in
 * progress, which finish under the rules they began with. Users of a rule book therefore register, and it ends once it
 * is replaced and its last user has left. Thread-safe.
 */
final class RuleBook {
    private final FuzzyCheckSettings settings;
    private final Map<String, ServerGroup> readers;
    private final Map<String, ServerGroup> writers;
    private final Checking checking;
    private final Learning learning;
    /** The number of users. Being in force counts as one; the number never rises from 0. */
    private final AtomicInteger users = new AtomicInteger(1);
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    RuleBook(FuzzyCheckSettings settings, Map<String, ServerGroup> readers, Map<String, ServerGroup> writers,
            Checking checking, Learning learning) {
        this.settings = settings;
        this.readers = Map.copyOf(readers);
        this.writers = Map.copyOf(writers);
        this.checking = checking;
        this.learning = learning;
    }

    /** Registers a user until {@link #leave}. Returns false if the rule book has ended. */
    boolean enter() {
        return users.updateAndGet(now -> now == 0 ? 0 : now + 1) > 0;
    }

    /** Unregisters a user, or ends being in force. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            ended.complete(null);
        }
    }

    /** Returns a future that completes when the rule book is neither in force nor in use. */
    CompletableFuture<@Nullable Void> ended() {
        return ended;
    }

    FuzzyCheckSettings settings() {
        return settings;
    }

    Map<String, ServerGroup> readers() {
        return readers;
    }

    Map<String, ServerGroup> writers() {
        return writers;
    }

    Checking checking() {
        return checking;
    }

    Learning learning() {
        return learning;
    }
}
