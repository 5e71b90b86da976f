package dev.weir.scan.lua;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * What the request says of how a mail came in.
 *
 * @param ip address of the client that sent the mail, written out, or null
 * @param user the authenticated sender, or null
 * @param from sender of the envelope, or null
 * @param recipients of the envelope
 * @param headers first value of each header of the request, names in lower case
 */
public record MailEnvelope(@Nullable String ip, @Nullable String user, @Nullable String helo, @Nullable String hostname,
        @Nullable String queueId, @Nullable String from, List<String> recipients, Map<String, String> headers) {
    /** Nothing is known. */
    public static final MailEnvelope NONE = of(Map.of());

    /** Copies the collections. */
    public MailEnvelope {
        recipients = List.copyOf(recipients);
        headers = Map.copyOf(headers);
    }

    /**
     * What the headers of a request to the controller say: From, Rcpt, IP, User, Helo, Hostname, Queue-Id and others.
     */
    public static MailEnvelope of(Map<String, List<String>> request) {
        Map<String, String> first = new TreeMap<>();
        List<String> recipients = List.of();
        for (Map.Entry<String, List<String>> header : request.entrySet()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (name.equals("rcpt")) {
                recipients = header.getValue();
            }
            if (!header.getValue().isEmpty()) {
                first.putIfAbsent(name, header.getValue().getFirst());
            }
        }
        return new MailEnvelope(first.get("ip"), first.get("user"), first.get("helo"), first.get("hostname"),
                first.get("queue-id"), first.get("from"), recipients, first);
    }

    /** A header of the request; the fields above count where the request has no such header. */
    @Nullable
    String header(String lowerCaseName) {
        String value = headers.get(lowerCaseName);
        if (value != null) {
            return value;
        }
        return switch (lowerCaseName) {
            case "ip" -> ip;
            case "user" -> user;
            case "helo" -> helo;
            case "hostname" -> hostname;
            case "queue-id" -> queueId;
            case "from" -> from;
            case "rcpt" -> recipients.isEmpty() ? null : recipients.getFirst();
            default -> null;
        };
    }
}
