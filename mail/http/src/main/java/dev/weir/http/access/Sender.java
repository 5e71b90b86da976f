package dev.weir.http.access;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.server.Client;

/**
 * The origin of a request, derived from its connection and from the headers of proxies (docs/integrate/http.md has the
 * table).
 *
 * <p>Only a trusted source can name another client. A list of addresses is read from its end, where the last proxy
 * writes: trusted addresses are proxies, and the first other address is the client. All kinds of headers are read,
 * because a proxy that writes one kind passes on the others as the client sent them. So all of them must name trusted
 * addresses.
 *
 * @param trusted whether it needs no password
 * @param counted the client to which failures count: the one that all headers agree on, otherwise the other end of the
 *        connection
 * @param forwarded whether headers say that the other end of the connection is a proxy
 */
record Sender(boolean trusted, Client counted, boolean forwarded) {
    /** The header that lists addresses; the last element is from the last proxy. */
    private static final String FORWARDED_FOR = "x-forwarded-for";
    private static final String FORWARDED = "forwarded";
    /** The headers with one address each. */
    private static final List<String> SINGLE = List.of("x-real-ip", "x-client-ip", "x-cluster-client-ip",
            "true-client-ip", "cf-connecting-ip", "fastly-client-ip");
    /** The headers that reveal a proxy but name no client. With these alone, the client stays unknown. */
    private static final List<String> UNNAMED = List.of("via", "x-forwarded-host", "x-forwarded-proto",
            "x-forwarded-port", "x-forwarded-server");

    static Sender of(HttpHead head, Client client, AccessRules rules) {
        if (client.address().isPresent() && !rules.trusts(client.address().get())) {
            // The headers of an untrusted source have no meaning.
            return new Sender(false, client, false);
        }
        Named outer = Named.of(head.outer(), rules);
        // The headers inside an encrypted request can remove trust but not grant it, and do not determine which client
        // counts.
        Named inner = Named.of(head.headers(), rules);
        boolean trusted = outer.isTrusted() && inner.isTrusted();
        boolean agreed = !outer.unclear() && outer.strangers().size() == 1;
        return new Sender(trusted, agreed ? Client.of(outer.strangers().iterator().next()) : client,
                outer.forwarded() || inner.forwarded());
    }

    /** Returns whether headers of the connection say that its other end is a proxy, trusted or not. */
    static boolean isForwarded(HttpHead head, AccessRules rules) {
        return Named.of(head.outer(), rules).forwarded();
    }

    /** Returns the sender for a log, such as {@code 192.0.2.1 through 127.0.0.1}. The client chose nothing in it. */
    String description(Client connection) {
        if (!forwarded) {
            return connection.toString();
        }
        return (counted.equals(connection) ? "an unnamed client" : counted.toString()) + " through " + connection;
    }

    /**
     * The content of the headers.
     *
     * @param strangers the untrusted clients that they name
     * @param unclear whether a header names no address
     */
    private record Named(boolean forwarded, Set<InetAddress> strangers, boolean unclear) {
        static Named of(HttpHeaders headers, AccessRules rules) {
            List<List<String>> kinds = new ArrayList<>();
            kind(headers, FORWARDED_FOR).ifPresent(kinds::add);
            kind(headers, FORWARDED).ifPresent(list -> kinds.add(list.stream().map(Named::parameter).toList()));
            SINGLE.forEach(name -> kind(headers, name).ifPresent(kinds::add));
            Set<InetAddress> strangers = new HashSet<>();
            boolean unclear = kinds.isEmpty() && UNNAMED.stream().anyMatch(headers::has);
            boolean forwarded = unclear || !kinds.isEmpty();
            for (List<String> list : kinds) {
                unclear |= !walk(list, rules, strangers);
            }
            return new Named(forwarded, strangers, unclear);
        }

        boolean isTrusted() {
            return strangers.isEmpty() && !unclear;
        }

        /**
         * Returns the elements of all lines, in order. A comma in quotes separates too, because no address contains
         * one.
         */
        private static Optional<List<String>> kind(HttpHeaders headers, String name) {
            List<String> lines = headers.all(name);
            return lines.isEmpty()
                    ? Optional.empty()
                    : Optional.of(lines.stream().flatMap(line -> Stream.of(line.split(",", -1))).map(String::strip)
                            .toList());
        }

        /** Returns the address of {@code for="[2001:db8::1]:443";proto=https} (RFC 7239). */
        private static String parameter(String element) {
            for (String pair : element.split(";", -1)) {
                String text = pair.strip();
                if (text.toLowerCase(Locale.ROOT).startsWith("for=")) {
                    String value = text.substring(4).strip();
                    return value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                            ? value.substring(1, value.length() - 1)
                            : value;
                }
            }
            return "";
        }

        /** Adds the client of a list if it is untrusted. Returns false if an element is not an address. */
        private static boolean walk(List<String> list, AccessRules rules, Set<InetAddress> strangers) {
            for (String element : list.reversed()) {
                Optional<InetAddress> address = Literal.address(element);
                if (address.isEmpty()) {
                    return false;
                }
                if (!rules.trusts(address.get())) {
                    strangers.add(address.get());
                    return true;
                }
            }
            return true;
        }
    }
}
