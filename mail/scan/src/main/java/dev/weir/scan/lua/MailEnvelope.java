package dev.weir.scan.lua;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The facts about the delivery of a mail, from the request.
 *
 * @param ip the address of the client that sent the mail as text, or null
 * @param user the authenticated sender, or null
 * @param helo the HELO name of the client, or null
 * @param hostname the reverse DNS name of the address, or null
 * @param queueId the queue identifier of the mail server, or null
 * @param from the envelope sender, or null
 * @param recipients the envelope recipients
 * @param headers the first value of each header of the request, names in lower case
 */
public record MailEnvelope(@Nullable String ip, @Nullable String user, @Nullable String helo, @Nullable String hostname,
        @Nullable String queueId, @Nullable String from, List<String> recipients, Map<String, String> headers) {
    /** An empty envelope. */
    public static final MailEnvelope NONE = of(Map.of());

    /** Copies the collections. */
    public MailEnvelope {
        recipients = List.copyOf(recipients);
        headers = Map.copyOf(headers);
    }

    /**
     * Returns the envelope in the headers of a request to the controller: From, Rcpt, IP, User, Helo, Hostname,
     * Queue-Id and others.
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

    /** Returns a header of the request. Falls back to the fields above if the request has no such header. */
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
