package dev.weir.http.server;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;

import dev.weir.model.Network;

/**
 * The admission of connections to the places of a server. A guest that has not sent a request yet, or rests after one,
 * gives up its place to another one that needs it, so idle connections never keep a client out. A guest that is being
 * served keeps its place. It has sent a complete request, or has access and is sending the body. If all guests are
 * being served, new guests wait in order.
 *
 * <p>A sixteenth of the places is reserved for this machine, over loopback or a Unix-domain socket, so that local
 * scanning and monitoring work under any load from outside. The guests of one remote address, or of one /64 of IPv6,
 * can have only a part of the places. Thread-safe.
 *
 * @param <G> a guest; compared by identity
 */
final class AdmissionControl<G> {
    private static final int KEPT_PART = 16;
    private static final int V4_PREFIX = 32;
    private static final int V6_PREFIX = 64;

    /** The reasons for refusing a guest. */
    enum Refusal {
        /** The address has too many guests, and all of them have sent a request. */
        TOO_MANY_OF_ADDRESS,
        /** All guests are being served, and too many wait already. */
        FULL
    }

    /**
     * The effects of an arrival or a departure.
     *
     * @param refusal the reason for refusing the new guest; empty if it has a place or waits
     * @param displaced the guest that loses its place to the new one
     * @param entering the guests that have a place now, possibly with the new one
     */
    record Change<G>(Optional<Refusal> refusal, Optional<G> displaced, List<G> entering) {}

    private static final class Group<G> {
        final SequencedSet<G> idle = new LinkedHashSet<>();
        int guests;
    }

    private final Map<G, Optional<Network>> seated = new LinkedHashMap<>();
    private final Map<G, Optional<Network>> waiting = new LinkedHashMap<>();
    private final Map<Network, Group<G>> groups = new HashMap<>();
    private final SequencedSet<G> idleHere = new LinkedHashSet<>();
    private final SequencedSet<G> idleElsewhere = new LinkedHashSet<>();
    private int elsewhere;
    private int most;
    private int mostOfNetwork;

    /**
     * Creates an admission control.
     *
     * @param most number of places; as many guests may wait
     * @param mostOfNetwork maximum number of places for one remote address
     */
    AdmissionControl(int most, int mostOfNetwork) {
        this.most = most;
        this.mostOfNetwork = mostOfNetwork;
    }

    /** Changes the numbers. Present guests stay. */
    synchronized void resize(int others, int othersOfNetwork) {
        most = others;
        mostOfNetwork = othersOfNetwork;
    }

    /** Returns the group in which guests of an address are counted: an IPv4 address, or a /64 of IPv6. */
    static Network networkOf(InetAddress address) {
        return Network.of(address, address instanceof Inet4Address ? V4_PREFIX : V6_PREFIX);
    }

    /**
     * Admits, queues or refuses a guest that arrives.
     *
     * @param network the group of the guest; empty for this machine
     */
    synchronized Change<G> arrive(G guest, Optional<Network> network) {
        Optional<G> displaced = Optional.empty();
        Group<G> group = network.map(groups::get).orElse(null);
        if (group != null && group.guests >= mostOfNetwork) {
            displaced = first(group.idle);
            if (displaced.isEmpty()) {
                return new Change<>(Optional.of(Refusal.TOO_MANY_OF_ADDRESS), displaced, List.of());
            }
        } else if (!hasRoom(network)) {
            displaced = idleFor(network);
        }
        displaced.ifPresent(this::remove);
        if (displaced.isEmpty() && !hasRoom(network) && waiting.size() >= most) {
            return new Change<>(Optional.of(Refusal.FULL), displaced, List.of());
        }
        waiting.put(guest, network);
        count(network);
        return new Change<>(Optional.empty(), displaced, enter());
    }

    /** Gives free places to waiting guests, in order. Guests of this machine may pass the others. */
    private List<G> enter() {
        List<G> entering = new ArrayList<>();
        for (Iterator<Map.Entry<G, Optional<Network>>> next = waiting.entrySet().iterator(); next.hasNext();) {
            Map.Entry<G, Optional<Network>> first = next.next();
            if (hasRoom(first.getValue())) {
                next.remove();
                seat(first.getKey(), first.getValue());
                entering.add(first.getKey());
            }
        }
        return entering;
    }

