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
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;

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
 * Asks and teaches any number of storages. The asking thread sends, unless another one is sending; a separate thread
 * waits for
 * answers and for the time. Safe for any number of threads.
 */
public final class FuzzyClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FuzzyClient.class);
    private static final Duration LONGEST_LOOK_UP_PAUSE = Duration.ofSeconds(60);
    private static final Duration REFRESH_SERVICES = Duration.ofMinutes(5);
    /** Room for more than one reply in a datagram. */
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
    /** Whether there may be servers that no group has. */
    private boolean crumbs;
    /** Whether nothing is sent but what a caller asks to send. */
    private final boolean quiet;
    private int maxErrors;
    private Duration reviveTime;

    private FuzzyClient(EventLoop loop, Resolver resolver, boolean quiet, int maxErrors, Duration reviveTime) {
        this.loop = loop;
        this.resolver = resolver;
        this.quiet = quiet;
        this.maxErrors = maxErrors;
        this.reviveTime = reviveTime;
    }

    /**
     * Starts the thread; nothing is sent yet.
     *
     * @param maxErrors failures in a row after which a server is left alone, at least 1
     * @param reviveTime the longest time between two looks at such a server
     * @throws IOException if the system has no means to wait for sockets left
     */
    public static FuzzyClient open(Resolver resolver, int maxErrors, Duration reviveTime) throws IOException {
        return open(resolver, false, maxErrors, reviveTime);
    }

    /**
     * Starts a client that sends only what its callers ask: it greets no server, probes none, and keeps asking those
     * that
     * failed. It is for commands, which exchange little and then exit.
     *
     * @throws IOException as {@link #open}
     */
    public static FuzzyClient openQuiet(Resolver resolver) throws IOException {
        return open(resolver, true, Integer.MAX_VALUE, Duration.ZERO);
    }

    private static FuzzyClient open(Resolver resolver, boolean quiet, int maxErrors, Duration reviveTime)
            throws IOException {
        EventLoop loop = new EventLoop("weir-scan");
        FuzzyClient client = new FuzzyClient(loop, resolver, quiet, maxErrors, reviveTime);
        loop.start(client::end);
        return client;
    }

    /**
     * Makes the servers of a list known and begins to look their names up; see {@link ServerGroup#ready}.
     *
     * @throws IllegalArgumentException if the key is of small order and protects nothing
     */
    public ServerGroup group(UpstreamList list, Optional<PublicKey> key, GroupOptions options) {
        key.ifPresent(FuzzyClient::requireSound);
        ServerGroup group = new ServerGroup(list, key, options, RandomGenerator.of("L64X128MixRandom"));
        run(group.ready(), () -> {
            Membership membership = new Membership(this, group, resolver);
            groups.put(group, membership);
            membership.begin(() -> {
                if (!quiet) {
                    // The first replies tell which servers are up and what they understand, before a mail needs it.
                    group.members().stream().map(ServerGroup.Member::server).filter(Server::hasAddress)
                            .forEach(server -> server.link(key).hello());
                }
                group.ready().complete(null);
            });
        });
        return group;
    }

    /** Removes a group that is no longer used; servers that no other group has go when no request waits for them. */
    public void drop(ServerGroup group) {
        loop.execute(() -> {
            Membership membership = groups.remove(group);
            if (membership != null) {
                membership.stop();
                crumbs = true;
                sweep();
            }
        });
    }

    private void sweep() {
        Set<Server> wanted = new HashSet<>();
        groups.keySet().forEach(group -> group.members().forEach(member -> wanted.add(member.server())));
        crumbs = false;
        servers.values().removeIf(server -> {
            if (wanted.contains(server)) {
                return false;
            }
            if (!server.isIdle()) {
                crumbs = true;
                return false;
            }
            server.close();
            return true;
        });
    }

    /**
     * Goes on with other limits; what is known of servers stays.
     *
     * @param errors failures in a row after which a server is left alone, at least 1
     * @param revive the longest time between two looks at such a server
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
     * Asks one server of the group, or each shard that may know.
     *
     * @return an outcome for each question, in their order; never fails but by closing, when what is open has no answer
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
                    // What is nearly the same has another digest, and so may be on any shard.
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
     * What one server made of what it was told.
     *
     * @param server its name
     * @param places which of the questions it was told, in their order
     * @param outcomes one for each of them
     */
    public record Told(String server, List<Integer> places, List<Outcome> outcomes) {
        /** Copies the lists. */
        public Told {
            places = List.copyOf(places);
            outcomes = List.copyOf(outcomes);
        }
    }

    /**
     * Tells every server of the group, or the shard of each digest, and waits for all of them.
     *
     * @param heldBack what is not to be sent to which server now; asked on the thread of the client, must be quick
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

    /** Tells one server of the group; no outcome at all if the group has none of that name any more. */
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

    /** How many hashes a server of the group holds, or all shards together; empty if that is not known. */
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
        // A count of zero has probability zero too, so only a value that is an error code tells a refusal.
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

    /** A session with a new key of the client's own. */
    ClientSession session(PublicKey server) {
        return ClientSession.of(KeyPair.generate(secure), server)
                .orElseThrow(() -> new IllegalStateException("a key that was found sound is not"));
    }

    /** The server of a host and a port, which all groups share. */
    Server server(String host, int port) {
        String name = new UpstreamList.Host(host, port, 0).name();
        return servers.computeIfAbsent(name,
                unknown -> new Server(this, unknown, host, port, new CircuitBreaker(maxErrors, reviveTime, secure)));
    }

    /** Looks the addresses of a server up again, unless that was done just now. */
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

    /** The addresses of a name; none if it is not known. Blocks. */
    List<InetAddress> addresses(String host) {
        try {
            return resolver.addresses(host);
        } catch (UnknownHostException e) {
            return List.of();
        } catch (RuntimeException e) {
            // The caller must hear of it, or the name would never be looked up again.
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

    static long servicesPause() {
        return REFRESH_SERVICES.toNanos();
    }

    /** Tells what happens all the time on a bad line. */
    void remark(String event) {
        LOG.debug("fuzzy storage {}", event);
    }

    /** Tells what an operator wants to know. */
    void report(String event) {
        LOG.info("fuzzy storage {}", event);
    }

    void ended(Exchange exchange) {
        running.remove(exchange);
        if (crumbs) {
            crumbs = false;
            // Later: the caller that ended it may still use its server.
            loop.execute(this::sweep);
        }
    }

    private void end() {
        List.copyOf(running).forEach(Exchange::abandon);
        servers.values().forEach(Server::close);
    }

    /** Ends the thread; what is open ends without an answer. */
    @Override
    public void close() {
        loop.close();
    }
}
