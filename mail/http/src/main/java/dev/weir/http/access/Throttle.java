package dev.weir.http.access;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The failures of authentication by address. Each failure counts 1 and expires; an address at the maximum is refused
 * even with the right password (docs/reference/rspamd-http.md#access). The table is bounded: when it is full, it drops
 * the half with the fewest failures, so a flood of addresses cannot hide the busiest guesser. Thread-safe.
 */
final class Throttle {
    private static final double SECOND = 1e9;

    private final int most;
    private final double leak;
    private final int capacity;
    private final LongSupplier nanoTime;
    private final Map<ClientNetwork, Penalty> table = new HashMap<>();

    private record Penalty(double failures, long at) {}

    /**
     * Creates a throttle.
     *
     * @param most number of failures from which on an address is refused; 0 disables the limit
     * @param windowSeconds time in which all failures expire
     * @param capacity maximum number of recorded addresses
     */
    Throttle(int most, double windowSeconds, int capacity, LongSupplier nanoTime) {
        if (most < 0 || !(windowSeconds > 0) || capacity < 2) {
            throw new IllegalArgumentException("a throttle of " + most + " failures in " + windowSeconds + " s for "
                    + capacity + " addresses");
        }
        this.most = most;
        this.leak = most / windowSeconds / SECOND;
        this.capacity = capacity;
        this.nanoTime = nanoTime;
    }

    /** Returns a throttle with other limits and the same failures. */
    synchronized Throttle with(int otherMost, double windowSeconds) {
        Throttle other = new Throttle(otherMost, windowSeconds, capacity, nanoTime);
        long now = nanoTime.getAsLong();
        table.forEach((network, penalty) -> other.table.put(network, new Penalty(failures(penalty, now), now)));
        return other;
    }

    /** Returns whether an address is refused at present. */
    synchronized boolean refuses(ClientNetwork network) {
        Penalty penalty = table.get(network);
        return most > 0 && penalty != null && failures(penalty, nanoTime.getAsLong()) >= most;
    }

    /** Returns how many more guesses of an address may be compared before it is refused, at least 1. */
    synchronized int left(ClientNetwork network) {
        Penalty penalty = table.get(network);
        double failures = penalty == null ? 0 : failures(penalty, nanoTime.getAsLong());
        return most == 0 ? Integer.MAX_VALUE : (int) Math.max(1, Math.ceil(most - failures));
    }

    /**
     * Counts a failure.
     *
     * @return whether the address is refused from now on and was not before
     */
    synchronized boolean failed(ClientNetwork network) {
        if (most == 0) {
            return false;
        }
        long now = nanoTime.getAsLong();
        Penalty before = table.get(network);
        if (before == null && table.size() >= capacity) {
            forgetHalf(now);
        }
        // The count does not grow above the maximum, so a client that stops guessing is admitted after one window.
        double known = before == null ? 0 : failures(before, now);
        double failures = Math.min(most + 1.0, known + 1);
        table.put(network, new Penalty(failures, now));
        return known < most && failures >= most;
    }

    /** Forgets the failures of an address. */
    synchronized void succeeded(ClientNetwork network) {
        table.remove(network);
    }

    /** Returns the number of recorded addresses. */
    synchronized int size() {
        return table.size();
    }

    private double failures(Penalty penalty, long now) {
        return Math.max(0, penalty.failures() - (now - penalty.at()) * leak);
    }

    private void forgetHalf(long now) {
        table.entrySet().stream()
                .sorted(Comparator.comparingDouble(entry -> failures(entry.getValue(), now)))
                .limit((capacity + 1) / 2)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(table::remove);
    }
}
