package dev.weir.scan.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;

import dev.weir.os.ThreadScheduling;
import dev.weir.scan.upstream.CircuitBreaker;
import dev.weir.scan.upstream.Resolver;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client for checks and updates at any number of storages. The calling thread sends, unless another thread is
 * sending. A separate thread waits for answers and timers. Safe for any number of threads.
 */
public final class FuzzyClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FuzzyClient.class);
    private static final Duration LONGEST_LOOK_UP_PAUSE = Duration.ofSeconds(60);
    private static final Duration REFRESH_SERVICES = Duration.ofMinutes(5);
    /** The size of the receive buffer, which fits more than one reply per datagram. */
    private static final int RECEIVE_BYTES = 2048;

    private final EventLoop loop;
    private final Resolver resolver;
    private final SecureRandom secure = new SecureRandom();
    private final Box box = new Box(secure, 1);
    private final Packer packer = new Packer(box);
    private final Tags tags = new Tags(secure);
    private final ByteBuffer receiving = ByteBuffer.wrap(new byte[Math.max(RECEIVE_BYTES, Protocol.MAX_DATAGRAM)]);
    private final Map<String, Server> servers = new HashMap<>();
    private final Set<Exchange> running = new LinkedHashSet<>();
    private final Map<ServerGroup, Membership> groups = new LinkedHashMap<>();
    private final LongAdder reduced = new LongAdder();
    /** Whether some servers may belong to no group any more. */
    private boolean needsSweep;
    /** Whether the client sends only requests of its callers. */
    private final boolean quiet;
    private final Map<Sender, Integer> portsOfBefore = new ConcurrentHashMap<>();
    private final Duration servicesPause;
    private int maxErrors;
    private Duration reviveTime;

    /** What a link sends to. */
    private record Sender(String server, Optional<PublicKey> key) {}

    private FuzzyClient(EventLoop loop, Resolver resolver, boolean quiet, int maxErrors, Duration reviveTime,
            Duration servicesPause) {
        this.loop = loop;
        this.resolver = resolver;
        this.quiet = quiet;
        this.maxErrors = maxErrors;
        this.reviveTime = reviveTime;
        this.servicesPause = servicesPause;
    }

    /**
     * Starts the thread of the client without sending anything.
     *
     * @param maxErrors failures in a row after which a server is no longer asked, at least 1
     * @param reviveTime the maximum time between two probes of such a server
     * @throws IOException if the system lacks the resources to wait for sockets
     */
    public static FuzzyClient open(Resolver resolver, int maxErrors, Duration reviveTime) throws IOException {
        return open(resolver, false, maxErrors, reviveTime, REFRESH_SERVICES);
    }

    /**
     * Starts a client that sends only requests of its callers: it greets no server, probes none, and keeps asking
     * servers that failed. It suits commands, which exchange little and then exit.
     *
     * @throws IOException as for {@link #open}
     */
    public static FuzzyClient openQuiet(Resolver resolver) throws IOException {
        return open(resolver, true, Integer.MAX_VALUE, Duration.ZERO, REFRESH_SERVICES);
    }

    static FuzzyClient open(Resolver resolver, boolean quiet, int maxErrors, Duration reviveTime,
            Duration servicesPause) throws IOException {
        EventLoop loop = new EventLoop("weir-scan");
        FuzzyClient client = new FuzzyClient(loop, resolver, quiet, maxErrors, reviveTime, servicesPause);
        // Each answer wakes the thread. A scan that it preempts loses more time than the answer needs. A command has no
        // scans to disturb, and the first native call costs it a tenth of a second.
        loop.start(quiet ? () -> {} : ThreadScheduling::useBatchPolicy, client::end);
        return client;
    }

    /**
     * Sends to a server from a local port again, if it is free, because an earlier process sent updates from there that
     * the server may have. A storage recognizes a repetition by address, port and tag. Call it before {@link #group}.
     */
    public void goOnFrom(String server, Optional<PublicKey> key, int port) {
        portsOfBefore.put(new Sender(server, key), port);
    }

    /** Returns the port of {@link #goOnFrom} once; 0 if there is none. */
    int portOfBefore(String server, Optional<PublicKey> key) {
        Integer port = portsOfBefore.remove(new Sender(server, key));
        return port == null ? 0 : port;
    }

    /**
     * Adds the servers of a list and begins to resolve their names; see {@link ServerGroup#ready}.
     *
     * @throws IllegalArgumentException if the key is of small order and protects nothing
     */
    public ServerGroup group(UpstreamList list, Optional<PublicKey> key, GroupOptions options) {
        key.ifPresent(FuzzyClient::requireSound);
        ServerGroup group = new ServerGroup(list, key, options, new SplittableRandom());
        run(group.ready(), () -> {
            Membership membership = new Membership(this, group, resolver);
            groups.put(group, membership);
            membership.begin(() -> {
                if (!quiet) {
                    // The first replies show which servers are up and which version they understand, before a mail
                    // needs to know.
                    group.members().stream().map(ServerGroup.Member::server).filter(Server::hasAddress)
                            .forEach(server -> server.link(key).hello());
                }
                group.ready().complete(null);
            });
        });
        return group;
    }

    /** Removes an unused group. Servers of no other group are removed once no request waits for them. */
    public void drop(ServerGroup group) {
        loop.execute(() -> {
            Membership membership = groups.remove(group);
            if (membership != null) {
                membership.stop();
                removeUnused();
            }
        });
    }

    /** Removes the servers of no group, at once or when no request waits for them. For the event loop only. */
    void removeUnused() {
        needsSweep = true;
        sweep();
    }

    /** Returns the names of the servers of all groups, and of those that requests still wait for. */
    CompletableFuture<Set<String>> serverNames() {
        CompletableFuture<Set<String>> names = new CompletableFuture<>();
        run(names, () -> names.complete(Set.copyOf(servers.keySet())));
        return names;
    }

    private void sweep() {
        Set<Server> wanted = new HashSet<>();
        groups.keySet().forEach(group -> group.members().forEach(member -> wanted.add(member.server())));
        needsSweep = false;
        servers.values().removeIf(server -> {
            if (wanted.contains(server)) {
                return false;
            }
            if (!server.isIdle()) {
                needsSweep = true;
                return false;
            }
            server.close();
            return true;
        });
    }

    /**
     * Changes the health limits and keeps the health of the servers.
     *
     * @param errors failures in a row after which a server is no longer asked, at least 1
     * @param revive the maximum time between two probes of such a server
     */
    public void retune(int errors, Duration revive) {
        loop.execute(() -> {
            maxErrors = errors;
            reviveTime = revive;
            servers.values().forEach(server -> server.retune(errors, revive));
        });
    }

    private static void requireSound(PublicKey key) {
        if (ClientSession.of(KeyPair.generate(new SecureRandom()), key).isEmpty()) {
            throw new IllegalArgumentException("the encryption key " + key
                    + " is a point of small order and protects nothing");
        }
    }

    /**
     * Asks one server of the group, or each shard that may know the answer.
     *
     * @return a future with an outcome for each question, in their order; if the client closes, open questions stay
     *         unanswered
     */
    public CompletableFuture<List<Outcome>> ask(ServerGroup group, List<Question> questions) {
        CompletableFuture<List<Outcome>> future = new CompletableFuture<>();
        run(future, () -> {
            Exchange exchange = new Exchange(this, group, future);
            for (int i = 0; i < questions.size(); i++) {
                Question question = questions.get(i);
                if (!group.isSharded()) {
                    exchange.add(question, i, null);
                } else if (question.shingles().length == 0) {
                    exchange.add(question, i, group.shard(question.digest()));
                } else {
                    // Similar hashes have different digests, so any shard may have them.
                    for (ServerGroup.Member member : group.members()) {
                        exchange.add(question, i, member.server());
                    }
                }
            }
            running.add(exchange);
            exchange.begin();
        });
        return future;
    }

    /**
     * The outcomes of one server.
     *
     * @param server the name of the server
     * @param places the indexes of the questions that it received, in their order
     * @param outcomes one outcome for each of them
     */
    public record Told(String server, List<Integer> places, List<Outcome> outcomes) {
        /** Copies the lists. */
        public Told {
            places = List.copyOf(places);
            outcomes = List.copyOf(outcomes);
        }
    }

    /**
     * Sends questions to every server of the group, or to the shard of each digest, and waits for all of them.
     *
     * @param heldBack returns whether a question must not be sent to a server now; runs on the client's thread and must
     *            be quick
     */
    public CompletableFuture<List<Told>> tell(ServerGroup group, List<Question> questions,
            BiPredicate<String, Question> heldBack) {
        CompletableFuture<List<Told>> all = new CompletableFuture<>();
        run(all, () -> {
            SequencedMap<Server, List<Integer>> places = new LinkedHashMap<>();
            for (ServerGroup.Member member : group.members()) {
                places.put(member.server(), new ArrayList<>());
            }
            for (int i = 0; i < questions.size(); i++) {
                for (Map.Entry<Server, List<Integer>> server : places.entrySet()) {
                    if (!group.isSharded() || group.shard(questions.get(i).digest()) == server.getKey()) {
                        server.getValue().add(i);
                    }
                }
            }
            gather(group, questions, places, heldBack, all);
        });
        return all;
    }

    /**
     * Asks every server of the group whether it takes flags beyond 255.
     *
     * @return a future with a sentence for each server that does not, by the name of the server
     */
    public CompletableFuture<SequencedMap<String, String>> withoutWideFlags(ServerGroup group) {
        CompletableFuture<List<Told>> all = new CompletableFuture<>();
        run(all, () -> {
            SequencedMap<Server, List<Integer>> places = new LinkedHashMap<>();
            group.members().forEach(member -> places.put(member.server(), List.of(0)));
            gather(group, List.of(Question.capabilities()), places, (name, question) -> false, all);
        });
        return all.thenApply(told -> {
            SequencedMap<String, String> without = new LinkedHashMap<>();
            for (Told server : told) {
                Outcome outcome = server.outcomes().getFirst();
                if (outcome.reply() == null || !outcome.reply().takesWideFlags()) {
                    without.put(server.server(), outcome.reply() == null
                            ? "it did not say whether it takes flags beyond 255: " + outcome.trouble()
                            : "it takes no flags beyond 255");
                }
            }
            return without;
        });
    }

    /**
     * Sends questions to one server of the group. Without any outcome if the group no longer has a server of that name.
     */
    public CompletableFuture<List<Told>> tell(ServerGroup group, String server, List<Question> questions) {
        CompletableFuture<List<Told>> all = new CompletableFuture<>();
        run(all, () -> {
            SequencedMap<Server, List<Integer>> places = new LinkedHashMap<>();
            for (ServerGroup.Member member : group.members()) {
                if (member.server().name().equals(server)) {
                    places.put(member.server(),
                            java.util.stream.IntStream.range(0, questions.size()).boxed().toList());
                }
            }
            gather(group, questions, places, (name, question) -> false, all);
        });
        return all;
    }

    private void gather(ServerGroup group, List<Question> questions, SequencedMap<Server, List<Integer>> places,
            BiPredicate<String, Question> heldBack, CompletableFuture<List<Told>> all) {
        List<CompletableFuture<Told>> told = new ArrayList<>();
        places.forEach((server, which) -> {
            if (!which.isEmpty()) {
                CompletableFuture<List<Outcome>> future = new CompletableFuture<>();
                Exchange exchange = new Exchange(this, group, future);
                for (int i = 0; i < which.size(); i++) {
                    Question question = questions.get(which.get(i));
                    exchange.add(question, i, server, heldBack.test(server.name(), question));
                }
                told.add(future.thenApply(outcomes -> new Told(server.name(), which, outcomes)));
                running.add(exchange);
                exchange.begin();
            }
        });
        var _ = CompletableFuture.allOf(told.toArray(CompletableFuture[]::new)).whenComplete(
                (nothing, error) -> all.complete(told.stream().map(CompletableFuture::join).toList()));
    }

    /** Returns the number of hashes at a server of the group, or at all shards together. Empty if it is unknown. */
    public CompletableFuture<Optional<Long>> count(ServerGroup group) {
        CompletableFuture<List<Told>> all = new CompletableFuture<>();
        run(all, () -> {
            SequencedMap<Server, List<Integer>> places = new LinkedHashMap<>();
            group.members().forEach(member -> places.put(member.server(), List.of(0)));
            gather(group, List.of(Question.count()), places, (name, question) -> false, all);
        });
        return all.thenApply(told -> {
            List<Optional<Long>> counts = told.stream()
                    .map(one -> counted(one.outcomes().getFirst().reply()))
                    .toList();
            if (!group.isShardedByList()) {
                return counts.stream().flatMap(Optional::stream).findFirst();
            }
            return counts.stream().allMatch(Optional::isPresent) && !counts.isEmpty()
                    ? Optional.of(counts.stream().mapToLong(Optional::orElseThrow).sum())
                    : Optional.empty();
        });
    }

    private static Optional<Long> counted(@Nullable Reply reply) {
        // A count of zero has probability zero too, so only a value that is an error code indicates a refusal.
        return reply == null || (!reply.isMatch() && reply.value() != 0)
                ? Optional.empty()
                : Optional.of(reply.count());
    }

    private void run(CompletableFuture<?> future, Runnable task) {
        boolean taken = loop.execute(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                future.completeExceptionally(e);
                throw e;
            }
        });
        if (!taken) {
            future.completeExceptionally(new IllegalStateException("the client is closed"));
        }
    }

    boolean isQuiet() {
        return quiet;
    }

    EventLoop loop() {
        return loop;
    }

    Box box() {
        return box;
    }

    Packer packer() {
        return packer;
    }

    Tags tags() {
        return tags;
    }

    ByteBuffer receiving() {
        return receiving;
    }

    /** Returns a session with a new client key. */
    ClientSession session(PublicKey server) {
        return ClientSession.of(KeyPair.generate(secure), server)
                .orElseThrow(() -> new IllegalStateException("a key that passed its check is unusable"));
    }

    /** Returns the server of a host and a port, shared by all groups. */
    Server server(String host, int port) {
        String name = new UpstreamList.Host(host, port, 0).name();
        return servers.computeIfAbsent(name,
                unknown -> new Server(this, unknown, host, port, new CircuitBreaker(maxErrors, reviveTime, secure)));
    }

    /** Resolves the addresses of a server again, unless that happened recently. */
    void lookUp(Server server) {
        Optional<InetAddress> literal = literal(server.host());
        if (literal.isPresent()) {
            server.resolved(List.of(literal.get()));
        } else if (server.startLookUp(System.nanoTime())) {
            Thread.ofVirtual().name("weir-look-up").start(() -> {
                List<InetAddress> found = addresses(server.host());
                loop.execute(() -> {
                    if (found.isEmpty()) {
                        server.lookUpFailed();
                    } else {
                        server.resolved(found);
                    }
                });
            });
        }
    }

    /** Returns the addresses of a name. Empty if it is unknown. Blocks. */
    List<InetAddress> addresses(String host) {
        try {
            return resolver.addresses(host);
        } catch (UnknownHostException e) {
            return List.of();
        } catch (RuntimeException e) {
            // A failure must reach the caller, because otherwise the name would never be looked up again.
            LOG.error("the addresses of {} could not be looked up", host, e);
            return List.of();
        }
    }

    static Optional<InetAddress> literal(String host) {
        try {
            return Optional.of(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static long lookUpPause(int failures) {
        double seconds = Math.min(Math.scalb(1.0, Math.min(failures, 10)),
                (double) LONGEST_LOOK_UP_PAUSE.toSeconds());
        return (long) (seconds * (0.75 + 0.5 * java.util.concurrent.ThreadLocalRandom.current().nextDouble()) * 1e9);
    }

    long servicesPause() {
        return servicesPause.toNanos();
    }

    /** Counts a request that lacks side hashes of HTML, because the storage would drop it with them. */
    void countReduced() {
        reduced.increment();
    }

    /**
     * Returns the number of requests since the start that were sent without their side hashes of HTML, because the
     * storage does not answer requests with them. Any thread may call it.
     */
    public long reducedRequests() {
        return reduced.sum();
    }

    /** Logs an event that is frequent on a bad network. */
    void remark(String event) {
        LOG.debug("fuzzy storage {}", event);
    }

    /** Logs an event for the operator. */
    void report(String event) {
        LOG.info("fuzzy storage {}", event);
    }

    void ended(Exchange exchange) {
        running.remove(exchange);
        if (needsSweep) {
            needsSweep = false;
            // Sweeping waits until later, because the caller that ended the exchange may still use its server.
            loop.execute(this::sweep);
        }
    }

    private void end() {
        List.copyOf(running).forEach(Exchange::abandon);
        servers.values().forEach(Server::close);
    }

    /** Ends the thread. Open questions stay unanswered. */
    @Override
    public void close() {
        loop.close();
    }
}
