package dev.weir.hash.mime;

import java.util.ArrayList;
import java.util.List;

/**
 * One content signature: a byte pattern at a place, worth a weight for a type.
 *
 * @param place where the pattern must stand
 * @param offset meaning depends on the place
 * @param pattern one element a byte; each element has the lowest value in bits 0-7 and the highest in bits 8-15
 */
record Signature(String type, int weight, Place place, int offset, List<Integer> pattern) {
    enum Place {
        /** Starts exactly at the offset. */
        AT,
        /** Starts anywhere at or after the offset. */
        FROM,
        /** Starts within the last {@code offset} bytes. */
        LAST
    }

    /** Reads a row of the table of signatures: type, weight, place, pattern. */
    static Signature ofRow(List<String> row) {
        String where = row.get(2);
        Place place = where.startsWith("@") ? Place.AT : where.startsWith("last") ? Place.LAST : Place.FROM;
        String digits = where.replaceAll("[^0-9]", "");
        return new Signature(row.get(0), Integer.parseInt(row.get(1)), place,
                digits.isEmpty() ? 0 : Integer.parseInt(digits), pattern(row.get(3)));
    }

    private static List<Integer> pattern(String text) {
        List<Integer> pattern = new ArrayList<>();
        for (int i = 0; i < text.length();) {
            if (text.startsWith("..", i)) {
                pattern.add(0xff00);
                i += 2;
            } else if (text.charAt(i) == '[') {
                int low = Integer.parseInt(text.substring(i + 1, i + 3), 16);
                int high = Integer.parseInt(text.substring(i + 4, i + 6), 16);
                pattern.add(high << 8 | low);
                i += 7;
            } else {
                int value = Integer.parseInt(text.substring(i, i + 2), 16);
                pattern.add(value << 8 | value);
                i += 2;
            }
        }
        return List.copyOf(pattern);
    }

    boolean matchesAt(byte[] data, int at) {
        if (at < 0 || data.length - at < pattern.size()) {
            return false;
        }
        for (int i = 0; i < pattern.size(); i++) {
            int range = pattern.get(i);
            int b = data[at + i] & 0xff;
            if (b < (range & 0xff) || b > range >> 8) {
                return false;
            }
        }
        return true;
    }

    /** Whether the pattern stands in {@code data}, in the stretch [from, to) for the places that search. */
    boolean found(byte[] data, int from, int to) {
        if (place == Place.AT) {
            return matchesAt(data, offset);
        }
        int first = Math.max(from, place == Place.FROM ? offset : data.length - offset);
        for (int at = first; at <= to - pattern.size(); at++) {
            if (matchesAt(data, at)) {
                return true;
            }
        }
        return false;
    }
}
