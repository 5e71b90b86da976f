package dev.weir.scan;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.HashKind;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.scan.client.FuzzyClient;
import dev.weir.scan.client.GroupOptions;
import dev.weir.scan.client.Question;
import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.retry.PendingUpdate;
import dev.weir.scan.retry.RetryQueue;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.HashTypes;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Checks and learns mails by the rules of a configuration, as Rspamd's module of the same name does.
 *
 * <p>One client serves any number of threads and thousands of mails at once: hashing runs on an executor, one thread does
 * all sending and receiving, and nobody waits for a server but the future that is returned. Futures complete on the
 * executor.
 */
public final class FuzzyCheck implements AutoCloseable {
    /** How long opening waits for names to be looked up; what takes longer goes on in the background. */
    private static final long LOOK_UP_MILLIS = 2000;
    private static final long COUNT_AGE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final FuzzyCheckSettings settings;
    private final MailHasher hasher;
    private final FuzzyCheckOptions options;
    private final FuzzyClient client;
    private final Map<String, ServerGroup> readers;
    private final Executor executor;
    private final @Nullable ExecutorService ownExecutor;
    private final Optional<RetryQueue> queue;
    private final Checking checking;
    private final Learning learning;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Map<String, Long> counts = new ConcurrentHashMap<>();
    private final AtomicLong counted = new AtomicLong(System.nanoTime() - 2 * COUNT_AGE_NANOS);

    private FuzzyCheck(FuzzyCheckSettings settings, MailHasher hasher, FuzzyCheckOptions options, FuzzyClient client,
            Groups groups, Map<String, LearnCondition> conditions, Optional<RetryQueue> queue) {
        this.settings = settings;
        this.hasher = hasher;
        this.options = options;
        this.client = client;
        this.readers = groups.readers();
        this.queue = queue;
        this.ownExecutor = options.executor().isPresent() ? null : threads();
        this.executor = ownExecutor == null ? options.executor().orElseThrow() : ownExecutor;
        this.checking = new Checking(settings, hasher, client, readers, executor);
        this.learning = new Learning(settings, hasher, client, groups.writers(), conditions, queue);
    }

