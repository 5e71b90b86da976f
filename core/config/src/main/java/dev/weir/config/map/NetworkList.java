package dev.weir.config.map;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.weir.config.source.Problem;
import dev.weir.model.Network;

/**
 * The networks and host names of a map or of a list in the configuration.
 *
 * @param networks the entries written as addresses or networks, in order
 * @param hosts the host names, which the caller has to resolve
 */
public record NetworkList(List<Network> networks, List<MapSource.Entry> hosts) {
    /** The maximum number of entries in a map. */
    static final int MOST_ENTRIES = 1_000_000;

    /** Copies the lists. */
    public NetworkList {
        networks = List.copyOf(networks);
        hosts = List.copyOf(hosts);
    }

    /**
     * Reads a map of networks, with one entry per line. The rest of a line after its entry is a comment.
     *
     * @param name the name of the map in problems
     * @param problems receives the lines that hold no address, network or host name; the result omits them
     */
    public static NetworkList parse(String name, String text, Consumer<Problem> problems) {
        List<MapSource.Entry> entries = new ArrayList<>();
        for (MapLines.Line line : MapLines.of(name, text, MOST_ENTRIES, problems)) {
            entries.add(new MapSource.Entry(line.key(), line.origin()));
        }
        return parse(entries, problems);
    }

    /**
     * Reads networks from the configuration itself. One text may hold several networks, separated by commas or blanks.
     *
     * @param problems receives the entries that are not addresses, networks or host names; the result omits them
     */
    public static NetworkList parse(List<MapSource.Entry> entries, Consumer<Problem> problems) {
        List<Network> networks = new ArrayList<>();
        List<MapSource.Entry> hosts = new ArrayList<>();
        for (MapSource.Entry entry : entries) {
            for (String word : entry.text().split("[,;\\s]+", -1)) {
                if (!word.isEmpty()) {
                    word(word, entry, networks, hosts, problems);
                }
            }
        }
        return new NetworkList(networks, hosts);
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
        // The last label of a host name is not a number, so a mistyped address is not taken for a name.
        return word.length() <= 253 && word.matches("(?:[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)*+"
                + "[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.?");
    }

    private static String shortened(String text) {
        return text.length() > 80 ? text.substring(0, 80) + "..." : text;
    }
}
