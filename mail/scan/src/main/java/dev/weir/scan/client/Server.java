package dev.weir.scan.client;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.scan.upstream.CircuitBreaker;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A host and port where a storage may listen: its addresses, its health, and a link for each key. For the event loop
 * only.
 */
final class Server {
    /** A time before all times of the clock, with a safe distance from overflow. */
    private static final long NEVER = Long.MIN_VALUE / 2;
    private static final long LEAST_PATIENCE = Duration.ofMillis(100).toNanos();
    private static final long FIRST_PATIENCE = Duration.ofMillis(250).toNanos();
    private static final int SMOOTHING = 8;
    private static final int PATIENCE_IN_ROUND_TRIPS = 8;

    private final FuzzyClient client;
    private final String name;
    private final String host;
    private final int port;
    private final CircuitBreaker breaker;
    private final Map<LinkKey, Link> links = new HashMap<>();
    private final Set<Exchange> exchanges = new LinkedHashSet<>();
    private List<InetSocketAddress> addresses = List.of();
    private int address;
    /** The addresses that were silent when they were asked last. */
    private final Set<InetSocketAddress> silent = new HashSet<>();
    /** When the oldest request without any reply since was sent; 0 if there is none. */
    private long waitingSince;
    private long lastAnswer = NEVER;
    private long roundTrip;
    private EventLoop.@Nullable Timer watch;
    private EventLoop.@Nullable Timer probe;
    private boolean lookingUp;
    private long lastLookUp;

