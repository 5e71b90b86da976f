package dev.weir.scan.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.scan.rule.TcpOptions;
import dev.weir.scan.upstream.Resolver;
import dev.weir.scan.upstream.UpstreamList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the servers of service records, which are looked up again and again. */
final class MembershipTest {
    private static final Duration REFRESH = Duration.ofMillis(5);

    private final AtomicInteger services = new AtomicInteger();
    private final AtomicInteger addresses = new AtomicInteger();
    private volatile List<Resolver.Location> found = List.of();
    private volatile boolean resolves = true;

    private final Resolver resolver = new Resolver() {
        @Override
        public List<InetAddress> addresses(String host) throws UnknownHostException {
            addresses.incrementAndGet();
            if (!resolves) {
                throw new UnknownHostException(host);
            }
            return List.of(InetAddress.getLoopbackAddress());
        }

        @Override
        public List<Location> services(String service, String domain) {
            services.incrementAndGet();
            return found;
        }
    };

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(1)).until(condition);
    }

    private static ServerGroup group(FuzzyClient client) {
        return client.group(UpstreamList.parse(List.of("service=fuzzy+srv.example")), Optional.empty(),
                new GroupOptions(Duration.ofMillis(200), 0, Optional.empty(), TcpOptions.OFF));
    }

    private static Set<String> servers(FuzzyClient client) {
        return client.serverNames().join();
    }

    @Test
    void oneLookUpAtATimeForATargetWithoutAnAddress() throws Exception {
        resolves = false;
        found = List.of(new Resolver.Location("none.example", 11335, 10, 5));
        try (FuzzyClient client = FuzzyClient.open(resolver, true, 4, Duration.ofSeconds(1), REFRESH)) {
            group(client).ready().get(20, TimeUnit.SECONDS);
            await(() -> services.get() >= 100);
            // The pauses between the look-ups of a name begin with a second.
            assertThat(addresses).hasValueLessThan(20);
            resolves = true;
            int before = addresses.get();
            await(() -> addresses.get() > before);
            int after = services.get();
            await(() -> services.get() >= after + 20);
            assertThat(addresses).hasValue(before + 1);
        }
    }

    @Test
    void serversThatLeaveTheRecordsAreRemoved() throws Exception {
        Resolver.Location one = new Resolver.Location("one.example", 11335, 10, 5);
        Resolver.Location two = new Resolver.Location("two.example", 11335, 10, 5);
        found = List.of(one, two);
        try (FuzzyClient client = FuzzyClient.open(resolver, true, 4, Duration.ofSeconds(1), REFRESH)) {
            group(client).ready().get(20, TimeUnit.SECONDS);
            assertThat(servers(client)).containsExactlyInAnyOrder("one.example:11335", "two.example:11335");
            found = List.of(two);
            await(() -> servers(client).equals(Set.of("two.example:11335")));
            found = List.of(one, two);
            await(() -> servers(client).size() == 2);
        }
    }

    @Test
    void lookUpsEndForATargetThatLeft() throws Exception {
        resolves = false;
        found = List.of(new Resolver.Location("none.example", 11335, 10, 5));
        try (FuzzyClient client = FuzzyClient.open(resolver, true, 4, Duration.ofSeconds(1), REFRESH)) {
            group(client).ready().get(20, TimeUnit.SECONDS);
            resolves = true;
            found = List.of(new Resolver.Location("other.example", 11335, 10, 5));
            await(() -> servers(client).equals(Set.of("other.example:11335")));
            found = List.of(new Resolver.Location("none.example", 11335, 10, 5));
            // A look-up of its own, although the earlier one may still wait.
            await(() -> addresses.get() >= 3);
        }
    }
}
