package dev.weir.model;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A set of networks. Immutable. A lookup is a binary search and allocates nothing, so that a list of many thousands may be
 * asked for every request.
 *
 * <p>Two kinds differ in what an IPv6 network means for IPv4. In a <em>dual-stack</em> set IPv4 is the part
 * {@code ::ffff:0:0/96} of IPv6, so that {@code ::/0} contains every address. In a <em>per-family</em> set an IPv6 network
 * contains IPv6 addresses only.
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

    /** The union of some networks, in which IPv4 is a part of IPv6. */
    public static Networks dualStack(Collection<Network> networks) {
        return networks.isEmpty() ? NONE : new Networks(List.copyOf(networks), true);
    }

    /**
     * Same as {@link #dualStack(Collection)}, for networks as {@link Network#of(String)} reads them.
     *
     * @throws IllegalArgumentException with a sentence for the operator
     */
    public static Networks dualStack(String... networks) {
        return dualStack(Arrays.stream(networks).map(Network::of).toList());
    }

    /** The union of some networks, in which IPv4 and IPv6 are apart. */
    public static Networks perFamily(Collection<Network> networks) {
        return networks.isEmpty() ? NONE : new Networks(List.copyOf(networks), false);
    }

    /**
     * Same as {@link #perFamily(Collection)}, for networks as {@link Network#of(String)} reads them.
     *
     * @throws IllegalArgumentException with a sentence for the operator
     */
    public static Networks perFamily(String... networks) {
        return perFamily(Arrays.stream(networks).map(Network::of).toList());
    }

    /** Whether an address is in the set. */
    public boolean contains(InetAddress address) {
        return contains(AddressBits.high(address), AddressBits.low(address));
    }

    /** Whether an address is in the set; {@code high} and {@code low} as {@link AddressBits} has them. */
    public boolean contains(long high, long low) {
        return AddressBits.isV4(high, low) ? v4.contains(high, low) : v6.contains(high, low);
    }

    /** Whether the set is empty. */
    public boolean isEmpty() {
        return networks.isEmpty();
    }

    /** Sets are equal if they are of one kind and hold the same networks in the same order. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Networks that && dualStack == that.dualStack && networks.equals(that.networks);
    }

    @Override
    public int hashCode() {
        return networks.hashCode();
    }

    /** The networks in the order in which they were given. */
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
