package dev.weir.scan;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;

import dev.weir.scan.upstream.Resolver;
import dev.weir.scan.upstream.SystemResolver;

/**
 * How a {@link FuzzyCheck} works, beside what the configuration says.
 *
 * @param executor where mails are hashed and futures complete; empty: threads of the client, one a core.
 *            {@code Runnable::run} hashes on the calling thread, which suits callers with a virtual thread for each mail
 * @param maxWaiting mails that may be in the client at once; more are refused with {@link OverloadedException}
 * @param retryQueue the file that keeps updates for servers that could not be reached; empty: they are only reported
 * @param conditions what reads {@code learn_condition}; empty: a configuration that has one is refused
 * @param resolver what looks names up
 * @param listener hears of updates with a {@link Submitter} before they are sent
 */
public record FuzzyCheckOptions(Optional<Executor> executor, int maxWaiting, Optional<Path> retryQueue,
        Optional<LearnCondition.Source> conditions, Resolver resolver, UpdateListener listener) {
    /** Own threads, up to 16384 mails at once, no queue, no conditions. */
    public static final FuzzyCheckOptions DEFAULT = new FuzzyCheckOptions(Optional.empty(), 16_384, Optional.empty(),
            Optional.empty(), new SystemResolver(), (_, _, _) -> {});

    public FuzzyCheckOptions {
        if (maxWaiting < 1) {
            throw new IllegalArgumentException("at least one mail must be allowed");
        }
    }

    /** The same, working elsewhere. */
    public FuzzyCheckOptions withExecutor(Executor other) {
        return new FuzzyCheckOptions(Optional.of(other), maxWaiting, retryQueue, conditions, resolver, listener);
    }

    /** The same with another bound of mails. */
    public FuzzyCheckOptions withMaxWaiting(int mails) {
        return new FuzzyCheckOptions(executor, mails, retryQueue, conditions, resolver, listener);
    }

    /** The same with a queue for updates that could not be delivered. */
    public FuzzyCheckOptions withRetryQueue(Path file) {
        return new FuzzyCheckOptions(executor, maxWaiting, Optional.of(file), conditions, resolver, listener);
    }

    /** The same with a reader of learn conditions. */
    public FuzzyCheckOptions withConditions(LearnCondition.Source source) {
        return new FuzzyCheckOptions(executor, maxWaiting, retryQueue, Optional.of(source), resolver, listener);
    }

    /** The same with another way to look names up. */
    public FuzzyCheckOptions withResolver(Resolver other) {
        return new FuzzyCheckOptions(executor, maxWaiting, retryQueue, conditions, other, listener);
    }

    /** The same with a listener. */
    public FuzzyCheckOptions withListener(UpdateListener other) {
        return new FuzzyCheckOptions(executor, maxWaiting, retryQueue, conditions, resolver, other);
    }
}
