package dev.weir.scan;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.rule.FuzzyCheckSettings;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one configuration with all that belongs to them. Others may take its place while mails are under way,
 * which
 * end by the rules that they began with: so users of a book register, and it ends when it was replaced and its last
 * user
 * has left. Thread-safe.
 */
final class RuleBook {
    private final FuzzyCheckSettings settings;
    private final Map<String, ServerGroup> readers;
    private final Map<String, ServerGroup> writers;
    private final Checking checking;
    private final Learning learning;
    /** Being in force counts as one; at 0 it never rises again. */
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

    /** Uses it until {@link #leave}; false if it has ended. */
    boolean enter() {
        return users.updateAndGet(now -> now == 0 ? 0 : now + 1) > 0;
    }

    /** Ends a use, or being in force. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            ended.complete(null);
        }
    }

    /** Completes when it is no longer in force or in use. */
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
