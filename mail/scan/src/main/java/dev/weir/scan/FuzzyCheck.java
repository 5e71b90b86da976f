package dev.weir.scan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.scan.client.FuzzyClient;
import dev.weir.scan.client.GroupOptions;
import dev.weir.scan.client.Outcome;
import dev.weir.scan.client.Question;
import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.outgoing.OutgoingFigures;
import dev.weir.scan.outgoing.OutgoingWaves;
import dev.weir.scan.retry.PendingUpdate;
import dev.weir.scan.retry.RetryQueue;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.SymbolTable;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.command.Extension;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client that checks and learns mails by the rules of a configuration, like Rspamd's module of the same name.
 *
 * <p>One client serves any number of threads and thousands of mails at once. Hashing and sending run on an executor,
 * and one thread waits for answers. Only the returned future waits for a server. Futures complete on the executor.
 */
public final class FuzzyCheck implements ScannerState, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FuzzyCheck.class);
    /** How long opening waits for name resolution. Slower lookups continue in the background. */
    private static final long LOOK_UP_MILLIS = 2000;
    private static final long COUNT_AGE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final MailHasher hasher;
    private final FuzzyCheckOptions options;
    private final FuzzyClient client;
    private final Executor executor;
    private final @Nullable ExecutorService ownExecutor;
    private final Optional<RetryQueue> queue;
    private final AtomicReference<@Nullable RuleBook> rules;
    private final Turns turns = new Turns();
    private final AtomicInteger waiting = new AtomicInteger();
    private final OutgoingWaves outgoing = new OutgoingWaves(KeyedHash.random());
    private final Map<String, Long> counts = new ConcurrentHashMap<>();
    private final AtomicLong counted = new AtomicLong(System.nanoTime() - 2 * COUNT_AGE_NANOS);

    private FuzzyCheck(MailHasher hasher, FuzzyCheckOptions options, FuzzyClient client, Optional<RetryQueue> queue,
            AtomicReference<@Nullable RuleBook> rules) {
        this.hasher = hasher;
        this.options = options;
        this.client = client;
        this.ownExecutor = options.executor().isPresent() ? null : threads();
        this.executor = ownExecutor == null ? options.executor().orElseThrow() : ownExecutor;
        this.queue = queue;
        this.rules = rules;
    }

    private Executor afterwards() {
        return options.afterwards().orElse(executor);
    }

    private static ExecutorService threads() {
        return Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(),
                Thread.ofPlatform().name("weir-hash-", 0).daemon().factory());
    }

    private record Groups(Map<String, ServerGroup> readers, Map<String, ServerGroup> writers) {}

    /**
     * Opens a client with default options.
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
     * @throws IOException if the retry queue is unusable, or the system has no sockets left
     * @throws IllegalArgumentException if a learn condition is malformed, or a key is of small order
     */
    public static FuzzyCheck open(FuzzyCheckSettings settings, MailHasher hasher, FuzzyCheckOptions options)
            throws IOException {
        Map<String, LearnCondition> conditions = conditions(settings, options.conditions());
        FuzzyClient client = options.quiet()
                ? FuzzyClient.openQuiet(options.resolver())
                : FuzzyClient.open(options.resolver(), settings.maxErrors(), settings.reviveTime());
        try {
            AtomicReference<@Nullable RuleBook> rules = new AtomicReference<>();
            Optional<RetryQueue> queue = options.retryQueue().isEmpty()
                    ? Optional.empty()
                    : Optional.of(RetryQueue.open(options.retryQueue().get(),
                            (rule, server, updates) -> rules.get() == null
                                    ? CompletableFuture.completedFuture(all(updates, RetryQueue.Verdict.NO_ANSWER))
                                    : deliver(client, rules, rule, server, updates),
                            settings.reviveTime()));
            try {
                queue.ifPresent(held -> goOn(client, settings, held));
                FuzzyCheck check = new FuzzyCheck(hasher, options, client, queue, rules);
                rules.set(check.book(settings, groups(settings, client), conditions));
                return check;
            } catch (Throwable e) {
                queue.ifPresent(RetryQueue::close);
                throw e;
            }
        } catch (Throwable e) {
            client.close();
            throw e;
        }
    }

    /** Sends what an earlier process left from the ports that it had, so that storages recognize what they have. */
    private static void goOn(FuzzyClient client, FuzzyCheckSettings settings, RetryQueue queue) {
        Map<String, RuleSettings> rules = new HashMap<>();
        settings.rules().forEach(rule -> rules.put(rule.name(), rule));
        for (PendingUpdate update : queue.pending()) {
            RuleSettings rule = rules.get(update.rule());
            int port = update.content().port();
            if (rule != null && port != 0) {
                client.goOnFrom(update.server(), rule.writeKey(), port);
            }
        }
    }

    private RuleBook book(FuzzyCheckSettings settings, Groups groups, Map<String, LearnCondition> conditions) {
        return new RuleBook(settings, groups.readers(), groups.writers(),
                new Checking(settings, hasher, client, groups.readers(), executor, afterwards(), outgoing),
                new Learning(settings, hasher, client, groups.writers(), conditions, queue, turns,
                        options.listener(), afterwards()));
    }

    /**
     * Prepares other rules while the current ones stay in force: resolves their names and greets their servers, for at
     * most two seconds. Nothing changes before {@link Replacement#apply}. Servers that both rule sets use keep their
     * health state, and the retry queue stays.
     *
     * @param source the reader of learn conditions; its conditions must outlive the rules
     * @throws IllegalArgumentException if a learn condition is malformed, or a key is of small order
     */
    public Replacement prepare(FuzzyCheckSettings settings, Optional<? extends LearnCondition.Source> source) {
        Map<String, LearnCondition> conditions = conditions(settings, source);
        return new Replacement(book(settings, groups(settings, client), conditions));
    }

    /** A prepared set of rules. Callers must either apply or close it, once. */
    public final class Replacement implements AutoCloseable {
        private final RuleBook fresh;
        private boolean done;

        private Replacement(RuleBook fresh) {
            this.fresh = fresh;
        }

        /**
         * Puts the rules in force for all new mails. Mails in progress finish under the old rules.
         *
         * @return a future that completes when no mail uses the old rules any more
         * @throws IllegalStateException if the replacement was already applied or closed
         */
        public CompletableFuture<@Nullable Void> apply() {
            if (done) {
                throw new IllegalStateException("the replacement was already applied or closed");
            }
            done = true;
            FuzzyCheckSettings settings = fresh.settings();
            client.retune(settings.maxErrors(), settings.reviveTime());
            queue.ifPresent(held -> held.retune(settings.reviveTime()));
            RuleBook old = rules.getAndSet(fresh);
            if (old == null) {
                throw new IllegalStateException("no rules are in force");
            }
            // Otherwise counts() would still report removed rules.
            counts.keySet().retainAll(fresh.readers().keySet());
            CompletableFuture<@Nullable Void> ended = old.ended().whenComplete((_, _) -> drop(old));
            old.leave();
            return ended;
        }

        /** Discards the rules unless they were applied. */
        @Override
        public void close() {
            if (!done) {
                done = true;
                drop(fresh);
            }
        }
    }

    private void drop(RuleBook book) {
        book.readers().values().forEach(client::drop);
        book.writers().values().forEach(client::drop);
    }

    /** Returns the rules in force. */
    private static RuleBook inForce(AtomicReference<@Nullable RuleBook> rules) {
        RuleBook book = rules.get();
        if (book == null) {
            throw new IllegalStateException("no rules are in force yet");
        }
        return book;
    }

    /** Enters the rules in force. They stay usable until the caller leaves them. */
    private static RuleBook enter(AtomicReference<@Nullable RuleBook> rules) {
        while (true) {
            RuleBook book = inForce(rules);
            if (book.enter()) {
                return book;
            }
        }
    }

    private static Map<String, LearnCondition> conditions(FuzzyCheckSettings settings,
            Optional<? extends LearnCondition.Source> source) {
        Map<String, LearnCondition> conditions = new HashMap<>();
        for (RuleSettings rule : settings.rules()) {
            if (rule.learnCondition().isPresent() && rule.mode().writes()) {
                LearnCondition.Source reader = source.orElseThrow(
                        () -> new IllegalArgumentException(rule.origin() + ": rule \"" + rule.name()
                                + "\" has a learn_condition, but this client cannot run Lua"));
                try {
                    conditions.put(rule.name(), reader.read(rule.name(), rule.learnCondition().get()));
                } catch (IllegalArgumentException e) {
                    throw at(rule, e);
                }
            }
        }
        return conditions;
    }

    private static IllegalArgumentException at(RuleSettings rule, IllegalArgumentException e) {
        return new IllegalArgumentException(rule.origin() + ": rule \"" + rule.name() + "\": " + e.getMessage(), e);
    }

    private static Groups groups(FuzzyCheckSettings settings, FuzzyClient client) {
        Map<String, ServerGroup> readers = new LinkedHashMap<>();
        Map<String, ServerGroup> writers = new LinkedHashMap<>();
        try {
            for (RuleSettings rule : settings.rules()) {
                GroupOptions how = new GroupOptions(rule.timeout(), rule.retransmits(), rule.hedgeAfter(),
                        rule.tcp());
                try {
                    if (rule.mode().reads()) {
                        readers.put(rule.name(), client.group(rule.readServers(), rule.readKey(), how));
                    }
                    if (rule.mode().writes()) {
                        writers.put(rule.name(), client.group(rule.writeServers(), rule.writeKey(), how));
                    }
                } catch (IllegalArgumentException e) {
                    throw at(rule, e);
                }
            }
        } catch (Throwable e) {
            readers.values().forEach(client::drop);
            writers.values().forEach(client::drop);
            throw e;
        }
        CompletableFuture<?> known = CompletableFuture.allOf(
                Stream.concat(readers.values().stream(), writers.values().stream())
                        .map(ServerGroup::ready)
                        .toArray(CompletableFuture[]::new));
        try {
            known.get(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // Mails that arrive before the names are resolved report the missing addresses.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return new Groups(readers, writers);
    }

    /** Returns a sentence about the file of the retry queue, if it was damaged when this was opened. */
    public Optional<String> queueDamage() {
        return queue.flatMap(RetryQueue::damage);
    }

    private static CompletableFuture<List<RetryQueue.Verdict>> deliver(FuzzyClient client,
            AtomicReference<@Nullable RuleBook> rules, String rule, String server,
            List<PendingUpdate.Content> updates) {
        RuleBook book = enter(rules);
        return deliver(client, book.writers().get(rule), server, updates).whenComplete((_, _) -> book.leave());
    }

    private static CompletableFuture<List<RetryQueue.Verdict>> deliver(FuzzyClient client,
            @Nullable ServerGroup group, String server, List<PendingUpdate.Content> updates) {
        if (group == null) {
            return CompletableFuture.completedFuture(all(updates, RetryQueue.Verdict.NO_SUCH_SERVER));
        }
        return client.tell(group, server, List.of(probe(updates))).thenCompose(probed -> {
            if (!probed.isEmpty() && probed.getFirst().outcomes().getFirst().reply() == null) {
                // If requests arrive and replies do not, each attempt could add the weight once more.
                return CompletableFuture.completedFuture(all(updates, RetryQueue.Verdict.NO_ANSWER));
            }
            return client.tell(group, server, updates.stream().map(FuzzyCheck::question).toList())
                    .thenApply(told -> verdicts(group, server, updates, told));
        });
    }

    /** Returns a harmless question as long as the longest update, because a path may drop long datagrams only. */
    private static Question probe(List<PendingUpdate.Content> updates) {
        Question count = Question.count();
        return updates.stream().map(PendingUpdate.Content::shingles).filter(shingles -> shingles.length > 0).findFirst()
                .map(shingles -> new Question(count.command(), 0, 0, count.digest(), shingles, 0, List.of()))
                .orElse(count);
    }

    private static Question question(PendingUpdate.Content update) {
        return new Question(update.command(), update.flag(), update.value(), update.digest(), update.shingles(),
                update.tag(), update.sides() == null ? List.of() : List.of(new Extension.Sides(update.sides())));
    }

    private static List<RetryQueue.Verdict> all(List<PendingUpdate.Content> updates, RetryQueue.Verdict verdict) {
        return Collections.nCopies(updates.size(), verdict);
    }

    private static List<RetryQueue.Verdict> verdicts(ServerGroup group, String server,
            List<PendingUpdate.Content> updates, List<FuzzyClient.Told> told) {
        if (told.isEmpty()) {
            // A server in a service record may appear in DNS again later.
            return all(updates, group.hasServices()
                    ? RetryQueue.Verdict.NO_ANSWER
                    : RetryQueue.Verdict.NO_SUCH_SERVER);
        }
        List<RetryQueue.Verdict> verdicts = new ArrayList<>();
        Map<Integer, Integer> refusals = new TreeMap<>();
        for (Outcome outcome : told.getFirst().outcomes()) {
            Reply reply = outcome.reply();
            RetryQueue.Verdict verdict = reply == null
                    ? RetryQueue.Verdict.NO_ANSWER
                    : reply.isMatch()
                            ? RetryQueue.Verdict.CONFIRMED
                            : reply.value() == ErrorCode.INTERNAL
                                    ? RetryQueue.Verdict.NOT_NOW
                                    : RetryQueue.Verdict.REFUSED;
            verdicts.add(verdict);
            if (reply != null && verdict == RetryQueue.Verdict.REFUSED) {
                refusals.merge(reply.value(), 1, Integer::sum);
            }
        }
        refusals.forEach((code, count) -> LOG.warn(
                "rule {}: {} refused {} updates that waited in the retry queue, with code {} ({}); they are lost",
                updates.getFirst().rule(), server, count, code, Refusals.describe(code)));
        return verdicts;
    }

    /** Returns the configuration in force. */
    public FuzzyCheckSettings settings() {
        return inForce(rules).settings();
    }

    @Override
    public SymbolTable symbols() {
        return settings().symbols();
    }

    @Override
    public long reducedRequests() {
        return client.reducedRequests();
    }

    /** Returns the hasher of this client. */
    public MailHasher hasher() {
        return hasher;
    }

    /**
     * Checks a mail at the servers of all rules.
     *
     * @return a future that fails only with {@link OverloadedException}, or if the client closes; the result reports
     *         servers that fail
     */
    public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
        return admitted(book -> book.settings().enabled()
                ? book.checking().check(mail, context)
                : CompletableFuture.completedFuture(
                        new ScanResult(List.of(), 0, List.of(), List.of(), List.of(), List.of(), false)));
    }

    /**
     * Asks the servers of all rules for digests. The result has the answers, but no scores.
     *
     * @return a future as for {@link #check}
     */
    public CompletableFuture<ScanResult> find(List<Digest> digests) {
        return admitted(book -> book.checking().find(digests));
    }

    /**
     * Learns or deletes a mail at every server of every rule that has the flag.
     *
     * @return a future that fails only with {@link OverloadedException}, or if the client closes; the report has every
     *         other failure
     */
    public CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request) {
        return admitted(book -> book.learning().learn(mail, request, false));
    }

    /**
     * Computes the effect of {@link #learn}, including the digests of each rule and the decision of its learn
     * condition, without sending anything. The report contains no servers.
     *
     * @return a future as for {@link #learn}
     */
    public CompletableFuture<LearnReport> rehearse(byte[] mail, LearnRequest request) {
        return admitted(book -> book.learning().learn(mail, request, true));
    }

    /**
     * Removes digests from a flag at every server of every rule that has the flag. Weir's storage removes only that
     * flag; Rspamd's removes the digest with all flags. Learn conditions do not apply, because there is no mail.
     *
     * @return a future as for {@link #learn}
     */
    public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag) {
        return forget(digests, flag, Optional.empty());
    }

    /**
     * Removes digests from a flag for a known submitter.
     *
     * @return a future as for {@link #learn}
     */
    public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag, Optional<Submitter> submitter) {
        return admitted(book -> book.learning().forget(digests, flag, submitter));
    }

    private <T> CompletableFuture<T> admitted(Function<RuleBook, CompletableFuture<T>> work) {
        if (waiting.incrementAndGet() > options.maxWaiting()) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(new OverloadedException(options.maxWaiting()));
        }
        RuleBook book = enter(rules);
        CompletableFuture<T> result = new CompletableFuture<>();
        BiConsumer<@Nullable T, @Nullable Throwable> end = (value, error) -> {
            waiting.decrementAndGet();
            book.leave();
            if (error == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(error instanceof CompletionException && error.getCause() != null
                        ? error.getCause()
                        : error);
            }
        };
        try {
            executor.execute(() -> start(() -> work.apply(book), end));
        } catch (RejectedExecutionException e) {
            end.accept(null, e);
        }
        return result;
    }

    private static <T> void start(Supplier<CompletableFuture<T>> work,
            BiConsumer<@Nullable T, @Nullable Throwable> end) {
        CompletableFuture<T> running;
        try {
            running = work.get();
        } catch (Throwable e) {
            // An Error, too: otherwise the future would never complete, and its place would stay taken.
            end.accept(null, e);
            return;
        }
        var _ = running.whenComplete(end);
    }

    /**
     * Returns the hashes of a mail under the rules that map the flag, without asking a server. Runs on the calling
     * thread.
     *
     * @throws NotHashedException if hashing the mail would exceed its cost limit
     */
    public HashListing hashes(byte[] mail, long flag) {
        return listing(mail, rule -> rule.score().flags().containsKey(flag));
    }

    /**
     * Returns the hashes of a mail under the rules that map the symbol, without asking a server. Ignores letter case.
     *
     * @throws NotHashedException if hashing the mail would exceed its cost limit
     */
    public HashListing hashes(byte[] mail, String symbol) {
        return listing(mail, rule -> rule.score()
                .flags()
                .values()
                .stream()
                .anyMatch(mapping -> mapping.symbol().equalsIgnoreCase(symbol)));
    }

    private HashListing listing(byte[] mail, Predicate<RuleSettings> wanted) {
        AnalyzedMail analyzed = hasher.analyze(mail);
        SequencedMap<String, List<HashListing.Hash>> rules = new LinkedHashMap<>();
        for (RuleSettings rule : settings().rules()) {
            if (wanted.test(rule)) {
                rules.put(rule.name(), hasher.hash(analyzed, rule.hashing(), Skip.NOTHING)
                        .stream()
                        .map(hash -> new HashListing.Hash(hash.kind().type(), Digest.of(hash.digest()),
                                hash.kind() == HashKind.TEXT || hash.kind() == HashKind.SHORT_TEXT))
                        .toList());
            }
        }
        return new HashListing(rules);
    }

    @Override
    public StoragesListing storages() {
        return new StoragesListing(settings().rules().stream().map(FuzzyCheck::storage).toList());
    }

    private static StoragesListing.Storage storage(RuleSettings rule) {
        Map<String, Long> flags = new TreeMap<>();
        rule.score().flags().forEach((flag, mapping) -> flags.merge(mapping.symbol(), flag, Math::min));
        return new StoragesListing.Storage(rule.name(), !rule.mode().writes(),
                rule.readServers().entries().stream().map(UpstreamList.Entry::name).toList(),
                rule.writeServers().entries().stream().map(UpstreamList.Entry::name).toList(), flags);
    }

    @Override
    public Map<String, Long> counts() {
        long last = counted.get();
        long now = System.nanoTime();
        if (now - last > COUNT_AGE_NANOS && counted.compareAndSet(last, now)) {
            RuleBook book = inForce(rules);
            book.readers().forEach((rule, group) -> {
                var _ = client.count(group).thenAccept(count -> count.ifPresent(number -> {
                    if (inForce(rules).equals(book)) {
                        counts.put(rule, number);
                    }
                }));
            });
        }
        return Map.copyOf(counts);
    }

    /** Returns the number of updates that wait for unreachable servers. */
    public int queued() {
        return queue.map(RetryQueue::size).orElse(0);
    }

    @Override
    public OutgoingFigures outgoing() {
        return outgoing.figures();
    }

    @Override
    public long refusedUpdates() {
        return queue.map(RetryQueue::refused).orElse(0L);
    }

    /** Closes the client. Checks in progress complete without the missing answers. */
    @Override
    public void close() {
        queue.ifPresent(RetryQueue::close);
        client.close();
        if (ownExecutor != null) {
            ownExecutor.close();
        }
    }
}
