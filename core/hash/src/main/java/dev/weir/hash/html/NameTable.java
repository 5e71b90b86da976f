package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * A map from a fixed set of names to values, looked up directly in the input and without regard to ASCII case. Every
 * tag and every attribute of a mail is looked up here, and no lookup creates a string.
 */
final class NameTable<T> {
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry<T>(byte[] name, T value) {}

    /** Hash table with open addressing; at least three of four slots are free. */
    private final List<@Nullable Entry<T>> entries;
    private final int mask;

    /**
     * @param values values by name, which is ASCII in lower case
     */
    NameTable(Map<String, T> values) {
        int size = Integer.highestOneBit(Math.max(1, values.size())) * 8;
        this.mask = size - 1;
        this.entries = new ArrayList<>(Collections.nCopies(size, null));
        values.forEach((text, value) -> {
            byte[] name = text.getBytes(StandardCharsets.US_ASCII);
            int place = hash(name, 0, name.length) & mask;
            while (entries.get(place) != null) {
                place = (place + 1) & mask;
            }
            entries.set(place, new Entry<>(name, value));
        });
    }

    /** Returns the value of the name in [from, to), or null if the name is not in the table. */
    @Nullable
    T get(byte[] source, int from, int to) {
        int place = hash(source, from, to) & mask;
        for (Entry<T> entry = entries.get(place); entry != null; entry = entries.get(place)) {
            if (matches(entry.name, source, from, to)) {
                return entry.value;
            }
            place = (place + 1) & mask;
        }
        return null;
    }

    private static int hash(byte[] source, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + Ascii.lower(source[i]);
        }
        return hash ^ hash >>> 8;
    }

    private static boolean matches(byte[] name, byte[] source, int from, int to) {
        if (name.length != to - from) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if (name[i] != Ascii.lower(source[from + i])) {
                return false;
            }
        }
        return true;
    }
}
