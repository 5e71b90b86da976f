package dev.weir.http.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Failures of authentication by address: each one counts 1 and leaks away; whoever is at the maximum is refused, even with
 * the right password (spec/http-api.md section 4, step 2). IPv6 counts by network of 64 bits, which is what one customer
 * has. The table is bounded: when it is full the half that failed least is forgotten, so that a flood of addresses cannot
 * make the busiest guesser unknown. Thread-safe.
 */
public final class Throttle {
    private static final double SECOND = 1e9;

    private final int most;
    private final double leak;
    private final int capacity;
    private final LongSupplier nanoTime;
    private final Map<Network, Penalty> table = new HashMap<>();

    private record Penalty(double failures, long at) {}

    private record Network(long high, long low, boolean six) {}

    /**
     * A throttle.
     *
     * @param most failures from which on an address is refused; 0 refuses nobody
     * @param windowSeconds in which all of them leak away
     * @param capacity addresses that are remembered
     */
    public Throttle(int most, double windowSeconds, int capacity, LongSupplier nanoTime) {
        if (most < 0 || !(windowSeconds > 0) || capacity < 2) {
            throw new IllegalArgumentException("a throttle of " + most + " failures in " + windowSeconds + " s for "
                    + capacity + " addresses");
        }
        this.most = most;
        this.leak = most / windowSeconds / SECOND;
        this.capacity = capacity;
        this.nanoTime = nanoTime;
    }

    /** A throttle with other limits that knows of the same failures. */
    synchronized Throttle with(int otherMost, double windowSeconds) {
        Throttle other = new Throttle(otherMost, windowSeconds, capacity, nanoTime);
        long now = nanoTime.getAsLong();
        table.forEach((network, penalty) -> other.table.put(network, new Penalty(failures(penalty, now), now)));
        return other;
    }

    /** Whether an address is refused at the moment. */
    public synchronized boolean refuses(InetAddress address) {
        Penalty penalty = table.get(network(address));
        return most > 0 && penalty != null && failures(penalty, nanoTime.getAsLong()) >= most;
    }

    /** Counts a failure. */
    public synchronized void failed(InetAddress address) {
        if (most == 0) {
            return;
        }
        long now = nanoTime.getAsLong();
        Network network = network(address);
        Penalty before = table.get(network);
        if (before == null && table.size() >= capacity) {
            forgetHalf(now);
        }
        // Above the maximum it does not grow further: who stops guessing gets in again after one window.
        double failures = Math.min(most + 1.0, (before == null ? 0 : failures(before, now)) + 1);
        table.put(network, new Penalty(failures, now));
    }

    /** Forgets the failures of an address. */
    public synchronized void succeeded(InetAddress address) {
        table.remove(network(address));
    }

    /** Addresses that are remembered. */
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

    private static Network network(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (address instanceof Inet6Address) {
            return new Network(number(Arrays.copyOf(bytes, Long.BYTES)), 0, true);
        }
        return new Network(0, number(bytes), false);
    }

    private static long number(byte[] bytes) {
        long number = 0;
        for (byte b : bytes) {
            number = number << 8 | (b & 0xff);
        }
        return number;
    }
}
