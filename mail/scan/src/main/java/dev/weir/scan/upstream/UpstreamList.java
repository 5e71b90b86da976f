package dev.weir.scan.upstream;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import dev.weir.net.HostPort;

/**
 * A list of servers in the syntax of rules (docs/reference/scanner.md#server-lists):
 * {@code round-robin:a.example:11335:2,b.example}.
 *
 * @param selection the strategy for choosing a server
 * @param entries the entries in the order of the text, at least one
 */
public record UpstreamList(Selection selection, List<Entry> entries) {
    /** The default port of fuzzy storages. */
    public static final int DEFAULT_PORT = 11335;
    /** The maximum number of servers in a list, which bounds its cost. */
    public static final int MAX_ENTRIES = 256;
    /** The maximum weight, which bounds the number of points on the ring of shards. */
    public static final int MAX_WEIGHT = 1000;

    /** Copies the list. */
    public UpstreamList {
        entries = List.copyOf(entries);
        if (entries.isEmpty()) {
            throw new IllegalArgumentException("no server is named");
        }
        if (entries.size() > MAX_ENTRIES) {
            throw new IllegalArgumentException("more than " + MAX_ENTRIES + " servers");
        }
    }

    /** The strategy for choosing one of several servers. */
    public enum Selection {
        /** In turn, by weight. */
        ROUND_ROBIN("round-robin"),
        /** The less loaded one of two random servers. */
        RANDOM("random"),
        /** The available server with the greatest weight. */
        MASTER_SLAVE("master-slave"),
        /** The server that a ring assigns to the digest. */
        HASH("hash");

        private final String word;

        Selection(String word) {
            this.word = word;
        }

        /** Returns the keyword in front of a list. */
        public String word() {
            return word;
        }
    }

    /** An entry of a list. */
    public sealed interface Entry {
        /** Returns the name of the entry in reports: its text without the weight. */
        String name();

        /** Returns the weight, or 0 if none is given. */
        int weight();
    }

    /**
     * A server with a host name or address.
     *
     * @param host a host name or address, IPv6 without brackets
     * @param port the port, 1 to 65535
     */
    public record Host(String host, int port, int weight) implements Entry {
        @Override
        public String name() {
            return new HostPort(host, port).toString();
        }
    }

    /**
     * The servers in the SRV records of {@code _service._tcp.domain}.
     *
     * @param service the name without underscore
     */
    public record Service(String service, String domain, int weight) implements Entry {
        @Override
        public String name() {
            return "service=" + service + "+" + domain;
        }
    }

    /**
     * Reads the texts of an option. Each text may hold several servers and a keyword for the selection; the last
     * keyword counts.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public static UpstreamList parse(List<String> texts) {
        Selection selection = Selection.ROUND_ROBIN;
        List<Entry> entries = new ArrayList<>();
        for (String text : texts) {
            String rest = text.strip();
            for (Selection candidate : Selection.values()) {
                if (rest.toLowerCase(Locale.ROOT).startsWith(candidate.word() + ":")) {
                    selection = candidate;
                    rest = rest.substring(candidate.word().length() + 1);
                    break;
                }
            }
            for (String word : rest.split("[;,\\s]+", -1)) {
                if (!word.isEmpty()) {
                    entries.add(entry(word));
                }
            }
        }
        return new UpstreamList(selection, entries);
    }

    private static Entry entry(String word) {
        if (word.startsWith("/") || word.startsWith("./")) {
            throw new IllegalArgumentException(
                    "\"" + word + "\" is a Unix-domain socket, but storages are reached over UDP only");
        }
        if (word.startsWith("service=")) {
            return service(word);
        }
        if (!word.startsWith("[") && word.indexOf(':') != word.lastIndexOf(':') && isAddress(word)) {
            return host(word, word, List.of());
        }
        HostPort.Parts parts = HostPort.split(word);
        if (word.startsWith("[") && !isAddress(parts.host())) {
            throw new IllegalArgumentException("\"" + parts.host() + "\" in \"" + word + "\" is not an IPv6 address");
        }
        return host(word, parts.host(), parts.rest().isEmpty()
                ? List.of()
                : List.of(parts.rest().substring(1).split(":", -1)));
    }

    private static Host host(String word, String host, List<String> cells) {
        if (host.isEmpty() || host.length() > 253) {
            throw new IllegalArgumentException(
                    "\"" + word + "\" has no host: write HOST, HOST:PORT or HOST:PORT:WEIGHT");
        }
        if (!cells.isEmpty() && host.matches("[A-Za-z_-]+") && !cells.getFirst().matches("\\d*")) {
            throw new IllegalArgumentException("\"" + host + "\" in \"" + word + "\" is not a rotation: write one of "
                    + String.join(", ", Arrays.stream(Selection.values()).map(Selection::word).toList())
                    + ", or HOST:PORT");
        }
        if (cells.size() > 2) {
            throw new IllegalArgumentException(
                    "\"" + word + "\" has too many colons: write an IPv6 address in brackets");
        }
        int port = cells.isEmpty() ? DEFAULT_PORT : number(word, "port", cells.getFirst(), 1, 65_535);
        return new Host(host, port, cells.size() < 2 ? 0 : number(word, "weight", cells.get(1), 0, MAX_WEIGHT));
    }

    private static Service service(String word) {
        List<String> cells = List.of(word.substring("service=".length()).split(":", -1));
        String name = cells.getFirst();
        int plus = name.indexOf('+');
        if (plus <= 0 || plus == name.length() - 1 || cells.size() > 2) {
            throw new IllegalArgumentException(
                    "\"" + word + "\" is not a service: write service=NAME+DOMAIN or service=NAME+DOMAIN:WEIGHT");
        }
        return new Service(name.substring(0, plus), name.substring(plus + 1),
                cells.size() < 2 ? 0 : number(word, "weight", cells.get(1), 0, MAX_WEIGHT));
    }

    private static int number(String word, String what, String digits, int least, int most) {
        if (digits.matches("\\d{1,9}")) {
            int number = Integer.parseInt(digits);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw new IllegalArgumentException("\"" + digits + "\" in \"" + word + "\" is not a " + what + " from " + least
                + " to " + most);
    }

    private static boolean isAddress(String text) {
        if (text.indexOf('%') >= 0) {
            return false;
        }
        try {
            InetAddress.ofLiteral(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
