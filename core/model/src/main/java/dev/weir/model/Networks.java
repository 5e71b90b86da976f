package dev.weir.model;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * An immutable set of networks. A lookup is a binary search and does not allocate, so that each request can search a
 * list of many thousands.
 *
 * <p>Two kinds differ in the meaning of IPv6 networks for IPv4 addresses. In a <em>dual-stack</em> set, IPv4 is the
 * part {@code ::ffff:0:0/96} of IPv6, and {@code ::/0} contains every address. In a <em>per-family</em> set, an IPv6
 * network contains IPv6 addresses only.
 */
public final class Networks {
    /** The empty set. */
    public static final Networks NONE = new Networks(List.of(), false);

    private final List<Network> networks;
    private final boolean dualStack;
    private final Ranges v4;
    private final Ranges v6;

    private Networks(List<Network> networks, boolean dualStack) {
        this.networks = networks;
        this.dualStack = dualStack;
        if (dualStack) {
            this.v4 = Ranges.of(networks);
            this.v6 = v4;
        } else {
            this.v4 = Ranges.of(networks.stream().filter(Network::isV4).toList());
            this.v6 = Ranges.of(networks.stream().filter(network -> !network.isV4()).toList());
        }
    }

    /** Returns the union of networks as a dual-stack set. */
    public static Networks dualStack(Collection<Network> networks) {
        return networks.isEmpty() ? NONE : new Networks(List.copyOf(networks), true);
    }

    /**
     * Same as {@link #dualStack(Collection)}, for the text form that {@link Network#of(String)} parses.
     *
     * @throws IllegalArgumentException if a text is not a network; the message is meant for the operator
     */
    public static Networks dualStack(String... networks) {
        return dualStack(Arrays.stream(networks).map(Network::of).toList());
    }

    /** Returns the union of networks as a per-family set. */
    public static Networks perFamily(Collection<Network> networks) {
        return networks.isEmpty() ? NONE : new Networks(List.copyOf(networks), false);
    }

    /**
     * Same as {@link #perFamily(Collection)}, for the text form that {@link Network#of(String)} parses.
     *
     * @throws IllegalArgumentException if a text is not a network; the message is meant for the operator
     */
    public static Networks perFamily(String... networks) {
        return perFamily(Arrays.stream(networks).map(Network::of).toList());
    }

    /** Returns whether the set contains an address. */
    public boolean contains(InetAddress address) {
        return contains(AddressBits.high(address), AddressBits.low(address));
    }

    /** Returns whether the set contains an address, given as the two halves that {@link AddressBits} defines. */
    public boolean contains(long high, long low) {
        return AddressBits.isV4(high, low) ? v4.contains(high, low) : v6.contains(high, low);
    }

    /** Returns whether the set is empty. */
    public boolean isEmpty() {
        return networks.isEmpty();
    }

    /** Compares two sets. Equal sets are of one kind and list the same networks in the same order. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Networks that && dualStack == that.dualStack && networks.equals(that.networks);
    }

    @Override
    public int hashCode() {
        return networks.hashCode();
    }

    /** Returns the networks in their original order. */
    @Override
    public String toString() {
        return networks.toString();
    }

    /** Ranges of 128-bit numbers, both ends included, in ascending order. */
    private static final class Ranges {
        private final long[] fromHigh;
        private final long[] fromLow;
        private final long[] toHigh;
        private final long[] toLow;
        private int count;

        private Ranges(int most) {
            this.fromHigh = new long[most];
            this.fromLow = new long[most];
            this.toHigh = new long[most];
            this.toLow = new long[most];
        }

        static Ranges of(List<Network> networks) {
            Ranges ranges = new Ranges(networks.size());
            networks.stream().sorted((a, b) -> compare(a.high(), a.low(), b.high(), b.low())).forEach(ranges::add);
            return ranges;
        }

        private void add(Network network) {
            int last = count - 1;
            if (last < 0 || compare(network.high(), network.low(), toHigh[last], toLow[last]) > 0) {
                last = count++;
                fromHigh[last] = network.high();
                fromLow[last] = network.low();
            } else if (compare(network.lastHigh(), network.lastLow(), toHigh[last], toLow[last]) <= 0) {
                return;
            }
            toHigh[last] = network.lastHigh();
            toLow[last] = network.lastLow();
        }

        boolean contains(long high, long low) {
            int below = 0;
            int above = count;
            // The last range that begins at or before the address, if any, is at above - 1 when this ends.
            while (below < above) {
                int middle = (below + above) >>> 1;
                if (compare(fromHigh[middle], fromLow[middle], high, low) <= 0) {
                    below = middle + 1;
                } else {
                    above = middle;
                }
            }
            return above > 0 && compare(high, low, toHigh[above - 1], toLow[above - 1]) <= 0;
        }

        private static int compare(long high, long low, long otherHigh, long otherLow) {
            int order = Long.compareUnsigned(high, otherHigh);
            return order != 0 ? order : Long.compareUnsigned(low, otherLow);
        }
    }
}
