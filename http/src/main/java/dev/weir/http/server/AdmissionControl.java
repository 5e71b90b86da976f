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
 * The admission of connections: decides who has a place in a server. A guest that has not asked for anything yet holds
 * its place only until another one needs it, so
 * idle connections keep no other one out, however many there are; a guest that is being answered is never sent away.
 * When all are
 * being answered, new guests wait, in their order.
 *
 * <p>Guests from elsewhere never have all places: a sixteenth is kept for this machine, over loopback or a Unix-domain
 * socket, so that it is scanned and supervised whatever comes from outside. All guests of one address from elsewhere,
 * or of
 * one /64 of IPv6, have only a part. Any thread may call.
 *
 * @param <G> a guest, told apart by identity
 */
final class AdmissionControl<G> {
    private static final int KEPT_PART = 16;
    private static final int V4_PREFIX = 32;
    private static final int V6_PREFIX = 64;

    /** Why a guest is not taken. */
    enum Refusal {
        /** There are too many of its address, and all of them ask something. */
        TOO_MANY_OF_ADDRESS,
        /** All are being answered, and too many wait already. */
        FULL
    }

    /**
     * What an arrival or a departure changes.
     *
     * @param refusal why the one who arrives is not taken; empty if it has a place or waits
     * @param displaced who loses a place for it
     * @param entering who has a place now, which may be the one who arrives
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
     * Places for guests.
     *
     * @param most at a time; as many again may wait
     * @param mostOfNetwork from one address that is not of this machine
     */
    AdmissionControl(int most, int mostOfNetwork) {
        this.most = most;
        this.mostOfNetwork = mostOfNetwork;
    }

    /** Goes on with other numbers; who is there stays. */
    synchronized void resize(int others, int othersOfNetwork) {
        most = others;
        mostOfNetwork = othersOfNetwork;
    }

    /**
     * Returns the guests that are counted together with one from an address: those of an IPv4 address, or of a /64 of
     * IPv6.
     */
    static Network networkOf(InetAddress address) {
        return Network.of(address, address instanceof Inet4Address ? V4_PREFIX : V6_PREFIX);
    }

    /**
     * Returns a guest arrives.
     *
     * @param network empty for this machine
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

    /** Gives the places that are free to those who wait, in their order. One of this machine may pass the others. */
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

    /** With a single place, none can be reserved. */
    private int kept() {
        return most == 1 ? 0 : Math.max(1, most / KEPT_PART);
    }

    /**
     * Returns a guest from elsewhere sends away one of this machine only where this machine has more than is kept for
     * it.
     */
    private Optional<G> idleFor(Optional<Network> network) {
        boolean tooManyElsewhere = elsewhere >= most - kept();
        return network.isPresent() && !tooManyElsewhere
                ? first(idleElsewhere).or(() -> first(idleHere))
                : network.isPresent() ? first(idleElsewhere) : first(idleElsewhere).or(() -> first(idleHere));
    }

    private void seat(G guest, Optional<Network> network) {
        seated.put(guest, network);
        if (network.isEmpty()) {
            idleHere.add(guest);
        } else {
            elsewhere++;
            idleElsewhere.add(guest);
            groups.computeIfAbsent(network.get(), _ -> new Group<>()).idle.add(guest);
        }
    }

    private void count(Optional<Network> network) {
        network.ifPresent(from -> groups.computeIfAbsent(from, _ -> new Group<>()).guests++);
    }

    /** Returns a guest asks for something: its place is its own until it leaves. False if it has lost it already. */
    synchronized boolean prove(G guest) {
        Optional<Network> network = seated.get(guest);
        if (network == null) {
            return false;
        }
        unidle(guest, network);
        return true;
    }

    private void unidle(G guest, Optional<Network> network) {
        idleHere.remove(guest);
        idleElsewhere.remove(guest);
        network.map(groups::get).ifPresent(group -> group.idle.remove(guest));
    }

    /** Returns a guest leaves, from its place or from where it waits. Does nothing for one that has left before. */
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

    /** Guests that have a place. */
    synchronized int seated() {
        return seated.size();
    }

    synchronized boolean isWaiting(G guest) {
        return waiting.containsKey(guest);
    }

    /** Guests that wait for one. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** Waits until all are gone; for so many milliseconds at most. */
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