    private static <G> Optional<G> first(SequencedSet<G> guests) {
        return guests.isEmpty() ? Optional.empty() : Optional.of(guests.getFirst());
    }

    private boolean hasRoom(Optional<Network> network) {
        return seated.size() < most && (network.isEmpty() || elsewhere < most - kept());
    }

    /** Returns the number of reserved places. A single place cannot be reserved. */
    private int kept() {
        return most == 1 ? 0 : Math.max(1, most / KEPT_PART);
    }

    /**
     * Returns an idle guest that can be displaced. A remote guest displaces one of this machine only if this machine
     * has more than its reserved places.
     */
    private Optional<G> idleFor(Optional<Network> network) {
        boolean tooManyElsewhere = elsewhere >= most - kept();
        return network.isPresent() && !tooManyElsewhere
                ? first(idleElsewhere).or(() -> first(idleHere))
                : network.isPresent() ? first(idleElsewhere) : first(idleElsewhere).or(() -> first(idleHere));
    }

    private void seat(G guest, Optional<Network> network) {
        seated.put(guest, network);
        if (network.isPresent()) {
            elsewhere++;
        }
        idle(guest, network);
    }

    private void idle(G guest, Optional<Network> network) {
        if (network.isEmpty()) {
            idleHere.add(guest);
        } else {
            idleElsewhere.add(guest);
            groups.computeIfAbsent(network.get(), _ -> new Group<>()).idle.add(guest);
        }
    }

    private void count(Optional<Network> network) {
        network.ifPresent(from -> groups.computeIfAbsent(from, _ -> new Group<>()).guests++);
    }

    /**
     * Records that a guest is being served, so that it keeps its place until it leaves. Returns false if it has
     * already lost its place.
     */
    synchronized boolean prove(G guest) {
        Optional<Network> network = seated.get(guest);
        if (network == null) {
            return false;
        }
        unidle(guest, network);
        return true;
    }

    /**
     * Records that a guest has been served and may ask again, so that another one can have its place. Returns false if
     * others wait for a place, or the guest has lost its own: then it must leave.
     */
    synchronized boolean rest(G guest) {
        Optional<Network> network = seated.get(guest);
        if (network == null || !waiting.isEmpty()) {
            return false;
        }
        idle(guest, network);
        return true;
    }

    private void unidle(G guest, Optional<Network> network) {
        idleHere.remove(guest);
        idleElsewhere.remove(guest);
        network.map(groups::get).ifPresent(group -> group.idle.remove(guest));
    }

    /** Removes a guest from its place or from the queue. Does nothing if it has already left. */
    synchronized Change<G> leave(G guest) {
        remove(guest);
        List<G> entering = enter();
        if (seated.isEmpty()) {
            notifyAll();
        }
        return new Change<>(Optional.empty(), Optional.empty(), entering);
    }

    private void remove(G guest) {
        Optional<Network> network = seated.remove(guest);
        if (network != null) {
            unidle(guest, network);
            if (network.isPresent()) {
                elsewhere--;
            }
        } else {
            network = waiting.remove(guest);
        }
        if (network != null && network.isPresent()) {
            groups.computeIfPresent(network.get(), (_, group) -> --group.guests == 0 ? null : group);
        }
    }

    /** Returns the number of guests with a place. */
    synchronized int seated() {
        return seated.size();
    }

    synchronized boolean isWaiting(G guest) {
        return waiting.containsKey(guest);
    }

    /** Returns the number of waiting guests. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** Takes the places of all idle guests, even if no other guest waits. Returns these guests. */
    synchronized List<G> dismissIdle() {
        List<G> idle = new ArrayList<>(idleHere);
        idle.addAll(idleElsewhere);
        idle.forEach(this::remove);
        return idle;
    }

    /** Waits until all guests have left, or the time in milliseconds is over. */
    synchronized boolean awaitEmpty(long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!seated.isEmpty()) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }
}
