package dev.weir.storage.transfer.redis;

import java.util.LinkedHashMap;
import java.util.Map;

/** The encoding of a hash's fields in one line of text for the spool: {@code name length:value}, repeated. */
final class FieldText {
    /**
     * The maximum length of a value. Longer ones are not Rspamd's; even the list of shingles has about 800 characters.
     */
    private static final int LIMIT = 4096;

    private FieldText() {}

    /** Returns the relevant fields of a reply, with one character for each byte. */
    static Map<String, String> of(Map<byte[], byte[]> reply) {
        Map<String, String> fields = new LinkedHashMap<>();
        reply.forEach((name, value) -> {
            if (value.length <= LIMIT) {
                fields.put(Fields.text(name), Fields.text(value));
            } else {
                fields.put(Fields.text(name), "");
            }
        });
        fields.keySet().removeIf(name -> !Fields.known(name));
        return fields;
    }

    static String write(Map<String, String> fields) {
        StringBuilder text = new StringBuilder();
        fields.forEach((name, value) -> text.append(name).append(' ').append(value.length()).append(':').append(value));
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
