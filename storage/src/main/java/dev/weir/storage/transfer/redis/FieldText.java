package dev.weir.storage.transfer.redis;

import java.util.LinkedHashMap;
import java.util.Map;

/** Fields of a hash in one line of text, for the spool: {@code name length:value} one after the other. */
final class FieldText {
    /** Longer values are none of Rspamd's: even the list of shingles has some 800 characters. */
    private static final int LIMIT = 4096;

    private FieldText() {}

    static String write(Map<byte[], byte[]> fields) {
        StringBuilder text = new StringBuilder();
        fields.forEach((name, value) -> {
            String known = Fields.text(name);
            if (Fields.known(known)) {
                String kept = value.length > LIMIT ? "" : Fields.text(value);
                text.append(known).append(' ').append(kept.length()).append(':').append(kept);
            }
        });
        return text.toString();
    }

    static Map<String, String> read(String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        int at = 0;
        while (at < text.length()) {
            int space = text.indexOf(' ', at);
            int colon = text.indexOf(':', space);
            int end = colon + 1 + Integer.parseInt(text.substring(space + 1, colon));
            fields.put(text.substring(at, space), text.substring(colon + 1, end));
            at = end;
        }
        return fields;
    }
}
