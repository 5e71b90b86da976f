package dev.weir.http.controller;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.http.message.HttpHeaders;
import dev.weir.scan.ScanContext;
import org.jspecify.annotations.Nullable;

/** A reader of the headers with which a mail server describes a mail (docs/reference/rspamd-http.md#scanning). */
final class Envelope {
    private Envelope() {}

    static ScanContext of(HttpHeaders arguments) {
        Map<String, List<String>> all = new HashMap<>();
        for (HttpHeaders.Field field : arguments.fields()) {
            // A script of a rule may read every header of the request except the password.
            if (!field.name().equals("password")) {
                all.computeIfAbsent(field.name(), _ -> new ArrayList<>()).add(field.value());
            }
        }
        return new ScanContext(address(arguments.first("ip")), text(arguments, "user"), text(arguments, "helo"),
                hostname(arguments), text(arguments, "queue-id"),
                arguments.first("from").map(Envelope::bare).filter(from -> !from.isEmpty()).orElse(null),
                arguments.all("rcpt").stream().map(Envelope::bare).toList(), all);
    }

    /** Returns an address without the angle brackets that Exim writes around it. */
    private static String bare(String address) {
        return address.startsWith("<") && address.endsWith(">") ? address.substring(1, address.length() - 1) : address;
    }

    private static @Nullable String text(HttpHeaders arguments, String name) {
        return arguments.first(name).filter(value -> !value.isEmpty()).orElse(null);
    }

    /** Returns the host name. Mail servers write {@code unknown} or an address in brackets if there is no name. */
    private static @Nullable String hostname(HttpHeaders arguments) {
        return arguments.first("hostname")
                .filter(name -> !name.isEmpty() && !name.equals("unknown") && !name.startsWith("["))
                .orElse(null);
    }

    private static @Nullable InetAddress address(Optional<String> text) {
        try {
            return text.isPresent() ? InetAddress.ofLiteral(text.get()) : null;
        } catch (IllegalArgumentException e) {
            // Rspamd treats an invalid address as unknown, too.
            return null;
        }
    }
}
