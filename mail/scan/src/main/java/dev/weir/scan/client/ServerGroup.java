package dev.weir.scan.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

import dev.weir.scan.rule.TcpOptions;
import dev.weir.scan.upstream.Balancer;
import dev.weir.scan.upstream.HashRing;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/** A handle for the servers of one rule and one purpose. {@link FuzzyClient} has the operations. */
public final class ServerGroup {
    private static final long ABOUT_AS_LATE = Duration.ofSeconds(1).toNanos();

    private final UpstreamList list;
    private final Optional<PublicKey> key;
    private final GroupOptions options;
    private final RandomGenerator random;
    private final CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();
    private List<Member> members = List.of();
    private Balancer balancer;
    private @Nullable HashRing ring;
    private long windowStart;
    private long windowCount;
    private boolean busy;

    /** A server with its weight in this group. */
    record Member(Server server, int weight) {}

    ServerGroup(UpstreamList list, Optional<PublicKey> key, GroupOptions options, RandomGenerator random) {
        this.list = list;
        this.key = key;
        this.options = options;
        this.random = random;
        this.balancer = new Balancer(list.selection(), List.of(), random);
    }

    /**
     * Returns a future that completes when every name was looked up once. Lookups without a result are repeated later.
     */
    public CompletableFuture<@Nullable Void> ready() {
        return ready;
    }

    /** Returns whether some servers come from service records and may therefore change. */
    public boolean hasServices() {
        return list.entries().stream().anyMatch(UpstreamList.Service.class::isInstance);
    }

    UpstreamList list() {
        return list;
    }

    Optional<PublicKey> key() {
        return key;
    }

    GroupOptions options() {
        return options;
    }

    List<Member> members() {
        return members;
    }

    void members(List<Member> fresh) {
        if (fresh.equals(members)) {
            return;
        }
        members = List.copyOf(fresh);
        List<Integer> weights = members.stream().map(Member::weight).toList();
        balancer = new Balancer(list.selection(), weights, random);
        ring = list.selection() == UpstreamList.Selection.HASH && !members.isEmpty()
                ? new HashRing(members.stream().map(member -> member.server().name()).toList(), weights)
                : null;
    }

    /** Returns whether the configuration assigns each digest to one server. */
    boolean isShardedByList() {
        return list.selection() == UpstreamList.Selection.HASH;
    }

    boolean isSharded() {
        return ring != null && members.size() > 1;
    }

    /** Returns the shard of a digest. */
    Server shard(byte[] digest) {
        if (ring == null) {
            throw new IllegalStateException("not sharded");
        }
        return members.get(ring.owner(digest)).server();
    }

    /** Returns the best server that is not excluded: a healthy one, otherwise a usable one, or null. */
    @Nullable
    Server pick(Set<Server> excluded) {
        Server healthy = pickHealthy(excluded);
        return healthy != null ? healthy : pickFresh(excluded);
    }

    @Nullable
    Server pickHealthy(Set<Server> excluded) {
        return pickWhere(server -> server.isHealthy() && !excluded.contains(server));
    }

    /** Returns one of the usable servers that answered last, although they may be suspect. */
    @Nullable
    Server pickFresh(Set<Server> excluded) {
        long latest = Long.MIN_VALUE;
        for (Member member : members) {
            if (member.server().isUsable() && !excluded.contains(member.server())) {
                latest = Math.max(latest, member.server().lastAnswer());
            }
        }
        long since = latest;
        return pickWhere(server -> server.isUsable() && !excluded.contains(server)
                && server.lastAnswer() >= since - ABOUT_AS_LATE);
    }

    private @Nullable Server pickWhere(Predicate<Server> allowed) {
        boolean[] alive = new boolean[members.size()];
        int[] errors = new int[members.size()];
        boolean any = false;
        for (int i = 0; i < alive.length; i++) {
            alive[i] = allowed.test(members.get(i).server());
            errors[i] = members.get(i).server().failures();
            any |= alive[i];
        }
        if (!any) {
            return null;
        }
        int place = balancer.pick(alive, errors);
        return place == Balancer.NONE ? null : members.get(place).server();
    }

    String reasonForNoServer() {
        if (members.isEmpty()) {
            return "no server is known for " + list.entries().getFirst().name();
        }
        List<String> reasons = new ArrayList<>();
        for (Member member : members) {
            Server server = member.server();
            reasons.add(server.hasAddress()
                    ? server.name() + " is unavailable after " + server.failures() + " failures"
                    : "no address is known for " + server.name());
        }
        return String.join(", ", reasons);
    }

    /** Counts checks, to detect high load (docs/reference/scanner.md#tcp). */
    void count(long now, int checks) {
        if (options.tcp().use() != TcpOptions.Use.AUTO) {
            return;
        }
        long window = options.tcp().window().toNanos();
        double rate = windowCount * 1e9 / Math.max(now - windowStart, 1);
        if (now - windowStart >= window) {
            busy = rate > options.tcp().threshold();
            windowStart = now;
            windowCount = 0;
        }
        windowCount += checks;
    }

    boolean wantsStream() {
        return switch (options.tcp().use()) {
            case NEVER -> false;
            case ALWAYS -> true;
            case AUTO -> busy;
        };
    }
}
