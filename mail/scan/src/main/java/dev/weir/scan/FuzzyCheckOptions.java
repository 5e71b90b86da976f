package dev.weir.scan;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;

import dev.weir.scan.upstream.Resolver;
import dev.weir.scan.upstream.SystemResolver;

/**
 * The options of a {@link FuzzyCheck} beyond its configuration.
 *
 * @param executor the executor that hashes mails and completes futures; empty for one thread per core in the client.
 *            {@code Runnable::run} hashes on the calling thread, which suits callers on threads of a
 *            {@link dev.weir.scan.pool.ScanPool}, but no virtual thread
 * @param afterwards the executor for hashing that begins when answers have come; empty for {@code executor}
 * @param maxWaiting the maximum number of mails in the client; beyond it, mails are rejected with
 *            {@link OverloadedException}
 * @param retryQueue the file that keeps updates for unreachable servers; empty to only report them
 * @param conditions the reader of {@code learn_condition}; empty to reject configurations that have one
 * @param resolver the name resolver
 * @param listener the listener for updates with a {@link Submitter}
 * @param quiet whether the client sends only requests of its callers: it greets no server, probes none, and keeps
 *            asking servers that failed. It suits commands, which exchange little and then exit
 */
public record FuzzyCheckOptions(Optional<Executor> executor, Optional<Executor> afterwards, int maxWaiting,
        Optional<Path> retryQueue, Optional<LearnCondition.Source> conditions, Resolver resolver,
        UpdateListener listener, boolean quiet) {
    /** The client's own threads, up to 16384 mails at once, no retry queue, no learn conditions. */
    public static final FuzzyCheckOptions DEFAULT = new FuzzyCheckOptions(Optional.empty(), Optional.empty(), 16_384,
            Optional.empty(), Optional.empty(), new SystemResolver(), (_, _, _) -> {}, false);

    public FuzzyCheckOptions {
        if (maxWaiting < 1) {
            throw new IllegalArgumentException("at least one mail must be allowed");
        }
    }

    /** Returns a copy with an executor. */
    public FuzzyCheckOptions withExecutor(Executor other) {
        return new FuzzyCheckOptions(Optional.of(other), afterwards, maxWaiting, retryQueue, conditions, resolver,
                listener, quiet);
    }

    /** Returns a copy with an executor for hashing that begins when answers have come. */
    public FuzzyCheckOptions withAfterwards(Executor other) {
        return new FuzzyCheckOptions(executor, Optional.of(other), maxWaiting, retryQueue, conditions, resolver,
                listener, quiet);
    }

    /** Returns a copy with a limit on the number of mails. */
    public FuzzyCheckOptions withMaxWaiting(int mails) {
        return new FuzzyCheckOptions(executor, afterwards, mails, retryQueue, conditions, resolver, listener, quiet);
    }

    /** Returns a copy with a queue for undelivered updates. */
    public FuzzyCheckOptions withRetryQueue(Path file) {
        return new FuzzyCheckOptions(executor, afterwards, maxWaiting, Optional.of(file), conditions, resolver,
                listener, quiet);
    }

    /** Returns a copy with a reader of learn conditions. */
    public FuzzyCheckOptions withConditions(LearnCondition.Source source) {
        return new FuzzyCheckOptions(executor, afterwards, maxWaiting, retryQueue, Optional.of(source), resolver,
                listener, quiet);
    }

    /** Returns a copy with a name resolver. */
    public FuzzyCheckOptions withResolver(Resolver other) {
        return new FuzzyCheckOptions(executor, afterwards, maxWaiting, retryQueue, conditions, other, listener, quiet);
    }

    /** Returns a copy with a listener. */
    public FuzzyCheckOptions withListener(UpdateListener other) {
        return new FuzzyCheckOptions(executor, afterwards, maxWaiting, retryQueue, conditions, resolver, other,
                quiet);
    }

    /** Returns a copy that is quiet. */
    public FuzzyCheckOptions quietly() {
        return new FuzzyCheckOptions(executor, afterwards, maxWaiting, retryQueue, conditions, resolver, listener,
                true);
    }
}
