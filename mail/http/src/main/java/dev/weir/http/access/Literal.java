package dev.weir.http.access;

import java.net.InetAddress;
import java.util.Optional;

import dev.weir.model.Network;

/** A parser of addresses in headers: with or without a port, IPv6 in brackets or bare. Host names are not addresses. */
final class Literal {
    private Literal() {}

    /** Returns the address of a text such as {@code 192.0.2.1}, {@code 192.0.2.1:8080}, {@code [2001:db8::1]:443}. */
    static Optional<InetAddress> address(String text) {
        String host = withoutPort(text);
        // Java's own parser also accepts 127.1, 2130706433 and fe80::1%eth0.
        return host.indexOf('/') < 0 && Network.parse(host).isPresent()
                ? Optional.of(InetAddress.ofLiteral(host))
                : Optional.empty();
    }

    /** Returns a host without its port, and an IPv6 address without its brackets. */
    static String withoutPort(String text) {
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            String rest = end < 0 ? "" : text.substring(end + 1);
            return end > 0 && (rest.isEmpty() || isPort(rest)) ? text.substring(1, end) : text;
        }
        int colon = text.indexOf(':');
        return colon >= 0 && colon == text.lastIndexOf(':') && isPort(text.substring(colon))
                ? text.substring(0, colon)
                : text;
    }

    private static boolean isPort(String text) {
        return text.length() > 1 && text.length() <= 6 && text.charAt(0) == ':'
                && text.chars().skip(1).allMatch(c -> c >= '0' && c <= '9');
    }
}
