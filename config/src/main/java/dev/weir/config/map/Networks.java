package dev.weir.config.map;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import dev.weir.config.source.Problem;

/**
 * A set of addresses, made of networks. Immutable; a lookup is a binary search over the ranges that the networks merge
 * into and allocates at most what {@link InetAddress#getAddress} does.
 *
 * <p>IPv4 is the part {@code ::ffff:0:0/96} of IPv6 here, so {@code ::/0} is every address of both. The lists of the storage
 * keep the two apart.
 */
public final class Networks {
    /** No address. */
    public static final Networks NONE = of(List.of());

    /** The most entries that a map may have. */
    static final int MOST_ENTRIES = 1_000_000;

    private final long[] firstHigh;
    private final long[] firstLow;
    private final long[] lastHigh;
    private final long[] lastLow;

    private Networks(List<long[]> ranges) {
        firstHigh = ranges.stream().mapToLong(range -> range[0]).toArray();
        firstLow = ranges.stream().mapToLong(range -> range[1]).toArray();
        lastHigh = ranges.stream().mapToLong(range -> range[2]).toArray();
        lastLow = ranges.stream().mapToLong(range -> range[3]).toArray();
    }

    /** The union of some networks. */
    public static Networks of(Collection<Network> networks) {
        List<Network> sorted = new ArrayList<>(networks);
        sorted.sort(Comparator.comparing(Network::high, Long::compareUnsigned)
                .thenComparing(Network::low, Long::compareUnsigned)
                .thenComparingInt(Network::prefix));
        List<long[]> ranges = new ArrayList<>();
        for (Network network : sorted) {
            long[] last = ranges.isEmpty() ? null : ranges.getLast();
            // Networks lie inside of each other or apart: sorted like this, the outer one comes first.
            if (last == null || compare(network.high(), network.low(), last[2], last[3]) > 0) {
                ranges.add(new long[]{network.high(), network.low(), network.lastHigh(), network.lastLow()});
            }
        }
        return new Networks(ranges);
    }

    /**
     * Networks and names out of a text with one a line; what follows the entry is a comment.
     *
     * @param list what was written as addresses, in that order
     * @param hosts names that somebody with a resolver has to turn into addresses
     */
    public record Parsed(List<Network> list, List<MapSource.Entry> hosts) {
        /** Copies the lists. */
        public Parsed {
            list = List.copyOf(list);
            hosts = List.copyOf(hosts);
        }

        /** The addresses of the list as a set, made with each call. */
        public Networks networks() {
            return of(list);
        }
    }

    /**
     * Reads a map of networks.
     *
     * @param name what the text is called in problems
     * @param problems is told which lines are neither an address, nor a network, nor a name; they are left out
     */
    public static Parsed parse(String name, String text, Consumer<Problem> problems) {
        List<MapSource.Entry> entries = new ArrayList<>();
        for (MapLines.Line line : MapLines.of(name, text, MOST_ENTRIES, problems)) {
            entries.add(new MapSource.Entry(line.key(), line.origin()));
        }
        return parse(entries, problems);
    }

    /**
     * Reads networks that stand in the configuration; one text may hold several, separated by commas or blanks.
     *
     * @param problems is told which entries are neither an address, nor a network, nor a name; they are left out
     */
    public static Parsed parse(List<MapSource.Entry> entries, Consumer<Problem> problems) {
        List<Network> networks = new ArrayList<>();
        List<MapSource.Entry> hosts = new ArrayList<>();
        for (MapSource.Entry entry : entries) {
            for (String word : entry.text().split("[,;\\s]+", -1)) {
                if (!word.isEmpty()) {
                    word(word, entry, networks, hosts, problems);
                }
            }
        }
        return new Parsed(networks, hosts);
    }

    private static void word(String word, MapSource.Entry entry, List<Network> networks, List<MapSource.Entry> hosts,
            Consumer<Problem> problems) {
        Network.parse(word).ifPresentOrElse(networks::add, () -> {
            if (isHostName(word)) {
                hosts.add(new MapSource.Entry(word, entry.origin()));
            } else {
                problems.accept(Problem.error(entry.origin(), "expected an address, a network such as 192.0.2.0/24"
                        + " or 2001:db8::/32, or a host name, but found \"" + shortened(word) + "\""));
            }
        });
    }

    private static boolean isHostName(String word) {
        // The last label of a name is no number: what looks like a wrong address is one.
        return word.length() <= 253 && word.matches("(?:[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)*+"
                + "[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.?");
    }

    private static String shortened(String text) {
        return text.length() > 80 ? text.substring(0, 80) + "..." : text;
    }

    /** Whether the address is in the set. */
    public boolean contains(InetAddress address) {
        if (firstHigh.length == 0) {
            return false;
        }
        return switch (address) {
            case Inet4Address four -> contains(0, Network.low(four));
            case Inet6Address six -> {
                byte[] bytes = six.getAddress();
                yield contains(Network.bits(bytes, 0), Network.bits(bytes, 8));
            }
            default -> false;
        };
    }

    /** How many separate ranges there are. */
    public int size() {
        return firstHigh.length;
    }

    private boolean contains(long high, long low) {
        int from = 0;
        int to = firstHigh.length - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            if (compare(high, low, firstHigh[middle], firstLow[middle]) < 0) {
                to = middle - 1;
            } else if (compare(high, low, lastHigh[middle], lastLow[middle]) > 0) {
                from = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }

    private static int compare(long high, long low, long otherHigh, long otherLow) {
        int upper = Long.compareUnsigned(high, otherHigh);
        return upper == 0 ? Long.compareUnsigned(low, otherLow) : upper;
    }
}