    /** Has its own {@code equals}: the JVM would link that of a record in each start of a short command. */
    private record LinkKey(InetSocketAddress address, Optional<PublicKey> key) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof LinkKey that && address.equals(that.address) && key.equals(that.key);
        }

        @Override
        public int hashCode() {
            return 31 * address.hashCode() + key.hashCode();
        }
    }

    Server(FuzzyClient client, String name, String host, int port, CircuitBreaker breaker) {
        this.client = client;
        this.name = name;
        this.host = host;
        this.port = port;
        this.breaker = breaker;
    }

    String name() {
        return name;
    }

    String host() {
        return host;
    }

    boolean hasAddress() {
        return !addresses.isEmpty();
    }

    int failures() {
        return breaker.failures();
    }

    /** Returns whether the server is healthy. */
    boolean isHealthy() {
        return hasAddress() && breaker.state() == CircuitBreaker.State.HEALTHY;
    }

    /** Returns whether the server may be asked if no healthy one is available. */
    boolean isUsable() {
        return hasAddress() && breaker.state() != CircuitBreaker.State.CLOSED_OFF;
    }

    /** Returns when the server answered last, or a time in the distant past if it never answered. */
    long lastAnswer() {
        return lastAnswer;
    }

    /** Returns the link with a key over the current address. */
    Link link(Optional<PublicKey> key) {
        return links.computeIfAbsent(new LinkKey(addresses.get(address), key),
                wanted -> new Link(client, this, wanted.address(), wanted.key()));
    }

    /** Returns the local port of the link with a key; 0 if there is none yet. */
    int port(Optional<PublicKey> key) {
        return hasAddress() ? link(key).port() : 0;
    }

    /** Returns whether a datagram arrived on a link with the key that the key does not decrypt. */
    boolean heardForeign(Optional<PublicKey> key) {
        return links.entrySet().stream()
                .anyMatch(link -> link.getKey().key().equals(key) && link.getValue().heardForeign());
    }

    /** Returns why the last datagram on a link with the key could not be sent. Empty if it was sent. */
    String sendFailure(Optional<PublicKey> key) {
        return links.entrySet().stream()
                .filter(link -> link.getKey().key().equals(key))
                .map(link -> link.getValue().sendFailure())
                .filter(failure -> !failure.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Returns whether a link with the key received its own request. */
    boolean heardEcho(Optional<PublicKey> key) {
        return links.entrySet().stream()
                .anyMatch(link -> link.getKey().key().equals(key) && link.getValue().heardEcho());
    }

    void begin(Exchange exchange) {
        exchanges.add(exchange);
    }

    void end(Exchange exchange) {
        exchanges.remove(exchange);
    }

    /** Sets the resolved addresses. Prefers IPv4, as in Rspamd. */
    void resolved(List<InetAddress> found) {
        lookingUp = false;
        List<InetAddress> four = found.stream().filter(Inet4Address.class::isInstance).toList();
        List<InetSocketAddress> fresh = new ArrayList<>();
        for (InetAddress one : four.isEmpty() ? found : four) {
            fresh.add(new InetSocketAddress(one, port));
        }
        // A name with several addresses comes in another order each time.
        if (!fresh.isEmpty() && !Set.copyOf(fresh).equals(Set.copyOf(addresses))) {
            addresses = List.copyOf(fresh);
            silent.retainAll(fresh);
            address = 0;
            if (silent.contains(addresses.getFirst())) {
                moveOn();
            }
        }
    }

    boolean startLookUp(long now) {
        if (lookingUp || (lastLookUp != 0 && now - lastLookUp < Duration.ofSeconds(10).toNanos())) {
            return false;
        }
        lookingUp = true;
        lastLookUp = now;
        return true;
    }

    void lookUpFailed() {
        lookingUp = false;
    }

    /** Records that a request was sent. */
    void sent(long now) {
        if (waitingSince == 0) {
            waitingSince = now;
            if (watch == null) {
                watch = client.loop().after(patience(), this::look);
            }
        }
    }

    /** Returns how long silence is normal. */
    private long patience() {
        return roundTrip == 0 ? FIRST_PATIENCE : Math.max(LEAST_PATIENCE, PATIENCE_IN_ROUND_TRIPS * roundTrip);
    }

    private void look() {
        watch = null;
        if (waitingSince == 0) {
            return;
        }
        long left = waitingSince + patience() - System.nanoTime();
        if (left > 0) {
            watch = client.loop().after(left, this::look);
        } else if (!exchanges.isEmpty()) {
            waitingSince = 0;
            suspect();
        } else {
            waitingSince = 0;
        }
    }

    /** Records that a reply arrived from one of the addresses. */
    void answered(long now, InetSocketAddress from) {
        silent.remove(from);
        if (waitingSince != 0) {
            // The first of several requests is measured, which yields an upper estimate.
            long measured = now - waitingSince;
            roundTrip = roundTrip == 0 ? measured : roundTrip + (measured - roundTrip) / SMOOTHING;
            waitingSince = 0;
        }
        lastAnswer = now;
        if (breaker.state() == CircuitBreaker.State.CLOSED_OFF) {
            client.report(name + " answers again");
        } else if (breaker.state() == CircuitBreaker.State.SUSPECT) {
            client.remark(name + " answers again");
        }
        breaker.answered();
        if (probe != null) {
            probe.cancel();
            probe = null;
        }
    }

    /**
     * Leaves a silent address for the next one that is not known to be silent. If all are, marks the server as suspect
     * and moves its requests elsewhere if possible.
     */
    void suspect() {
        boolean moved = moveOn();
        boolean first = !moved && breaker.state() == CircuitBreaker.State.HEALTHY;
        if (first) {
            breaker.suspect(System.nanoTime());
            client.remark(name + " is silent");
            watchOut();
        }
        if (addresses.size() > 1 && (moved || first)) {
            List.copyOf(exchanges).forEach(exchange -> exchange.readdress(this));
        }
        if (!moved) {
            List.copyOf(exchanges).forEach(exchange -> exchange.leave(this));
        }
    }

    /** Records that a request failed for good. */
    void failed() {
        boolean open = breaker.state() != CircuitBreaker.State.CLOSED_OFF;
        breaker.failed(System.nanoTime());
        if (open && breaker.state() == CircuitBreaker.State.CLOSED_OFF) {
            client.report(name + " failed " + breaker.failures() + " times in a row and is no longer asked");
        }
        moveOn();
        watchOut();
    }

    /**
     * Notes that the current address is silent, and takes the next one. Returns whether that one is not known to be
     * silent. After the last one, all have another chance.
     */
    private boolean moveOn() {
        if (addresses.size() < 2) {
            return false;
        }
        InetSocketAddress left = addresses.get(address);
        silent.add(left);
        for (int i = 1; i < addresses.size(); i++) {
            int next = (address + i) % addresses.size();
            if (!silent.contains(addresses.get(next))) {
                address = next;
                client.remark(name + " is silent at " + left + ": asking " + addresses.get(next));
                return true;
            }
        }
        silent.clear();
        silent.add(left);
        address = (address + 1) % addresses.size();
        return false;
    }

    /** Handles a report of the system that nothing listens at an address. */
    void refused(InetSocketAddress from) {
        if (addresses.size() > 1 && !from.equals(addresses.get(address))) {
            silent.add(from);
            return;
        }
        if (breaker.state() == CircuitBreaker.State.HEALTHY && moveOn()) {
            List.copyOf(exchanges).forEach(exchange -> exchange.readdress(this));
            return;
        }
        boolean counts = false;
        for (Exchange exchange : List.copyOf(exchanges)) {
            counts |= exchange.refused(this);
        }
        if (counts) {
            failed();
        }
    }

    private void watchOut() {
        if (client.isQuiet()) {
            return;
        }
        client.lookUp(this);
        if (probe == null) {
            scheduleProbe();
        }
    }

    private void scheduleProbe() {
        probe = client.loop().after(Math.max(0, breaker.nextProbe() - System.nanoTime()), () -> {
            probe = null;
            if (breaker.state() == CircuitBreaker.State.HEALTHY) {
                return;
            }
            breaker.probed(System.nanoTime());
            if (hasAddress()) {
                // Probes use the keys of the existing links. A server that was never asked has none and needs no probe.
                links.keySet().stream().map(LinkKey::key).distinct().toList().forEach(key -> link(key).hello());
            }
            scheduleProbe();
        });
    }

    /** Returns whether no exchange uses the server. */
    boolean isIdle() {
        return exchanges.isEmpty();
    }

    /** Changes the health limits. */
    void retune(int maxErrors, Duration reviveTime) {
        breaker.retune(maxErrors, reviveTime);
    }

    /** Closes the links and ends all timers. */
    void close() {
        if (watch != null) {
            watch.cancel();
        }
        if (probe != null) {
            probe.cancel();
        }
        links.values().forEach(Link::close);
        links.clear();
    }

    @Override
    public String toString() {
        return name + " " + breaker.state();
    }
}
