package dev.weir.scan.mail;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The header fields of a mail. The parser is tolerant: it skips malformed fields, joins folded lines with a blank,
 * reads bytes as ISO-8859-1 and decodes nothing. It reads at most {@value #MOST_FIELDS} fields within the first
 * {@value #MOST_BYTES} bytes. Immutable.
 */
public final class MailHeaders {
    private static final int MOST_FIELDS = 2000;
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_DOMAIN = 64;

    private final List<Field> fields;

    private record Field(String name, String value) {}

    private MailHeaders(List<Field> fields) {
        this.fields = List.copyOf(fields);
    }

    /** Reads the fields up to the first empty line. */
    public static MailHeaders of(byte[] mail) {
        String text = new String(mail, 0, Math.min(mail.length, MOST_BYTES), StandardCharsets.ISO_8859_1);
        List<Field> fields = new ArrayList<>();
        String name = "";
        StringBuilder value = new StringBuilder();
        int at = 0;
        while (at < text.length() && fields.size() < MOST_FIELDS) {
            int end = at;
            while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
                end++;
            }
            String line = text.substring(at, end);
            at = end + (text.startsWith("\r\n", end) ? 2 : 1);
            if (line.isEmpty() && !(name.isEmpty() && fields.isEmpty())) {
                break;
            }
            if (line.startsWith(" ") || line.startsWith("\t")) {
                value.append(' ').append(line.strip());
                continue;
            }
            add(fields, name, value);
            int colon = line.indexOf(':');
            name = colon > 0 && line.substring(0, colon).strip().indexOf(' ') < 0
                    ? line.substring(0, colon).strip()
                    : "";
            value.setLength(0);
            value.append(name.isEmpty() ? "" : line.substring(colon + 1).strip());
        }
        add(fields, name, value);
        return new MailHeaders(fields);
    }

    private static void add(List<Field> fields, String name, StringBuilder value) {
        if (!name.isEmpty()) {
            fields.add(new Field(name, value.toString()));
        }
    }

    /** Returns the first value of a field. Ignores letter case. */
    public Optional<String> first(String name) {
        return fields.stream().filter(field -> field.name().equalsIgnoreCase(name)).map(Field::value).findFirst();
    }

    /** Returns all values of a field, in order. */
    public List<String> all(String name) {
        return fields.stream().filter(field -> field.name().equalsIgnoreCase(name)).map(Field::value).toList();
    }

    /** Returns the Message-ID of the mail without angle brackets. */
    public Optional<String> messageId() {
        return first("Message-ID").map(value -> value.startsWith("<") && value.indexOf('>') > 0
                ? value.substring(1, value.indexOf('>'))
                : value).filter(id -> !id.isEmpty());
    }

    /**
     * Returns the domain of the first address in From, at most its last {@value #MOST_DOMAIN} bytes. Empty if it is
     * missing.
     */
    public Optional<String> fromDomain() {
        return domain("From");
    }

    /** Returns the same for another field of addresses. */
    Optional<String> domain(String name) {
        return first(name).flatMap(value -> {
            int open = value.lastIndexOf('<');
            int close = value.indexOf('>', open + 1);
            String address = open >= 0 && close > open ? value.substring(open + 1, close) : value;
            int at = address.lastIndexOf('@');
            if (at < 0) {
                return Optional.empty();
            }
            int end = at + 1;
            while (end < address.length() && isDomain(address.charAt(end))) {
                end++;
            }
            String domain = address.substring(at + 1, end);
            return domain.isEmpty()
                    ? Optional.empty()
                    : Optional.of(domain.substring(Math.max(0, domain.length() - MOST_DOMAIN)));
        });
    }

    private static boolean isDomain(char c) {
        return c == '.' || c == '-' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z') || c >= 0x80;
    }
}
