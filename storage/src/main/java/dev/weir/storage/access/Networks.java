package dev.weir.storage.access;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import dev.weir.net.AddressBits;

/**
 * A set of networks. Immutable; asking costs one binary search and makes no objects, so that a list of many thousands may
 * be asked for every request.
 *
 * <p>Kept as the ranges of addresses that the networks cover together, in order and without overlap; IPv4 and IPv6 apart,
 * so that {@code ::/0} does not mean IPv4 too.
 */
public final class Networks {
    private static final Networks NONE = new Networks(List.of());

    private final List<Network> networks;
    private final Ranges v4;
    private final Ranges v6;

    private Networks(List<Network> networks) {
        this.networks = networks;
        this.v4 = Ranges.of(networks.stream().filter(Network::isV4).toList());
        this.v6 = Ranges.of(networks.stream().filter(network -> !network.isV4()).toList());
    }

    /** The set that holds nobody. */
    public static Networks none() {
        return NONE;
    }

    /** A set of networks, which may overlap. */
    public static Networks of(Collection<Network> networks) {
        return networks.isEmpty() ? NONE : new Networks(List.copyOf(networks));
    }

    /**
     * A set out of their text forms, see {@link Network#parse}.
     *
     * @throws IllegalArgumentException with a sentence for the operator
     */
    public static Networks parse(String... texts) {
        return of(Arrays.stream(texts).map(Network::parse).toList());
    }

    /** Whether an address is in one of the networks; {@code high} and {@code low} as {@link AddressBits} has them. */
    public boolean contains(long high, long low) {
        return AddressBits.isV4(high, low) ? v4.contains(high, low) : v6.contains(high, low);
    }

    /** Whether a source is in one of the networks; one behind a socket in the file system never is. */
    public boolean contains(Source source) {
        return !source.isUnixSocket() && contains(source.high(), source.low());
    }

    /** Whether nobody is in the set. */
    public boolean isEmpty() {
        return networks.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Networks that && networks.equals(that.networks);
    }

    @Override
    public int hashCode() {
        return networks.hashCode();
    }

    /** The networks as they were given. */
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
            networks.stream().sorted((a, b) -> compare(a.firstHigh(), a.firstLow(), b.firstHigh(), b.firstLow()))
                    .forEach(ranges::add);
            return ranges;
        }

        private void add(Network network) {
            int last = count - 1;
            if (last < 0 || compare(network.firstHigh(), network.firstLow(), toHigh[last], toLow[last]) > 0) {
                last = count++;
                fromHigh[last] = network.firstHigh();
                fromLow[last] = network.firstLow();
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
