package dev.weir.http.server;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
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

/**
 * The admission of connections: decides who has a place in a server. A guest that has not asked for anything yet holds its place only until another one needs it, so
 * idle connections keep no other one out, however many there are; a guest that is being answered is never sent away. When all are
 * being answered, new guests wait, in their order.
 *
 * <p>Guests from elsewhere never have all places: a sixteenth is kept for this machine, over loopback or a Unix-domain
 * socket, so that it is scanned and supervised whatever comes from outside. All guests of one address from elsewhere, or of
 * one /64 of IPv6, have only a part. Any thread may call.
 *
 * @param <G> a guest, told apart by identity
 */
final class AdmissionControl<G> {
    private static final int KEPT_PART = 16;

    /** Where guests come from, as far as they are counted together: an IPv4 address, or a /64 of IPv6. */
    record Source(boolean v4, long prefix) {
        static Source of(InetAddress address) {
            ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
            return address instanceof Inet4Address
                    ? new Source(true, bytes.getInt())
                    : new Source(false, bytes.getLong());
        }
    }

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

    private final Map<G, Optional<Source>> seated = new LinkedHashMap<>();
    private final Map<G, Optional<Source>> waiting = new LinkedHashMap<>();
    private final Map<Source, Group<G>> groups = new HashMap<>();
    private final SequencedSet<G> idleHere = new LinkedHashSet<>();
    private final SequencedSet<G> idleElsewhere = new LinkedHashSet<>();
    private int elsewhere;
    private int most;
    private int mostOfSource;

    /**
     * Places for guests.
     *
     * @param most at a time; as many again may wait
     * @param mostOfSource from one address that is not of this machine
     */
    AdmissionControl(int most, int mostOfSource) {
        this.most = most;
        this.mostOfSource = mostOfSource;
    }

    /** Goes on with other numbers; who is there stays. */
    synchronized void resize(int others, int othersOfSource) {
        most = others;
        mostOfSource = othersOfSource;
    }

    /**
     * A guest arrives.
     *
     * @param source empty for this machine
     */
    synchronized Change<G> arrive(G guest, Optional<Source> source) {
        Optional<G> displaced = Optional.empty();
        Group<G> group = source.map(groups::get).orElse(null);
        if (group != null && group.guests >= mostOfSource) {
            displaced = first(group.idle);
            if (displaced.isEmpty()) {
                return new Change<>(Optional.of(Refusal.TOO_MANY_OF_ADDRESS), displaced, List.of());
            }
        } else if (!hasRoom(source)) {
            displaced = idleFor(source);
        }
        displaced.ifPresent(this::remove);
        if (displaced.isEmpty() && !hasRoom(source) && waiting.size() >= most) {
            return new Change<>(Optional.of(Refusal.FULL), displaced, List.of());
        }
        waiting.put(guest, source);
        count(source);
        return new Change<>(Optional.empty(), displaced, enter());
    }

    /** Gives the places that are free to those who wait, in their order. One of this machine may pass the others. */
    private List<G> enter() {
        List<G> entering = new ArrayList<>();
        for (Iterator<Map.Entry<G, Optional<Source>>> next = waiting.entrySet().iterator(); next.hasNext();) {
            Map.Entry<G, Optional<Source>> first = next.next();
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

    private boolean hasRoom(Optional<Source> source) {
        return seated.size() < most && (source.isEmpty() || elsewhere < most - kept());
    }

    /** Of one place in all there is none to keep. */
    private int kept() {
        return most == 1 ? 0 : Math.max(1, most / KEPT_PART);
    }

    /** A guest from elsewhere sends away one of this machine only where this machine has more than is kept for it. */
    private Optional<G> idleFor(Optional<Source> source) {
        boolean tooManyElsewhere = elsewhere >= most - kept();
        return source.isPresent() && !tooManyElsewhere
                ? first(idleElsewhere).or(() -> first(idleHere))
                : source.isPresent() ? first(idleElsewhere) : first(idleElsewhere).or(() -> first(idleHere));
    }

    private void seat(G guest, Optional<Source> source) {
        seated.put(guest, source);
        if (source.isEmpty()) {
            idleHere.add(guest);
        } else {
            elsewhere++;
            idleElsewhere.add(guest);
            groups.computeIfAbsent(source.get(), _ -> new Group<>()).idle.add(guest);
        }
    }

    private void count(Optional<Source> source) {
        source.ifPresent(from -> groups.computeIfAbsent(from, _ -> new Group<>()).guests++);
    }

    /** A guest asks for something: its place is its own until it leaves. False if it has lost it already. */
    synchronized boolean prove(G guest) {
        Optional<Source> source = seated.get(guest);
        if (source == null) {
            return false;
        }
        unidle(guest, source);
        return true;
    }

    private void unidle(G guest, Optional<Source> source) {
        idleHere.remove(guest);
        idleElsewhere.remove(guest);
        source.map(groups::get).ifPresent(group -> group.idle.remove(guest));
    }

    /** A guest leaves, from its place or from where it waits. Does nothing for one that has left before. */
    synchronized Change<G> leave(G guest) {
        remove(guest);
        List<G> entering = enter();
        if (seated.isEmpty()) {
            notifyAll();
        }
        return new Change<>(Optional.empty(), Optional.empty(), entering);
    }

    private void remove(G guest) {
        Optional<Source> source = seated.remove(guest);
        if (source != null) {
            unidle(guest, source);
            if (source.isPresent()) {
                elsewhere--;
            }
        } else {
            source = waiting.remove(guest);
        }
        if (source != null && source.isPresent()) {
            groups.computeIfPresent(source.get(), (_, group) -> --group.guests == 0 ? null : group);
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
