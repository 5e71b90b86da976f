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
 * The facts about a mail besides its bytes: the envelope and the request that delivered it. All of them are optional.
 *
 * @param ip the address of the client that sent the mail, or null
 * @param user the authenticated sender, or null
 * @param helo the HELO name of the client, or null
 * @param hostname the reverse DNS name of the address, or null
 * @param queueId the queue identifier of the mail server, or null
 * @param from the envelope sender, or null
 * @param recipients the envelope recipients
 * @param headers further headers of the request by lower-case name, for learn conditions
 */
public record ScanContext(@Nullable InetAddress ip, @Nullable String user, @Nullable String helo,
        @Nullable String hostname, @Nullable String queueId, @Nullable String from, List<String> recipients,
        Map<String, List<String>> headers) {
    /** An empty context. */
    public static final ScanContext NONE = new ScanContext(null, null, null, null, null, null, List.of(), Map.of());

    /** Copies the collections and converts the header names to lower case. */
    public ScanContext {
        recipients = List.copyOf(recipients);
        Map<String, List<String>> lower = new TreeMap<>();
        headers.forEach((name, values) -> lower.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>())
                .addAll(values));
        lower.replaceAll((name, values) -> List.copyOf(values));
        headers = Map.copyOf(lower);
    }

    /** Returns a copy with another address. */
    public ScanContext withIp(InetAddress address) {
        return new ScanContext(address, user, helo, hostname, queueId, from, recipients, headers);
    }

    /** Returns a copy with an authenticated user. */
    public ScanContext withUser(String name) {
        return new ScanContext(ip, name, helo, hostname, queueId, from, recipients, headers);
    }

    /** Returns the first value of a request header. Ignores letter case. */
    public Optional<String> header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream().findFirst();
    }
}
