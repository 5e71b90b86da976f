package dev.weir.scan;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a mail beside its bytes: the envelope and the request that brought it. Everything may be missing.
 *
 * @param ip the address that the mail came from, or null
 * @param user the authenticated sender, or null
 * @param helo what the sender called itself, or null
 * @param hostname the reverse name of the address, or null
 * @param queueId what the mail server calls the mail, or null
 * @param from the sender of the envelope, or null
 * @param recipients the recipients of the envelope
 * @param headers further headers of the request by lower-case name, for learn conditions
 */
public record ScanContext(@Nullable InetAddress ip, @Nullable String user, @Nullable String helo,
        @Nullable String hostname, @Nullable String queueId, @Nullable String from, List<String> recipients,
        Map<String, List<String>> headers) {
    /** Nothing is known. */
    public static final ScanContext NONE = new ScanContext(null, null, null, null, null, null, List.of(), Map.of());

    /** Copies the collections and writes the names of headers in lower case. */
    public ScanContext {
        recipients = List.copyOf(recipients);
        Map<String, List<String>> lower = new TreeMap<>();
        headers.forEach((name, values) -> lower.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>())
                .addAll(values));
        lower.replaceAll((name, values) -> List.copyOf(values));
        headers = Map.copyOf(lower);
    }

    /** The same, from another address. */
    public ScanContext withIp(InetAddress address) {
        return new ScanContext(address, user, helo, hostname, queueId, from, recipients, headers);
    }

    /** The same, sent by an authenticated user. */
    public ScanContext withUser(String name) {
        return new ScanContext(ip, name, helo, hostname, queueId, from, recipients, headers);
    }

    /** The first value of a header of the request; letter case does not matter. */
    public Optional<String> header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream().findFirst();
    }
}
