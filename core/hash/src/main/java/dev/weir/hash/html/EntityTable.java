package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.weir.hash.table.TextTable;
import org.jspecify.annotations.Nullable;

/**
 * The character references of the WHATWG HTML standard with Rspamd's deviations (docs/reference/hashing.md#html):
 * {@code bne} and {@code fjlig} are unknown, {@code nbsp} is a plain space, and some codes have another text than their
 * own character.
 */
final class EntityTable {
    /** Length of the longest name, in letters. */
    static final int MAX_NAME = 31;

    private static final Set<String> MISSING = Set.of("bne", "fjlig");
    private static final Map<String, byte[]> BY_NAME = byName();
    private static final Map<Long, byte[]> BY_CODE = byCode();
    private static final Set<String> PREFIXES = prefixes();

    private EntityTable() {}

    /** Returns the text of a case-sensitive name, or null if it is unknown. */
    static byte @Nullable [] byName(String name) {
        return BY_NAME.get(name);
    }

    /** Returns the text of a numeric reference that differs from the character of that number. */
    static byte @Nullable [] byCode(long code) {
        return BY_CODE.get(code);
    }

    /** Returns the text of a name that also counts as a prefix of unknown names. */
    static byte @Nullable [] byPrefix(String prefix) {
        return PREFIXES.contains(prefix) ? BY_NAME.get(prefix) : null;
    }

    private static Map<String, byte[]> byName() {
        Map<String, byte[]> names = new HashMap<>(4096);
        for (String[] row : TextTable.rows(EntityTable.class, "entities.txt", " ")) {
            if (!MISSING.contains(row[0])) {
                names.put(row[0], text(row));
            }
        }
        names.put("nbsp", new byte[]{' '});
        return Map.copyOf(names);
    }

    private static Map<Long, byte[]> byCode() {
        Map<Long, byte[]> codes = new HashMap<>();
        for (String[] row : TextTable.rows(EntityTable.class, "entity-codes.txt", " ")) {
            codes.put(Long.valueOf(row[0]), text(row));
        }
        return Map.copyOf(codes);
    }

    private static Set<String> prefixes() {
        Set<String> names = new HashSet<>();
        List<String[]> rows = TextTable.rows(EntityTable.class, "entity-prefixes.txt", " ");
        rows.forEach(row -> names.add(row[0]));
        return Set.copyOf(names);
    }

    private static byte[] text(String[] row) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i < row.length; i++) {
            text.appendCodePoint(Integer.parseInt(row[i], 16));
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
