package dev.weir.hash.mime.content;

import java.util.Arrays;

import dev.weir.hash.bytes.ByteSearch;

/** A content signature: a byte pattern at a place, with a weight for one type. */
final class MimeSignature {
    enum Place {
        /** Starts exactly at the offset. */
        AT,
        /** Starts anywhere at or after the offset. */
        FROM,
        /** Starts within the last {@code offset} bytes. */
        LAST
    }

    private static final int LAST_ASCII = 0x7f;

    private final String type;
    private final int weight;
    private final Place place;
    private final int offset;
    /** Lowest and highest value of each byte. */
    private final int[] low;
    private final int[] high;

    private MimeSignature(String type, int weight, Place place, int offset, int[][] pattern) {
        this.type = type;
        this.weight = weight;
        this.place = place;
        this.offset = offset;
        this.low = pattern[0];
        this.high = pattern[1];
        int last = low.length - 1;
        if (place != Place.AT && (low[last] != high[last] || low[last] > LAST_ASCII)) {
            throw new IllegalArgumentException("a pattern that is searched must end in one ASCII byte: " + type);
        }
    }

    private boolean takes(int index, int value) {
        return value >= low[index] && value <= high[index];
    }

    /** Parses a row of the signature table: type, weight, place, pattern. */
    static MimeSignature ofRow(String... row) {
        String where = row[2];
        Place place = where.startsWith("@") ? Place.AT : where.startsWith("last") ? Place.LAST : Place.FROM;
        String digits = where.replaceAll("[^0-9]", "");
        return new MimeSignature(row[0], Integer.parseInt(row[1]), place,
                digits.isEmpty() ? 0 : Integer.parseInt(digits), pattern(row[3]));
    }

    private static int[][] pattern(String text) {
        int[] low = new int[text.length()];
        int[] high = new int[text.length()];
        int length = 0;
        for (int i = 0; i < text.length(); length++) {
            if (text.startsWith("..", i)) {
                high[length] = 0xff;
                i += 2;
            } else if (text.charAt(i) == '[') {
                low[length] = Integer.parseInt(text.substring(i + 1, i + 3), 16);
                high[length] = Integer.parseInt(text.substring(i + 4, i + 6), 16);
                i += 7;
            } else {
                low[length] = Integer.parseInt(text.substring(i, i + 2), 16);
                high[length] = low[length];
                i += 2;
            }
        }
        return new int[][]{Arrays.copyOf(low, length), Arrays.copyOf(high, length)};
    }

    String type() {
        return type;
    }

    int weight() {
        return weight;
    }

    Place place() {
        return place;
    }

    /** Whether the pattern is not empty and is fixed at offset 0. */
    boolean isAtStart() {
        return place == Place.AT && offset == 0 && low.length > 0;
    }

    /** Whether the pattern may start with this byte, 0 to 255. */
    boolean takesFirst(int value) {
        return takes(0, value);
    }

    /** Whether the pattern matches at its fixed offset. */
    boolean matchesInPlace(byte[] data) {
        return matchesAt(data, offset);
    }

    private boolean matchesAt(byte[] data, int at) {
        if (at < 0 || data.length - at < low.length) {
            return false;
        }
        for (int i = 0; i < low.length; i++) {
            if (!takes(i, data[at + i] & 0xff)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a pattern without a fixed offset occurs in [from, to) of {@code data}. */
    boolean found(byte[] data, int from, int to) {
        int last = low.length - 1;
        int first = Math.max(from, place == Place.FROM ? offset : data.length - offset);
        int end = ByteSearch.indexOf(data, first + last, to, (char) low[last]);
        while (end < to && !matchesAt(data, end - last)) {
            end = ByteSearch.indexOf(data, end + 1, to, (char) low[last]);
        }
        return end < to;
    }
}