    private static ExecutorService threads() {
        return Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(),
                Thread.ofPlatform().name("weir-hash-", 0).daemon().factory());
    }

    private record Groups(Map<String, ServerGroup> readers, Map<String, ServerGroup> writers) {}

    /**
     * Opens a client with the usual options.
     *
     * @throws IOException if the system has no sockets left
     * @throws IllegalArgumentException if a rule has a learn condition, which needs an option
     */
    public static FuzzyCheck open(FuzzyCheckSettings settings, MailHasher hasher) throws IOException {
        return open(settings, hasher, FuzzyCheckOptions.DEFAULT);
    }

    /**
     * Opens a client.
     *
     * @throws IOException if the retry queue cannot be used, or the system has no sockets left
     * @throws IllegalArgumentException if a learn condition cannot be read, or a key protects nothing
     */
    public static FuzzyCheck open(FuzzyCheckSettings settings, MailHasher hasher, FuzzyCheckOptions options)
            throws IOException {
        final Map<String, LearnCondition> conditions = conditions(settings, options);
        final FuzzyClient client = FuzzyClient.open(options.resolver(), settings.maxErrors(), settings.reviveTime());
        try {
            final Groups groups = groups(settings, client);
            final Optional<RetryQueue> queue = options.retryQueue().isEmpty()
                    ? Optional.empty()
                    : Optional.of(RetryQueue.open(options.retryQueue().get(),
                            (rule, server, updates) -> deliver(client, groups.writers(), rule, server, updates),
                            settings.reviveTime()));
            return new FuzzyCheck(settings, hasher, options, client, groups, conditions, queue);
        } catch (final IOException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private static Map<String, LearnCondition> conditions(FuzzyCheckSettings settings, FuzzyCheckOptions options) {
        final Map<String, LearnCondition> conditions = new HashMap<>();
        for (final RuleSettings rule : settings.rules()) {
            if (rule.learnCondition().isPresent() && rule.mode().writes()) {
                final LearnCondition.Source source = options.conditions().orElseThrow(
                        () -> new IllegalArgumentException(rule.origin() + ": rule \"" + rule.name()
                                + "\" has a learn_condition, and nothing here can run Lua"));
                conditions.put(rule.name(), source.read(rule.name(), rule.learnCondition().get()));
            }
        }
        return conditions;
    }

    private static Groups groups(FuzzyCheckSettings settings, FuzzyClient client) {
        final Map<String, ServerGroup> readers = new LinkedHashMap<>();
        final Map<String, ServerGroup> writers = new LinkedHashMap<>();
        for (final RuleSettings rule : settings.rules()) {
            final GroupOptions how = new GroupOptions(rule.timeout(), rule.retransmits(), rule.hedgeAfter(),
                    rule.tcp());
            if (rule.mode().reads()) {
                readers.put(rule.name(), client.group(rule.readServers(), rule.readKey(), how));
            }
            if (rule.mode().writes()) {
                writers.put(rule.name(), client.group(rule.writeServers(), rule.writeKey(), how));
            }
        }
        final CompletableFuture<?> known = CompletableFuture.allOf(
                Stream.concat(readers.values().stream(), writers.values().stream())
                        .map(ServerGroup::ready)
                        .toArray(CompletableFuture[]::new));
        try {
            known.get(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            // Mails that come before the names are known are told so.
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return new Groups(readers, writers);
    }

    private static CompletableFuture<List<RetryQueue.Verdict>> deliver(FuzzyClient client,
            Map<String, ServerGroup> writers, String rule, String server, List<PendingUpdate.Update> updates) {
        final ServerGroup group = writers.get(rule);
        if (group == null) {
            return CompletableFuture.completedFuture(
                    updates.stream().map(update -> RetryQueue.Verdict.NO_SUCH_SERVER).toList());
        }
        return client.tell(group, server, updates.stream()
                .map(update -> new Question(update.command(), update.flag(), update.value(), update.digest(),
                        update.shingles(), update.tag(), List.of()))
                .toList()).thenApply(told -> {
                    if (told.isEmpty()) {
                        // A server that only DNS knows of may be known again later.
                        final RetryQueue.Verdict verdict = group.hasServices()
                                ? RetryQueue.Verdict.NO_ANSWER
                                : RetryQueue.Verdict.NO_SUCH_SERVER;
                        return updates.stream().map(update -> verdict).toList();
                    }
                    return told.getFirst().outcomes().stream().map(outcome -> {
                        final Reply reply = outcome.reply();
                        return reply == null
                                ? RetryQueue.Verdict.NO_ANSWER
                                : reply.isMatch() ? RetryQueue.Verdict.CONFIRMED : RetryQueue.Verdict.REFUSED;
                    }).toList();
                });
    }

    /** What the client was opened with. */
    public FuzzyCheckSettings settings() {
        return settings;
    }

    /** What the client makes hashes with. */
    public MailHasher hasher() {
        return hasher;
    }

    /**
     * Asks the servers of all rules.
     *
     * @return fails only with {@link OverloadedException}, or when the client is closed meanwhile; servers that fail show
     *         in the result
     */
    public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
        if (!settings.enabled()) {
            return CompletableFuture.completedFuture(
                    new ScanResult(List.of(), 0, List.of(), List.of(), List.of(), List.of(), false));
        }
        return admitted(() -> checking.check(mail, context));
    }

    /**
     * Learns or deletes a mail at every server of every rule that has the flag.
     *
     * @return fails only with {@link OverloadedException}, or when the client is closed meanwhile; everything else is in
     *         the report
     */
    public CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request) {
        return admitted(() -> learning.learn(mail, request, false));
    }

    /**
     * What {@link #learn} would do, down to the digests of each rule and the word of its learn condition; nothing is sent,
     * and the report has no servers.
     *
     * @return as {@link #learn}
     */
    public CompletableFuture<LearnReport> rehearse(byte[] mail, LearnRequest request) {
        return admitted(() -> learning.learn(mail, request, true));
    }

    /**
     * Deletes digests, from whatever list they are on, at every server of every rule that has the flag. Learn conditions
     * are not asked: there is no mail.
     *
     * @return as {@link #learn}
     */
    public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag) {
        return admitted(() -> learning.forget(digests, flag));
    }

    private <T> CompletableFuture<T> admitted(Supplier<CompletableFuture<T>> work) {
        if (waiting.incrementAndGet() > options.maxWaiting()) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(new OverloadedException(options.maxWaiting()));
        }
        final CompletableFuture<T> result = new CompletableFuture<>();
        final BiConsumer<@Nullable T, @Nullable Throwable> end = (value, error) -> {
            waiting.decrementAndGet();
            if (error == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(error instanceof CompletionException && error.getCause() != null
                        ? error.getCause()
                        : error);
            }
        };
        try {
            executor.execute(() -> start(work, end));
        } catch (final RejectedExecutionException e) {
            end.accept(null, e);
        }
        return result;
    }

    private static <T> void start(Supplier<CompletableFuture<T>> work,
            BiConsumer<@Nullable T, @Nullable Throwable> end) {
        final CompletableFuture<T> running;
        try {
            running = work.get();
        } catch (final RuntimeException e) {
            end.accept(null, e);
            return;
        }
        final var _ = running.whenComplete(end);
    }

    /** The hashes of a mail under the rules that map the flag; nothing is asked. Runs on the calling thread. */
    public HashListing hashes(byte[] mail, long flag) {
        return listing(mail, rule -> rule.score().flags().containsKey(flag));
    }

    /** The hashes of a mail under the rules that map the symbol, letter case ignored; nothing is asked. */
    public HashListing hashes(byte[] mail, String symbol) {
        return listing(mail, rule -> rule.score()
                .flags()
                .values()
                .stream()
                .anyMatch(mapping -> mapping.symbol().equalsIgnoreCase(symbol)));
    }

    private HashListing listing(byte[] mail, Predicate<RuleSettings> wanted) {
        final AnalyzedMail analyzed = hasher.analyze(mail);
        final SequencedMap<String, List<HashListing.Hash>> rules = new LinkedHashMap<>();
        for (final RuleSettings rule : settings.rules()) {
            if (wanted.test(rule)) {
                rules.put(rule.name(), hasher.hash(analyzed, rule.hashing(), Skip.NOTHING)
                        .stream()
                        .map(hash -> new HashListing.Hash(HashTypes.of(hash), Digest.of(hash.digest()),
                                hash.kind() == HashKind.TEXT || hash.kind() == HashKind.SHORT_TEXT))
                        .toList());
            }
        }
        return new HashListing(rules);
    }

    /** The rules with their servers. */
    public StoragesListing storages() {
        return new StoragesListing(settings.rules().stream().map(FuzzyCheck::storage).toList());
    }

    private static StoragesListing.Storage storage(RuleSettings rule) {
        final Map<String, Long> flags = new TreeMap<>();
        rule.score().flags().forEach((flag, mapping) -> flags.merge(mapping.symbol(), flag, Math::min));
        return new StoragesListing.Storage(rule.name(), !rule.mode().writes(),
                rule.readServers().entries().stream().map(UpstreamList.Entry::name).toList(),
                rule.writeServers().entries().stream().map(UpstreamList.Entry::name).toList(), flags);
    }

    /**
     * How many hashes the servers of each rule hold, as last heard; rules that were never heard of are missing. Never
     * waits: what is older than two seconds is asked for anew and shows the next time.
     */
    public Map<String, Long> counts() {
        final long last = counted.get();
        final long now = System.nanoTime();
        if (now - last > COUNT_AGE_NANOS && counted.compareAndSet(last, now)) {
            for (final Map.Entry<String, ServerGroup> reader : readers.entrySet()) {
                final var _ = client.count(reader.getValue())
                        .thenAccept(count -> count.ifPresent(number -> counts.put(reader.getKey(), number)));
            }
        }
        return Map.copyOf(counts);
    }

    /** Updates that wait for servers that could not be reached. */
    public int queued() {
        return queue.map(RetryQueue::size).orElse(0);
    }

    /** Ends the client: what is being checked ends without the answers that are missing. */
    @Override
    public void close() {
        queue.ifPresent(RetryQueue::close);
        client.close();
        if (ownExecutor != null) {
            ownExecutor.close();
        }
    }
}
